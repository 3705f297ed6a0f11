package cache

import (
	"bytes"
	"slices"
	"strings"

	"weirkeep/gateway/wire"
)

// Vary is the fields of a request that an answer was chosen by, and what they were.
type Vary struct {
	Names  []string // in lower case, sorted, each once
	Values [][]byte // normalised, one a name; nil: the request had no such field
	Never  bool     // "*" stands among them: the answer fits no other request

	// raw are the values as they came, where that is in one line and not normal already;
	// nil where it is not. A client says the same over and over, and is known by it
	// without anything being normalised. May be missing altogether.
	raw [][]byte
}

// Bounds of what an answer may vary by.
const (
	maxVaryNames = 32
	maxVaryBytes = 16 << 10 // of all values together
)

// varyOf returns what an answer to r varies by, the fields in more included. It reports
// whether that is within the bounds.
func (p *Policy) varyOf(r *Request, fields []wire.Field, more []string) (v Vary, ok bool) {
	if v, ok = varyNames(fields, more); v.Never || !ok {
		return v, ok
	}
	v = p.VaryBy(v.Names, r)
	total := 0
	for _, value := range v.Values {
		total += len(value)
	}
	return v, total <= maxVaryBytes
}

// varyNames collects the names. All lines of Vary are one set (V3).
func varyNames(fields []wire.Field, more []string) (v Vary, ok bool) {
	v.Names = append(v.Names, more...)
	for i := range fields {
		if nameOf(fields[i].Name) != nameVary {
			continue
		}
		for list := fields[i].Value; len(list) > 0; {
			var m []byte
			m, list, _ = cutMember(list)
			switch {
			case string(m) == "*":
				v.Never = true // V4
			case len(m) > 0 && len(v.Names) <= maxVaryNames:
				v.Names = append(v.Names, strings.ToLower(string(m)))
			}
		}
	}
	slices.Sort(v.Names)
	v.Names = slices.Compact(v.Names)
	return v, len(v.Names) <= maxVaryNames
}

// VaryBy returns what an answer to r varies by that was chosen by those fields, which
// are in lower case, sorted, each once.
func (p *Policy) VaryBy(names []string, r *Request) Vary {
	v := Vary{Names: names, Values: make([][]byte, len(names))}
	for i, n := range names {
		value, lines := lineOf(r.Fields, n)
		if lines == 0 {
			continue
		}
		r.room = p.appendNormal(r.room[:0], r.Fields, n)
		v.Values[i] = append([]byte{}, r.room...)
		if lines == 1 && !bytes.Equal(value, r.room) {
			v.keepRaw(i, value)
		}
	}
	return v
}

func (v *Vary) keepRaw(i int, value []byte) {
	if v.raw == nil {
		v.raw = make([][]byte, len(v.Names))
	}
	v.raw[i] = bytes.Clone(value)
}

// Fits reports whether the answer may be one to r, as far as its Vary says (V2), and if
// it is a part, whether r asks for bytes of it, or for a whole that begins with it.
func (s *Stored) Fits(r *Request, p *Policy) bool {
	if s.Vary.Never || s.isPart() && !s.answers(r) && !s.begins(r) {
		return false
	}
	for i, n := range s.Vary.Names {
		if !s.Vary.sameAs(i, r, p) && !(n == acceptLanguage && p.Languages && s.inLanguage(r)) {
			return false
		}
	}
	return true
}

// SameVariant reports whether both answers were chosen by the same values of the same
// fields, so that only the newer one is of use.
func (s *Stored) SameVariant(as *Stored) bool {
	a, b := &s.Vary, &as.Vary
	return a.Never == b.Never && slices.Equal(a.Names, b.Names) && slices.EqualFunc(a.Values, b.Values, sameValue)
}

// sameValue compares two values. An absent field is only equal to an absent one.
func sameValue(a, b []byte) bool { return (a == nil) == (b == nil) && bytes.Equal(a, b) }

// cameAs reports whether the i-th value came as those bytes.
func (v *Vary) cameAs(i int, value []byte) bool {
	return v.raw != nil && v.raw[i] != nil && bytes.Equal(value, v.raw[i])
}

// sameAs reports whether the request has the i-th field with the same value. Mostly it
// is there once and equal as it stands, or not at all; else it is normalised.
func (v *Vary) sameAs(i int, r *Request, p *Policy) bool {
	want := v.Values[i]
	value, lines := lineOf(r.Fields, v.Names[i])
	switch {
	case lines == 0:
		return want == nil || p.absentIs(v.Names[i], want)
	case want == nil:
		return false
	case lines == 1 && (bytes.Equal(value, want) || v.cameAs(i, value)):
		return true
	}
	r.room = p.appendNormal(r.room[:0], r.Fields, v.Names[i])
	return bytes.Equal(r.room, want)
}

// lineOf returns the value of the last field of that name, and how many there are.
func lineOf(fields []wire.Field, name string) (value []byte, lines int) {
	for i := range fields {
		if wire.EqualFold(fields[i].Name, name) {
			value = fields[i].Value
			lines++
		}
	}
	return value, lines
}
