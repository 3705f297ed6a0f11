package websphere

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxSelector is the length of the longest expression that is read, in bytes.
const maxSelector = 64 << 10

// tokenKind is what a token of a selector is.
type tokenKind uint8

const (
	tokenEnd    tokenKind = iota
	tokenWord             // keyword or operand: and, uri, header$Host
	tokenText             // 'text', without quotes, '' taken for one
	tokenNumber           // as written
	tokenSymbol           // ( ) , = <> < <= > >= + - * /
)

// A token is one piece of a selector.
type token struct {
	kind tokenKind
	text string
	at   int // byte in the selector
}

// A fault is why something of the original cannot be taken over.
type fault struct {
	code, message, hint string
	at                  int // byte in the expression that it is about; -1: it is not about one
}

func (f *fault) Error() string { return f.message }

func syntax(at int, hint, format string, args ...any) *fault {
	return &fault{code: codeSyntax, message: fmt.Sprintf(format, args...), hint: hint, at: at}
}

// scan cuts a selector into tokens. The last one is tokenEnd.
func scan(s string) ([]token, *fault) {
	if len(s) > maxSelector {
		return nil, syntax(-1, "", "the expression has %d bytes, and at most %d are read", len(s), maxSelector)
	}
	if !utf8.ValidString(s) {
		return nil, syntax(-1, "", "the expression is not UTF-8")
	}
	var all []token
	for at := 0; ; {
		at += len(s[at:]) - len(strings.TrimLeftFunc(s[at:], unicode.IsSpace))
		t, size, f := next(s, at)
		if f != nil {
			return nil, f
		}
		all = append(all, t)
		if t.kind == tokenEnd {
			return all, nil
		}
		at += size
	}
}

// next reads the token at a place that holds no blank, and says how long it is.
func next(s string, at int) (token, int, *fault) {
	rest := s[at:]
	if rest == "" {
		return token{kind: tokenEnd, at: at}, 0, nil
	}
	first, _ := utf8.DecodeRuneInString(rest)
	switch {
	case first == '\'':
		return scanText(rest, at)
	case isDigit(first) || first == '.':
		n := numberSize(rest)
		return token{tokenNumber, rest[:n], at}, n, nil
	case first == '_' || first == '$' || unicode.IsLetter(first):
		n := wordSize(rest)
		return token{tokenWord, rest[:n], at}, n, nil
	}
	return scanSymbol(rest, at)
}

// scanText reads a text in single quotes; two of them stand for one.
func scanText(rest string, at int) (token, int, *fault) {
	var b strings.Builder
	for i := 1; i < len(rest); i++ {
		switch {
		case rest[i] != '\'':
			b.WriteByte(rest[i])
		case i+1 < len(rest) && rest[i+1] == '\'':
			b.WriteByte('\'')
			i++
		default:
			return token{tokenText, b.String(), at}, i + 1, nil
		}
	}
	return token{}, 0, syntax(at, "", "the text that begins here has no closing quote")
}

// symbols are the operators and marks, longer ones first.
var symbols = []string{"<>", "<=", ">=", "(", ")", ",", "=", "<", ">", "+", "-", "*", "/"}

// foreign are marks of other languages, and what is written instead.
var foreign = []struct{ mark, hint string }{
	{"!=", "not equal is <>"},
	{"\"", "text stands in single quotes"},
	{"&&", "write AND"},
	{"||", "write OR"},
}

func scanSymbol(rest string, at int) (token, int, *fault) {
	for _, symbol := range symbols {
		if strings.HasPrefix(rest, symbol) {
			return token{tokenSymbol, symbol, at}, len(symbol), nil
		}
	}
	for _, f := range foreign {
		if strings.HasPrefix(rest, f.mark) {
			return token{}, 0, syntax(at, f.hint, "%s is no part of an expression", f.mark)
		}
	}
	first, _ := utf8.DecodeRuneInString(rest)
	return token{}, 0, syntax(at, "", "%q is no part of an expression", first)
}

// wordSize is the length of a keyword or operand. After a $, which ends the kind
// of an operand, come the characters that names of headers, cookies and
// parameters have.
func wordSize(rest string) int {
	keyed := false
	for i, c := range rest {
		switch {
		case c == '$':
			keyed = true
		case c == '_' || c == '.' || isDigit(c) || unicode.IsLetter(c):
		case keyed && (c == '-' || c == '~' || c == '!' || c == ':' || c == '#' || c == '@' || c == '^'):
		default:
			return i
		}
	}
	return len(rest)
}

// numberSize is the length of what looks like a number, right or wrong.
func numberSize(rest string) int {
	for i, c := range rest {
		exponent := i > 0 && (rest[i-1] == 'e' || rest[i-1] == 'E') && !isHex(rest)
		switch {
		case c == '.' || isDigit(c) || c < utf8.RuneSelf && unicode.IsLetter(c):
		case (c == '+' || c == '-') && exponent:
		default:
			return i
		}
	}
	return len(rest)
}

func isHex(s string) bool { return strings.HasPrefix(s, "0x") || strings.HasPrefix(s, "0X") }

func isDigit(c rune) bool { return '0' <= c && c <= '9' }
