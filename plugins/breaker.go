package plugins

import (
	"sync"
	"sync/atomic"
	"time"
)

const (
	breakerWindow  = 10 // seconds that are looked at
	breakerFaults  = 5  // faults that open it, if they are half of the calls
	breakerPause   = time.Second
	breakerLongest = time.Minute
)

// breaker keeps an attachment from being called while its calls fault: at least five
// faults in ten seconds that are at least half of all calls open it. After a second,
// doubling to a minute, one call on a fresh instance closes it or does not. Its times
// are moments of its attachment.
type breaker struct {
	shut atomic.Bool // calls have to ask

	mu      sync.Mutex
	seconds [breakerWindow]struct{ at, calls, faults int64 }
	pause   time.Duration // of now; zero: closed
	until   time.Duration // the next trial
	trying  bool          // a trial is under way
}

// BreakerState is how a breaker is.
type BreakerState string

// The states.
const (
	BreakerClosed   BreakerState = "closed"
	BreakerOpened   BreakerState = "open"
	BreakerHalfOpen BreakerState = "half-open"
)

// state tells how the breaker is.
func (b *breaker) state() BreakerState {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch {
	case b.pause == 0:
		return BreakerClosed
	case b.trying:
		return BreakerHalfOpen
	}
	return BreakerOpened
}

// allow reports whether a call may be made, and whether that is the one that tries.
func (b *breaker) allow(now time.Duration) (may, trial bool) {
	if !b.shut.Load() {
		return true, false
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.pause == 0 {
		return true, false
	}
	if b.trying || now < b.until {
		return false, false
	}
	b.trying = true
	return true, true
}

// note counts a call that has ended.
func (b *breaker) note(now time.Duration, fault bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	at := int64(now / time.Second)
	s := &b.seconds[at%breakerWindow]
	switch {
	case s.at < at:
		s.at, s.calls, s.faults = at, 0, 0
	case s.at > at:
		return // it ended long ago
	}
	s.calls++
	if !fault {
		return
	}
	s.faults++
	if b.pause == 0 && b.bad(at) {
		b.open(now, breakerPause)
	}
}

// bad reports whether so many of the last calls faulted that the breaker opens.
func (b *breaker) bad(at int64) bool {
	var calls, faults int64
	for _, s := range b.seconds {
		if s.at > at-breakerWindow {
			calls, faults = calls+s.calls, faults+s.faults
		}
	}
	return faults >= breakerFaults && 2*faults >= calls
}

func (b *breaker) open(now time.Duration, pause time.Duration) {
	b.pause, b.until = pause, now+pause
	b.shut.Store(true)
}

// untried says that the trial did not get as far as a call: the next one is it.
func (b *breaker) untried() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.trying = false
}

// tried takes the outcome of a trial.
func (b *breaker) tried(now time.Duration, fault bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.trying = false
	if fault {
		b.open(now, min(2*b.pause, breakerLongest))
		return
	}
	b.pause = 0
	clear(b.seconds[:])
	b.shut.Store(false)
}
