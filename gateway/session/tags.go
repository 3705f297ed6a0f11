package session

import (
	"bytes"
	"slices"
	"strings"
)

// linkState is what [Links] is in the middle of.
type linkState uint8

const (
	inText       linkState = iota
	opened                 // after <
	closed                 // after </
	declared               // after <!
	declaredDash           // after <!-
	commentStart           // after <!--
	commentStartDash
	inComment
	commentDash
	commentDashes
	commentBang // after --! in a comment
	inBogus     // what ends at the next >
	inTagName
	beforeName // of an attribute
	inName
	afterName
	beforeValue
	inQuoted
	inUnquoted
)

// turns is where one byte leads from the states that collect nothing. A byte
// that is listed is done with; any other one is looked at again in the state
// that it leads to.
var turns = [...]struct {
	on        string
	to        []linkState
	letter    linkState // if not inText, where a letter leads, to be looked at again
	otherwise linkState
}{
	opened:           {on: "/!?", to: []linkState{closed, declared, inBogus}, letter: inTagName, otherwise: inText},
	closed:           {on: ">", to: []linkState{inText}, letter: inTagName, otherwise: inBogus},
	declared:         {on: "-", to: []linkState{declaredDash}, otherwise: inBogus},
	declaredDash:     {on: "-", to: []linkState{commentStart}, otherwise: inBogus},
	commentStart:     {on: ">-", to: []linkState{inText, commentStartDash}, otherwise: inComment},
	commentStartDash: {on: ">-", to: []linkState{inText, commentDashes}, otherwise: inComment},
	commentDash:      {on: "-", to: []linkState{commentDashes}, otherwise: inComment},
	commentDashes:    {on: ">-!", to: []linkState{inText, commentDashes, commentBang}, otherwise: inComment},
	commentBang:      {on: ">-", to: []linkState{inText, commentDash}, otherwise: inComment},
}

// opaque is every element whose text is no markup.
var opaque = []string{"script", "style", "textarea", "title", "iframe", "noembed", "noframes", "xmp"}

// linkAttributes is every attribute whose value is a link that a client follows.
var linkAttributes = []string{"href", "src", "action"}

// turn takes one byte where nothing is collected.
func (l *Links) turn(c byte) int {
	from, t := l.state, &turns[l.state]
	if l.text != "" {
		return l.turnInOpaque(c)
	}
	if i := strings.IndexByte(t.on, c); i >= 0 {
		l.state = t.to[i]
		return 1
	}
	l.state = t.otherwise
	if t.letter != inText && letter(c) {
		l.state = t.letter
		l.named, l.closing = 0, from == closed
	}
	return 0
}

// turnInOpaque takes a byte after < or </ where only the end tag of the element
// is markup.
func (l *Links) turnInOpaque(c byte) int {
	switch {
	case l.state == opened && c == '/':
		l.state = closed
		return 1
	case l.state == closed && letter(c):
		l.state, l.named, l.closing = inTagName, 0, true
	default:
		l.state = inText
	}
	return 0
}

// tagName collects the name of a tag.
func (l *Links) tagName(p []byte) int {
	n := 0
	for n < len(p) && !l.endsTagName(p[n]) {
		n++
	}
	l.addName(p[:n])
	if n < len(p) {
		l.endTagName(p[n])
	}
	return n
}

func (l *Links) endsTagName(c byte) bool {
	return c == '/' || c == '>' || blank(c) || l.text != "" && !letter(c)
}

// endTagName goes on after the name of a tag; next is the byte that ends it.
func (l *Links) endTagName(next byte) {
	element := l.nameIn(opaque)
	ends := element == l.text && (next == '/' || next == '>' || blank(next))
	if l.text != "" && !ends {
		l.state = inText
		return
	}
	l.state, l.opening, l.seen = beforeName, element, 0
	if l.closing {
		l.opening = ""
	}
}

// beforeName takes a byte where the name of an attribute may begin.
func (l *Links) beforeName(c byte) int {
	switch {
	case c == '>':
		l.state, l.text = inText, l.opening
	case c != '/' && !blank(c):
		l.state, l.named = inName, 0
		l.addName([]byte{c}) // a name may begin with =
	}
	return 1
}

// attributeName collects the name of an attribute.
func (l *Links) attributeName(p []byte) int {
	n := 0
	for n < len(p) && p[n] != '=' && p[n] != '/' && p[n] != '>' && !blank(p[n]) {
		n++
	}
	l.addName(p[:n])
	if n < len(p) {
		l.state, l.wanted = afterName, l.newLink()
	}
	return n
}

// newLink reports whether the name is that of a link. The second attribute of a
// tag with the same name is none.
func (l *Links) newLink() bool {
	i := slices.Index(linkAttributes, l.nameIn(linkAttributes))
	if i < 0 || l.closing {
		return false
	}
	before := l.seen
	l.seen |= 1 << i
	return l.seen != before
}

// afterName takes a byte where = may follow.
func (l *Links) afterName(c byte) int {
	switch {
	case blank(c):
		return 1
	case c == '=':
		l.state, l.size = beforeValue, 0
		return 1
	}
	l.state = beforeName
	return 0
}

// beforeValue takes a byte where a value may begin.
func (l *Links) beforeValue(c byte) int {
	switch {
	case blank(c):
		return 1
	case c == '"' || c == '\'':
		l.state, l.quote = inQuoted, c
		return 1
	case c == '>':
		l.state = beforeName
		return 0
	}
	l.state = inUnquoted
	return 0
}

// quoted collects a value up to its quote.
func (l *Links) quoted(p []byte) int {
	n := bytes.IndexByte(p, l.quote)
	if n < 0 {
		l.keep(p)
		return len(p)
	}
	l.keep(p[:n])
	l.endValue()
	return n + 1
}

// unquoted collects a value up to a blank or the end of the tag.
func (l *Links) unquoted(p []byte) int {
	n := 0
	for n < len(p) && p[n] != '>' && !blank(p[n]) {
		n++
	}
	l.keep(p[:n])
	if n < len(p) {
		l.endValue()
	}
	return n
}

// addName adds to the name that is being collected.
func (l *Links) addName(p []byte) {
	for i := 0; i < len(p) && l.named+i < len(l.name); i++ {
		l.name[l.named+i] = lower(p[i])
	}
	l.named += len(p)
}

// nameIn returns the one of names that has been collected, or "".
func (l *Links) nameIn(names []string) string {
	if l.named > len(l.name) {
		return ""
	}
	for _, name := range names {
		if string(l.name[:l.named]) == name {
			return name
		}
	}
	return ""
}

func letter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }

func lower(c byte) byte {
	if 'A' <= c && c <= 'Z' {
		c |= 0x20
	}
	return c
}

func blank(c byte) bool {
	return c == ' ' || c == '\t' || c == '\n' || c == '\f' || c == '\r'
}
