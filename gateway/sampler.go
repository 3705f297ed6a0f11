package gateway

import (
	"context"
	"log/slog"
	"strconv"
	"sync"
	"time"

	"weirkeep/abi"
	"weirkeep/plugins"
)

// sampler asks the collector of one cluster, once an interval and origin, how busy the
// origins are, until it is stopped. The questions are spread over the interval.
type sampler struct {
	collect func(*abi.CollectorView) (metric int, known bool, failure *plugins.Failure)
	plan    *samplePlan
	log     *slog.Logger
	stop    context.CancelFunc

	mu      sync.Mutex // of the tallies' parts that are the sampler's
	stopped bool
}

// samplePlan says what a sampler does.
type samplePlan struct {
	cluster    *cluster
	members    []*member // whose tallies are sampled
	positions  []int     // of these, in the cluster table
	generation uint32    // of that
	interval   time.Duration
	initial    int           // the metric before the first sample
	standard   int           // the metric where nothing is known
	stale      time.Duration // without a sample, after which nothing is
	onError    string        // default, keep, down
	debug      bool          // each sample is logged
}

// newSampler makes one that begins at once. Tallies that were sampled before keep
// their turns.
func newSampler(attachment *plugins.Attachment, plan *samplePlan, log *slog.Logger) *sampler {
	s := &sampler{collect: attachment.Collect, plan: plan, log: log}
	s.begin()
	return s
}

func (s *sampler) begin() {
	ctx, stop := context.WithCancel(context.Background())
	s.stop = stop
	s.arrange(time.Now())
	go s.run(ctx)
}

// arrange gives each tally its turn.
func (s *sampler) arrange(now time.Time) {
	n := time.Duration(len(s.plan.members))
	for i, m := range s.plan.members {
		t, turn := m.tally, now.Add(s.plan.interval*time.Duration(i+1)/n)
		if t.begun.IsZero() {
			t.begun, t.good = now, now
		}
		if !t.sampled {
			t.set(s.plan.initial, fromInitial)
		}
		if t.due.IsZero() || t.due.After(now.Add(s.plan.interval)) {
			t.due = turn
		}
	}
}

// end stops it: a question that is under way is not waited for, and changes nothing.
func (s *sampler) end() {
	s.stop()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.stopped = true
}

func (s *sampler) run(ctx context.Context) {
	for {
		i, due := s.next()
		if i < 0 || !pause(ctx, time.Until(due)) {
			return
		}
		s.sample(i, time.Now())
	}
}

// pause waits; false: ctx has ended.
func pause(ctx context.Context, d time.Duration) bool {
	wait(ctx, d)
	return ctx.Err() == nil
}

// next is the index of the member whose turn comes first; -1: it was stopped.
func (s *sampler) next() (first int, due time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.stopped {
		return -1, due
	}
	first = -1
	for i, m := range s.plan.members {
		if first < 0 || m.tally.due.Before(due) {
			first, due = i, m.tally.due
		}
	}
	return first, due
}

// sample asks how busy an origin is.
func (s *sampler) sample(i int, now time.Time) {
	v := s.view(i, now)
	if v == nil {
		return
	}
	metric, known, failure := s.collect(v)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.stopped {
		return
	}
	m := s.plan.members[i]
	turn := m.tally.due
	m.tally.due = turn.Add(s.plan.interval)
	if m.tally.due.Before(now) { // it could not keep up
		m.tally.due = now.Add(s.plan.interval)
	}
	switch {
	case failure != nil:
		s.failed(m, failure)
	case known:
		s.learned(m, metric, turn)
	}
	if turn.Sub(m.tally.good) >= s.plan.stale {
		s.unknown(m, "it has not said for "+s.plan.stale.String())
	}
	if s.plan.debug {
		s.show(m, metric, known, failure)
	}
}

// show logs what a collector has said of an origin, and the metric that is in force
// now (M-COL-15).
func (s *sampler) show(m *member, metric int, known bool, failure *plugins.Failure) {
	said := "no opinion"
	switch {
	case failure != nil:
		said = failure.Error()
	case known:
		said = strconv.Itoa(metric)
	}
	s.log.Info("sample", "category", "metric", "cluster", s.plan.cluster.name, "origin", m.name, "said", said, "metric", m.metric())
}

// view is what the collector is told; nil: the sampler was stopped.
func (s *sampler) view(i int, now time.Time) *abi.CollectorView {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.stopped {
		return nil
	}
	m := s.plan.members[i]
	slots := m.state.slots
	v := &abi.CollectorView{
		Now: uint64(now.UnixNano()), Position: uint32(s.plan.positions[i]), Generation: s.plan.generation,
		InFlight: uint32(slots.Load()), Capacity: uint32(slots.Capacity()), Waiting: uint32(s.plan.cluster.queue.Waiting()),
		Name: m.tally.name, Address: m.tally.address, Metric: m.tally.metric.Load(),
		Health: healths[m.state.origin.Health()], State: states[m.state.state()],
	}
	if !m.tally.sampled {
		v.Flags, m.tally.sampled = abi.FlagFirstSample, true
	}
	m.tally.empty(v, now)
	return v
}

// learned makes a metric the one in force.
func (s *sampler) learned(m *member, metric int, turn time.Time) {
	t := m.tally
	t.set(metric, fromOrigin)
	t.good, t.told = turn, false
	m.state.origin.Acquit(t, "the collector says how busy it is")
}

// failed does what on_error says. A metric that is kept is kept until it is stale.
func (s *sampler) failed(m *member, failure *plugins.Failure) {
	switch s.plan.onError {
	case "default":
		s.unknown(m, failure.Error())
	case "down":
		m.state.origin.Condemn(m.tally, "collector: "+failure.Error())
	}
}

// unknown makes the default the metric in force, and tells it once.
func (s *sampler) unknown(m *member, why string) {
	t := m.tally
	t.set(s.plan.standard, fromDefault)
	if !t.told {
		t.told = true
		s.log.Warn("the collector does not say how busy an origin is", "cluster", s.plan.cluster.name, "origin", t.name,
			"metric", s.plan.standard, "because", why)
	}
}
