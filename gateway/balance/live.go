package balance

import (
	"math"
	"sync/atomic"
	"time"
)

// Live is what changes of a member while its group stands: how busy the origin
// says it is, and how fast it has answered. It belongs to one cluster and origin
// and outlives configurations. The zero value knows nothing yet. It is safe for
// concurrent use.
type Live struct {
	metric atomic.Uint32 // and one; 0: none was set
	cost   atomic.Uint64 // of an attempt: a [reading]
}

// unknownMetric is the metric of who has said none.
const unknownMetric = 50

// SetMetric sets how busy the origin is, from 0 (busy) to 100 (idle), for the
// very next pick. What is out of that range becomes its nearest end.
func (l *Live) SetMetric(m int) { l.metric.Store(uint32(min(max(m, 0), 100)) + 1) }

// Forget takes back what was set: nobody says any more how busy the origin is.
func (l *Live) Forget() { l.metric.Store(0) }

// Metric is what was set last; 50 before that.
func (l *Live) Metric() int {
	if m := l.metric.Load(); m > 0 {
		return int(m) - 1
	}
	return unknownMetric
}

// costDecay is how long it takes a reading to lose all but 1/e of its weight.
const costDecay = 10 * time.Second

// Observe counts that an attempt, which was told at now, took so long: up to the
// head of its answer, or to its failure. A longer time than the average counts at
// once, a shorter one by the time that has passed since the last.
func (l *Live) Observe(took time.Duration, now time.Time) {
	at := uint32(now.UnixMilli())
	for {
		old := l.cost.Load()
		if l.cost.CompareAndSwap(old, uint64(reading(old).next(took, at))) {
			return
		}
	}
}

// reading is the average as it stands.
func (l *Live) reading() reading { return reading(l.cost.Load()) }

// A reading is an average of times, as a float32 of microseconds in the upper half,
// with the millisecond it was made in, as far as it fits into the lower: one word, so that
// both change at once. Zero: there is none.
type reading uint64

func newReading(micros float32, at uint32) reading {
	return reading(math.Float32bits(micros))<<32 | reading(at)
}

func (r reading) micros() float32 { return math.Float32frombits(uint32(r >> 32)) }

// next is the reading after an attempt that took so long.
func (r reading) next(took time.Duration, at uint32) reading {
	micros := max(float32(took.Microseconds()), 1)
	last := r.micros()
	if micros >= last {
		return newReading(micros, at)
	}
	if r.age(at) <= 0 { // told in another order than it happened
		at = uint32(r)
	}
	keep := float32(r.weight(at))
	return newReading(last*keep+micros*(1-keep), at)
}

// age is how many milliseconds later at is. They count round: 24 days at most.
func (r reading) age(at uint32) int32 { return int32(at - uint32(r)) }

// weight is what is left of the reading's weight at a later time.
func (r reading) weight(at uint32) float64 {
	age := time.Duration(max(r.age(at), 0)) * time.Millisecond
	return math.Exp(-float64(age) / float64(costDecay))
}
