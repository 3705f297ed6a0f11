package cache

import (
	"bytes"
	"slices"

	"weirkeep/gateway/wire"
)

// Fits is temporary.
func (s *Stored) Fits(r *Request, p *Policy) bool {
	if s.Vary.Never {
		return false
	}
	for i, n := range s.Vary.Names {
		v := valueOf(r, n)
		if (v == nil) != (s.Vary.Values[i] == nil) || !bytes.Equal(v, s.Vary.Values[i]) {
			return false
		}
	}
	return true
}

// VaryBy is temporary.
func (p *Policy) VaryBy(names []string, r *Request) Vary {
	v := Vary{Names: names}
	for _, n := range names {
		v.Values = append(v.Values, bytes.Clone(valueOf(r, n)))
	}
	return v
}

func valueOf(r *Request, name string) []byte {
	for _, f := range r.Fields {
		if wire.EqualFold(f.Name, name) {
			return f.Value
		}
	}
	return nil
}

// SameVariant is temporary.
func (s *Stored) SameVariant(as *Stored) bool {
	a, b := &s.Vary, &as.Vary
	return a.Never == b.Never && slices.Equal(a.Names, b.Names) && slices.EqualFunc(a.Values, b.Values, func(v, w []byte) bool {
		return (v == nil) == (w == nil) && bytes.Equal(v, w)
	})
}

// Newer is temporary.
func (s *Stored) Newer(than *Stored) bool {
	if !s.Date.Equal(than.Date) {
		return s.Date.After(than.Date)
	}
	return s.Fresh.Received.After(than.Fresh.Received)
}
