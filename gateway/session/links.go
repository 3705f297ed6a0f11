package session

import "bytes"

const (
	// linksLimit is how many bytes of a page are looked at. Navigation, which
	// every page has, stands at its top.
	linksLimit = 64 << 10

	// linkLimit is the longest link that is looked at.
	linkLimit = 2 << 10
)

// Links looks for the URL parameter of a session in the links of a page of
// text/html, in the values of href, src and action. It is fed the page piece by
// piece as the bytes pass, keeps no more than one link, looks at the first
// 64 KiB, and stops at the first id. The bytes must be those of the page, with
// no content coding. Call Reset before the first use and between pages.
//
// It reads tags as HTML does: comments, and the text of scripts, styles and
// their like, have no links. In a link, references to ASCII characters by
// number and &amp; are resolved.
type Links struct {
	session *Definition
	id      []byte // view of link or scratch
	left    int    // bytes that are still to be looked at

	state   linkState
	name    [8]byte // of a tag or attribute, in lower case
	named   int     // its length, which may be more than is kept
	closing bool    // the tag is an end tag
	opening string  // the tag's element, if its text is no markup
	seen    uint8   // bit i: the tag has had linkAttributes[i]
	text    string  // the element of which this is the text that is no markup
	quote   byte    // around the value
	wanted  bool    // the value is a link, and fits

	link    [linkLimit]byte
	size    int // of what link holds
	scratch []byte
}

// Reset prepares for the next page. The session may be nil: then, or if it has
// no URL parameter, Feed does nothing.
func (l *Links) Reset(d *Definition) {
	l.session, l.id, l.left = d, nil, linksLimit
	l.state, l.text = inText, ""
	if d == nil || d.URLParam == "" {
		l.left = 0
	}
}

// ID returns the first id that a link had, or nil if none had one yet. It is a
// view, and valid until Reset.
func (l *Links) ID() []byte { return l.id }

// Feed looks at the next piece of the page.
func (l *Links) Feed(p []byte) {
	p = p[:min(len(p), l.left)]
	l.left -= len(p)
	for len(p) > 0 && l.id == nil {
		p = p[l.step(p):]
	}
}

// step looks at what p begins with and returns how many bytes it is done with.
// A step that is done with none has gone to a state that takes the first one.
func (l *Links) step(p []byte) int {
	switch l.state {
	case inText:
		return l.skipPast(p, '<', opened)
	case inBogus:
		return l.skipPast(p, '>', inText)
	case inComment:
		return l.skipPast(p, '-', commentDash)
	case inTagName:
		return l.tagName(p)
	case beforeName:
		return l.beforeName(p[0])
	case inName:
		return l.attributeName(p)
	case afterName:
		return l.afterName(p[0])
	case beforeValue:
		return l.beforeValue(p[0])
	case inQuoted:
		return l.quoted(p)
	case inUnquoted:
		return l.unquoted(p)
	}
	return l.turn(p[0])
}

// skipPast skips to the first c and what it leads to.
func (l *Links) skipPast(p []byte, c byte, to linkState) int {
	i := bytes.IndexByte(p, c)
	if i < 0 {
		return len(p)
	}
	l.state = to
	return i + 1
}

// keep adds to the link, as long as it fits.
func (l *Links) keep(p []byte) {
	l.wanted = l.wanted && len(p) <= len(l.link)-l.size
	if l.wanted {
		l.size += copy(l.link[l.size:], p)
	}
}

// endValue looks for the id in the value that has ended.
func (l *Links) endValue() {
	l.state = beforeName
	if !l.wanted {
		return
	}
	url := bytes.Trim(resolve(l.link[:l.size]), " \t\n\f\r")
	l.id, l.scratch = l.session.inReference(url, l.scratch)
}
