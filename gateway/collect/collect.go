// Package collect makes metrics of numbers: how busy an origin is, from 0, busy, to
// 100, idle, by what it says of itself or by what is measured of it.
//
// A number is read by [Number] from a header field, by a [Pointer] from a JSON
// document, by a [Series] from a Prometheus text. What is there must be one finite
// number: everything else is an error for people. A metric is made of it by a
// [Scale], or by a [LogDelta], which remembers the number before.
//
// The package knows nothing of where numbers come from, when, and what happens to an
// origin that says none.
package collect

import (
	"errors"
	"math"
)

// Clamp is the metric that n is, rounded; clamped: n is outside of 0..100. It must
// be no NaN.
func Clamp(n float64) (metric int, clamped bool) {
	return int(math.Round(min(max(n, 0), 100))), n < 0 || n > 100
}

// A Scale makes a metric of a number by two of them: at Idle it is 100, at Busy 0,
// between and beyond them in proportion. They must differ.
type Scale struct{ Idle, Busy float64 }

// Identity is the scale of numbers that are metrics.
var Identity = Scale{Idle: 100, Busy: 0}

// Metric is what n is on the scale, not clamped.
func (s Scale) Metric(n float64) float64 { return 100 * ((n - s.Busy) / (s.Idle - s.Busy)) }

// ErrNegative means that a number which only grows is said to be below zero.
var ErrNegative = errors.New("is negative, must be a count that begins at 0 and grows")

// LogDelta makes a metric of how much a number that only grows has grown since it was
// looked at last (M-COL-03..08): 100 if it has not, less the more it has, but never 0.
type LogDelta struct {
	base     float64 // of the logarithm; 0: e
	history  float64 // 0..1: how much of the metric before stays
	smoothed float64
	last     float64
	known    bool // last is
}

// NewLogDelta makes one. Base is that of the logarithm, 0 stands for e; history, 0..1,
// is how much of the metric before goes into the next; the first one is initial.
func NewLogDelta(base int, history, initial float64) *LogDelta {
	return &LogDelta{base: float64(base), history: history, smoothed: initial}
}

// Sample takes the number as it is now and returns the metric. The first number alone
// says nothing: the metric is still the initial one. A number below the last one has
// begun anew at 0.
func (l *LogDelta) Sample(n float64) (metric float64, err error) {
	if n < 0 {
		return 0, ErrNegative
	}
	delta, first := n-l.last, !l.known
	if delta < 0 {
		delta = n
	}
	l.last, l.known = n, true
	if !first {
		l.smoothed = smooth(l.history, logMetric(delta, l.base), l.smoothed)
	}
	return l.smoothed, nil
}

// Restart forgets everything: the next number is the first.
func (l *LogDelta) Restart(initial float64) { l.known, l.smoothed = false, initial }

// logMetric is the metric of a growth (M-COL-04, X-07).
func logMetric(delta, base float64) float64 {
	log := math.Log1p(delta)
	if base != 0 {
		log /= math.Log(base)
	}
	return 100 / (1 + log)
}

// smooth is the next metric, h of which is the one before (M-COL-05, X-06).
func smooth(h, metric, before float64) float64 { return (1-h)*metric + h*before }
