package cache

import (
	"bytes"
	"slices"
	"strconv"

	"weirkeep/gateway/wire"
)

// Reply is what becomes of a stored answer for one request: the whole of it, ranges, or
// word that the client has it already.
type Reply struct {
	Status int   // the stored one, or 206, 304 or 416
	Length int64 // of the reply's body, for Content-Length; -1: not known; of 304 and 416 it is 0

	// Coding is the one that the stored body is sent in. The caller sets it, and Length to
	// that of the body in it, if it has it and [Stored.Coding] says so.
	Coding Coding

	// Seed makes the boundary between ranges. Where Parts has several, set it to a number
	// that nobody can guess, before anything is appended.
	Seed uint64

	spans [MaxSpans]Span
	n     int
	first int64 // where the stored body begins in the representation
	size  int64 // of the representation; -1: not known
}

// Parts returns the ranges to send, as positions in the representation; none: all of
// the stored body, or nothing of it.
func (y *Reply) Parts() []Span { return y.spans[:y.n] }

// At returns where in the stored body a range is: from its first byte to before its last.
func (y *Reply) At(s Span) (from, to int64) { return s.First - y.first, s.Last - y.first + 1 }

// Reply says what r gets of s, which fits it, and may be used (C1 to C3, G1). The length
// is that of the stored body as far as it is known by now, else -1: then ranges of it
// are not cut.
func (s *Stored) Reply(r *Request, length int64) Reply {
	y := Reply{Status: s.Status, Length: length}
	switch {
	case s.unchanged(r):
		y.Status, y.Length = 304, 0
	case r.Range == nil:
	case s.isPart():
		s.cutPart(&y, r)
	case s.Status == 200 && length > 0 && s.inRange(r):
		s.cut(&y, r.Range, length)
	}
	return y
}

// cut takes ranges of a whole.
func (s *Stored) cut(y *Reply, value []byte, size int64) {
	asked := readRanges(value, size)
	if !asked.valid {
		return
	}
	asked.join()
	y.spans, y.n, y.size, y.Status = asked.spans, asked.n, size, 206
	switch y.n {
	case 0:
		y.Status, y.Length = 416, 0
	case 1:
		y.Length = y.spans[0].Len()
	default:
		y.Length = s.multipartLength(y)
	}
}

// AppendReply appends the head of the reply: the status line and the fields, without
// Age, Content-Length and Cache-Status, and without the blank line that ends it.
func (s *Stored) AppendReply(dst []byte, y *Reply) []byte {
	reason := s.Reason
	if y.Status != s.Status {
		reason = nil
	}
	dst = wire.AppendStatusLine(dst, y.Status, reason)
	varies := len(s.Codings) > 0
	for i := range s.Fields {
		f := &s.Fields[i]
		n := nameOf(f.Name)
		if y.has(n) {
			dst = y.appendStored(dst, f, n)
		}
		varies = varies && (n != nameVary || !hasMember(f.Value, acceptEncoding))
	}
	if varies {
		dst = append(dst, "Vary: Accept-Encoding\r\n"...)
	}
	return y.appendOwn(dst)
}

// AddsVary reports whether replies say in a Vary of their own that s may be sent in codings.
func (s *Stored) AddsVary() bool {
	return len(s.Codings) > 0 && !slices.ContainsFunc(s.Fields, func(f wire.Field) bool {
		return nameOf(f.Name) == nameVary && hasMember(f.Value, acceptEncoding)
	})
}

// appendStored appends a stored field. In a coding the tag is a weak one: the bytes are others,
// and mean the same (RFC 9110, 8.8.1).
func (y *Reply) appendStored(dst []byte, f *wire.Field, n name) []byte {
	if n != nameETag || y.Coding == Identity || bytes.HasPrefix(f.Value, []byte("W/")) {
		return wire.AppendField(dst, f.Name, f.Value)
	}
	dst = append(append(dst, f.Name...), ": W/"...)
	return append(append(dst, f.Value...), "\r\n"...)
}

// AppendHead appends the head of the answer as it is stored: what AppendReply appends
// if all of it is sent.
func (s *Stored) AppendHead(dst []byte) []byte { return s.AppendCoded(dst, Identity) }

// AppendCoded is AppendHead for the answer in a coding.
func (s *Stored) AppendCoded(dst []byte, c Coding) []byte {
	return s.AppendReply(dst, &Reply{Status: s.Status, Coding: c})
}

// has reports whether a reply has a field of the stored answer. A 304 has none that
// describes the content (RFC 9110, 15.4.5), and a 416 only what tells versions apart.
func (y *Reply) has(n name) bool {
	switch n {
	case nameContentType:
		return y.Status != 304 && y.Status != 416 && y.n < 2
	case nameContentRange:
		return y.Status != 304 && y.Status != 416 && y.n == 0
	case nameContentEncoding, nameContentLanguage:
		return y.Status != 304 && y.Status != 416
	case nameAcceptRanges:
		return y.Status != 416 && y.Coding == Identity // ranges are of what came
	case nameDate, nameETag, nameLastModified, nameVary:
		return true
	case nameSurrogateControl: // was for this cache
		return false
	}
	return y.Status != 416
}

// appendOwn appends the fields that the stored answer does not have.
func (y *Reply) appendOwn(dst []byte) []byte {
	switch {
	case y.Status == 416:
		dst = append(dst, "Content-Range: bytes *"...)
		dst = append(appendSize(dst, y.size), "\r\n"...)
	case y.n == 1:
		dst = append(dst, "Content-Range: "...)
		dst = append(appendContentRange(dst, y.spans[0], y.size), "\r\n"...)
	case y.n > 1:
		dst = append(dst, "Content-Type: multipart/byteranges; boundary="...)
		dst = append(y.appendBoundary(dst), "\r\n"...)
	case y.Coding != Identity && y.Status != 304:
		dst = append(dst, "Content-Encoding: "...)
		dst = append(append(dst, y.Coding.String()...), "\r\n"...)
	}
	return dst
}

// boundaryLength is how long every boundary is.
const boundaryLength = 16

// appendBoundary appends the boundary: the seed in 16 digits.
func (y *Reply) appendBoundary(dst []byte) []byte {
	for shift := 60; shift >= 0; shift -= 4 {
		dst = strconv.AppendUint(dst, y.Seed>>shift&15, 16)
	}
	return dst
}

// AppendPart appends what stands before the bytes of one of several ranges.
func (s *Stored) AppendPart(dst []byte, y *Reply, span Span) []byte {
	dst = append(y.appendBoundary(append(dst, "\r\n--"...)), "\r\n"...)
	if t := valueOf(s.Fields, "content-type"); t != nil {
		dst = wire.AppendField(dst, []byte("Content-Type"), t)
	}
	dst = append(dst, "Content-Range: "...)
	return append(appendContentRange(dst, span, y.size), "\r\n\r\n"...)
}

// AppendEnd appends what stands after the last of several ranges.
func (y *Reply) AppendEnd(dst []byte) []byte {
	return append(y.appendBoundary(append(dst, "\r\n--"...)), "--\r\n"...)
}

// multipartLength returns how long a body of several ranges is.
func (s *Stored) multipartLength(y *Reply) (n int64) {
	const around = len("\r\n--") + boundaryLength + len("\r\n") + len("Content-Range: ") + len("\r\n\r\n")
	each := around
	if t := valueOf(s.Fields, "content-type"); t != nil {
		each += len("Content-Type: \r\n") + len(t)
	}
	for _, span := range y.Parts() {
		var room [80]byte
		n += int64(each+len(appendContentRange(room[:0], span, y.size))) + span.Len()
	}
	return n + int64(len("\r\n--")+boundaryLength+len("--\r\n"))
}
