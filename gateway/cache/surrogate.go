package cache

import (
	"weirkeep/gateway/surrogate"
	"weirkeep/gateway/wire"
)

// ContentOf returns what the fields of an answer say to the device of that name that has to be
// done with the body, as Stored.Content has it: for an answer that is not stored.
func ContentOf(fields []wire.Field, device string) string {
	s := surrogateOf(fields, device)
	return string(s.Content)
}

// surrogateOf is what Surrogate-Control says to the device of that name. It holds views.
func surrogateOf(fields []wire.Field, device string) (s surrogate.Control) {
	for i := range fields {
		if wire.EqualFold(fields[i].Name, "surrogate-control") { // most differ in length
			s.Read(fields[i].Value, device)
		}
	}
	return s
}

// storingOf returns what it says of storing, as Cache-Control would: the origin tells the
// caches in front of it, and nobody behind them. It is not ok if nothing is said of that: then
// the other fields decide.
func storingOf(s *surrogate.Control) (c control, ok bool) {
	if s.NoStore {
		c.flags = noStore
	}
	if s.HasMaxAge {
		c.times[maxAge] = seconds{given: true, valid: true, d: s.MaxAge}
	}
	if s.Extension > 0 {
		c.times[whileRevalidate] = seconds{given: true, valid: true, d: s.Extension}
		c.times[ifError] = c.times[whileRevalidate]
	}
	c.there = s.NoStore || s.HasMaxAge
	return c, c.there
}

// compressing is what an answer says of being sent in codings (D-WC-32).
type compressing uint8

const (
	asConfigured compressing = iota // nothing
	compressed                      // in those of the cache, whatever a rule says
	uncompressed                    // in none
)

func compressingOf(s *surrogate.Control) compressing {
	switch {
	case !s.HasCompress:
		return asConfigured
	case s.Compress:
		return compressed
	}
	return uncompressed
}
