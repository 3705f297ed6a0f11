package cache

import (
	"bytes"

	"weirkeep/gateway/wire"
)

// Invalidated appends to dst the targets, path and query, whose stored answers are out of
// date because of an answer to an unsafe method: the request's own, and what Location and
// Content-Location name at the same origin (M1 to M3). It appends nothing if there are
// none. The first is r's own bytes, the others are new.
func Invalidated(dst [][]byte, r *Request, a *Answer) [][]byte {
	if !invalidates(r, a) {
		return dst
	}
	dst = append(dst, r.Target.Path)
	for i := range a.Fields {
		switch nameOf(a.Fields[i].Name) {
		case nameLocation, nameContentLocation:
			path, ok := r.Target.resolve(a.Fields[i].Value)
			if ok && !contains(dst, path) {
				dst = append(dst, path)
			}
		}
	}
	return dst
}

// invalidates reports whether a method was unsafe, and no error its answer.
func invalidates(r *Request, a *Answer) bool {
	return r.Method == Unsafe && 200 <= a.Status && a.Status <= 399
}

func contains(list [][]byte, path []byte) bool {
	for _, p := range list {
		if bytes.Equal(p, path) {
			return true
		}
	}
	return false
}

// resolve returns the path and query that a reference of an answer means (RFC 3986,
// 5.2). It is not ok if that is none, or at another origin. It allocates.
func (t *Target) resolve(reference []byte) (path []byte, ok bool) {
	reference, _, _ = cutByte(reference, '#')
	rest, ok := t.cutOrigin(reference)
	if !ok || len(reference) == 0 {
		return nil, false
	}
	own, _, _ := cutByte(t.Path, '?')
	path, query, hasQuery := cutByte(rest, '?')
	switch {
	case len(path) == 0 && len(rest) == len(reference):
		path = own
	case len(path) == 0:
		path = []byte("/")
	case path[0] != '/':
		path = append(bytes.Clone(own[:bytes.LastIndexByte(own, '/')+1]), path...)
	}
	path = removeDots(path)
	if hasQuery {
		path = append(append(path, '?'), query...)
	}
	return path, true
}

// cutOrigin takes scheme and authority off a reference. It is not ok if they are not the
// target's own.
func (t *Target) cutOrigin(reference []byte) (rest []byte, ok bool) {
	scheme, rest, absolute := cutScheme(reference)
	if absolute && !wire.EqualFold(scheme, t.scheme()) {
		return nil, false
	}
	if !bytes.HasPrefix(rest, []byte("//")) {
		return rest, !absolute
	}
	rest = rest[len("//"):]
	end := bytes.IndexAny(rest, "/?")
	if end < 0 {
		end = len(rest)
	}
	return rest[end:], t.sameAuthority(rest[:end])
}

func (t *Target) scheme() string {
	if t.Secure {
		return "https"
	}
	return "http"
}

// cutScheme takes the scheme off an absolute reference.
func cutScheme(reference []byte) (scheme, rest []byte, ok bool) {
	i := bytes.IndexAny(reference, ":/?")
	if i <= 0 || reference[i] != ':' {
		return nil, reference, false
	}
	return reference[:i], reference[i+1:], true
}

// sameAuthority reports whether an authority is the target's: the same host and port.
func (t *Target) sameAuthority(other []byte) bool {
	var a, b wire.Authority
	return a.Parse(t.Authority) == nil && b.Parse(other) == nil &&
		bytes.Equal(a.Host, b.Host) && t.port(a.Port) == t.port(b.Port)
}

func (t *Target) port(stated int) int {
	switch {
	case stated != 0:
		return stated
	case t.Secure:
		return 443
	}
	return 80
}

// removeDots returns a path without its dot segments (RFC 3986, 5.2.4), as bytes of its
// own.
func removeDots(path []byte) []byte {
	out := make([]byte, 0, len(path))
	for len(path) > 0 {
		end := bytes.IndexByte(path[1:], '/') + 1
		if end == 0 {
			end = len(path)
		}
		segment := path[:end]
		path = path[end:]
		switch string(segment) {
		case "/.":
		case "/..":
			out = out[:max(bytes.LastIndexByte(out, '/'), 0)]
		default:
			out = append(out, segment...)
			continue
		}
		if len(path) == 0 {
			out = append(out, '/')
		}
	}
	return out
}
