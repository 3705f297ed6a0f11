package gateway

import (
	"math"
	"sync/atomic"
	"time"

	"weirkeep/abi"
	"weirkeep/gateway/balance"
	"weirkeep/gateway/collect"
	"weirkeep/gateway/origin"
	"weirkeep/gateway/wire"
)

// tally is what one cluster's attempts at one of its origins add up to between two
// samples of its collector, and the metric that came of these. It outlives snapshots.
// Attempts add to atomics; the rest is the sampler's.
type tally struct {
	name, address string
	firstBytes    spans // from attempt to answer head
	failed        atomic.Uint64
	timeouts      atomic.Uint64
	connects      atomic.Uint64 // that failed
	reports       []report
	account       *account      // where the collector needs no plugin; else nil
	source        string        // where the metric comes from, for people
	metric        atomic.Uint32 // in force, 0..100
	from          atomic.Uint32 // a metricFrom: what is in force
	live          *balance.Live // what balancers know of the origin; nil: there are none

	// Of the sampler:
	begun   time.Time // of the window
	due     time.Time // of the next sample
	good    time.Time // when there was a metric last, or it began
	sampled bool      // ever
	told    bool      // that there is no metric, since there was one
}

// metricFrom is what the metric in force is.
type metricFrom uint32

const (
	fromInitial metricFrom = iota // nothing was found yet
	fromOrigin                    // what was found
	fromDefault                   // nothing is known
)

// set makes a metric the one in force, for the very next request.
func (t *tally) set(metric int, from metricFrom) {
	t.metric.Store(uint32(metric))
	t.from.Store(uint32(from))
	t.tell()
}

// tell tells balancers the metric in force.
func (t *tally) tell() {
	if t.live != nil {
		t.live.SetMetric(int(t.metric.Load()))
	}
}

// inForce says what the metric is.
func (t *tally) inForce() metricFrom { return metricFrom(t.from.Load()) }

// whence says where the metric in force comes from, for people.
func (t *tally) whence() string {
	switch t.inForce() {
	case fromInitial:
		return "initial"
	case fromDefault:
		return "default"
	}
	return t.source
}

// report is a number that the origin says of itself in a field of its answers.
type report struct {
	name  string // of the source
	field string // in lower case
	bits  atomic.Uint64
}

// unreported stands for no number: those that are reported are finite.
var unreported = math.Float64bits(math.NaN())

// newTally makes one. Source is where its metric will come from, for people; fields are
// those of answers that the collector goes by, in lower case.
func newTally(name, address, source string, fields []string, initial int) *tally {
	t := &tally{name: name, address: address, source: source, reports: make([]report, len(fields))}
	for i, field := range fields {
		t.reports[i].name, t.reports[i].field = "header:"+field, field
		t.reports[i].bits.Store(unreported)
	}
	t.metric.Store(uint32(initial)) // balancers hear of it when somebody samples
	return t
}

// answered counts an answer whose head came after took, and notes what it reports.
// It is called, at now, for every answer of a cluster with a collector, and does not
// allocate.
func (t *tally) answered(took time.Duration, fields []wire.Field, now time.Time) {
	if t.account != nil {
		t.account.answered(took, fields, now)
		return
	}
	t.firstBytes.add(took)
	for i := range t.reports {
		t.reports[i].note(fields)
	}
}

// note takes the value of the last field of the name, if there is one.
func (r *report) note(fields []wire.Field) {
	for i := len(fields) - 1; i >= 0; i-- {
		if f := &fields[i]; wire.EqualFold(f.Name, r.field) {
			bits := unreported
			if n, ok := collect.Number(f.Value); ok {
				bits = math.Float64bits(n)
			}
			r.bits.Store(bits)
			return
		}
	}
}

// blame counts what was wrong with an attempt. A status that is no time-out of a
// gateway behind, nor says that it is too busy, is an answer like others.
func (t *tally) blame(f origin.Fault) {
	if t.account != nil {
		t.account.failures.Add(1)
	}
	switch f {
	case origin.FaultConnect:
		t.connects.Add(1)
	case origin.FaultTimeout:
		t.timeouts.Add(1)
	case origin.FaultReset, origin.FaultStatus502, origin.FaultStatus503, origin.FaultStatus504:
		t.failed.Add(1)
	}
}

// empty fills in what has added up since it was emptied last, and begins anew.
func (t *tally) empty(v *abi.CollectorView, now time.Time) {
	v.Window = uint32(min(max(now.Sub(t.begun).Milliseconds(), 0), math.MaxUint32))
	v.Failed, v.Timeouts, v.FailedConnects = t.failed.Swap(0), t.timeouts.Swap(0), t.connects.Swap(0)
	counts, n := t.firstBytes.empty()
	v.Answers = n
	v.P50, v.P95, v.P99 = counts.part(n, 50), counts.part(n, 95), counts.part(n, 99)
	for i := range t.reports {
		if r := &t.reports[i]; r.bits.Load() != unreported {
			v.Sources = append(v.Sources, abi.Source{Name: r.name, Value: math.Float64frombits(r.bits.Load())})
		}
	}
	t.begun = now
}
