package esi

import "strings"

// Shown says what pages may see of a request. Markup that somebody has smuggled into a
// page could otherwise print what scripts cannot reach (Z2).
type Shown struct {
	// Cookies are names of cookies that may be seen, with "*" for any bytes. Nil means all
	// that are not in Hidden.
	Cookies []string

	// Hidden are names of cookies that are never seen, in any case of their letters, with
	// "*" for any bytes.
	Hidden []string

	// Fields are names of header fields that may be seen as HTTP_HEADER, in any case of
	// their letters. Cookies and credentials never are.
	Fields []string
}

// DefaultShown shows all cookies but those whose names look like those of sessions and
// secrets, and no header field.
func DefaultShown() Shown {
	return Shown{Hidden: []string{
		"*sess*", "*sid", "*sid-*", "sid*", "*token*", "*auth*", "*secret*", "*csrf*", "*xsrf*", "*jwt*", "*login*", "*pass*", "__host-*", "__secure-*",
	}}
}

var defaultShown = DefaultShown()

// Credentials are fields that no page sees, in lower case.
var Credentials = []string{"cookie", "authorization", "proxy-authorization"}

// cookie reports whether a cookie may be seen.
func (s *Shown) cookie(name string) bool {
	if Hidden(name, s.Hidden) != "" {
		return false
	}
	if s.Cookies == nil {
		return true
	}
	for _, pattern := range s.Cookies {
		if like(name, pattern, sameByte) {
			return true
		}
	}
	return false
}

// Hidden is the first of some patterns of [Shown.Hidden] that hides a cookie; empty: none does.
func Hidden(name string, patterns []string) string {
	for _, pattern := range patterns {
		if like(name, pattern, sameLetter) {
			return pattern
		}
	}
	return ""
}

// field reports whether a header field may be seen.
func (s *Shown) field(name string) bool {
	for _, never := range Credentials {
		if strings.EqualFold(name, never) {
			return false
		}
	}
	for _, shown := range s.Fields {
		if strings.EqualFold(name, shown) {
			return true
		}
	}
	return false
}

// like reports whether a name is what a pattern says, in which "*" is any bytes. What it
// costs is the product of both lengths at most.
func like(name, pattern string, same func(a, b byte) bool) bool {
	n, p := 0, 0
	star, from := -1, 0 // where the last "*" is, and what follows the bytes that it is so far
	for n < len(name) {
		switch {
		case p < len(pattern) && pattern[p] == '*':
			star, from = p, n
			p++
		case p < len(pattern) && same(name[n], pattern[p]):
			n++
			p++
		case star >= 0:
			from++
			n, p = from, star+1
		default:
			return false
		}
	}
	for p < len(pattern) && pattern[p] == '*' {
		p++
	}
	return p == len(pattern)
}

func sameByte(a, b byte) bool { return a == b }

// sameLetter compares in any case of the letters.
func sameLetter(a, b byte) bool { return a == b || a|0x20 == b|0x20 && isLetter(a) }
