package session

import (
	"bytes"

	"weirkeep/gateway/wire"
)

// Find reads the session id off a request: the first one that is not empty, in
// its cookies, then in its path, then in its query. The path is the canonical
// one, the query as it came: [wire.Target] has both. The id is a view of one of
// the three, and nil if there is none. Find allocates nothing.
func (d *Definition) Find(fields []wire.Field, path, query []byte) (id []byte, from Carrier) {
	if id := d.inCookies(fields); id != nil {
		return id, FromCookie
	}
	if id := d.inTarget(path, query); id != nil {
		return id, FromURL
	}
	return nil, FromNothing
}

func (d *Definition) inCookies(fields []wire.Field) []byte {
	if d.Cookie == "" {
		return nil
	}
	for i := range fields {
		if !wire.EqualFold(fields[i].Name, "cookie") {
			continue
		}
		if id := inCookie(fields[i].Value, d.Cookie); id != nil {
			return id
		}
	}
	return nil
}

// inCookie returns the first value of the cookie in one Cookie field that is not
// empty, or nil. A semicolon ends a pair even between quotes: no client means
// anything else by it.
func inCookie(pairs []byte, name string) []byte {
	for len(pairs) > 0 {
		var pair []byte
		pair, pairs, _ = bytes.Cut(pairs, []byte(";"))
		if id := pairValue(pair, name); len(id) > 0 {
			return id
		}
	}
	return nil
}

// pairValue returns the value of a cookie-pair if it has the name: without
// blanks around it, then without the quotes around it.
func pairValue(pair []byte, name string) []byte {
	pair = trimLeft(pair)
	if len(pair) <= len(name) || string(pair[:len(name)]) != name {
		return nil
	}
	rest := wire.TrimBlanks(pair[len(name):])
	if len(rest) == 0 || rest[0] != '=' {
		return nil
	}
	return wire.Unquote(wire.TrimBlanks(rest[1:]))
}

func trimLeft(b []byte) []byte {
	for len(b) > 0 && (b[0] == ' ' || b[0] == '\t') {
		b = b[1:]
	}
	return b
}
