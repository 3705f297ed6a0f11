package admission

import (
	"math/rand/v2"
	"sync/atomic"
	"time"

	"weirkeep/gateway/balance"
)

// Preference is whom a group prefers of its origins, before its balancer is asked. Nil:
// nobody. It does not change.
type Preference struct {
	// Far is how far each origin is: 0 is the nearest. Only the nearest of those that
	// could be picked are. Nil: none is preferred for being near.
	Far []uint8

	// Loyal makes an origin waited for that is nearer than others and full.
	Loyal bool

	// Warmth is of each origin, and WarmUp how long it takes one to be warm. Nil: all
	// are.
	Warmth []*Warmth
	WarmUp time.Duration
}

// Warmth is since when an origin is warming up. It outlives snapshots and is safe for
// concurrent use. The zero value is warm.
type Warmth struct{ since atomic.Int64 } // Unix nanoseconds; 0: it is warm

// Begin makes an origin cold.
func (w *Warmth) Begin(now time.Time) { w.since.Store(now.UnixNano()) }

const (
	warm    = 1000 // the share of an origin that is warm
	coldest = 100  // of one that begins: it has to be asked for something to warm up
)

// share is how much of its part an origin gets, of a thousand, which grows evenly. It
// forgets nothing: other clusters of the origin may take longer.
func (w *Warmth) share(now time.Time, warmUp time.Duration) int {
	since := w.since.Load()
	if since == 0 {
		return warm
	}
	took := time.Duration(now.UnixNano() - since)
	if took >= warmUp || -took >= warmUp { // else a clock that is set back would keep it cold
		return warm
	}
	return coldest + int((warm-coldest)*max(0, took)/warmUp)
}

// prefer leaves only those candidates usable that the group prefers.
func (s *Seeker) prefer() {
	s.within = anyFar
	p := s.Preference
	if p == nil {
		return
	}
	if p.Far != nil {
		s.nearest(p)
	}
	if p.Warmth != nil {
		s.warmest(p)
	}
}

const anyFar = 255

// nearest leaves the nearest usable.
func (s *Seeker) nearest(p *Preference) {
	least := uint8(anyFar)
	for i := range s.candidates {
		if s.candidates[i].Usable || p.Loyal && s.seeks(i) && s.Slots[i].Access().admits(s.standing()) {
			least = min(least, p.Far[i])
		}
	}
	keepNear(s.candidates, p.Far, least)
	if p.Loyal {
		s.within = least
	}
}

func keepNear(cs []balance.Candidate, far []uint8, most uint8) {
	for i := range cs {
		cs[i].Usable = cs[i].Usable && far[i] <= most
	}
}

// warmest lets each origin be picked from in as many of all picks as it is warm, compared
// with the warmest of those that are usable: whatever the balancer, that is its share.
func (s *Seeker) warmest(p *Preference) {
	most := 0
	for i := range s.candidates {
		if s.candidates[i].Usable {
			most = max(most, p.Warmth[i].share(s.Now, p.WarmUp))
		}
	}
	for i := range s.candidates {
		if c := &s.candidates[i]; c.Usable {
			share := p.Warmth[i].share(s.Now, p.WarmUp)
			c.Usable = share >= most || rand.IntN(most) < share
		}
	}
}
