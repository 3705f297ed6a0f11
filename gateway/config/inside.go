package config

import (
	"regexp"
	"strings"
)

// Inside makes a problem for a place inside the text at a path, such as that of an
// expression: line and column count from 1, columns and length in characters, in
// the text as YAML gave it. In a plain or quoted value that stands in one line,
// and in a literal block (|), that is the very place in the file. Where it cannot
// be told from the file's text alone, it is where the value begins: where YAML
// joined lines (a folded block, >, or a value that goes on in the next line), in a
// literal block with a written indentation (|2), behind an escape by number
// ("\u00e9"), and at an alias or a substitution.
func (c *Config) Inside(path string, line, column, length int, sev Severity, code, message, hint string) Problem {
	p, written := c.places[path]
	if !written || p.many || p.from != "" {
		return c.At(path, sev, code, message, hint)
	}
	return problemAt(p.value.inside(line, column, length), sev, code, message, hint)
}

// inside is the stretch of the file for a place of the text that begins at a span.
func (at span) inside(line, column, length int) span {
	at = at.pastAnchor()
	text := strings.TrimRight(string([]rune(at.src.lines[at.line-1])[at.col-1:]), " \t")
	switch {
	case strings.HasPrefix(text, "|"):
		return at.inLiteral(text, line, column, length)
	case line != 1 || text == "" || strings.ContainsAny(text[:1], ">*&"):
		return at
	case text[0] == '"' || text[0] == '\'':
		return at.inQuotes([]rune(text), column, length)
	}
	if column > len([]rune(text))+1 {
		return at
	}
	return at.src.clamp(at.line, at.col+column-1, length)
}

// anchor is the name that a value is given for aliases.
var anchor = regexp.MustCompile(`^&[^\s,\[\]{}]+[ \t]+`)

// pastAnchor is where the value itself begins, if that is in the same line.
func (at span) pastAnchor() span {
	text := string([]rune(at.src.lines[at.line-1])[at.col-1:])
	at.col += len([]rune(anchor.FindString(text)))
	return at
}

// literalHead is how a literal block begins whose indentation is that of its first
// line with text.
var literalHead = regexp.MustCompile(`^\|[-+]?(?:$|\s)`)

// inLiteral is a place in a literal block: its lines are the text's, moved to the
// right.
func (at span) inLiteral(head string, line, column, length int) span {
	if !literalHead.MatchString(head) || at.line+line > len(at.src.lines) {
		return at
	}
	moved := 0
	for _, l := range at.src.lines[at.line:] {
		if strings.Trim(l, " ") != "" {
			moved = len(l) - len(strings.TrimLeft(l, " "))
			break
		}
	}
	return at.src.clamp(at.line+line, moved+column, length)
}

// inQuotes is a place between quotes, past the escapes before it.
func (at span) inQuotes(text []rune, column, length int) span {
	places := quotedPlaces(text)
	begin := column - 1
	if begin < 0 || begin >= len(places) {
		return at
	}
	end := max(begin, min(begin+length, len(places)-1))
	return at.src.clamp(at.line, at.col+places[begin], places[end]-places[begin])
}

// quotedPlaces are where the characters of a value stand in its quoted text. Last
// comes where they end: at the quote, at the end of the line, or at an escape by
// number, behind which they are not known.
func quotedPlaces(text []rune) (places []int) {
	quote := text[0]
	for i := 1; i < len(text); i++ {
		places = append(places, i)
		next := rune(0)
		if i+1 < len(text) {
			next = text[i+1]
		}
		escaped := quote == '"' && text[i] == '\\'
		switch {
		case escaped && strings.ContainsRune("xuU", next):
			return places
		case escaped, quote == '\'' && text[i] == quote && next == quote:
			i++
		case text[i] == quote:
			return places
		}
	}
	return append(places, len(text))
}
