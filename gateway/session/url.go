package session

import (
	"bytes"

	"weirkeep/gateway/wire"
)

// inTarget returns the first id in a canonical path or a query, or nil.
func (d *Definition) inTarget(path, query []byte) []byte {
	if d.URLParam == "" {
		return nil
	}
	if id := inPath(path, d.URLParam); id != nil {
		return id
	}
	return inQuery(query, d.URLParam)
}

// inPath returns the first value of a path parameter that is not empty, or nil.
// Any segment may have parameters.
func inPath(path []byte, name string) []byte {
	for {
		i := bytes.IndexByte(path, ';')
		if i < 0 {
			return nil
		}
		path = path[i+1:]
		if v := parameterValue(path[:parameterEnd(path)], name); len(v) > 0 {
			return v
		}
	}
}

// parameterEnd returns the length of the path parameter that p begins with.
func parameterEnd(p []byte) int {
	for i, c := range p {
		if c == ';' || c == '/' {
			return i
		}
	}
	return len(p)
}

// inQuery returns the first value of a field of a query that is not empty, or nil.
func inQuery(query []byte, name string) []byte {
	for len(query) > 0 {
		var field []byte
		field, query, _ = bytes.Cut(query, []byte("&"))
		if v := parameterValue(field, name); len(v) > 0 {
			return v
		}
	}
	return nil
}

// parameterValue returns what follows "name=" in p, if p begins so.
func parameterValue(p []byte, name string) []byte {
	if n := len(name); len(p) > n && p[n] == '=' && string(p[:n]) == name {
		return p[n+1:]
	}
	return nil
}

// inReference returns the id that a client will send when it follows a URL, or
// nil. It is a view of the URL, or of scratch, which then holds the parameters of
// the path in their canonical form; scratch is returned to be used again.
func (d *Definition) inReference(url, scratch []byte) (id, buffer []byte) {
	url, _, _ = bytes.Cut(url, []byte("#"))
	path, query, _ := bytes.Cut(url, []byte("?"))
	path = fromParameters(path)
	if !canonical(path) {
		scratch = appendCanonical(scratch[:0], path)
		path = scratch
	}
	if id := d.inTarget(path, query); sendable(id) {
		return id, scratch
	}
	return nil, scratch
}

// fromParameters returns a path from its first parameter on. Most have none.
func fromParameters(path []byte) []byte {
	if i := bytes.IndexByte(path, ';'); i >= 0 {
		return path[i:]
	}
	return nil
}

// canonical reports whether a path is written as [wire.Target.Path] has it.
func canonical(path []byte) bool {
	for i := range path {
		if o, ok := wire.CutOctet(path[i:]); !ok || o.Taken != 1 || o.Escaped {
			return false
		}
	}
	return true
}

// appendCanonical appends a path as [wire.Target.Path] has it. A broken escape,
// which no request may have, stays as it is.
func appendCanonical(dst, path []byte) []byte {
	for len(path) > 0 {
		o, ok := wire.CutOctet(path)
		if !ok {
			o = wire.Octet{Value: '%', Taken: 1}
		}
		dst = o.Append(dst)
		path = path[o.Taken:]
	}
	return dst
}

// sendable reports whether a target may contain id as it is. Clients escape
// blanks or leave them out.
func sendable(id []byte) bool {
	for _, c := range id {
		if c <= ' ' || c == 0x7f {
			return false
		}
	}
	return true
}

// AppendHidden appends a URL to dst, with what hide appends in place of each value
// that a parameter of one of the names has, in its path or its query.
func AppendHidden(dst, url []byte, names []string, hide func(dst, value []byte) []byte) []byte {
	path, query := url, []byte(nil)
	if i := bytes.IndexByte(url, '?'); i >= 0 {
		path, query = url[:i+1], url[i+1:]
	}
	first := bytes.IndexByte(path, ';') + 1 // what is before it is no parameter
	dst = appendHidden(append(dst, path[:first]...), path[first:], names, ';', ";/?#", hide)
	return appendHidden(dst, query, names, '&', "&#", hide)
}

// appendHidden does so in the path, with its question mark, or in the query of a URL.
func appendHidden(dst, part []byte, names []string, begin byte, ends string, hide func(dst, value []byte) []byte) []byte {
	for len(part) > 0 {
		end := len(part)
		if i := bytes.IndexAny(part, ends); i >= 0 {
			end = i
		}
		for _, name := range names {
			if value := parameterValue(part[:end], name); len(value) > 0 {
				dst, part = hide(append(append(dst, name...), '='), value), part[end:]
				break
			}
		}
		next := bytes.IndexByte(part, begin) + 1
		if next == 0 {
			next = len(part)
		}
		dst, part = append(dst, part[:next]...), part[next:]
	}
	return dst
}
