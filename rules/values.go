package rules

import (
	"bytes"
	"hash/fnv"
	"strconv"
	"unicode/utf8"

	"weirkeep/gateway/wire"
)

// header is the first value of a header field, whose name is given in lower case;
// nil: there is none.
func (r *Request) header(name string) []byte { return field(r.Fields, name) }

// field is the first value of the field of a header.
func field(fields []wire.Field, name string) []byte {
	for i := range fields {
		if wire.EqualFold(fields[i].Name, name) {
			return fields[i].Value
		}
	}
	return nil
}

// hasHeader reports whether there is such a field, even an empty one.
func (r *Request) hasHeader(name string) bool {
	for i := range r.Fields {
		if wire.EqualFold(r.Fields[i].Name, name) {
			return true
		}
	}
	return false
}

func (r *Request) headers(name string) (values []string) {
	for i := range r.Fields {
		if wire.EqualFold(r.Fields[i].Name, name) {
			values = append(values, string(r.Fields[i].Value))
		}
	}
	return values
}

// cookie is the first value of a cookie, over all Cookie fields.
func (r *Request) cookie(name string) (value []byte, found bool) { return wire.Cookie(r.Fields, name) }

var equals, ampersand = []byte("="), []byte("&")

// query is the first value of a query argument, decoded: a + is a blank, %XX the
// byte, and a % that begins no such escape itself. An argument without = has the
// empty value; one without anything is none.
func (f *frame) query(name string) (value []byte, found bool) {
	for rest := f.request.Query; len(rest) > 0; {
		var pair []byte
		pair, rest, _ = bytes.Cut(rest, ampersand)
		key, value, _ := bytes.Cut(pair, equals)
		if len(pair) > 0 && string(f.decode(key)) == name {
			return f.decode(value), true
		}
	}
	return nil, false
}

// decode decodes a part of a query; one that has no escape is returned as it is.
func (f *frame) decode(b []byte) []byte {
	if bytes.IndexByte(b, '%') < 0 && bytes.IndexByte(b, '+') < 0 {
		return b
	}
	from := len(f.scratch)
	for i := 0; i < len(b); i++ {
		c := b[i]
		if c == '+' {
			c = ' '
		}
		if c == '%' && i+2 < len(b) && isHex(b[i+1]) && isHex(b[i+2]) {
			c = unhex(b[i+1])<<4 | unhex(b[i+2])
			i += 2
		}
		f.scratch = append(f.scratch, c)
	}
	return f.scratch[from:len(f.scratch):len(f.scratch)]
}

func isHex(c byte) bool {
	return '0' <= c && c <= '9' || 'a' <= c && c <= 'f' || 'A' <= c && c <= 'F'
}

func unhex(c byte) byte {
	switch {
	case c >= 'a':
		return c - 'a' + 10
	case c >= 'A':
		return c - 'A' + 10
	}
	return c - '0'
}

// text puts a string where bytes are wanted, for the time of one evaluation.
func (f *frame) text(s string) []byte {
	from := len(f.scratch)
	f.scratch = append(f.scratch, s...)
	return f.scratch[from:len(f.scratch):len(f.scratch)]
}

// lower and upper change ASCII letters.
func (f *frame) lower(b []byte) []byte { return f.mapped(b, 'A', 'Z', 'a'-'A') }

func (f *frame) upper(b []byte) []byte { return f.mapped(b, 'a', 'z', 'A'-'a') }

func (f *frame) mapped(b []byte, first, last byte, by int) []byte {
	from := len(f.scratch)
	for _, c := range b {
		if first <= c && c <= last {
			c = byte(int(c) + by)
		}
		f.scratch = append(f.scratch, c)
	}
	return f.scratch[from:len(f.scratch):len(f.scratch)]
}

// after is what follows the first x in s; empty: there is no x.
func after(s []byte, x string) []byte {
	if i := bytes.Index(s, []byte(x)); i >= 0 {
		return s[i+len(x):]
	}
	return nil
}

// before is what stands before the first x in s; all of it if there is no x.
func before(s []byte, x string) []byte {
	if i := bytes.Index(s, []byte(x)); i >= 0 {
		return s[:i]
	}
	return s
}

// whole reads a decimal number; otherwise is what a text stands for that is none.
func whole(s []byte, otherwise int) int {
	if len(s) == 0 || len(s) > 20 {
		return otherwise
	}
	n, err := strconv.Atoi(string(s))
	if err != nil {
		return otherwise
	}
	return n
}

// percent draws for a request: the same for the same request and rule.
func (f *frame) percent(n float64) bool {
	const parts = 1 << 20
	return float64(draw(f.request.ID, f.program.seed, 0)%parts) < n/100*parts
}

// bucket draws a number from 0 to 99 for a client: the same for the same salt and
// session, or address where there is no session.
func (f *frame) bucket(salt uint64) int {
	if id := f.request.Session.ID; len(id) > 0 {
		return int(draw(f.open(id), salt, 1) % 100)
	}
	address := f.request.Client.Addr().As16()
	return int(draw(address[:], salt, 2) % 100)
}

// draw is a hash of some bytes: FNV-1a, and a finalizer, since its low bits are weak.
func draw(b []byte, seed uint64, kind byte) uint64 {
	const prime = 1099511628211
	h := seed ^ uint64(kind)*prime
	for _, c := range b {
		h = (h ^ uint64(c)) * prime
	}
	h ^= h >> 33
	h *= 0xff51afd7ed558ccd
	h ^= h >> 33
	h *= 0xc4ceb9fe1a85ec53
	return h ^ h>>33
}

// seedOf is the hash of a name that tells its draws from others'.
func seedOf(name string) uint64 {
	h := fnv.New64a()
	h.Write([]byte(name))
	return h.Sum64()
}

// hasPrefix and its like compare bytes with a text.
func hasPrefix(b []byte, s string) bool { return len(b) >= len(s) && string(b[:len(s)]) == s }

func hasSuffix(b []byte, s string) bool { return len(b) >= len(s) && string(b[len(b)-len(s):]) == s }

// runes counts characters, as len() does.
func runes(b []byte) int { return utf8.RuneCount(b) }
