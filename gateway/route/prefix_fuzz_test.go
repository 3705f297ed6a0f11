package route

import (
	"fmt"
	"testing"

	"weirkeep/gateway/wire"
)

// escapeAll escapes every unreserved byte of a query that is not part of an escape.
func escapeAll(query []byte) []byte {
	var out []byte
	for len(query) > 0 {
		escape := fmt.Appendf(nil, "%%%02x", query[0])
		o, ok := wire.CutOctet(query)
		plain, _ := wire.CutOctet(escape)
		switch {
		case ok && o.Taken == 3:
			out, query = append(out, query[:3]...), query[3:]
			continue
		case !plain.Escaped:
			out = append(out, escape...)
		default:
			out = append(out, query[0])
		}
		query = query[1:]
	}
	return out
}

// FuzzQuery: whether a client escapes unreserved bytes never changes which
// mapping a query leads to; and what fits a beginning still does with one more
// field behind it.
func FuzzQuery(f *testing.F) {
	f.Add("/p?_pageid=33,4232&_dad=portal", []byte("_pageid=33,4232&%5Fdad=portal&x=1"))
	f.Add("/p?a%2c", []byte("%61%2C"))
	f.Add("/p?a%2c", []byte("a%%32C"))
	f.Add("/p?a&", []byte("a&%"))
	f.Fuzz(func(t *testing.T, text string, query []byte) {
		p, err := parsePrefix(text)
		if err != nil || p.query == "" {
			return
		}
		fits := queryFits(p.query, query)
		if escaped := escapeAll(query); queryFits(p.query, escaped) != fits {
			t.Errorf("%q fits %q: %v, but not so when written %q", query, text, fits, escaped)
		}
		if longer := append(query[:len(query):len(query)], "&more"...); fits && !queryFits(p.query, longer) {
			t.Errorf("%q fits %q, %q does not", query, text, longer)
		}
	})
}
