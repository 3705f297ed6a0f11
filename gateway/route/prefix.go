package route

import (
	"errors"
	"strings"

	"weirkeep/gateway/wire"
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
	var t wire.Target
	if t.Parse([]byte(text)) != nil {
		return prefix{}, errors.New(`no request has such a target: "." and "..", blanks, control bytes, "#", "\", and "%" without two hexadecimal digits are refused`)
	}
	query, ok := canonicalQuery(t.Query)
	switch {
	case !ok:
		return prefix{}, errors.New(`after "%" must come two hexadecimal digits`)
	case t.Query != nil && query == "":
		return prefix{}, errors.New(`nothing stands after "?"`)
	}
	return prefix{text: text, path: string(t.Path), query: query}, nil
}

// canonicalQuery brings a query to the form that a canonical path has.
func canonicalQuery(query []byte) (string, bool) {
	var canonical []byte
	for len(query) > 0 {
		o, ok := wire.CutOctet(query)
		if !ok {
			return "", false
		}
		canonical = o.Append(canonical)
		query = query[o.Taken:]
	}
	return string(canonical), true
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
	last := byte('&')
	for len(want) > 0 {
		if len(query) == 0 {
			return false
		}
		o, ok := wire.CutOctet(query)
		if !ok {
			return false
		}
		var form [3]byte
		got := o.Append(form[:0])
		if len(got) > len(want) || string(got) != want[:len(got)] {
			return false
		}
		last, want, query = want[0], want[len(got):], query[o.Taken:]
	}
	return len(query) == 0 || query[0] == '&' || last == '&'
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
