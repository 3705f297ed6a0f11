package gateway

import (
	"log/slog"
	"time"

	"weirkeep/gateway/origin"
)

// checkKey is all that makes two checks different: whom, over which kind of
// connection, and how.
type checkKey struct {
	pool    poolKey
	options string // text of the origin.CheckOptions
}

// watch makes the checks that are wanted the ones that run. One that is wanted
// still goes on as it was.
func (r *registry) watch(wanted map[checkKey]func() *origin.Check) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for key, check := range r.checks {
		if wanted[key] == nil {
			check.Stop()
			delete(r.checks, key)
		}
	}
	for key, start := range wanted {
		if r.checks[key] == nil {
			r.checks[key] = start()
		}
	}
}

// changed is told that an origin went out or came back, by whatever found it.
func (r *registry) changed(s *originState, t origin.Transition) {
	s.changes.Add(1)
	s.slots.Set(s.access)
	if s.origin.Health() != origin.Up {
		r.closeIdle(s.origin)
	}
	say, left := s.origin.Announce(t)
	if !say {
		return
	}
	level, what := slog.LevelInfo, "origin up"
	if t.To != origin.Up {
		level, what = slog.LevelWarn, "origin "+t.To.String()
	}
	r.log.LogAttrs(nil, level, what, append(transitionAttrs(s.origin.Address, t), leftOut(left)...)...)
}

func transitionAttrs(address string, t origin.Transition) []slog.Attr {
	attrs := []slog.Attr{slog.String("origin", address), slog.String("was", t.From.String()), slog.String("because", t.Why)}
	if t.Cluster != "" {
		attrs = append(attrs, slog.String("cluster", t.Cluster))
	}
	if t.Failures > 0 {
		attrs = append(attrs, slog.Int("failures", t.Failures))
	}
	return attrs
}

// leftOut says how many changes of a flapping origin were not logged.
func leftOut(n int) []slog.Attr {
	if n == 0 {
		return nil
	}
	return []slog.Attr{slog.Int("changes_not_logged", n)}
}

// closeIdle closes the connections that wait in the origin's pools.
func (r *registry) closeIdle(o *origin.Origin) {
	r.mu.Lock()
	var pools []*origin.Pool
	for _, p := range r.pools {
		if p.thing.Origin() == o {
			pools = append(pools, p.thing)
		}
	}
	r.mu.Unlock()
	for _, p := range pools {
		p.CloseIdle()
	}
}

// tell gives the origin's health the outcome of an attempt that failed.
func (x *Exchange) tell(e *origin.Error) {
	fault, counts := e.Fault()
	if !counts {
		return
	}
	x.blame(origin.Failure{Fault: fault, Err: e})
}

// judge gives the origin's health what an answer's head says: a status that
// counts against it, or, at a trial, that it is back. That it is well otherwise
// is known at the end of the answer.
func (x *Exchange) judge() {
	if fault, bad := origin.StatusFault(x.trip.Status.Code); bad {
		x.blame(origin.Failure{Fault: fault, Status: x.trip.Status.Code})
	} else if x.trial {
		x.praise()
	}
}

// conclude tells the origin's health how the answer ended.
func (x *Exchange) conclude(reason Reason) {
	switch {
	case reason == AnswerCut && !x.counted:
		x.blame(origin.Failure{Fault: origin.FaultReset, Err: x.cause})
	case reason == Served && !x.blamed:
		x.praise()
	}
}

// blame counts a failure of the attempt, with its evidence.
func (x *Exchange) blame(f origin.Failure) {
	m := x.member
	x.blamed, x.counted = true, m.cluster.policy.Count.Has(f.Fault)
	f.Began, f.At, f.Cluster, f.Trial, f.Beyond = x.tick, time.Now(), m.cluster.name, x.trial, x.trip.Beyond()
	m.state.origin.Failed(f, &m.cluster.policy, x.lastOpen())
}

// praise counts a success of the attempt.
func (x *Exchange) praise() {
	x.member.state.origin.Succeeded(x.trial)
}

// lastOpen reports whether no other origin of the group could take over.
func (x *Exchange) lastOpen() bool {
	for _, m := range x.group.members {
		if m != x.member && m.state.origin.Health() == origin.Up && m.state.state() == serving {
			return false
		}
	}
	return true
}
