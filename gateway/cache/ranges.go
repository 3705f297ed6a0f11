package cache

import (
	"bytes"
	"math"
	"slices"
	"strconv"

	"weirkeep/gateway/wire"
)

// MaxSpans is how many ranges a request may ask for. More are answered with the whole.
const MaxSpans = 16

// Span is a range of bytes of a representation, both ends included.
type Span struct{ First, Last int64 }

// Len returns how many bytes that is.
func (s Span) Len() int64 { return s.Last - s.First + 1 }

// spec is one range as a client asks for it.
type spec struct {
	first int64 // -1: the last bytes are asked for
	last  int64 // -1: up to the end; of the last bytes, how many
}

// cutUnit takes the unit off a Range. Any other than bytes is not known.
func cutUnit(value []byte) (list []byte, ok bool) {
	unit, list, ok := cutByte(value, '=')
	return list, ok && wire.EqualFold(unit, "bytes")
}

// cutSpec takes the first range off the list. At the end the spec is zero and rest nil.
func cutSpec(list []byte) (s spec, rest []byte, ok bool) {
	list = bytes.TrimLeft(list, " \t,")
	member, rest, _ := cutByte(list, ',')
	from, to, ok := cutByte(wire.TrimBlanks(member), '-')
	if !ok {
		return s, rest, false
	}
	s.first, s.last = -1, -1
	fromOK, toOK := true, true
	if len(from) > 0 {
		s.first, fromOK = parseDigits(from)
	}
	if len(to) > 0 {
		s.last, toOK = parseDigits(to)
	}
	empty := len(from) == 0 && len(to) == 0
	backward := s.first >= 0 && s.last >= 0 && s.last < s.first
	return s, rest, fromOK && toOK && !empty && !backward
}

// in returns which bytes of a representation of that size are meant. It is not ok if
// there is none of them.
func (s spec) in(size int64) (Span, bool) {
	switch {
	case s.first < 0:
		return Span{max(size-s.last, 0), size - 1}, s.last > 0 && size > 0
	case s.last < 0 || s.last >= size:
		return Span{s.first, size - 1}, s.first < size
	}
	return Span{s.first, s.last}, true
}

// ranges are the ranges that are asked for.
type ranges struct {
	spans [MaxSpans]Span
	n     int
	valid bool // else the whole is to be sent
}

// readRanges reads a Range about a representation of that size. It is valid with no
// span if none of what is asked for is there.
func readRanges(value []byte, size int64) (r ranges) {
	list, ok := cutUnit(value)
	list = bytes.TrimRight(list, " \t,")
	asked := 0
	for ok && len(list) > 0 {
		var s spec
		if s, list, ok = cutSpec(list); !ok {
			break
		}
		if asked++; asked > MaxSpans {
			ok = false
			break
		}
		if span, there := s.in(size); there {
			r.spans[r.n] = span
			r.n++
		}
	}
	r.valid = ok && asked > 0
	return r
}

// join makes one of ranges that overlap or touch. Where none do they stay in the order
// they were asked for.
func (r *ranges) join() {
	sorted := r.spans
	list := sorted[:r.n]
	slices.SortFunc(list, bySpan)
	n := 0
	for _, s := range list {
		if n > 0 && s.First <= list[n-1].Last+1 {
			list[n-1].Last = max(list[n-1].Last, s.Last)
			continue
		}
		list[n] = s
		n++
	}
	if n < r.n {
		r.spans, r.n = sorted, n
	}
}

func bySpan(a, b Span) int {
	switch {
	case a.First < b.First:
		return -1
	case a.First > b.First:
		return 1
	}
	return 0
}

// one returns the only range that a Range asks for.
func oneSpec(value []byte) (s spec, ok bool) {
	list, ok := cutUnit(value)
	if !ok {
		return s, false
	}
	s, rest, ok := cutSpec(bytes.TrimRight(list, " \t,"))
	return s, ok && len(rest) == 0
}

// parseContentRange reads a Content-Range of bytes that are there. The size is -1 if it
// is not stated. It is not ok if what it says is impossible, or too large to count.
func parseContentRange(value []byte) (span Span, size int64, ok bool) {
	unit, rest, ok1 := cutByte(value, ' ')
	where, of, ok2 := cutByte(rest, '/')
	from, to, ok3 := cutByte(where, '-')
	first, ok4 := parseDigits(from)
	last, ok5 := parseDigits(to)
	size, ok6 := parseDigits(of)
	if string(of) == "*" {
		size, ok6 = -1, true
	}
	possible := first <= last && last < math.MaxInt64 && (size < 0 || last < size) && size < math.MaxInt64
	ok = wire.EqualFold(unit, "bytes") && ok1 && ok2 && ok3 && ok4 && ok5 && ok6 && possible
	return Span{first, last}, size, ok
}

// appendContentRange appends the value of Content-Range for a span. A size of -1 is not
// known.
func appendContentRange(dst []byte, s Span, size int64) []byte {
	dst = append(dst, "bytes "...)
	dst = strconv.AppendInt(dst, s.First, 10)
	dst = append(dst, '-')
	dst = strconv.AppendInt(dst, s.Last, 10)
	return appendSize(dst, size)
}

func appendSize(dst []byte, size int64) []byte {
	if size < 0 {
		return append(dst, "/*"...)
	}
	return strconv.AppendInt(append(dst, '/'), size, 10)
}
