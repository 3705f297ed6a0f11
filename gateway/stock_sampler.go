package gateway

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"weirkeep/gateway/collect"
	"weirkeep/gateway/config"
	"weirkeep/gateway/origin"
)

// stockPlan says how the metric of one origin is found without a plugin. It does not
// change.
type stockPlan struct {
	cluster *cluster
	member  *member
	cfg     *config.Metric
	host    string        // of pulls; empty: the origin's address
	first   time.Duration // until the first sample
	scale   collect.Scale // of value
	strict  bool          // numbers are metrics: one out of 0..100 is a mistake
	number  func(answer []byte) (float64, error)
}

// logDelta is the collector that goes by growth.
const logDelta = config.CollectLogDelta

func (p *stockPlan) interval() time.Duration { return time.Duration(p.cfg.Interval) }

// newDelta is what log-delta begins with; nil: the collector is value.
func (p *stockPlan) newDelta() *collect.LogDelta {
	if p.cfg.Collector != logDelta {
		return nil
	}
	return collect.NewLogDelta(int(p.cfg.Base), float64(p.cfg.History), float64(p.cfg.Initial))
}

// stale is how long nothing may be said.
func (p *stockPlan) stale() time.Duration { return p.interval() * time.Duration(p.cfg.StaleAfter) }

// advice says where to look when nothing was said.
func (p *stockPlan) advice() string {
	switch p.cfg.Source {
	case config.SourcePull:
		return ""
	case config.SourcePush:
		return "; see that something pushes its metric: weirkeep metric push " + p.cluster.name + " " + p.member.name + " NUMBER"
	case config.SourceLatency, config.SourceErrors, config.SourceInFlight:
		return ": it was sent no requests"
	}
	return "; see that its answers have the field " + p.cfg.SourceField() + ", and that requests reach it"
}

// stockSampler finds out, until it is stopped, how busy one origin is, and tells people
// what is wrong with what it says.
type stockSampler struct {
	account *account
	plan    *stockPlan
	log     *slog.Logger
	stop    context.CancelFunc
}

// newStockSampler makes one that begins at once.
func newStockSampler(plan *stockPlan, log *slog.Logger) *stockSampler {
	ctx, stop := context.WithCancel(context.Background())
	s := &stockSampler{plan.member.tally.account, plan, log.With("category", "metric", "cluster", plan.cluster.name, "origin", plan.member.name), stop}
	s.account.begin(plan, time.Now())
	go s.run(ctx)
	return s
}

// end stops it: an answer that is waited for changes nothing any more.
func (s *stockSampler) end() {
	s.account.end(s.plan)
	s.stop()
}

func (s *stockSampler) run(ctx context.Context) {
	for {
		timer := time.NewTimer(time.Until(s.next()))
		select {
		case <-timer.C:
			s.turn(ctx)
		case <-s.account.wake:
			timer.Stop()
		case <-ctx.Done():
			timer.Stop()
			return
		}
		s.tell()
	}
}

// next is when there is something to do: a sample is due, or silence has lasted too long.
func (s *stockSampler) next() time.Time {
	s.account.mu.Lock()
	defer s.account.mu.Unlock()
	if end := s.account.good.Add(s.plan.stale()); !s.account.stale && end.Before(s.account.due) {
		return end
	}
	return s.account.due
}

// turn does what there is to do.
func (s *stockSampler) turn(ctx context.Context) {
	if s.isDue(time.Now()) {
		s.sample(ctx)
	}
	s.account.mu.Lock()
	defer s.account.mu.Unlock()
	if s.account.plan == s.plan {
		s.account.age(time.Now())
	}
}

func (s *stockSampler) isDue(now time.Time) bool {
	s.account.mu.Lock()
	defer s.account.mu.Unlock()
	return !now.Before(s.account.due)
}

// sample looks once at what there is, and says when it looks again.
func (s *stockSampler) sample(ctx context.Context) {
	n, known, err := s.look(ctx)
	now, a := time.Now(), s.account
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.plan != s.plan {
		return
	}
	if a.due = a.due.Add(s.plan.interval()); a.due.Before(now) { // it could not keep up
		a.due = now.Add(s.plan.interval())
	}
	if err != nil {
		a.nonsense(err)
	} else {
		a.sample(n, known, now)
	}
}

// look finds the number; not known: there is none, or it comes by itself.
func (s *stockSampler) look(ctx context.Context) (n float64, known bool, err error) {
	switch s.plan.cfg.Source {
	case config.SourcePull:
		n, err = s.pull(ctx)
		return n, err == nil, err
	case config.SourceLatency, config.SourceErrors:
		n, known = s.measure()
		return n, known, nil
	case config.SourceInFlight:
		return s.inFlight(), true, nil
	}
	return 0, false, nil
}

// inFlight is how many exchanges the origin has. Where its capacity is learned and the
// scale ends there, it is that part of the bound that they are of what it can take now.
func (s *stockSampler) inFlight() float64 {
	state := s.plan.member.state
	load := float64(state.slots.Load())
	if s.plan.cfg.Busy == nil && state.learns() {
		load *= s.plan.scale.Busy / float64(state.slots.Capacity())
	}
	return load
}

// longestPull is the longest answer that is looked at.
const longestPull = 1 << 20

// pull asks the origin.
func (s *stockSampler) pull(ctx context.Context) (float64, error) {
	pull := s.plan.cfg.Pull
	ctx, cancel := context.WithTimeout(ctx, time.Duration(pull.Timeout))
	defer cancel()
	answer, err := s.plan.member.pool.Fetch(ctx, origin.FetchOptions{Path: pull.Path, Host: s.plan.host, Limit: longestPull})
	if err != nil {
		return 0, err
	}
	n, err := s.plan.number(answer)
	if err != nil {
		return 0, fmt.Errorf("GET %s: %w", pull.Path, err)
	}
	return n, nil
}

// measure is what the gateway has seen: for log-delta all of it, in milliseconds or
// failures; for value that of the last interval, in seconds or percent. Not known:
// nothing has happened.
func (s *stockSampler) measure() (n float64, known bool) {
	a := s.account
	now := a.counted(s.plan.member.metrics)
	a.mu.Lock()
	before := a.read
	a.read = now
	a.mu.Unlock()
	latency := s.plan.cfg.Source == config.SourceLatency
	switch {
	case s.plan.cfg.Collector == logDelta && latency:
		return float64(now.took) / 1e6, true
	case s.plan.cfg.Collector == logDelta:
		return float64(now.failures), true
	case latency:
		return now.latency(before)
	}
	return now.errors(before)
}

// latency is the mean time, in seconds, of the answers since.
func (r readings) latency(before readings) (seconds float64, known bool) {
	if r.answers == before.answers {
		return 0, false
	}
	return float64(r.took-before.took) / float64(r.answers-before.answers) / 1e9, true
}

// errors is how many percent of the attempts since have failed. One may have begun
// before.
func (r readings) errors(before readings) (percent float64, known bool) {
	failures, attempts := r.failures-before.failures, r.attempts-before.attempts
	if attempts = max(attempts, failures); attempts == 0 {
		return 0, false
	}
	return 100 * float64(failures) / float64(attempts), true
}

// tell logs what was noted.
func (s *stockSampler) tell() {
	for _, n := range s.account.takeNews() {
		switch n.what {
		case newsReport:
			s.log.Info("metric", "number", n.number, "metric", n.metric)
		case newsClamped:
			s.log.Warn("an origin says a metric that is not from 0 to 100", "number", n.number, "taken_for", n.metric)
		case newsLost:
			s.log.Warn(fmt.Sprintf("an origin does not say how busy it is: default %d", n.metric), "because", n.why)
		case newsBack:
			s.log.Info("an origin says again how busy it is", "number", n.number, "metric", n.metric)
		case newsOdd:
			s.log.Warn("an origin has its metric by another collector than others of its cluster: they cannot be compared", "because", n.why)
		}
	}
}
