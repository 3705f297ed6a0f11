package session

import (
	"bytes"

	"weirkeep/gateway/wire"
)

// Learn reads the session id off the head of an answer: the one that its
// Set-Cookie fields leave the client with, else the parameter of its Location.
// A Set-Cookie that deletes the cookie, by an empty value or a Max-Age of no
// more than 0, counts as if it were not there. The id is a view of the fields
// and nil if there is none; Learn allocates only if the path parameters of a
// Location are not canonical.
func (d *Definition) Learn(fields []wire.Field) (id []byte, from Carrier) {
	if id := d.inSetCookies(fields); id != nil {
		return id, FromCookie
	}
	if id := d.inLocation(fields); id != nil {
		return id, FromURL
	}
	return nil, FromNothing
}

// inSetCookies returns the id that is set last: of cookies with one name a
// client keeps that one.
func (d *Definition) inSetCookies(fields []wire.Field) []byte {
	if d.Cookie == "" {
		return nil
	}
	for i := len(fields) - 1; i >= 0; i-- {
		if !wire.EqualFold(fields[i].Name, "set-cookie") {
			continue
		}
		pair, attributes, _ := bytes.Cut(fields[i].Value, []byte(";"))
		if id := pairValue(pair, d.Cookie); len(id) > 0 && !expires(attributes) {
			return id
		}
	}
	return nil
}

// expires reports whether the attributes of a Set-Cookie have a Max-Age that
// deletes the cookie. Of several the last valid one counts.
func expires(attributes []byte) (deletes bool) {
	for len(attributes) > 0 {
		var attribute []byte
		attribute, attributes, _ = bytes.Cut(attributes, []byte(";"))
		name, value, _ := bytes.Cut(attribute, []byte("="))
		if !wire.EqualFold(wire.TrimBlanks(name), "max-age") {
			continue
		}
		if positive, ok := maxAge(wire.TrimBlanks(value)); ok {
			deletes = !positive
		}
	}
	return deletes
}

// maxAge says whether the value of a Max-Age is over 0. It is not ok if that is
// no whole number: RFC 6265bis, 5.6.2 then ignores the attribute.
func maxAge(value []byte) (positive, ok bool) {
	digits := bytes.TrimPrefix(value, []byte("-"))
	for _, c := range digits {
		if c < '0' || '9' < c {
			return false, false
		}
		positive = positive || c != '0'
	}
	return positive && len(digits) == len(value), len(digits) > 0
}

func (d *Definition) inLocation(fields []wire.Field) []byte {
	if d.URLParam == "" {
		return nil
	}
	for i := range fields {
		if wire.EqualFold(fields[i].Name, "location") {
			id, _ := d.inReference(fields[i].Value, nil)
			return id
		}
	}
	return nil
}
