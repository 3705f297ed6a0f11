package esi

import (
	"bytes"
	"strconv"
	"unicode/utf8"
)

// entities are those that XML has without any declaration.
var entities = []struct{ name, text string }{
	{"amp", "&"}, {"lt", "<"}, {"gt", ">"}, {"quot", `"`}, {"apos", "'"},
}

// decodeEntities returns the value of an attribute as it is meant. It decodes once. What
// is no entity stays as it is.
func decodeEntities(b []byte) string {
	i := bytes.IndexByte(b, '&')
	if i < 0 {
		return string(b)
	}
	var out []byte
	for i >= 0 {
		out = append(out, b[:i]...)
		b = b[i:]
		text, n := entity(b)
		if n == 0 {
			text, n = "&", 1
		}
		out = append(out, text...)
		b = b[n:]
		i = bytes.IndexByte(b, '&')
	}
	return string(append(out, b...))
}

// entity returns the text and the length of the entity that b begins with; 0: it does not.
func entity(b []byte) (text string, n int) {
	end := bytes.IndexByte(b[:min(len(b), 12)], ';')
	if end < 2 {
		return "", 0
	}
	name := string(b[1:end])
	for _, e := range entities {
		if e.name == name {
			return e.text, end + 1
		}
	}
	if r, ok := numbered(name); ok {
		return string(r), end + 1
	}
	return "", 0
}

// numbered returns the character that "#38" or "#x26" stands for.
func numbered(name string) (rune, bool) {
	if name[0] != '#' {
		return 0, false
	}
	digits, base := name[1:], 10
	if len(digits) > 0 && digits[0]|0x20 == 'x' {
		digits, base = digits[1:], 16
	}
	n, err := strconv.ParseUint(digits, base, 32)
	if err != nil || n == 0 || n > utf8.MaxRune || !utf8.ValidRune(rune(n)) {
		return 0, false
	}
	return rune(n), true
}
