package wire

import (
	"encoding/binary"
	"math/bits"
)

// What a byte may be part of.
const (
	token      = 1 << iota // a field name, a method: RFC 9110, 5.6.2
	quoted                 // a quoted string, without its quotes and backslashes: RFC 9110, 5.6.4
	hostname               // a label of a host name
	unreserved             // nothing that an escape could hide: RFC 3986, 2.3
	escaped                // no byte of a URI: the canonical path has it as %XX
	noPath                 // refused in a path
	noQuery                // refused in a query
)

// octets is the grammar of single bytes.
var octets = makeOctets()

func makeOctets() (t [256]uint8) {
	mark := func(bit uint8, set string) {
		for _, c := range []byte(set) {
			t[c] |= bit
		}
	}
	const alnum = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
	mark(token, alnum+"!#$%&'*+-.^_`|~")
	mark(hostname, alnum+"-_")
	mark(unreserved, alnum+"-._~")
	mark(escaped, "\"<>^`{|}")
	mark(noPath, "#\\")
	mark(noQuery, "#")
	for c := range t {
		control := c < ' ' || c == 0x7f
		if control || c == ' ' {
			t[c] |= noPath | noQuery
		}
		if c >= 0x80 {
			t[c] |= escaped
		}
		if !control && c != '"' && c != '\\' || c == '\t' {
			t[c] |= quoted
		}
	}
	return t
}

// run returns how many of the first bytes of b are in set.
func run(b []byte, set uint8) int {
	n := 0
	for n < len(b) && octets[b[n]]&set != 0 {
		n++
	}
	return n
}

// union returns all that bytes of b may be part of.
func union(b []byte) (set uint8) {
	for _, c := range b {
		set |= octets[c]
	}
	return set
}

// IsToken reports whether b may be a field name or a method.
func IsToken(b []byte) bool { return len(b) > 0 && run(b, token) == len(b) }

// IsValue reports whether b may be a field value: it has no control byte other
// than HT. Blanks around it are the caller's to trim.
func IsValue(b []byte) bool { return control(b) == len(b) }

// control returns the index of the first control byte in b other than HT, or
// len(b). It looks at eight bytes at a time, because values are most of a head
// and this is most of what the strict check costs.
func control(b []byte) int {
	i := 0
	for i+8 <= len(b) {
		m := controls(binary.LittleEndian.Uint64(b[i:]))
		if m == 0 {
			i += 8
			continue
		}
		i += bits.TrailingZeros64(m) / 8
		if b[i] != '\t' {
			return i
		}
		i++
	}
	for ; i < len(b); i++ {
		if c := b[i]; c < ' ' && c != '\t' || c == 0x7f {
			return i
		}
	}
	return i
}

// controls sets the high bit of the lowest byte of x that is a control byte. It
// may set those of higher bytes wrongly, where a borrow reached them.
func controls(x uint64) uint64 {
	const ones = 0x0101010101010101
	del := x ^ 0x7f*ones // a zero byte where x has DEL
	low := (x - ' '*ones) &^ x
	return (low | (del-ones)&^del) & (0x80 * ones)
}

// lower returns c in lower case.
func lower(c byte) byte {
	if 'A' <= c && c <= 'Z' {
		c |= 0x20
	}
	return c
}

// EqualFold reports whether a is the given word, in any case of its letters.
// The word must be in lower case already. Only ASCII letters have cases.
func EqualFold(a []byte, lowered string) bool {
	if len(a) != len(lowered) {
		return false
	}
	for i, c := range a {
		if lower(c) != lowered[i] {
			return false
		}
	}
	return true
}

// sameName reports whether two field names are equal.
func sameName(a, b []byte) bool {
	if len(a) != len(b) {
		return false
	}
	for i, c := range a {
		if lower(c) != lower(b[i]) {
			return false
		}
	}
	return true
}

// trim returns b without blanks at its ends.
func trim(b []byte) []byte {
	for len(b) > 0 && blank(b[0]) {
		b = b[1:]
	}
	for len(b) > 0 && blank(b[len(b)-1]) {
		b = b[:len(b)-1]
	}
	return b
}

func blank(c byte) bool { return c == ' ' || c == '\t' }

// unhex returns the value of a hexadecimal digit.
func unhex(c byte) (v byte, ok bool) {
	switch {
	case '0' <= c && c <= '9':
		return c - '0', true
	case 'a' <= c|0x20 && c|0x20 <= 'f':
		return c | 0x20 - 'a' + 10, true
	}
	return 0, false
}
