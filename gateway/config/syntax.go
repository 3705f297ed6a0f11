package config

import (
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/token"
)

// syntax turns the parser's error into ours.
func (s *source) syntax(err error, tokens token.Tokens) *fault {
	var e *yaml.SyntaxError
	if !errors.As(err, &e) {
		return &fault{s.top(), "E100", "the file is no YAML that can be read", ""}
	}
	at := s.span(e.Token)
	f := &fault{at, "E100", e.Message, syntaxHint(s.lines[at.line-1])}
	if f.hint == "" {
		s.cure(f, tokens)
	}
	return f
}

// syntaxHint is the cure when the line alone shows what is wrong.
func syntaxHint(line string) string {
	switch {
	case strings.Contains(line, "${"):
		return `inside { } and [ ] a substitution is quoted: "${env:NAME}"`
	case strings.HasPrefix(strings.TrimLeft(line, " "), "\t"):
		return "indent with blanks; YAML allows no tabs there"
	}
	return ""
}

// cure adds the usual reason for what the parser says.
func (s *source) cure(f *fault, tokens token.Tokens) {
	says := func(part string) bool { return strings.Contains(f.message, part) }
	switch {
	case says("could not find end character"):
		f.hint = "close the quote that begins here"
	case says("must be specified"), says("end token"):
		f.hint = unclosed(tokens, f.at)
	case says("mapping value is not allowed"):
		f.hint = s.colonHint(f.at)
	case says("is not allowed in this context"):
		f.hint = "keys of one map, and entries of one list, begin in the same column: indent this line as those that it belongs to"
	case says("unexpected key name"):
		f.hint = "a colon and a blank stand between a key and its value"
	case says("reserved character"):
		f.hint = "put the value into quotes"
	case says("unexpected scalar"):
		s.cureStar(f)
	}
}

// unclosed names the bracket before a place that is still open there.
func unclosed(tokens token.Tokens, at span) string {
	var open []*token.Token
	for _, t := range tokens {
		if p := t.Position; p.Line > at.line || p.Line == at.line && p.Column >= at.col {
			break
		}
		switch t.Type {
		case token.SequenceStartType, token.MappingStartType:
			open = append(open, t)
		case token.SequenceEndType, token.MappingEndType:
			open = open[:max(len(open)-1, 0)]
		}
	}
	if len(open) == 0 {
		return "close the bracket that begins here"
	}
	last := open[len(open)-1]
	return fmt.Sprintf("close the %s that begins in line %d, column %d", last.Value, last.Position.Line, last.Position.Column)
}

// colonHint tells a colon inside a value from a line below it that is indented
// too far.
func (s *source) colonHint(at span) string {
	value := strings.TrimSpace(string([]rune(s.lines[at.line-1])[at.col-1:]))
	if strings.Contains(value, ": ") || strings.HasSuffix(value, ":") {
		return "quote what has a colon in it: " + quote(value)
	}
	return "the next line is indented further than the keys it belongs to"
}

// starred finds a value in a line that begins with * and has no quotes.
var starred = regexp.MustCompile(`(?:^|[\s\[,:-])(\*[\w.*:-]*)(?:[\s\],}]|$)`)

// cureStar explains a host with wildcards that was not quoted.
func (s *source) cureStar(f *fault) {
	m := starred.FindStringSubmatch(s.lines[f.at.line-1])
	if m == nil {
		return
	}
	f.message, f.hint = "YAML takes a value that begins with * for an alias", starHint(m[1])
}

// starHint is how a host with wildcards is written; empty if the text is none.
func starHint(text string) string {
	if grammarHost(text) != "" {
		return ""
	}
	return "quote it: " + quote(text)
}
