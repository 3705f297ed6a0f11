package cache

import (
	"weirkeep/gateway/surrogate"
	"weirkeep/gateway/wire"
)

// surrogateControl returns what Surrogate-Control says of storing to the device of that name,
// as Cache-Control would: the origin tells the caches in front of it, and nobody behind them. It is
// not ok if nothing is said of that: then the other fields decide, and c says at most whether
// it may be compressed.
func surrogateControl(fields []wire.Field, device string) (c control, ok bool) {
	var s surrogate.Control
	for i := range fields {
		if nameOf(fields[i].Name) == nameSurrogateControl {
			s.Read(fields[i].Value, device)
		}
	}
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
	c.compress = compressingOf(&s)
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
