package esi

import (
	"bytes"
	"errors"
)

// ErrTooLarge means that a template is longer than [Limits.Template].
var ErrTooLarge = errors.New("template is too large")

// Parser makes a program of a template. The template is written to it in pieces of any
// size, and where they are cut makes no difference (S2). The zero value is ready, with the
// default limits. A Parser is used for one template.
type Parser struct {
	// Limits bound what is taken.
	Limits Limits

	// Length is how long the template will be, if that is known. It saves copies, and may
	// be wrong.
	Length int64

	build     builder
	pending   []byte // begun, and not decided yet
	at        int64  // offset in the template of what is looked at
	seen      int64  // bytes written
	opaque    string // what ends the text that is passed on unread; empty: it is read
	unwrapped bool   // within <!--esi -->
	tag       tagEnd // how far the tag at the start of pending was looked through
	variable  variableEnd
}

// Write takes the next piece of the template. The only error is ErrTooLarge, after which
// the parser is of no more use.
func (p *Parser) Write(b []byte) (int, error) {
	if p.seen == 0 {
		p.build.expected = int(min(max(p.Length, 0), p.Limits.template()))
		p.build.most = p.Limits.problems()
	}
	if p.seen += int64(len(b)); p.seen > p.Limits.template() {
		return 0, ErrTooLarge
	}
	if len(p.pending) == 0 {
		p.pending = append(p.pending, p.scan(b, false)...)
		return len(b), nil
	}
	p.pending = append(p.pending, b...)
	rest := p.scan(p.pending, false)
	p.pending = p.pending[:copy(p.pending, rest)]
	return len(b), nil
}

// Close ends the template.
func (p *Parser) Close() (*Program, Problems) {
	p.scan(p.pending, true)
	p.pending = nil
	return p.build.end(p.at)
}

// Parse makes a program of a template that is here as a whole.
func Parse(template []byte, l Limits) (*Program, Problems, error) {
	p := Parser{Limits: l, Length: int64(len(template))}
	if _, err := p.Write(template); err != nil {
		return nil, Problems{}, err
	}
	program, problems := p.Close()
	return program, problems, nil
}

// scan takes of b what can be decided on, and returns the rest. If b is the last, that
// is nothing.
func (p *Parser) scan(b []byte, last bool) []byte {
	for len(b) > 0 {
		n := 0
		if p.opaque != "" {
			n = p.pass(b, last)
		}
		if p.opaque == "" && n == 0 {
			n = p.read(b, last)
		}
		if n == 0 {
			break
		}
		p.at += int64(n)
		b = b[n:]
	}
	return b
}

// pass takes text that is not read, up to what ends it (S6).
func (p *Parser) pass(b []byte, last bool) int {
	n, found := p.endOfOpaque(b)
	switch {
	case found:
		p.opaque = ""
	case last:
		n = len(b)
	default:
		n = len(b) - max(undecided(b, p.opaque), undecided(b, p.comment()))
	}
	p.build.literal(b[:n], p.at)
	return n
}

// endOfOpaque finds the end of text that is not read. An end tag is left to be read. A
// comment whose markers were dropped ends at the first "-->", whatever that stands in.
func (p *Parser) endOfOpaque(b []byte) (n int, found bool) {
	if i := bytes.Index(b, []byte(p.opaque)); i >= 0 {
		n, found = i, true
		b = b[:i]
		if p.opaque != endOfText {
			n += len(p.opaque)
		}
	}
	if p.unwrapped {
		if i := bytes.Index(b, []byte(p.comment())); i >= 0 {
			return i, true
		}
	}
	return n, found
}

// comment is what ends the comment that is read as if it was none, if there is one.
func (p *Parser) comment() string {
	if p.unwrapped {
		return "-->"
	}
	return ""
}

// endOfText is what ends the content of a text element.
const endOfText = "</esi:text"

// undecided is how many bytes at the end of b may be the start of end.
func undecided(b []byte, end string) int {
	for n := min(len(end)-1, len(b)); n > 0; n-- {
		if string(b[len(b)-n:]) == end[:n] {
			return n
		}
	}
	return 0
}

// read takes literal text up to the next mark, and the mark. It returns how much that was,
// none if it cannot be decided yet what stands at the start of b.
func (p *Parser) read(b []byte, last bool) int {
	for from := 0; ; {
		i := p.find(b, from)
		if i < 0 {
			p.build.literal(b, p.at)
			return len(b)
		}
		m := p.markAt(b[i:])
		if m == noMark || m == unsure && last {
			from = i + 1
			continue
		}
		p.build.literal(b[:i], p.at)
		if m == unsure {
			return i
		}
		p.at += int64(i)
		n := p.take(m, b[i:], last)
		p.at -= int64(i)
		return i + n
	}
}

// find returns the index of the next byte that may begin a mark, -1 if there is none. Most
// bytes are only ever looked at here. It goes by windows: else each of many marks of one
// kind would have all the rest searched for one of another.
func (p *Parser) find(b []byte, from int) int {
	for ; from < len(b); from += findWindow {
		if i := p.findIn(b[from:min(from+findWindow, len(b))]); i >= 0 {
			return from + i
		}
	}
	return -1
}

const findWindow = 1 << 10

func (p *Parser) findIn(b []byte) int {
	i := bytes.IndexByte(b, '<')
	if i >= 0 {
		b = b[:i]
	}
	if p.unwrapped {
		if j := bytes.IndexByte(b, '-'); j >= 0 {
			i, b = j, b[:j]
		}
	}
	if p.build.printing() {
		if j := bytes.IndexByte(b, '$'); j >= 0 {
			i = j
		}
	}
	return i
}

// mark is something that is no plain text.
type mark uint8

const (
	noMark mark = iota
	unsure      // it depends on what comes next
	tagMark
	commentMark   // <!--
	unwrapMark    // <!--esi and a blank or "<"
	unwrapEndMark // -->
	cdataMark
	variableMark
)

// marks is what a mark begins with. Those that need a look at the byte behind have next.
var marks = [...]struct {
	text string
	mark mark
	next func(c byte) bool
}{
	{"<esi:", tagMark, isLetter},
	{"</esi:", tagMark, isLetter},
	{"<!--esi", unwrapMark, func(c byte) bool { return isBlank(c) || c == '<' }},
	{"<!--", commentMark, nil},
	{"<![CDATA[", cdataMark, nil},
	{"-->", unwrapEndMark, nil},
	{"$(", variableMark, nil},
}

// markAt returns the mark that b begins with.
func (p *Parser) markAt(b []byte) mark {
	if len(b) > 1 && b[0] == '<' && b[1] != 'e' && b[1] != '/' && b[1] != '!' {
		return noMark // as most tags of HTML
	}
	for i := range marks {
		m := &marks[i]
		switch {
		case len(b) < len(m.text):
			if m.text[:len(b)] == string(b) && p.means(m.mark) {
				return unsure
			}
		case string(b[:len(m.text)]) != m.text || !p.means(m.mark):
		case m.next == nil:
			return m.mark
		case len(b) == len(m.text):
			return unsure
		case m.next(b[len(m.text)]):
			return m.mark
		}
	}
	return noMark
}

// means reports whether a mark means anything here. Comments are not nested.
func (p *Parser) means(m mark) bool {
	switch m {
	case commentMark, unwrapMark:
		return !p.unwrapped
	case unwrapEndMark:
		return p.unwrapped
	}
	return true
}

// take takes the mark that b begins with and returns its length, 0 if more must come
// before it is known.
func (p *Parser) take(m mark, b []byte, last bool) int {
	switch m {
	case tagMark:
		return p.takeTag(b, last)
	case variableMark:
		return p.takeVariable(b, last)
	case commentMark:
		p.opaque = "-->"
		p.build.literal(b[:2], p.at) // "<!-->" is a comment
		return 2
	case cdataMark:
		p.opaque = "]]>"
		p.build.literal(b[:len("<![CDATA[")], p.at)
		return len("<![CDATA[")
	case unwrapMark:
		p.unwrapped = true
		return len("<!--esi")
	}
	p.unwrapped = false
	return len("-->")
}

func isLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }
func isDigit(c byte) bool  { return '0' <= c && c <= '9' }
func isBlank(c byte) bool  { return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f' }

// blanks are the bytes that isBlank is true of.
const blanks = " \t\n\r\f"

func allBlank(b []byte) bool { return len(bytes.TrimLeft(b, blanks)) == 0 }
