package route

import (
	"errors"
	"fmt"
	"strings"
)

// A prefix is a path, or a path and the beginning of a query.
//
// A path ends at a segment boundary: "/portal" fits "/portal" and "/portal/x",
// not "/portalx"; "/portal/" fits "/portal/" and what is below it, not
// "/portal". With a query the path must be equal, and the query ends at "&" or
// at its end: "/p?a=1" fits "/p?a=1&b=2", neither "/p?a=12" nor "/p/x?a=1".
type prefix struct {
	text  string // as configured, "/" when nothing is
	path  string // canonical; empty: every path
	query string // canonical; empty: any or none
}

// parsePrefix reads a prefix, and brings it to canonical form.
func parsePrefix(text string) (prefix, error) {
	if text == "" || text == "/" {
		return prefix{text: "/"}, nil
	}
	if text[0] != '/' {
		return prefix{}, errors.New(`must begin with "/"`)
	}
	canonical, err := canonicalise(text)
	if err != nil {
		return prefix{}, err
	}
	path, query, found := strings.Cut(canonical, "?")
	if found && query == "" {
		return prefix{}, errors.New(`nothing stands after "?"`)
	}
	if hasDotSegment(path) {
		return prefix{}, errors.New(`"." and ".." are never left in a path`)
	}
	return prefix{text: text, path: path, query: query}, nil
}

func hasDotSegment(path string) bool {
	for s := range strings.SplitSeq(path, "/") {
		if s == "." || s == ".." {
			return true
		}
	}
	return false
}

// canonicalise decodes escapes of unreserved bytes, writes the others in upper
// case, and escapes what is outside ASCII.
func canonicalise(text string) (string, error) {
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c <= ' ' || c == 0x7f || c == '#':
			return "", fmt.Errorf("%q cannot stand in a prefix", c)
		case c >= 0x80:
			fmt.Fprintf(&b, "%%%02X", c)
		case c != '%':
			b.WriteByte(c)
		default:
			if !isEscape(text[i:]) {
				return "", errors.New(`after "%" must come two hexadecimal digits`)
			}
			writeEscaped(&b, unescape(text[i:]))
			i += 2
		}
	}
	return b.String(), nil
}

func writeEscaped(b *strings.Builder, c byte) {
	if unreserved(c) {
		b.WriteByte(c)
		return
	}
	fmt.Fprintf(b, "%%%02X", c)
}

// strip returns how many bytes strip_prefix takes off a path that fits: a
// final "/" stays, so that what is left is empty or begins with one.
func (p *prefix) strip() int {
	return len(strings.TrimSuffix(p.path, "/"))
}

// fit says whether the request's path and query fit.
func (p *prefix) fit(r *Request) Why {
	if !p.fitsPath(r.Path) {
		return OtherPath
	}
	if p.query != "" && !queryFits(p.query, r.Query) {
		return OtherQuery
	}
	return Fits
}

func (p *prefix) fitsPath(path []byte) bool {
	n := len(p.path)
	switch {
	case n == 0:
		return true
	case len(path) < n || string(path[:n]) != p.path:
		return false
	case len(path) == n:
		return true
	}
	return p.query == "" && (path[n] == '/' || p.path[n-1] == '/')
}

// queryFits holds a canonical beginning against a query as received.
func queryFits(want string, query []byte) bool {
	i, j := 0, 0
	for i < len(want) {
		if j == len(query) {
			return false
		}
		if query[j] != '%' {
			if query[j] != want[i] {
				return false
			}
			i, j = i+1, j+1
			continue
		}
		n := escapeFits(want[i:], query[j:])
		if n == 0 {
			return false
		}
		i, j = i+n, j+3
	}
	return j == len(query) || query[j] == '&' || want[len(want)-1] == '&'
}

// escapeFits compares the escape at the beginning of a query with a canonical
// text, and returns how much of that it stands for; 0: it is another byte, or
// not an escape.
func escapeFits(want string, query []byte) int {
	switch {
	case !isEscape(query):
		return 0
	case unreserved(unescape(query)):
		if unescape(query) == want[0] {
			return 1
		}
	case isEscape(want) && unescape(query) == unescape(want):
		return 3
	}
	return 0
}

// isEscape reports whether s begins with "%" and two hexadecimal digits.
func isEscape[T string | []byte](s T) bool {
	return len(s) >= 3 && s[0] == '%' && hexValue(s[1]) < 16 && hexValue(s[2]) < 16
}

// unescape returns the byte that the escape at the beginning of s stands for.
func unescape[T string | []byte](s T) byte {
	return hexValue(s[1])<<4 | hexValue(s[2])
}

// hexValue returns the value of a hexadecimal digit, 16 for any other byte.
func hexValue(c byte) byte {
	switch {
	case c >= '0' && c <= '9':
		return c - '0'
	case c >= 'A' && c <= 'F':
		return c - 'A' + 10
	case c >= 'a' && c <= 'f':
		return c - 'a' + 10
	}
	return 16
}

// unreserved reports whether c means the same escaped or not (RFC 3986, 2.3).
func unreserved(c byte) bool {
	switch {
	case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9':
		return true
	}
	return c == '-' || c == '.' || c == '_' || c == '~'
}

// within reports whether some path can fit both prefixes.
func (p *prefix) within(site *prefix) bool {
	return site.fitsPath([]byte(p.path)) || p.query == "" && p.fitsPath([]byte(site.path))
}

// covers reports whether every path and query that fits o fits p as well.
func (p *prefix) covers(o *prefix) bool {
	if !p.fitsPath([]byte(o.path)) {
		return false
	}
	return p.query == "" || o.query != "" && queryFits(p.query, []byte(o.query))
}
