package session

import "bytes"

// referenceLimit is the longest reference that is resolved: &#x00000026; and
// its like.
const referenceLimit = 12

// resolve replaces in b the character references that an ASCII character of a
// link is written with: by its number, or &amp;. It returns the shorter b.
func resolve(b []byte) []byte {
	i := bytes.IndexByte(b, '&')
	if i < 0 {
		return b
	}
	n := i
	for i < len(b) {
		c, taken := cutCharacter(b[i:])
		b[n] = c
		n++
		i += taken
	}
	return b[:n]
}

// cutCharacter reads the byte that b begins with, which may be a reference.
func cutCharacter(b []byte) (c byte, taken int) {
	if b[0] != '&' {
		return b[0], 1
	}
	end := bytes.IndexByte(b[:min(len(b), referenceLimit)], ';')
	if end < 0 {
		return b[0], 1
	}
	if c, ok := character(b[1:end]); ok {
		return c, end + 1
	}
	return b[0], 1
}

// character returns what a reference without its & and ; stands for.
func character(reference []byte) (c byte, ok bool) {
	if string(reference) == "amp" {
		return '&', true
	}
	number, ok := bytes.CutPrefix(reference, []byte("#"))
	if !ok {
		return 0, false
	}
	if len(number) > 0 && number[0]|0x20 == 'x' {
		return ascii(number[1:], 16)
	}
	return ascii(number, 10)
}

// ascii returns the ASCII character with the number; NUL is none.
func ascii(number []byte, base int) (c byte, ok bool) {
	n := 0
	for _, c := range number {
		v := bytes.IndexByte([]byte("0123456789abcdef")[:base], lower(c))
		if v < 0 || n > 0x7f {
			return 0, false
		}
		n = n*base + v
	}
	return byte(n), 0 < n && n <= 0x7f
}
