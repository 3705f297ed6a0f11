package capacity

import (
	"math/bits"
	"sync/atomic"
	"time"
)

// window counts answers. How long they took is counted in powers of two, so that
// their mean is the geometric one: in it a report of ten seconds among pages of ten
// milliseconds is no congestion, and a queue that makes every answer wait is.
type window struct {
	answers atomic.Uint64 // how many, in the upper bits, and the sum of their octaves: one number, so that they fit
	over    atomic.Int64  // of exchanges that say that the origin has too much to do
	peak    atomic.Int64  // the most exchanges that the origin had
}

// reading is what a window has counted.
type reading struct {
	took float64 // geometric mean, as a power of two; 0: there were no answers
	over float64 // part of those that say that it is too much, from 0 to 1
	peak int64
}

const (
	// fewest and mostNeeded are the answers of a window, at least and at most. Between
	// the two it is two for each exchange in flight.
	fewest, mostNeeded = 20, 1 << 16

	sumBits = 42 // of window.answers, the sum's: for 16 million answers
	oneMore = 1 << sumBits

	fractionBits = 12 // of octaves

	// unfelt is added to every duration: differences that are small beside it are
	// nobody's trouble, and not the origin's alone.
	unfelt = time.Millisecond
)

// answered counts an answer, and reports whether the window is whole.
func (w *window) answered(took time.Duration, load int64) bool {
	return w.whole(w.answers.Add(oneMore|octaves(took)), w.over.Load(), w.rise(load))
}

// overloaded counts what says that the origin has too much to do.
func (w *window) overloaded(load int64) bool {
	over := w.over.Add(1)
	return w.whole(w.answers.Load(), over, w.rise(load))
}

// rise makes the peak at least load, and returns it.
func (w *window) rise(load int64) int64 {
	for {
		peak := w.peak.Load()
		if load <= peak || w.peak.CompareAndSwap(peak, load) {
			return max(load, peak)
		}
	}
}

func (w *window) whole(answers uint64, over, peak int64) bool {
	return int64(answers>>sumBits)+over >= min(max(fewest, 2*peak), mostNeeded)
}

// overloads reports whether too much of the window says that it is too much.
func (w *window) overloads() bool {
	answers, over := float64(w.answers.Load()>>sumBits), float64(w.over.Load())
	return over > 0 && over >= tooMuch*(answers+over)
}

// take ends the window if it is whole, and begins the next one.
func (w *window) take() (r reading, whole bool) {
	if !w.whole(w.answers.Load(), w.over.Load(), w.peak.Load()) {
		return reading{}, false
	}
	answers, over := w.answers.Swap(0), w.over.Swap(0)
	r.peak = w.peak.Swap(0)
	n := answers >> sumBits
	if n > 0 {
		r.took = float64(answers%oneMore) / float64(n) / (1 << fractionBits)
	}
	r.over = float64(over) / float64(int64(n)+over)
	return r, true
}

// octaves is the binary logarithm of a duration in nanoseconds, with a fraction of
// fractionBits. Between powers of two it is a straight line: at most 0.09 too low.
func octaves(d time.Duration) uint64 {
	v := uint64(max(d, 0)) + uint64(unfelt)
	n := bits.Len64(v) - 1
	return uint64(n)<<fractionBits | v<<(64-n)>>(64-fractionBits)
}
