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
func (s *account) begin(p *stockPlan, now time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.plan = p; s.good.IsZero() {
		s.good = now
	}
	if s.tally.inForce() == fromInitial {
		s.tally.set(p.cfg.Initial, fromInitial)
		s.delta = p.newDelta()
	}
	if s.due.IsZero() || s.due.After(now.Add(p.interval())) {
		s.due = now.Add(p.first)
	}
	s.read = s.counted(p.member.metrics)
}

// end lets nothing count any more, if the plan still did.
func (s *account) end(p *stockPlan) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.plan == p {
		s.plan = nil
	}
}

// answered counts an answer whose head came after took, and takes the number in it. It
// is called for every answer, and does not allocate.
func (s *account) answered(took time.Duration, fields []wire.Field, now time.Time) {
	s.took.Add(uint64(max(took, 0)))
	s.answers.Add(1)
	if s.field == "" {
		return
	}
	for i := len(fields) - 1; i >= 0; i-- {
		if f := &fields[i]; wire.EqualFold(f.Name, s.field) {
			s.mention(f.Value, now)
			return
		}
	}
}

// errNoNumber is of a text that is no number.
var errNoNumber = errors.New("it says something that is no number")

// mention takes the value of the field.
func (s *account) mention(value []byte, now time.Time) {
	n, ok := collect.Number(value)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.plan == nil {
		return
	}
	if !ok {
		s.nonsense(errNoNumber)
		return
	}
	s.hear(n, now)
}

// hear takes a number that was said by itself, not asked for: for value it counts at
// once, for log-delta at the next sample. The lock is held, as in all below.
func (s *account) hear(n float64, now time.Time) {
	if s.delta == nil {
		s.learn(n, s.plan.scale.Metric(n), now)
		return
	}
	s.said, s.fresh = n, true
}

// sample takes the number that a sample has found; not known: there was none.
func (s *account) sample(n float64, known bool, now time.Time) {
	if !known {
		n, known = s.said, s.fresh
	}
	s.fresh = false
	switch {
	case !known:
	case s.delta == nil:
		s.learn(n, s.plan.scale.Metric(n), now)
	default:
		metric, err := s.delta.Sample(n)
		if err != nil {
			s.nonsense(fmt.Errorf("%v %w", n, err))
			return
		}
		s.learn(n, metric, now)
	}
}

// learn makes a metric, rounded and clamped, the one in force.
func (s *account) learn(n, metric float64, now time.Time) {
	m, clamped := collect.Clamp(metric)
	s.tally.set(m, fromOrigin)
	s.good = now
	clamped = clamped && s.plan.strict
	if clamped {
		s.plan.member.metrics.Clamped.Inc()
	}
	switch {
	case clamped && !s.clamped:
		s.note(news{newsClamped, n, m, ""})
	case !clamped && (s.lost || s.clamped):
		s.note(news{newsBack, n, m, ""})
	}
	s.clamped, s.lost, s.stale = clamped, false, false
	if s.plan.cfg.Debug {
		s.note(news{newsReport, n, m, ""})
	}
}

// nonsense is said where a number has to be.
func (s *account) nonsense(why error) {
	s.plan.member.metrics.Nonsense.Inc()
	s.lose(why.Error)
}

// age makes the default the metric in force if nothing was said for too long.
func (s *account) age(now time.Time) {
	silent := now.Sub(s.good)
	if s.stale || silent < s.plan.stale() {
		return
	}
	s.stale = true
	if s.delta != nil {
		s.delta.Restart(float64(s.plan.cfg.Initial))
	}
	if !s.lost {
		s.plan.member.metrics.Stale.Inc()
	}
	s.lose(func() string { return "it has said nothing for " + s.plan.stale().String() + s.plan.advice() })
}

// lose makes the default the metric in force, and notes it once.
func (s *account) lose(why func() string) {
	s.tally.set(s.plan.cfg.Default, fromDefault)
	if !s.lost {
		s.note(news{newsLost, 0, s.plan.cfg.Default, why()})
	}
	s.lost, s.clamped = true, false
}

// note keeps news for the sampler, and wakes it.
func (s *account) note(n news) {
	if len(s.news) < mostNews {
		s.news = append(s.news, n)
	}
	select {
	case s.wake <- struct{}{}:
	default:
	}
}

// takeNews takes out what was noted.
func (s *account) takeNews() []news {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := s.news
	s.news = nil
	return n
}

// counted is what was counted so far.
func (s *account) counted(m *metrics.Origin) readings {
	return readings{s.took.Load(), s.answers.Load(), s.failures.Load(), m.Attempts.Load()}
}
