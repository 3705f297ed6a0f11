package rules

import (
	"regexp"
	"strings"
	"unicode/utf8"
)

// maxClassWork bounds what reading the classes of all patterns of an expression
// takes, in characters that are looked up one by one.
const maxClassWork = 1 << 21

// The work for what is written in few bytes: a class of Unicode has hundreds of
// ranges, and a range beyond ASCII is walked through if case does not matter.
const (
	unicodeClass = 1 << 12
	foldedRange  = 1 << 17
)

// anyCase is the beginning of what is matched whatever the case of letters.
var anyCase = regexp.MustCompile(`\(\?[a-zA-Z]*i`)

// classWork is at least how many characters the parser of patterns looks at in
// classes: it is asked before that one is.
func classWork(pattern string) int {
	n := unicodeClass * (strings.Count(pattern, `\p`) + strings.Count(pattern, `\P`))
	if anyCase.MatchString(pattern) {
		n += foldedRange * wideRanges(pattern)
	}
	return n
}

// wideRanges counts what may be ranges that end beyond ASCII.
func wideRanges(pattern string) (n int) {
	for i := range len(pattern) {
		if pattern[i] == '-' && endsWide(pattern[i+1:]) {
			n++
		}
	}
	return n
}

// endsWide reports whether what follows the dash of a range is no plain character
// of ASCII.
func endsWide(rest string) bool {
	if len(rest) > 1 && rest[0] == '\\' {
		return strings.IndexByte("x01234567", rest[1]) >= 0
	}
	return rest != "" && rest[0] >= utf8.RuneSelf
}
