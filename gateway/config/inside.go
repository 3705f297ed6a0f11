package config

import (
	"strings"
	"unicode/utf8"

	"github.com/goccy/go-yaml/ast"
)

// Inside makes a problem for a place inside of the text at a path, such as that
// of an expression: line and column count from 1, columns in characters. In a
// plain or quoted scalar of one line and in a literal block (|) that is the very
// place in the file. Where the file's text is not the value's (escapes, folded
// lines, a substitution), it is where the text begins.
func (c *Config) Inside(path string, line, column, length int, sev Severity, code, message, hint string) Problem {
	p := c.places.at(path)
	at := p.span()
	if at.src != nil && p.from == "" {
		at = p.inside(line, column, length)
	}
	return problemAt(at, sev, code, message, hint)
}

// inside is the stretch of the file that a place of the text stands at.
func (p place) inside(line, column, length int) span {
	at := p.value
	if p.literal > 0 {
		if first := p.literal; first+line-1 <= len(at.src.lines) {
			indent := indentOf(at.src.lines[first-1])
			return at.src.clamp(first+line-1, indent+column, length)
		}
		return at
	}
	text := string([]rune(at.src.lines[at.line-1])[at.col-1:])
	switch {
	case line != 1 || strings.HasPrefix(text, "|") || strings.HasPrefix(text, ">"):
		return at
	case strings.HasPrefix(text, `"`):
		return quotedPlace(at, text, column, length, `\`)
	case strings.HasPrefix(text, "'"):
		return quotedPlace(at, text, column, length, "''")
	}
	if column > utf8.RuneCountInString(text)+1 {
		return at
	}
	return at.src.clamp(at.line, at.col+column-1, length)
}

// quotedPlace is a place between quotes, if no escape stands before it.
func quotedPlace(at span, text string, column, length int, escape string) span {
	runes := []rune(text)
	if column >= len(runes) || strings.Contains(string(runes[1:column]), escape) {
		return at
	}
	return at.src.clamp(at.line, at.col+column, length)
}

func indentOf(line string) int { return len(line) - len(strings.TrimLeft(line, " ")) }

// literalLine is the line at which the text of a literal block begins; 0: the node
// is none, or its first line is blank.
func literalLine(n ast.Node, s *source) int {
	b, ok := n.(*ast.LiteralNode)
	if !ok || !strings.HasPrefix(b.Start.Value, "|") {
		return 0
	}
	line := b.Start.Position.Line + 1
	if line > len(s.lines) || strings.TrimSpace(s.lines[line-1]) == "" {
		return 0
	}
	return line
}
