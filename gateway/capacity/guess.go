package capacity

import (
	"math"
	"time"
)

const (
	// tolerance is how much longer than at ease answers may take before the limit
	// falls, in powers of two: one and a half times.
	tolerance = 0.585

	// steepest is how far slowness lets the limit fall in one window, in powers of two.
	steepest = 1

	// sink and rise are the parts of the way that the time at ease goes to that of a
	// window that was quicker, and of one that was slower without being congested.
	sink, rise = 1. / 4, 1. / 64

	// probeEvery is how many windows are between two probes, at least; probeAgain is
	// how many where the last one was a surprise: where answers took more than that,
	// in powers of two, longer or shorter than was believed.
	probeEvery, probeAgain = 20, 5
	surprise               = 0.3

	// tooMuch is the part of exchanges that say so from which on the limit falls; what
	// is left of it after a window is leftOver at least.
	tooMuch, leftOver = 1. / 100, 0.8
)

// guess is what is known of an origin, from one window to the next.
type guess struct {
	limit float64
	ease  float64 // how long answers take at ease: power of two, in nanoseconds; 0: not known
	fast  bool    // it was never found to have too much: the limit doubles
	probe probe
	since int // windows since the last probe
}

// probe is how far a probe has got.
type probe uint8

const (
	noProbe   probe = iota
	settling        // the limit is halved, those of before leave
	measuring       // all have come under half of it
)

func newGuess(limit float64) guess { return guess{limit: limit, fast: true, since: probeEvery} }

// probes reports whether the limit is halved for now.
func (g *guess) probes() bool { return g.probe != noProbe }

// learn learns from a window.
func (g *guess) learn(r reading) {
	g.since++
	switch g.probe {
	case settling:
		g.probe = measuring
		return
	case measuring:
		g.probe, g.since = noProbe, 0
		g.measure(r)
		return
	}
	slower, inUse := g.slower(r), 2*float64(r.peak) >= g.limit
	g.fast = g.fast && slower == 0 && r.over < tooMuch
	if slower == 0 || !inUse {
		g.weigh(r)
	}
	g.move(r, slower, inUse)
	if slower > 0 && inUse && g.since >= probeEvery {
		g.probe = settling
	}
}

// slower is how much slower answers were than is tolerated, in powers of two.
func (g *guess) slower(r reading) float64 {
	if r.took == 0 || g.ease == 0 {
		return 0
	}
	return min(max(0, r.took-g.ease-tolerance), steepest)
}

// weigh makes the time at ease follow that of a window in which the limit is not why
// answers were slow: soon if they were quicker, slowly if they were slower.
func (g *guess) weigh(r reading) {
	switch {
	case r.took == 0:
	case g.ease == 0:
		g.ease = r.took
	case r.took < g.ease:
		g.ease += (r.took - g.ease) * sink
	default:
		g.ease += (r.took - g.ease) * rise
	}
}

// measure learns from a probe how long answers take at ease: at once if they are
// quicker than was believed, half of it if they are slower, as half of the limit may
// be too much yet.
func (g *guess) measure(r reading) {
	if r.took == 0 {
		return
	}
	news := r.took - g.ease
	if math.Abs(news) > surprise {
		g.since = probeEvery - probeAgain
	}
	if news > 0 {
		news /= 2
	}
	g.ease += news
}

// move moves the limit. One that was not in use does not grow, and falls no further
// than to where it will be: what comes is let in, until a probe can tell whether it is
// too much.
func (g *guess) move(r reading, slower float64, inUse bool) {
	was := g.limit
	g.limit *= math.Exp2(-slower)
	if r.over >= tooMuch {
		g.limit *= max(1-r.over, leftOver)
	} else if inUse {
		g.limit += g.headroom(was)
	}
	if !inUse {
		g.limit = max(g.limit, min(was, 1.5*float64(r.peak)))
	}
}

// headroom is by how much a limit grows: it lets a queue begin in the origin, as long
// as the root of the limit, to see whether that makes answers slower.
func (g *guess) headroom(limit float64) float64 {
	if g.fast {
		return limit
	}
	return math.Sqrt(limit)
}

// grow lets the limit grow whatever answers say.
func (g *guess) grow() { g.limit += g.headroom(g.limit) }

// patience is how long slots may all be held without a window's end. With nothing but
// answers to come, a window takes 20 times as long as one answer at most.
func (g *guess) patience() time.Duration {
	return max(time.Second, 50*time.Duration(math.Exp2(g.ease)))
}
