package rules

import (
	"errors"
	"regexp"
	"regexp/syntax"
	"strings"
)

// patternKey is a pattern as it was written, and the function it is given to.
type patternKey struct{ function, text string }

// pattern is a compiled glob or LIKE pattern.
type pattern struct{ re *regexp.Regexp }

func (p *pattern) matches(b []byte) bool { return p.re.Match(b) }

// newGlob compiles a glob: * stands for characters other than "/", ** for any, ?
// for one other than "/", {a,b} for one of some, \ for the byte that follows.
func newGlob(text string) (*pattern, error) {
	var b strings.Builder
	depth := 0
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '*' && strings.HasPrefix(text[i:], "**"):
			b.WriteString(".*")
			i++
		case c == '*':
			b.WriteString("[^/]*")
		case c == '?':
			b.WriteString("[^/]")
		case c == '{':
			depth++
			b.WriteString("(?:")
		case c == '}' && depth > 0:
			depth--
			b.WriteString(")")
		case c == ',' && depth > 0:
			b.WriteString("|")
		case c == '\\' && i+1 == len(text):
			return nil, errors.New(`nothing follows the final "\"`)
		case c == '\\':
			i++
			b.WriteString(quoteByte(text[i]))
		default:
			b.WriteString(quoteByte(c))
		}
	}
	if depth > 0 {
		return nil, errors.New(`a "}" is missing`)
	}
	return compilePattern(b.String(), "")
}

// newLike compiles a pattern of SQL: % stands for any characters, _ for one, \ for
// the character that follows.
func newLike(text, flags string) (*pattern, error) {
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '%':
			b.WriteString(".*")
		case c == '_':
			b.WriteString(".")
		case c == '\\' && i+1 < len(text):
			i++
			b.WriteString(quoteByte(text[i]))
		default:
			b.WriteString(quoteByte(c))
		}
	}
	return compilePattern(b.String(), flags)
}

// quoteByte is a byte as a regular expression. Bytes of a character stay together,
// since patterns and values are both UTF-8 or both not.
func quoteByte(c byte) string { return regexp.QuoteMeta(string([]byte{c})) }

func compilePattern(expression, flags string) (*pattern, error) {
	re, err := compileRegex("^(?s" + flags + ":" + expression + ")$")
	if e, ok := errors.AsType[*syntax.Error](err); ok {
		return nil, errors.New(e.Code.String())
	}
	if err != nil {
		return nil, err
	}
	return &pattern{re}, nil
}
