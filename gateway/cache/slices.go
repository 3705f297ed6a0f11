package cache

import (
	"bytes"
	"slices"
	"strconv"
	"time"

	"weirkeep/gateway/wire"
)

// Slices says that the body of a representation is not stored with its head but in
// pieces of one length, each by itself.
//
// All that expires is the head: a slice is as good as the version that it is of, which is
// named by what tells it from all others byte for byte.
type Slices struct {
	Each    int64  // bytes of every slice but the last
	Size    int64  // bytes of the representation
	Version []byte // a strong tag, or "modified " and a time
}

// Sliced reports whether s is the head of a representation that is stored in slices. Its
// Length is 0, since no byte of the body is stored with it.
func (s *Stored) Sliced() bool { return s.Slices != nil }

// Span returns which bytes the nth slice is, counted from 0.
func (l *Slices) Span(n int64) Span {
	first := n * l.Each
	return Span{first, min(first+l.Each, l.Size) - 1}
}

// Count returns how many slices there are.
func (l *Slices) Count() int64 { return (l.Size + l.Each - 1) / l.Each }

// AppendRange appends the value of the Range that asks for the nth slice.
func (l *Slices) AppendRange(dst []byte, n int64) []byte {
	span := l.Span(n)
	dst = strconv.AppendInt(append(dst, "bytes="...), span.First, 10)
	return strconv.AppendInt(append(dst, '-'), span.Last, 10)
}

// AppendName appends what tells the nth slice from all others of the same target, as a line.
func (l *Slices) AppendName(dst []byte, n int64) []byte {
	dst = strconv.AppendInt(append(dst, "slice "...), n, 10)
	dst = appendContentRange(append(dst, ' '), l.Span(n), l.Size)
	return append(append(append(dst, ' '), l.Version...), '\n')
}

// CutSliceName takes what AppendName has appended off what it was appended to, without its line
// end: nil if there is none.
func CutSliceName(parts []byte) (rest, name []byte) {
	line := bytes.TrimSuffix(parts, []byte("\n"))
	at := bytes.LastIndexByte(line, '\n') + 1
	if !bytes.HasPrefix(line[at:], []byte("slice ")) {
		return parts, nil
	}
	return parts[:at], line[at:]
}

// ParseSliceName takes apart what AppendName has written, without its line end.
func ParseSliceName(name []byte) (span Span, size int64, version []byte, ok bool) {
	rest, named := bytes.CutPrefix(name, []byte("slice "))
	_, rest, numbered := cutByte(rest, ' ')
	unit, rest, placed := cutByte(rest, ' ')
	where, version, ended := cutByte(rest, ' ')
	span, size, ok = parseContentRange([]byte(string(unit) + " " + string(where)))
	return span, size, version, ok && named && numbered && placed && ended && len(version) > 0
}

// InSlices returns the head of a representation that is to be stored in slices of so many
// bytes, where s is what Store made of a, the answer to r. It is nil unless all of it is
// longer than above, its origin sends ranges of it, and it has a name for its version that two
// versions never share. A part that was asked for with If-Range lacks fields of the whole.
func (s *Stored) InSlices(r *Request, a *Answer, each, above int64) *Stored {
	size := s.Length
	if s.isPart() {
		size = s.Part.Size
	}
	version := versionOf(s.ETag, s.Modified, s.Date)
	switch {
	case each <= 0, size <= above, version == nil, s.Part.Loose, s.Source != nil:
		return nil
	case a.Status == 206 && r.ifRange == nil:
	case a.Status == 200 && acceptsRanges(a.Fields):
	default:
		return nil
	}
	whole := *s
	whole.Status, whole.Part, whole.Length, whole.Codings = 200, Part{}, 0, nil // its slices stay as they came
	whole.Slices = &Slices{Each: each, Size: size, Version: version}
	if a.Status == 206 {
		whole.Reason, whole.Fields = nil, slices.DeleteFunc(slices.Clone(s.Fields), isContentRange)
	}
	return &whole
}

// acceptsRanges reports whether an answer says that there are ranges of it.
func acceptsRanges(fields []wire.Field) bool {
	for i := range fields {
		if nameOf(fields[i].Name) == nameAcceptRanges && hasMember(fields[i].Value, "bytes") {
			return true
		}
	}
	return false
}

// settledAfter is how long after it was modified a representation has to be sent for the
// time to name one version alone (RFC 9110, 8.8.2.2).
const settledAfter = time.Minute

// versionOf names a version, for good: nil if nothing does. A weak tag says that a time will
// not do either.
func versionOf(tag []byte, modified, date time.Time) []byte {
	switch {
	case isStrong(tag):
		return bytes.Clone(tag)
	case tag == nil && !modified.IsZero() && date.Sub(modified) >= settledAfter:
		return strconv.AppendInt([]byte("modified "), modified.Unix(), 10)
	}
	return nil
}

// Piece is what an answer to a request for a slice is.
type Piece uint8

// The pieces.
const (
	PieceWanted  Piece = iota // the slice, of the version that was asked about
	PieceChanged              // the same bytes of another version
	PieceOther                // no slice: the origin does not send ranges, or other ones than it says
)

// Slice looks at the answer to r, which asks for the nth slice of s. If that is what is
// wanted it returns the slice as it is to be stored, or why it is only for this request.
// It has the tags of the whole, so that they purge it.
func (p *Policy) Slice(s *Stored, n int64, r *Request, a *Answer, o Override) (slice *Stored, why Refusal, is Piece) {
	var v said
	v.read(a.Fields, p)
	span, size, ok := parseContentRange(v.part.only())
	version := versionOf(v.tag(), modifiedOf(a, &v), dateOf(a, &v))
	switch of := s.Slices.Span(n); {
	case a.Status != 206 || !ok || v.multiple, a.Length >= 0 && a.Length != span.Len(), size < 0 || version == nil:
		return nil, 0, PieceOther
	case size != s.Slices.Size || !bytes.Equal(version, s.Slices.Version):
		return nil, 0, PieceChanged
	case span != of:
		return nil, 0, PieceOther
	}
	if slice, why = p.Store(r, a, o); why != 0 {
		slice = &Stored{Fresh: Freshness{Received: a.Received}}
	}
	slice.Status, slice.Part, slice.Length, slice.Tags, slice.Content = 206, Part{}, span.Len(), s.Tags, ""
	return slice, why, PieceWanted
}

// Since returns s as it is known to be from the time on when a slice of it came, if that
// is later: the origin has sent this version again.
func (s *Stored) Since(slice *Stored) *Stored {
	if !slice.Fresh.Received.After(s.Fresh.Received) {
		return s
	}
	later := *s
	later.Fresh.Received, later.Fresh.Age = slice.Fresh.Received, slice.Fresh.Age
	return &later
}

// Begins returns where in the representation the body of the reply begins; false: the
// reply has no body of s.
func (y *Reply) Begins() (at int64, ok bool) {
	switch {
	case y.Status == 304 || y.Status == 416:
		return 0, false
	case y.n > 0:
		return y.spans[0].First, true
	}
	return 0, true
}
