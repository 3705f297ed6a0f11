// Package capacity finds out how many exchanges an origin can have at once, from
// how long it takes to answer.
//
// A [Learner] is told of every answer: how long it took to begin, and how many
// exchanges the origin had. It looks at them in windows, each of at least two for
// every exchange in flight, so that it sees what its last word has done. While
// answers take about as long as when the origin is at ease, and the limit is in use,
// the limit grows; when they take more than one and a half times as long, it falls in
// proportion; what says that the origin has too much to do makes it fall as well. How
// long answers take at ease it knows from the quickest windows and, where it believes
// the origin to be congested, from probes: for two windows the limit is halved.
//
// The limit always stays in its [Bounds]. It is a guess that settles between what an
// origin can do at once and about twice that. Of an origin whose answers go on for
// long after they have begun it knows less: see [Learner.Awaited].
//
// The package knows no HTTP, no origin and no clock: it hears durations and says a
// number.
package capacity

import (
	"sync"
	"time"
)

// Bounds are the least and the most that an origin may have at once, both 1 or
// more. Where they are the same there is nothing to learn.
type Bounds struct{ Least, Most int }

// Fixed reports whether there is nothing to learn.
func (b Bounds) Fixed() bool { return b.Least >= b.Most }

func (b Bounds) clamp(limit float64) float64 {
	return max(float64(b.Least), min(limit, float64(b.Most)))
}

// Start is a limit to begin with where nothing is known.
const Start = 10

// Options are what a learner begins with.
type Options struct {
	Bounds Bounds
	Start  int // the first limit, or the bound next to it

	// Set is called with each new limit, the first one too, one call at a time. It
	// must not call the learner.
	Set func(limit int)

	// Tell is called when the limit is at least twice or at most half of what it was
	// when Tell said last that people were told of it; probes apart. It must not call
	// the learner. Nil: nobody is told.
	Tell func(was, is int) (told bool)
}

// Learner learns the limit of one origin. It is safe for concurrent use: who tells
// it of an answer takes no lock, but for the one that ends a window.
type Learner struct {
	window window // that is counted now

	mu      sync.Mutex // held to change anything below
	o       Options
	set     int // the limit that was set last
	told    int // that people know of
	guess   guess
	awaited time.Time // since when somebody waits in this window; zero: nobody was seen to
}

// New makes a learner.
func New(o Options) *Learner {
	l := &Learner{o: o, guess: newGuess(o.Bounds.clamp(float64(o.Start)))}
	l.told = int(l.guess.limit)
	l.say()
	return l
}

// SetBounds changes the bounds. What was learned stays, as far as they allow.
func (l *Learner) SetBounds(b Bounds) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.o.Bounds = b
	l.guess.limit = b.clamp(l.guess.limit)
	l.say()
}

// Answered is told of an answer that began so long after the request was sent, and
// of how many exchanges the origin had then, that one included.
func (l *Learner) Answered(took time.Duration, load int64) {
	if l.window.answered(took, load) {
		l.end()
	}
}

// Overloaded is told of an exchange that says that the origin has too much to do, and
// of how many it had then.
func (l *Learner) Overloaded(load int64) {
	if l.window.overloaded(load) {
		l.end()
	}
}

// Awaited is told now and then, while somebody waits for the origin, of the time. If
// that is all that happens for long, for a second at least, the slots are held by
// answers that have begun and go on, not by ones that are still to come: the limit
// grows. An origin that hangs looks the same, until its time-outs tell.
func (l *Learner) Awaited(now time.Time) {
	if !l.mu.TryLock() {
		return
	}
	defer l.mu.Unlock()
	switch {
	case l.awaited.IsZero():
		l.awaited = now
	case now.Sub(l.awaited) >= l.guess.patience() && !l.window.overloads():
		l.awaited = now
		l.guess.grow()
		l.guess.limit = l.o.Bounds.clamp(l.guess.limit)
		l.say()
	}
}

// end ends the window, unless somebody else does that.
func (l *Learner) end() {
	if !l.mu.TryLock() {
		return
	}
	defer l.mu.Unlock()
	if r, whole := l.window.take(); whole {
		l.awaited = time.Time{}
		l.guess.learn(r)
		l.guess.limit = l.o.Bounds.clamp(l.guess.limit)
		l.say()
	}
}

// say sets the limit that holds now, and tells of it, if that is due.
func (l *Learner) say() {
	limit := int(l.guess.limit)
	if l.guess.probes() {
		limit = int(l.o.Bounds.clamp(l.guess.limit / 2))
	}
	if limit != l.set {
		l.set = limit
		l.o.Set(limit)
	}
	if is := int(l.guess.limit); l.o.Tell != nil && (is >= 2*l.told || 2*is <= l.told) && l.o.Tell(l.told, is) {
		l.told = is
	}
}
