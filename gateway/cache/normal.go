package cache

import (
	"slices"
	"strconv"

	"weirkeep/gateway/wire"
)

// The fields whose values are understood.
const (
	acceptEncoding = "accept-encoding"
	acceptLanguage = "accept-language"
)

// appendNormal appends the value of a request's field so that values which mean the
// same are the same bytes (V5). What is normal already is left as it is.
func (p *Policy) appendNormal(dst []byte, fields []wire.Field, name string) []byte {
	begin, there := len(dst), false
	for i := range fields {
		if !wire.EqualFold(fields[i].Name, name) {
			continue
		}
		if there {
			dst = append(dst, ',')
		}
		dst, there = appendMembers(dst, fields[i].Value), true
	}
	switch {
	case name == acceptLanguage && p.Languages:
		dst = appendLanguages(dst[:begin], dst[begin:])
	case name == acceptEncoding && p.Encodings:
		dst = appendEncodings(dst[:begin], dst[begin:])
	}
	return dst
}

// appendMembers appends a list without the blanks around its commas. Quoted strings
// stay as they are.
func appendMembers(dst, list []byte) []byte {
	for {
		end, _ := memberEnd(list)
		dst = append(dst, wire.TrimBlanks(list[:end])...)
		if end == len(list) {
			return dst
		}
		dst = append(dst, ',')
		list = list[end+1:]
	}
}

// weighted is a member of a list with weights (RFC 9110, 12.4.2).
type weighted struct {
	name   []byte
	weight int64 // 0 to 1000
}

// preferences is a list with weights.
type preferences struct {
	list [16]weighted
	n    int
}

// read reads a list. It is not ok if it is malformed or too long to be looked at.
func (f *preferences) read(list []byte) bool {
	for len(list) > 0 {
		var m []byte
		if m, list, _ = cutMember(list); len(m) == 0 {
			continue
		}
		w, ok := parseWeighted(m)
		if !ok || f.n == len(f.list) {
			return false
		}
		f.list[f.n] = w
		f.n++
	}
	return true
}

// parseWeighted reads a member and its weight, which is 1 if it is not stated.
func parseWeighted(m []byte) (w weighted, ok bool) {
	head, parameter, stated := cutByte(m, ';')
	w = weighted{wire.TrimBlanks(head), 1000}
	if n := tokenLength(w.name); n == 0 || n < len(w.name) {
		return w, false
	}
	if !stated {
		return w, true
	}
	q, value, _ := cutByte(wire.TrimBlanks(parameter), '=')
	w.weight, ok = parseWeight(value)
	return w, ok && wire.EqualFold(q, "q")
}

// parseWeight reads a weight: 0 or 1, with up to three decimals.
func parseWeight(b []byte) (thousandths int64, ok bool) {
	whole, part, point := cutByte(b, '.')
	n, ok := parseDigits(whole)
	if !ok || len(whole) != 1 || len(part) > 3 {
		return 0, false
	}
	scale := int64(1000)
	n *= scale
	for i := 0; point && i < len(part); i++ {
		if part[i] < '0' || part[i] > '9' {
			return 0, false
		}
		scale /= 10
		n += int64(part[i]-'0') * scale
	}
	return n, n <= 1000
}

// appendLanguages writes the list anew into dst, which may be where it stands: in lower
// case, by falling weight and then by name. A list that is not understood stays.
func appendLanguages(dst, list []byte) []byte {
	var f preferences
	if !f.read(list) {
		return append(dst, list...)
	}
	slices.SortFunc(f.list[:f.n], byWeight)
	return f.appendTo(dst, false)
}

// byWeight sorts what is preferred first.
func byWeight(a, b weighted) int {
	if a.weight != b.weight {
		return int(b.weight - a.weight)
	}
	return byName(a, b)
}

// byName compares names without regard to case.
func byName(a, b weighted) int {
	for i := 0; i < min(len(a.name), len(b.name)); i++ {
		if d := int(lower(a.name[i])) - int(lower(b.name[i])); d != 0 {
			return d
		}
	}
	return len(a.name) - len(b.name)
}

// appendTo writes the members, which may be views of what stands there.
func (f *preferences) appendTo(dst []byte, codings bool) []byte {
	var room [512]byte
	out := room[:0]
	for i, w := range f.list[:f.n] {
		if i > 0 {
			out = append(out, ',')
		}
		out = appendLower(out, w.name)
		if codings {
			out = w.appendRefused(out)
		} else {
			out = w.appendWeight(out)
		}
	}
	return append(dst, out...)
}

func (w weighted) appendWeight(dst []byte) []byte {
	if w.weight == 1000 {
		return dst
	}
	dst = append(dst, ";q=0."...)
	for scale := int64(100); scale > 0; scale /= 10 {
		dst = strconv.AppendInt(dst, w.weight/scale%10, 10)
	}
	return dst
}

func (w weighted) appendRefused(dst []byte) []byte {
	if w.weight > 0 {
		return dst
	}
	return append(dst, ";q=0"...)
}

func appendLower(dst, b []byte) []byte {
	for _, c := range b {
		dst = append(dst, lower(c))
	}
	return dst
}

func lower(c byte) byte {
	if 'A' <= c && c <= 'Z' {
		c |= 0x20
	}
	return c
}

// appendEncodings writes the list anew: the codings that the client takes, by name and
// without weights, as it may be sent any of them (V7). Identity is only named where it,
// or whatever is not named, is refused.
func appendEncodings(dst, list []byte) []byte {
	var f preferences
	if !f.read(list) {
		return append(dst, list...)
	}
	f.fold()
	slices.SortFunc(f.list[:f.n], byName)
	return f.appendTo(dst, true)
}

// fold drops the codings that say nothing.
func (f *preferences) fold() {
	star := f.has("*")
	n := 0
	for _, w := range f.list[:f.n] {
		refused, identity := w.weight == 0, wire.EqualFold(w.name, "identity")
		if !star && refused != identity {
			continue
		}
		if wire.EqualFold(w.name, "x-gzip") {
			w.name = w.name[len("x-"):]
		}
		f.list[n] = w
		n++
	}
	f.n = n
}

func (f *preferences) has(name string) bool {
	for _, w := range f.list[:f.n] {
		if wire.EqualFold(w.name, name) {
			return true
		}
	}
	return false
}

// absentIs reports whether a request without the field is like one with that normal
// value: without Accept-Encoding a client takes what one does that only takes identity.
func (p *Policy) absentIs(name string, normal []byte) bool {
	return name == acceptEncoding && p.Encodings && len(normal) == 0
}

// inLanguage reports whether the one language that the client likes best is the one of
// the answer (V6).
func (s *Stored) inLanguage(r *Request) bool {
	language := valueOf(s.Fields, "content-language")
	value, lines := lineOf(r.Fields, acceptLanguage)
	var f preferences
	if len(language) == 0 || lines != 1 || !f.read(value) || f.n == 0 {
		return false
	}
	list := f.list[:f.n]
	slices.SortFunc(list, byWeight)
	alone := len(list) == 1 || list[1].weight < list[0].weight
	return alone && list[0].weight > 0 && byName(list[0], weighted{name: language}) == 0
}
