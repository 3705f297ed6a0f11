package esi

import (
	"bytes"
	"slices"
)

// builder writes a program.
type builder struct {
	program  Program
	problems Problems
	most     int      // problems that are told
	open     []opened // elements, the outermost first
	printed  int      // vars elements that are open
	patterns int      // regular expressions so far
	label    uint32   // text is joined to no instruction before this one
	known    map[variable]uint32
	expected int    // bytes of the template, if that is known
	at       int64  // offset of the tag that is taken
	name     string // of its element
}

// printing reports whether variables in text stand for their values.
func (b *builder) printing() bool { return b.printed > 0 }

// literal takes text of the page.
func (b *builder) literal(text []byte, at int64) {
	if len(text) == 0 {
		return
	}
	if len(b.open) > 0 && !b.counts(text, at) {
		return
	}
	from := uint32(len(b.program.text))
	b.program.text = append(b.room(len(text)), text...)
	to := uint32(len(b.program.text))
	if n := b.here(); n > b.label && b.program.code[n-1].op == opText && b.program.code[n-1].b == from {
		b.program.code[n-1].b = to
		return
	}
	b.emit(instruction{opText, from, to})
}

// room is the text with room for so much more. It is doubled when it is full: a template
// is mostly text, and copying it is most of what reading it costs.
func (b *builder) room(more int) []byte {
	text := b.program.text
	if cap(text)-len(text) < more {
		text = slices.Grow(text, max(more, len(text), b.expected-len(text)))
	}
	return text
}

// counts reports whether text that comes now is part of the page.
func (b *builder) counts(text []byte, at int64) bool {
	if o := b.top(); o.mode == brief && !allBlank(text) {
		b.at, b.name = at, ""
		b.settle(nil)
	}
	o := b.around()
	if o == nil || o.mode == live {
		return true
	}
	if o.mode == dead {
		b.order(o, text)
		return false
	}
	if !o.told && !allBlank(text) {
		o.told = true
		at += int64(len(text) - len(bytes.TrimLeft(text, blanks))) // wherever the text was split
		b.problem(Problem{at, o.name, Misplaced, "text that stands directly in it is dropped"})
	}
	return false
}

// cut takes back blanks that turn out to be none of the page's.
func (b *builder) cut(length int) {
	p := &b.program
	if n := len(p.code); n > 0 && length < len(p.text) {
		p.code[n-1].b = uint32(length)
		if p.code[n-1].a == uint32(length) {
			p.code = p.code[:n-1]
		}
	}
	p.text = p.text[:length]
}

// print takes a variable in text.
func (b *builder) print(v variable, at int64) {
	if len(b.open) > 0 && !b.counts([]byte("$"), at) {
		return
	}
	b.at, b.name = at, "vars"
	b.emit(instruction{opPrint, b.intern(v), 0})
	b.name = ""
}

// intern returns the index of a variable. Each is kept once.
func (b *builder) intern(v variable) uint32 {
	if i, ok := b.known[v]; ok {
		return i
	}
	if b.known == nil {
		b.known = make(map[variable]uint32)
	}
	i := uint32(len(b.program.variables))
	b.program.variables = append(b.program.variables, v)
	b.program.uses |= v.name.uses()
	b.known[v] = i
	if v.name == noVariable {
		b.tell(Variable, "there is no such variable; it is empty")
	}
	return i
}

// here is the index of the next instruction.
func (b *builder) here() uint32 { return uint32(len(b.program.code)) }

// emit writes an instruction and returns its index.
func (b *builder) emit(i instruction) uint32 {
	b.program.code = append(b.program.code, i)
	return b.here() - 1
}

// mark makes the next instruction one that can be jumped to.
func (b *builder) mark() uint32 {
	b.label = b.here()
	return b.label
}

// chain writes a jump whose target is not known yet, and adds it to those of l.
func (b *builder) chain(l *link) {
	i := b.emit(instruction{op: opJump, b: uint32(*l)})
	*l = link(i + 1)
}

// land lets all jumps of l lead to the next instruction.
func (b *builder) land(l link) {
	here := b.mark()
	for l != 0 {
		i := &b.program.code[l-1]
		l = link(i.b)
		i.b = here
	}
}

// tell tells of a problem in the tag that is taken.
func (b *builder) tell(k Kind, detail string) {
	b.problem(Problem{Offset: b.at, Element: b.name, Kind: k, Detail: detail})
}

// tellOf tells of a problem in an open element.
func (b *builder) tellOf(o *opened, k Kind, detail string) {
	b.problem(Problem{Offset: o.at, Element: o.name, Kind: k, Detail: detail})
}

func (b *builder) problem(q Problem) { b.problems.add(q, b.most) }

// end returns what was built of a template that ended.
func (b *builder) end(at int64) (*Program, Problems) {
	b.at = at
	b.settle(nil)
	for o := b.top(); o != nil; o = b.top() {
		b.tellOf(o, Unclosed, "its end tag is missing")
		b.pop()
	}
	p := b.program
	p.text = fitted(p.text)
	p.code, p.variables, p.tests = fitted(p.code), fitted(p.variables), fitted(p.tests)
	p.includes, p.tries = fitted(p.includes), fitted(p.tries)
	p.marked = len(p.code) > 0 && p.code[0].op == opText && bytes.HasPrefix(p.text, byteOrderMark)
	p.seal()
	return &p, b.problems
}

// byteOrderMark is that of UTF-8.
var byteOrderMark = []byte("\xef\xbb\xbf")

// fitted returns s in no more memory than it needs, or a little more.
func fitted[T any](s []T) []T {
	if cap(s) > len(s)+len(s)/8 {
		return slices.Clone(s)
	}
	return slices.Clip(s)
}
