package abi

import (
	"bytes"
	"net/netip"
	"unicode"
	"unicode/utf8"
)

// What a byte of an operation may be part of.
const (
	inToken = 1 << iota // a header name, a method
	inValue             // a header value
	inPath              // a path
	inQuery             // a query
	inHost              // a host name
	inTag               // a tag's name
	inURL               // a URL: everything visible
)

// octets is the grammar of single bytes.
var octets = makeOctets()

func makeOctets() (t [256]uint8) {
	mark := func(bits uint8, set string) {
		for _, c := range []byte(set) {
			t[c] |= bits
		}
	}
	const lower, upper, digit = "abcdefghijklmnopqrstuvwxyz", "ABCDEFGHIJKLMNOPQRSTUVWXYZ", "0123456789"
	mark(inToken|inPath|inQuery|inHost, lower+upper+digit+"-_")
	mark(inTag, lower+digit+"_.-")
	mark(inToken, "!#$%&'*+.^`|~")
	mark(inPath|inQuery, ".~!$&'()*+,;=:@/%")
	mark(inQuery, "?")
	mark(inHost, ".")
	mark(inValue, "\t ")
	for c := range t {
		if c > ' ' && c < 0x7f {
			t[c] |= inValue | inURL
		}
		if c >= 0x80 {
			t[c] |= inValue
		}
	}
	return t
}

// only reports whether all bytes of b are in set.
func only(b []byte, set uint8) bool {
	for _, c := range b {
		if octets[c]&set == 0 {
			return false
		}
	}
	return true
}

func digits(b []byte) bool {
	for _, c := range b {
		if c < '0' || c > '9' {
			return false
		}
	}
	return true
}

// escapesWhole reports whether each "%" begins an escape.
func escapesWhole(b []byte) bool {
	for {
		i := bytes.IndexByte(b, '%')
		if i < 0 {
			return true
		}
		if b = b[i+1:]; len(b) < 2 || !isHex(b[0]) || !isHex(b[1]) {
			return false
		}
	}
}

func isHex(c byte) bool {
	return '0' <= c && c <= '9' || 'a' <= c|0x20 && c|0x20 <= 'f'
}

func checkHeaderName(name []byte) string {
	switch {
	case len(name) == 0 || len(name) > MaxHeaderName || !only(name, inToken):
		return "the name must be a token of 1 to 256 bytes"
	case RefusedName(name):
		return "this header is the gateway's own"
	}
	return ""
}

func checkHeaderValue(v []byte) string {
	switch {
	case len(v) > MaxValue:
		return "the value is longer than 8192 bytes"
	case !only(v, inValue):
		return "the value has a control character"
	case len(v) > 0 && (blank(v[0]) || blank(v[len(v)-1])):
		return "the value begins or ends with a blank"
	}
	return ""
}

func blank(c byte) bool { return c == ' ' || c == '\t' }

// RefusedName reports whether a header's name is one that guests may not set,
// add or delete; in any case of its letters.
func RefusedName(name []byte) bool {
	if len(name) >= len(refusedPrefix) && equalFold(name[:len(refusedPrefix)], refusedPrefix) {
		return true
	}
	for _, n := range RefusedNames {
		if equalFold(name, n) {
			return true
		}
	}
	return false
}

// equalFold reports whether a is the given word, which has no capitals, in any
// case of its letters.
func equalFold(a []byte, lowered string) bool {
	if len(a) != len(lowered) {
		return false
	}
	for i, c := range a {
		if 'A' <= c && c <= 'Z' {
			c |= 0x20
		}
		if c != lowered[i] {
			return false
		}
	}
	return true
}

func checkPath(p []byte) string {
	switch {
	case len(p) > MaxPath:
		return "the path is longer than 8192 bytes"
	case len(p) == 0 || p[0] != '/':
		return "the path must begin with /"
	case !only(p, inPath) || !escapesWhole(p):
		return "the path has a byte that must be written as %XX, or an escape that is none"
	}
	return ""
}

func checkQuery(q []byte) string {
	if !only(q, inQuery) || !escapesWhole(q) {
		return "the query has a byte that must be written as %XX, or an escape that is none"
	}
	return ""
}

// checkHost checks host or host:port. The gateway checks it once more, as it
// does with all that clients send.
func checkHost(h []byte) string {
	host, port := h, []byte(nil)
	if i := bytes.LastIndexByte(h, ':'); i > bytes.LastIndexByte(h, ']') {
		host, port = h[:i], h[i+1:]
		if !validPort(port) {
			return "the port must be 1 to 65535"
		}
	}
	if !validHost(host) {
		return "it must be a host name or an address, an IPv6 address in brackets, and perhaps a port"
	}
	return ""
}

func validHost(h []byte) bool {
	if len(h) > 2 && h[0] == '[' && h[len(h)-1] == ']' {
		a, err := netip.ParseAddr(string(h[1 : len(h)-1]))
		return err == nil && a.Is6() && a.Zone() == ""
	}
	return len(h) > 0 && len(h) <= 255 && only(h, inHost)
}

func validPort(p []byte) bool {
	if len(p) == 0 || len(p) > 5 || p[0] == '0' || !digits(p) {
		return false
	}
	n := 0
	for _, c := range p {
		n = n*10 + int(c-'0')
	}
	return n <= 65535
}

func checkTag(key, value []byte) string {
	if len(key) == 0 || len(key) > MaxTagKey || !only(key, inTag) {
		return "the name must have 1 to 32 of a-z, 0-9, _, . and -"
	}
	if len(value) > MaxTagValue || !printable(value) {
		return "the value must be UTF-8 without control characters, at most 256 bytes"
	}
	return ""
}

// printable reports whether b is UTF-8 without control characters.
func printable(b []byte) bool {
	for len(b) > 0 {
		r, n := utf8.DecodeRune(b)
		if r == utf8.RuneError && n == 1 || unicode.IsControl(r) {
			return false
		}
		b = b[n:]
	}
	return true
}

func checkMethod(m []byte) string {
	if len(m) == 0 || !only(m, inToken) {
		return "a method must be a token"
	}
	return ""
}

func checkURL(u []byte) string {
	if len(u) == 0 || !only(u, inURL) {
		return "a URL must have visible ASCII characters, and no others"
	}
	return ""
}
