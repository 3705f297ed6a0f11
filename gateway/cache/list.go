package cache

import (
	"bytes"
	"math"

	"weirkeep/gateway/wire"
)

// cutMember takes the first member off a comma-separated list, without the blanks
// around it. A comma within a quoted string separates nothing. A string that is not
// closed goes on to the end of the list, and closed is false.
func cutMember(list []byte) (member, rest []byte, closed bool) {
	end, closed := memberEnd(list)
	if end < len(list) {
		rest = list[end+1:]
	}
	return wire.TrimBlanks(list[:end]), rest, closed
}

// memberEnd returns where the first member of a list ends.
func memberEnd(list []byte) (end int, closed bool) {
	for i := 0; i < len(list); i++ {
		switch list[i] {
		case ',':
			return i, true
		case '"':
			n := quotedLength(list[i:])
			if n == 0 {
				return len(list), false
			}
			i += n - 1
		}
	}
	return len(list), true
}

// quotedLength returns the length of the quoted string that b begins with, quotes
// included, and 0 if it is not closed.
func quotedLength(b []byte) int {
	for i := 1; i < len(b); i++ {
		switch b[i] {
		case '"':
			return i + 1
		case '\\':
			i++
		}
	}
	return 0
}

// hasMember reports whether a list has the member, which is in lower case.
func hasMember(list []byte, lowered string) bool {
	for len(list) > 0 {
		var m []byte
		if m, list, _ = cutMember(list); wire.EqualFold(m, lowered) {
			return true
		}
	}
	return false
}

// tokenByte says which bytes a token has.
var tokenByte = makeTokenByte()

func makeTokenByte() (t [256]bool) {
	for c := range t {
		t[c] = wire.IsToken([]byte{byte(c)})
	}
	return t
}

// tokenLength returns how many bytes of a token b begins with.
func tokenLength(b []byte) int {
	n := 0
	for n < len(b) && tokenByte[b[n]] {
		n++
	}
	return n
}

// parseDigits returns the number that b is, and whether it is one. What is too large
// for an int64 is the largest.
func parseDigits(b []byte) (n int64, ok bool) {
	for _, c := range b {
		if c < '0' || c > '9' {
			return 0, false
		}
		if d := int64(c - '0'); n > (math.MaxInt64-d)/10 {
			n = math.MaxInt64
		} else {
			n = n*10 + d
		}
	}
	return n, len(b) > 0
}

// cutByte returns what stands before and after the first c, and whether there is one.
func cutByte(b []byte, c byte) (before, after []byte, found bool) {
	if i := bytes.IndexByte(b, c); i >= 0 {
		return b[:i], b[i+1:], true
	}
	return b, nil, false
}
