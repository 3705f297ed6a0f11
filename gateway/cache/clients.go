package cache

import "time"

// ForClients returns for how long the answer's Cache-Control lets a client keep it, which is none
// of what Surrogate-Control says to the caches in front of the origin (D-WC-07). Without a max-age
// the time is [Unbounded]. It is not ok if the client must not, or must ask each time, or only that
// one client may.
func (s *Stored) ForClients() (most time.Duration, ok bool) {
	var c control
	for i := range s.Fields {
		if nameOf(s.Fields[i].Name) == nameCacheControl {
			c.read(s.Fields[i].Value)
		}
	}
	switch {
	case c.broken, c.has(noStore | noCache | private):
		return 0, false
	case c.times[maxAge].given:
		return c.times[maxAge].within(), true
	}
	return Unbounded, true
}

// Unbounded is longer than anything is kept.
const Unbounded = time.Duration(1<<63 - 1)
