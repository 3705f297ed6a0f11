package rules

import (
	"errors"
	"fmt"
	"regexp"
	"regexp/syntax"
	"strings"
)

// checkRegex says what is wrong with a pattern of matches.
func checkRegex(s string) error {
	_, err := compileRegex(s)
	if e, ok := errors.AsType[*syntax.Error](err); ok {
		what, hint := regexFault(e)
		return &faulty{fmt.Sprintf("%.60q: %s: `%s`", s, what, e.Expr), hint}
	}
	if err != nil {
		return fmt.Errorf("%.60q: %w", s, err)
	}
	return nil
}

// regexFaults are what people write that other languages have and RE2 has not: how
// it begins, what it is, and what to write instead.
var regexFaults = []struct{ begins, what, instead string }{
	{"(?=", "RE2 has no lookahead", "write two conditions, joined by and"},
	{"(?!", "RE2 has no lookahead", "write two conditions: matches ..., and not matches ..."},
	{"(?<=", "RE2 has no lookbehind", "write two conditions, joined by and"},
	{"(?<!", "RE2 has no lookbehind", "write two conditions: matches ..., and not matches ..."},
	{"(?>", "RE2 has no atomic groups", "write (?: instead: it cannot be slow"},
}

func regexFault(e *syntax.Error) (what, hint string) {
	for _, f := range regexFaults {
		if strings.HasPrefix(e.Expr, f.begins) {
			return f.what, f.instead
		}
	}
	switch {
	case e.Code == syntax.ErrInvalidRepeatSize:
		return "it may be repeated at most 1000 times, those within each other multiplied", "write + or *, or ask for the length by len()"
	case e.Code == syntax.ErrInvalidEscape && isDigit(e.Expr):
		return "RE2 has no references to groups", "write each case"
	case e.Code == syntax.ErrInvalidRepeatOp:
		return "what is repeated cannot be repeated again", ""
	}
	return e.Code.String(), ""
}

// isDigit reports whether an escape is a digit.
func isDigit(escape string) bool { return len(escape) == 2 && '1' <= escape[1] && escape[1] <= '9' }

// maxRegex bounds a compiled expression or pattern, in steps: each may be taken for
// every byte of a value.
const maxRegex = 2000

// compileRegex compiles an expression that is not too large.
func compileRegex(s string) (*regexp.Regexp, error) {
	tree, err := syntax.Parse(s, syntax.Perl)
	if err != nil {
		return nil, err
	}
	if n := steps(tree); n > maxRegex {
		return nil, fmt.Errorf("it is too large: about %d steps, the limit is %d", n, maxRegex)
	}
	return regexp.Compile(s)
}

// steps is about how many instructions an expression compiles to. The parser has
// bounded repetitions, so that it cannot overflow.
func steps(re *syntax.Regexp) int {
	n := 1
	switch re.Op {
	case syntax.OpLiteral:
		n = len(re.Rune)
	case syntax.OpConcat, syntax.OpRepeat:
		n = 0
	}
	for _, sub := range re.Sub {
		n += steps(sub)
	}
	if re.Op == syntax.OpRepeat {
		n *= max(1, re.Min, re.Max)
	}
	return n
}
