package gateway

import (
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"weirkeep/gateway/collect"
	"weirkeep/gateway/metrics"
	"weirkeep/gateway/wire"
)

// account is how busy one origin of a cluster says it is, where the collector needs no
// plugin, and what has been wrong with what it says. It outlives snapshots, with its
// tally, whose metric it sets. What it has to tell people it notes, for its sampler to
// log: numbers come on the request path.
type account struct {
	tally    *tally
	field    string        // of answers that the number is in, in lower case; empty: it comes from elsewhere
	took     atomic.Uint64 // nanoseconds that answers took until their heads came
	answers  atomic.Uint64 // of these
	failures atomic.Uint64 // attempts that failed
	wake     chan struct{} // there is news

	mu    sync.Mutex
	plan  *stockPlan        // of who samples it; nil: nobody does, and nothing that is said counts
	delta *collect.LogDelta // nil: the collector is value
	said  float64           // what log-delta has not seen yet
	fresh bool              // there is such a number
	read  readings          // at the last sample
	good  time.Time         // when it said a number last, or began
	due   time.Time         // of the next sample

	clamped   bool   // the last number was out of 0..100
	lost      bool   // the default is in force
	stale     bool   // because it has said nothing for so long
	collector string // by which it has its numbers, as pushes say; empty: they do not
	odd       bool   // another origin of the cluster has another
	news      []news
}

// readings are what the gateway has counted, ever.
type readings struct{ took, answers, failures, attempts uint64 }

// news is what people are to be told of an account.
type news struct {
	what   newsKind
	number float64 // that was said
	metric int     // that is in force
	why    string
}

type newsKind uint8

const (
	newsReport newsKind = iota // for who debugs
	newsClamped
	newsLost
	newsBack
	newsOdd
)

// mostNews is how much may be noted until the sampler logs it; more is forgotten.
const mostNews = 64

// begin lets a plan be the one that counts.
func (a *account) begin(p *stockPlan, now time.Time) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.plan = p; a.good.IsZero() {
		a.good = now
	}
	if a.tally.inForce() == fromInitial {
		a.tally.set(p.cfg.Initial, fromInitial)
		a.delta = p.newDelta()
	}
	if a.due.IsZero() || a.due.After(now.Add(p.interval())) {
		a.due = now.Add(p.first)
	}
	a.read = a.counted(p.member.metrics)
}

// end lets nothing count any more, if the plan still did.
func (a *account) end(p *stockPlan) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.plan == p {
		a.plan = nil
	}
}

// answered counts an answer whose head came after took, and takes the number in it. It
// is called for every answer, and does not allocate.
func (a *account) answered(took time.Duration, fields []wire.Field, now time.Time) {
	a.took.Add(uint64(max(took, 0)))
	a.answers.Add(1)
	if a.field == "" {
		return
	}
	for i := len(fields) - 1; i >= 0; i-- {
		if f := &fields[i]; wire.EqualFold(f.Name, a.field) {
			a.mention(f.Value, now)
			return
		}
	}
}

// errNoNumber is of a text that is no number.
var errNoNumber = errors.New("it says something that is no number")

// mention takes the value of the field.
func (a *account) mention(value []byte, now time.Time) {
	n, ok := collect.Number(value)
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.plan == nil {
		return
	}
	if !ok {
		a.nonsense(errNoNumber)
		return
	}
	a.hear(n, now)
}

// hear takes a number that was said by itself, not asked for: for value it counts at
// once, for log-delta at the next sample. The lock is held, as in all below.
func (a *account) hear(n float64, now time.Time) {
	if a.delta == nil {
		a.learn(n, a.plan.scale.Metric(n), now)
		return
	}
	a.said, a.fresh = n, true
}

// sample takes the number that a sample has found; not known: there was none.
func (a *account) sample(n float64, known bool, now time.Time) {
	if !known {
		n, known = a.said, a.fresh
	}
	a.fresh = false
	switch {
	case !known:
	case a.delta == nil:
		a.learn(n, a.plan.scale.Metric(n), now)
	default:
		metric, err := a.delta.Sample(n)
		if err != nil {
			a.nonsense(fmt.Errorf("%v %w", n, err))
			return
		}
		a.learn(n, metric, now)
	}
}

// learn makes a metric, rounded and clamped, the one in force.
func (a *account) learn(n, metric float64, now time.Time) {
	m, clamped := collect.Clamp(metric)
	a.tally.set(m, fromOrigin)
	a.good = now
	clamped = clamped && a.plan.strict
	if clamped {
		a.plan.member.metrics.Clamped.Inc()
	}
	switch {
	case clamped && !a.clamped:
		a.note(news{newsClamped, n, m, ""})
	case !clamped && (a.lost || a.clamped):
		a.note(news{newsBack, n, m, ""})
	}
	a.clamped, a.lost, a.stale = clamped, false, false
	if a.plan.cfg.Debug {
		a.note(news{newsReport, n, m, ""})
	}
}

// nonsense is said where a number has to be.
func (a *account) nonsense(why error) {
	a.plan.member.metrics.Nonsense.Inc()
	a.lose(why.Error)
}

// age makes the default the metric in force if nothing was said for too long.
func (a *account) age(now time.Time) {
	silent := now.Sub(a.good)
	if a.stale || silent < a.plan.stale() {
		return
	}
	a.stale = true
	if a.delta != nil {
		a.delta.Restart(float64(a.plan.cfg.Initial))
	}
	if !a.lost {
		a.plan.member.metrics.Stale.Inc()
	}
	a.lose(func() string { return "it has said nothing for " + a.plan.stale().String() + a.plan.advice() })
}

// lose makes the default the metric in force, and notes it once.
func (a *account) lose(why func() string) {
	a.tally.set(a.plan.cfg.Default, fromDefault)
	if !a.lost {
		a.note(news{newsLost, 0, a.plan.cfg.Default, why()})
	}
	a.lost, a.clamped = true, false
}

// note keeps news for the sampler, and wakes it.
func (a *account) note(n news) {
	if len(a.news) < mostNews {
		a.news = append(a.news, n)
	}
	select {
	case a.wake <- struct{}{}:
	default:
	}
}

// takeNews takes out what was noted.
func (a *account) takeNews() []news {
	a.mu.Lock()
	defer a.mu.Unlock()
	n := a.news
	a.news = nil
	return n
}

// counted is what was counted so far.
func (a *account) counted(m *metrics.Origin) readings {
	return readings{a.took.Load(), a.answers.Load(), a.failures.Load(), m.Attempts.Load()}
}
