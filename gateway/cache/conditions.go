package cache

import (
	"time"

	"weirkeep/gateway/wire"
)

// AppendConditions appends the fields that ask the origin whether the answer still
// holds, byte for byte as it gave them (C5). They take the place of the fields of the
// client's that IsReplaced names.
func (s *Stored) AppendConditions(dst []wire.Field) []wire.Field {
	tag, modified := s.validators()
	if tag != nil {
		dst = append(dst, wire.Field{Name: []byte("If-None-Match"), Value: tag})
	}
	if !modified.IsZero() {
		dst = append(dst, wire.Field{Name: []byte("If-Modified-Since"), Value: valueOf(s.source(), "last-modified")})
	}
	return dst
}

// IsReplaced reports whether a request field of that name is left out when the origin
// is asked with conditions of ours.
func IsReplaced(fieldName []byte) bool {
	switch nameOf(fieldName) {
	case nameIfNoneMatch, nameIfModifiedSince, nameIfRange, nameRange:
		return true
	}
	return false
}

// AsksForRange reports whether a request field of that name asks for a part of the answer.
func AsksForRange(fieldName []byte) bool {
	n := nameOf(fieldName)
	return n == nameRange || n == nameIfRange
}

// OverridesMethod reports whether a request field of that name tells an origin to take the
// request for one with another method. What it answers then is not what GET gets: the
// field is left out where the answer may be stored.
func OverridesMethod(fieldName []byte) bool { return nameOf(fieldName) == nameMethodOverride }

// unchanged reports whether the client's conditions say that it has the answer already
// (C1 to C3). If-None-Match outranks If-Modified-Since.
func (s *Stored) unchanged(r *Request) bool {
	switch {
	case s.Status < 200 || s.Status > 299:
		return false // RFC 9110, 13.2.1
	case r.conditions&ifNoneMatch != 0:
		return s.listed(r.Fields)
	case r.conditions&ifModifiedSince != 0:
		return s.notSince(r.since.only())
	}
	return false
}

// listed reports whether If-None-Match lists the answer's tag, or "*".
func (s *Stored) listed(fields []wire.Field) bool {
	for i := range fields {
		if nameOf(fields[i].Name) == nameIfNoneMatch && s.listedIn(fields[i].Value) {
			return true
		}
	}
	return false
}

func (s *Stored) listedIn(list []byte) bool {
	for len(list) > 0 {
		var tag []byte
		tag, list = cutTag(list)
		if string(tag) == "*" || s.ETag != nil && weakMatch(tag, s.ETag) {
			return true
		}
	}
	return false
}

// notSince reports whether the answer was not modified since a date. One that does not
// say when it was modified was when it was made.
func (s *Stored) notSince(value []byte) bool {
	since, ok := parseDate(value, s.Fresh.Received)
	return ok && !s.changed().After(since)
}

func (s *Stored) changed() time.Time {
	if s.Modified.IsZero() {
		return s.Date
	}
	return s.Modified
}

// inRange reports whether the client's If-Range lets it have a range: there is none, or
// it names this very version (G1). A date does so only if it was at least a second in
// the past when the answer was made: two versions may share a second.
func (s *Stored) inRange(r *Request) bool {
	if r.ifRange == nil {
		return true
	}
	if strongMatch(r.ifRange, s.ETag) {
		return true
	}
	date, ok := parseDate(r.ifRange, s.Fresh.Received)
	return ok && date.Equal(s.Modified) && s.Date.Sub(s.Modified) >= time.Second
}
