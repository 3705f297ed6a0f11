// Package metrics counts what a gateway does, in plain structs of atomics.
//
// The request path adds to fields: no lock, no label, no look-up, no
// allocation. Labels come from the configuration alone. While a snapshot is
// compiled it asks a [Set] for the children of its mappings, origins and
// listeners and keeps the pointers; [Registry.Use] then makes that set the one
// that is shown. A child whose labels stay in the configuration goes on
// counting; one whose labels are gone vanishes at once. Exchanges of an older
// snapshot may still add to such a child, which nobody sees any more.
//
// However large a configuration is, no family grows over [MaxSeries]: what
// would is counted together, under the label value [Overflow].
//
// The package knows no text format: package admin shows what is counted here.
package metrics

import (
	"sync/atomic"
	"time"
)

// A Counter only grows. The zero value counts from 0.
type Counter struct{ n atomic.Uint64 }

// Inc adds one.
func (c *Counter) Inc() { c.n.Add(1) }

// Add adds n.
func (c *Counter) Add(n uint64) { c.n.Add(n) }

// Load is the count.
func (c *Counter) Load() uint64 { return c.n.Load() }

// A Gauge goes up and down. The zero value is 0.
type Gauge struct{ n atomic.Int64 }

// Inc adds one.
func (g *Gauge) Inc() { g.n.Add(1) }

// Dec takes one away.
func (g *Gauge) Dec() { g.n.Add(-1) }

// Set makes n the value.
func (g *Gauge) Set(n int64) { g.n.Store(n) }

// Load is the value.
func (g *Gauge) Load() int64 { return g.n.Load() }

// Bounds are the upper ends of the buckets of every [Histogram], each inclusive.
// A cached answer falls into the first, a time-out of 60 s beyond the last.
var Bounds = [14]time.Duration{
	time.Millisecond, 2500 * time.Microsecond, 5 * time.Millisecond,
	10 * time.Millisecond, 25 * time.Millisecond, 50 * time.Millisecond,
	100 * time.Millisecond, 250 * time.Millisecond, 500 * time.Millisecond,
	time.Second, 2500 * time.Millisecond, 5 * time.Second, 10 * time.Second, 30 * time.Second,
}

// A Histogram counts durations by size. The zero value is empty.
type Histogram struct {
	buckets [len(Bounds) + 1]atomic.Uint64 // one for each bound, and one beyond
	nanos   atomic.Uint64                  // sum of all; enough for 584 years
}

// Observe counts d. A negative d, from a clock set back, counts as 0.
func (h *Histogram) Observe(d time.Duration) {
	d = max(d, 0)
	h.buckets[bucketOf(d)].Add(1)
	h.nanos.Add(uint64(d))
}

// bucketOf is the index of the bucket that d falls into.
func bucketOf(d time.Duration) int {
	for i, bound := range Bounds {
		if d <= bound {
			return i
		}
	}
	return len(Bounds)
}

// A Reading is what a histogram held at one time.
type Reading struct {
	Count   uint64              // of all durations
	Sum     time.Duration       // of all durations; may lag behind Count by what is being observed
	Buckets [len(Bounds)]uint64 // durations up to each of [Bounds]
}

// Load reads the histogram. Count is never below any of Buckets, and these
// never fall, whatever is observed meanwhile.
func (h *Histogram) Load() Reading {
	r := Reading{Sum: time.Duration(h.nanos.Load())}
	for i := range r.Buckets {
		r.Count += h.buckets[i].Load()
		r.Buckets[i] = r.Count
	}
	r.Count += h.buckets[len(Bounds)].Load()
	return r
}
