package rules

import "strings"

// A comment of an expression: // to the end of the line, or /* to */.
type comment struct {
	at     int // in characters
	text   string
	behind bool // it is the last on a line that has something before it
}

// commentsOf finds the comments of an expression that can be parsed.
func commentsOf(source string) (all []comment) {
	s := scanner{text: []rune(source)}
	for s.at < len(s.text) {
		switch c := s.text[s.at]; {
		case c == '"' || c == '\'':
			s.skipQuoted(c)
		case c == '`':
			s.skipTo("`", 1)
		case s.sees("//"):
			all = append(all, s.comment("\n", 0))
		case s.sees("/*"):
			all = append(all, s.comment("*/", 2))
		default:
			s.at++
		}
	}
	return all
}

// scanner steps through an expression as the language does.
type scanner struct {
	text []rune
	at   int
}

func (s *scanner) sees(word string) bool {
	return strings.HasPrefix(string(s.text[s.at:min(len(s.text), s.at+2)]), word)
}

// skipQuoted goes behind the text that begins here.
func (s *scanner) skipQuoted(quote rune) {
	for s.at++; s.at < len(s.text) && s.text[s.at] != quote; s.at++ {
		if s.text[s.at] == '\\' {
			s.at++
		}
	}
	s.at++
}

// skipTo goes to the next end, and from there by as much as past says.
func (s *scanner) skipTo(end string, past int) {
	for s.at++; s.at < len(s.text) && !s.sees(end); s.at++ {
	}
	s.at = min(len(s.text), s.at+past)
}

func (s *scanner) comment(end string, past int) comment {
	from := s.at
	s.at++ // the star of /*/ does not end it
	s.skipTo(end, past)
	before, after := string(s.text[:from]), string(s.text[s.at:])
	line := before[strings.LastIndexByte(before, '\n')+1:]
	rest, _, _ := strings.Cut(after, "\n")
	return comment{
		at:     from,
		text:   strings.TrimSpace(string(s.text[from:s.at])),
		behind: strings.TrimSpace(line) != "" && strings.TrimSpace(rest) == "",
	}
}

// pending reports whether a comment that stands before a place is not written yet.
func (w *layout) pending(before int) bool {
	return len(w.comments) > 0 && w.comments[0].at < before
}

// place writes the comments that stand before a place: behind the line that they
// stood behind, or on lines of their own.
func (w *layout) place(before, indent int) {
	for w.pending(before) {
		c := w.comments[0]
		w.comments = w.comments[1:]
		if c.behind && len(w.lines) > 0 && !w.closed {
			w.lines[len(w.lines)-1] += " " + c.text
		} else {
			w.line(indent, c.text)
		}
		w.closed = true
	}
}

// hoist writes the comments that stand before a place on lines of their own: their
// place is inside of what cannot be broken.
func (w *layout) hoist(before, indent int) {
	for w.pending(before) {
		w.line(indent, w.comments[0].text)
		w.comments, w.closed = w.comments[1:], true
	}
}
