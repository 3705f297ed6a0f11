package cache

import "weirkeep/gateway/wire"

// Coding is a content coding (RFC 9110, 8.4.1) that a stored answer may be sent in though it
// did not come in it.
type Coding uint8

// The codings.
const (
	Identity Coding = iota // none: as it came
	Gzip
	Brotli
	Zstd
	Codings // how many there are
)

var codingNames = [...]string{Identity: "identity", Gzip: "gzip", Brotli: "br", Zstd: "zstd"}

// String returns the name of the coding in Accept-Encoding and Content-Encoding.
func (c Coding) String() string { return codingNames[c] }

// leastEncoded is the shortest body that is worth to be sent in a coding, in bytes: what is
// shorter fits one packet in any case.
const leastEncoded = 1 << 10

// codings returns the codings that an answer may be sent in; nil: only as it came. What
// is in one already, is a part, forbids to be changed, or is known by a digest stays as it is.
func (p *Policy) codings(s *Stored, v *said, o *Override) []Coding {
	offered := p.Codings
	switch {
	case v.compress == uncompressed:
		return nil
	case v.compress == asConfigured && o.HasCodings:
		offered = o.Codings
	}
	short := s.Length >= 0 && s.Length < leastEncoded
	if len(offered) == 0 || short || s.Status != 200 || s.isPart() || v.part.lines > 0 || v.encoded || v.fixed || !compresses(v.kind.only()) {
		return nil
	}
	return offered
}

// Coding returns in which coding r is sent s, if s is there in it: the one that the client
// likes best of those that it takes, and of those that it likes alike the first in
// s.Codings. Ranges are those of what came. A request without Accept-Encoding, or with
// one that is malformed, gets what came, and so does one with no-transform (RFC 9111,
// 5.2.1.6). Nothing is better than that only if the client says so.
func (s *Stored) Coding(r *Request) Coding {
	if len(s.Codings) == 0 || s.Length < leastEncoded || r.Range != nil {
		return Identity
	}
	return r.Prefers(s.Codings)
}

// Prefers returns which of the codings offered the answer to r is sent in, as Stored.Coding does for
// what is stored: for a body that is made for this request.
func (r *Request) Prefers(offered []Coding) Coding {
	if len(offered) == 0 || r.control.has(noTransform) {
		return Identity
	}
	var f preferences
	for i := range r.Fields {
		if wire.EqualFold(r.Fields[i].Name, acceptEncoding) && !f.read(r.Fields[i].Value) {
			return Identity
		}
	}
	return f.best(offered)
}

// CodingOf returns the coding that the body of an answer is in, by its Content-Encoding. It is
// not ok if that is one that is not known, or if there are several.
func CodingOf(fields []wire.Field) (c Coding, ok bool) {
	for i := range fields {
		if nameOf(fields[i].Name) != nameContentEncoding {
			continue
		}
		for list := fields[i].Value; len(list) > 0; {
			var m []byte
			if m, list, _ = cutMember(list); len(m) == 0 {
				continue
			}
			next, known := codingNamed(m)
			if !known || c != Identity && next != Identity {
				return Identity, false
			}
			c = max(c, next)
		}
	}
	return c, true
}

// codingNamed is the coding of a name in Content-Encoding.
func codingNamed(name []byte) (c Coding, known bool) {
	if wire.EqualFold(name, "x-gzip") {
		return Gzip, true // RFC 9110, 8.4.1.3
	}
	for c := range Codings {
		if wire.EqualFold(name, c.String()) {
			return c, true
		}
	}
	return Identity, false
}

// best returns the coding that is liked best. One that is liked as much as none is better.
func (f *preferences) best(offered []Coding) Coding {
	best, most := Identity, f.weight(Identity)
	for _, c := range offered {
		if w := f.weight(c); w > most || w > 0 && w == most && best == Identity {
			best, most = c, w
		}
	}
	return best
}

// weight returns how much a coding is liked; 0: not at all. Identity is taken even so.
func (f *preferences) weight(c Coding) int64 {
	w, named := f.of(c.String())
	if c == Gzip {
		if x, alias := f.of("x-gzip"); alias && (!named || x < w) {
			return x // RFC 9110, 8.4.1.3
		}
	}
	if !named {
		w, _ = f.of("*")
	}
	return w
}

// of returns the weight of a name, of several the least: what refuses counts.
func (f *preferences) of(name string) (least int64, named bool) {
	for _, w := range f.list[:f.n] {
		if wire.EqualFold(w.name, name) && (!named || w.weight < least) {
			least, named = w.weight, true
		}
	}
	return least, named
}
