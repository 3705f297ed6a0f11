package esi

import "bytes"

// tag is one that was read.
type tag struct {
	name  string
	end   bool // </esi:name>
	empty bool // it ends in "/>"
	loose bool // there were blanks round "=", or no quotes
	bad   bool // an attribute is repeated or too long: they are of no use
	attrs []attribute
}

type attribute struct{ name, value string }

// value returns the value of an attribute, and whether it is there.
func (t *tag) value(name string) (string, bool) {
	for _, a := range t.attrs {
		if a.name == name {
			return a.value, true
		}
	}
	return "", false
}

// has reports whether there is such an attribute.
func (t *tag) has(name string) bool {
	_, ok := t.value(name)
	return ok
}

// tagEnd looks for the end of a tag, and goes on where it was when more has come.
type tagEnd struct {
	n     int // bytes that were looked at
	state tagState
	quote byte
}

type tagState uint8

const (
	betweenWords tagState = iota
	afterEquals
	inUnquoted
	inQuotes
)

// verdict is what comes of looking for an end.
type verdict uint8

const (
	more   verdict = iota // it is not here yet
	ended                 // here it is
	broken                // there is none: another tag begins, or it takes too long
)

// scan looks at what has come of the tag that b begins with, up to its ">". A tag that
// begins within it shows that it has no end, since a "<" that belongs to an expression
// stands before no "esi:".
func (e *tagEnd) scan(b []byte, longest int) verdict {
	for ; e.n < len(b); e.n++ {
		if e.n == longest {
			return broken
		}
		c := b[e.n]
		if c == ':' && e.n > len("</esi") && beginsTag(b[:e.n]) {
			e.n = bytes.LastIndexByte(b[:e.n], '<')
			return broken
		}
		if e.step(c) {
			e.n++
			return ended
		}
	}
	return more
}

// step takes one byte and reports whether it ends the tag.
func (e *tagEnd) step(c byte) bool {
	switch {
	case e.state == inQuotes:
		if c == e.quote {
			e.state = betweenWords
		}
	case c == '>':
		return true
	case e.state == afterEquals && (c == '"' || c == '\''):
		e.state, e.quote = inQuotes, c
	case e.state == afterEquals && !isBlank(c):
		e.state = inUnquoted
	case e.state == inUnquoted && isBlank(c):
		e.state = betweenWords
	case e.state == betweenWords && c == '=':
		e.state = afterEquals
	}
	return false
}

// beginsTag reports whether b ends in what stands before the ":" of a tag.
func beginsTag(b []byte) bool {
	return bytes.HasSuffix(b, []byte("<esi")) || bytes.HasSuffix(b, []byte("</esi"))
}

// takeTag reads the tag that b begins with. Whatever is none is dropped up to the first
// ">", so that an open quote costs no more than the tag it is in.
func (p *Parser) takeTag(b []byte, last bool) int {
	if v := p.tag.scan(b, 2*p.Limits.attribute()); v == more && !last {
		return 0
	} else if v == ended {
		if t, ok := parseTag(b[:p.tag.n], p.Limits.attribute()); ok {
			n := p.tag.n
			p.tag = tagEnd{}
			p.element(&t)
			return n
		}
	}
	n := p.dropped(b, last && p.tag.n == len(b))
	p.tag = tagEnd{}
	return n
}

// dropped is how much of what is no tag is dropped, and tells of it. If there is no ">",
// it is all up to the next tag or the end of the body, and of what is too long the part
// that makes it look like a tag.
func (p *Parser) dropped(b []byte, unfinished bool) int {
	name := tagName(b)
	b = b[:p.tag.n]
	q := Problem{Offset: p.at, Element: name, Kind: Malformed, Detail: "this is no tag, and is dropped"}
	n := bytes.IndexByte(b, '>') + 1
	switch {
	case n > 0:
	case unfinished:
		n = len(b)
		q.Kind, q.Detail = Unfinished, "the template ends within the tag, which is dropped"
	case len(b) == 2*p.Limits.attribute():
		n = bytes.IndexByte(b, ':') + 1 + len(name)
		q.Detail = "the tag is too long, and is dropped"
	default:
		n = len(b)
	}
	p.build.problem(q)
	return n
}

// tagName is the name of the tag that b begins with.
func tagName(b []byte) string {
	b = b[bytes.IndexByte(b, ':')+1:]
	n := 0
	for n < len(b) && n < 64 && isNameByte(b[n]) {
		n++
	}
	return string(b[:n])
}

func isNameByte(c byte) bool { return isLetter(c) || isDigit(c) || c == '-' || c == '_' || c == '.' }

// parseTag reads a tag from its "<" to its ">". It is not ok if that has no tag's form.
func parseTag(b []byte, longest int) (t tag, ok bool) {
	t.end = b[1] == '/'
	t.name = tagName(b)
	b = b[bytes.IndexByte(b, ':')+1+len(t.name) : len(b)-1]
	for {
		rest := bytes.TrimLeft(b, blanks)
		if len(rest) == 0 {
			return t, true
		}
		if string(rest) == "/" {
			t.empty = true
			return t, true
		}
		if len(rest) == len(b) {
			return t, false // words must stand apart
		}
		if b, ok = t.attribute(rest, longest); !ok {
			return t, false
		}
	}
}

// attribute takes one attribute off b.
func (t *tag) attribute(b []byte, longest int) (rest []byte, ok bool) {
	n := 0
	for n < len(b) && (isNameByte(b[n]) || b[n] == ':') {
		n++
	}
	name, after := string(b[:n]), bytes.TrimLeft(b[n:], blanks)
	if n == 0 || len(after) == 0 || after[0] != '=' {
		return nil, false
	}
	v := bytes.TrimLeft(after[1:], blanks)
	t.loose = t.loose || len(after) < len(b)-n || len(v) < len(after)-1
	value, rest, ok := t.cutValue(v)
	if _, twice := t.value(name); twice || len(value) > longest {
		t.bad = true
	}
	t.attrs = append(t.attrs, attribute{name, decodeEntities(value)})
	return rest, ok
}

// cutValue takes the value of an attribute off b. One without quotes ends at a blank, or
// at the end, where a "/" is the tag's.
func (t *tag) cutValue(b []byte) (value, rest []byte, ok bool) {
	if len(b) > 0 && (b[0] == '"' || b[0] == '\'') {
		end := bytes.IndexByte(b[1:], b[0])
		if end < 0 {
			return nil, nil, false
		}
		return b[1 : 1+end], b[end+2:], true
	}
	t.loose = true
	end := bytes.IndexAny(b, blanks)
	if end < 0 {
		end = len(bytes.TrimSuffix(b, []byte("/")))
		t.empty = end < len(b)
		return b[:end], nil, bare(b[:end])
	}
	return b[:end], b[end:], bare(b[:end])
}

// bare reports whether a value may stand without quotes: it has none.
func bare(value []byte) bool { return !bytes.ContainsAny(value, "\"'") }

// element takes a tag. What stands in a text element is not read.
func (p *Parser) element(t *tag) {
	p.build.element(t, p.at)
	if o := p.build.top(); o != nil && o.name == "text" && o.mode == live {
		p.opaque = endOfText
	}
}
