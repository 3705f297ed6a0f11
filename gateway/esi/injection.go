package esi

import (
	"bytes"
	"strings"
	"unicode/utf8"
)

// injected are the marks that make text markup, in lower case.
var injected = [][]byte{[]byte("<esi:"), []byte("</esi:"), []byte("<!--esi")}

// mostEncodings is how often what a client sends is decoded in search of markup.
const mostEncodings = 3

// HoldsMarkup reports whether what a client sends holds markup of ours: as it is, percent-
// encoded up to twice, as entities, or as the escapes of JSON and scripts. An origin that
// repeats it in a template would have it run (Z1).
func HoldsMarkup(b []byte) bool {
	for range mostEncodings {
		if !bytes.ContainsAny(b, "<%&\\") {
			return false
		}
		if hasMark(b) {
			return true
		}
		decoded := decodeAll(b)
		if bytes.Equal(decoded, b) {
			return false
		}
		b = decoded
	}
	return hasMark(b)
}

func hasMark(b []byte) bool {
	for {
		i := bytes.IndexByte(b, '<')
		if i < 0 {
			return false
		}
		b = b[i:]
		for _, mark := range injected {
			if len(b) >= len(mark) && bytes.EqualFold(b[:len(mark)], mark) {
				return true
			}
		}
		b = b[1:]
	}
}

// decodeAll decodes every escape once.
func decodeAll(b []byte) []byte {
	out := make([]byte, 0, len(b))
	for len(b) > 0 {
		n := 1
		switch c, ok := unescape(b); {
		case ok:
			out, n = append(out, c), 3
		case b[0] == '&':
			text, taken := looseEntity(b)
			out, n = append(out, text...), taken
		case b[0] == '\\':
			c, taken := unescapeScript(b)
			out, n = append(out, c), taken
		default:
			out = append(out, b[0])
		}
		b = b[n:]
	}
	return out
}

// looseEntity is the entity that b begins with, as browsers read it: in any case, with any
// number of zeros, and perhaps without ";".
func looseEntity(b []byte) (text string, n int) {
	if len(b) > 1 && b[1] == '#' {
		return looseNumber(b)
	}
	for _, e := range entities {
		if n = len("&" + e.name); len(b) >= n && strings.EqualFold(string(b[1:n]), e.name) {
			return e.text, n + semicolon(b[n:])
		}
	}
	return "&", 1
}

// looseNumber is the character that b begins with as its number.
func looseNumber(b []byte) (text string, n int) {
	n, base := len("&#"), 10
	if len(b) > n && b[n]|0x20 == 'x' {
		n, base = n+1, 16
	}
	value := 0
	for n < len(b) && value <= utf8.MaxRune {
		digit := hexValue(b[n])
		if digit < 0 || digit >= base {
			break
		}
		value = value*base + digit
		n++
	}
	if value == 0 || value > utf8.MaxRune {
		return "&", 1
	}
	return string(rune(value)), n + semicolon(b[n:])
}

// semicolon is the length of the ";" that b begins with.
func semicolon(b []byte) int {
	if len(b) > 0 && b[0] == ';' {
		return 1
	}
	return 0
}

// unescapeScript is the byte that b begins with as \uXXXX or \xXX, or a backslash.
func unescapeScript(b []byte) (c byte, n int) {
	switch {
	case len(b) >= 6 && b[1] == 'u' && b[2] == '0' && b[3] == '0':
		if c, ok := hexPair(b[4:]); ok {
			return c, 6
		}
	case len(b) >= 4 && b[1] == 'x':
		if c, ok := hexPair(b[2:]); ok {
			return c, 4
		}
	}
	return '\\', 1
}

func hexPair(b []byte) (c byte, ok bool) {
	hi, lo := hexValue(b[0]), hexValue(b[1])
	return byte(hi<<4 | lo), hi >= 0 && lo >= 0
}
