package cache

import (
	"bytes"
	"slices"
	"strconv"

	"weirkeep/gateway/wire"
)

// held returns which bytes a part is.
func (s *Stored) held() Span { return Span{s.Part.First, s.Part.First + s.Length - 1} }

// answers reports whether a part is all of what r asks for (G2). The same Range as then
// has the same answer, whatever that says of itself.
func (s *Stored) answers(r *Request) bool {
	if r.Range == nil || !s.inRange(r) {
		return false
	}
	_, ok := s.partSpan(r.Range)
	return ok || bytes.Equal(r.Range, s.Part.Asked)
}

// begins reports whether a part is the beginning of what r asks for: of all.
func (s *Stored) begins(r *Request) bool {
	return r.Method == Get && r.Range == nil && s.Part.First == 0 && !s.Part.Loose
}

// partSpan returns which of the bytes that a part is a Range asks for. It is not ok if
// it may ask for more. Of a part whose length is not what it says, its first byte is
// believed and its end taken for that of everything.
func (s *Stored) partSpan(value []byte) (Span, bool) {
	want, ok := oneSpec(value)
	if !ok {
		return Span{}, false
	}
	held := s.held()
	size := s.Part.Size
	if s.Part.Loose {
		size = held.Last + 1
	}
	if size < 0 && (want.first < 0 || want.last < 0) {
		return Span{}, false
	}
	span := Span{want.first, want.last}
	if size >= 0 {
		span, ok = want.in(size)
	}
	if s.Part.Loose && want.first < 0 {
		span.First = max(span.First, held.First)
	}
	return span, ok && held.First <= span.First && span.Last <= held.Last
}

// cutPart takes a range of a part. The Range that it answered gets it as it is.
func (s *Stored) cutPart(y *Reply, r *Request) {
	if bytes.Equal(r.Range, s.Part.Asked) {
		return
	}
	span, ok := s.partSpan(r.Range)
	if !ok {
		return
	}
	y.spans[0], y.n = span, 1
	y.first, y.size, y.Length = s.Part.First, s.Part.Size, span.Len()
}

// AppendRest appends the fields that ask for what follows a part, in the place of those
// that IsReplaced names (G4). It allocates.
func (s *Stored) AppendRest(dst []wire.Field) []wire.Field {
	value := strconv.AppendInt([]byte("bytes="), s.held().Last+1, 10)
	dst = append(dst, wire.Field{Name: []byte("Range"), Value: append(value, '-')})
	if isStrong(s.ETag) {
		dst = append(dst, wire.Field{Name: []byte("If-Range"), Value: s.ETag})
	}
	return dst
}

// Join returns the answer that a part and the answer to AppendRest make together: what
// follows the body of s is the body of a. It is nil if the two are not known to be of
// one version, with the same strong tag, or not to be all (G3): then what is asked for
// has to be fetched anew. What a says outranks what s says. If why is not 0 the answer is
// for this request only.
func (p *Policy) Join(s *Stored, r *Request, a *Answer, o Override) (joined *Stored, why Refusal) {
	var v said
	v.read(a.Fields, p)
	span, size, ok := parseContentRange(v.part.only())
	switch {
	case a.Status != 206 || !ok || !strongMatch(v.tag(), s.ETag) || s.Part.Loose:
		return nil, RefusedOther
	case s.Part.First != 0 || span.First != s.Length || span.Last != size-1:
		return nil, RefusedPart
	case s.Part.Size >= 0 && s.Part.Size != size, a.Length >= 0 && a.Length != span.Len():
		return nil, RefusedPart
	}
	whole := *s
	whole.Status, whole.Reason, whole.Part, whole.Length = 200, nil, Part{}, size
	whole.Fields = slices.DeleteFunc(slices.Clone(s.Fields), isContentRange)
	merged := whole.merged(a)
	return p.Renew(&whole, r, &merged, o)
}

func isContentRange(f wire.Field) bool { return nameOf(f.Name) == nameContentRange }
