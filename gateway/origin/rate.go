package origin

import (
	"fmt"
	"sync/atomic"
	"time"

	"weirkeep/gateway/unit"
)

// RatePolicy is when the part of attempts that fail ejects an origin, and for how long.
type RatePolicy struct {
	// Share is the part of the attempts that have to fail. It must be positive.
	Share unit.Percent

	// Window is over how long that is measured, Attempts how many attempts there have
	// to be in it. Both must be positive.
	Window   time.Duration
	Attempts int

	// Out is how long the origin stays out at least, whoever finds that it is back.
	// It doubles with each time that it is ejected so again within LongestOut of its
	// return, up to that.
	Out, LongestOut time.Duration
}

// rate is how many attempts succeed and fail, in the window that is now and the one
// before, which halve that of the policy. It counts from a failure on: while none fails
// nobody counts.
type rate struct {
	counting atomic.Bool
	good     atomic.Int64 // of this half

	// Of the origin's lock:
	bad     int64 // of this half
	before  struct{ good, bad int64 }
	began   time.Time // this half
	repeats int       // times that it ejected again soon
	back    time.Time // when the origin has come back from that; zero: never
}

// failed counts a failure, and reports whether there are too many.
func (r *rate) failed(p *RatePolicy, at time.Time) bool {
	r.turn(p.Window/2, at)
	r.counting.Store(true)
	r.bad++
	bad, all := r.sum()
	return all >= int64(p.Attempts) && bad*unit.Whole >= all*int64(p.Share)
}

// turn begins a new half when this one is over.
func (r *rate) turn(half time.Duration, at time.Time) {
	switch age := at.Sub(r.began); {
	case age < half:
		return
	case age < 2*half:
		r.before.good, r.before.bad = r.good.Swap(0), r.bad
	default:
		r.good.Store(0)
		r.before.good, r.before.bad = 0, 0
	}
	r.bad, r.began = 0, at
}

// sum is how many of how many attempts failed.
func (r *rate) sum() (bad, all int64) {
	bad = r.bad + r.before.bad
	return bad, bad + r.good.Load() + r.before.good
}

// forget ends the count.
func (r *rate) forget() {
	r.counting.Store(false)
	r.good.Store(0)
	r.bad, r.began = 0, time.Time{}
	r.before.good, r.before.bad = 0, 0
}

// why is what was counted, for people.
func (r *rate) why(p *RatePolicy) string {
	bad, all := r.sum()
	return fmt.Sprintf("%d of %d attempts failed within %v", bad, all, p.Window)
}

// stay is how long the origin stays out that is ejected at a time.
func (r *rate) stay(p *RatePolicy, at time.Time) time.Duration {
	if r.back.IsZero() || at.Sub(r.back) > p.LongestOut {
		r.repeats = 0
	} else {
		r.repeats++
	}
	return min(p.Out<<min(r.repeats, 20), max(p.Out, p.LongestOut))
}
