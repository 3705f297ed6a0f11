package gateway

import (
	"context"
	"log/slog"
	"strconv"
	"time"

	"weirkeep/gateway/capacity"
	"weirkeep/gateway/origin"
)

// allow makes the capacity what a configuration says: a number, or what is learned
// within bounds. What was learned stays while that goes on. It begins with twice what
// the origin has now, at least: it was allowed that a moment ago, and nobody should
// have to wait because of a reload.
func (s *originState) allow(b capacity.Bounds) {
	l := s.learner.Load()
	switch {
	case b.Fixed():
		if s.learner.Store(nil); l != nil {
			l.SetBounds(b) // for who has it in hand yet
		}
		s.slots.SetCapacity(b.Most)
	case l != nil:
		l.SetBounds(b)
	default:
		s.learner.Store(capacity.New(capacity.Options{
			Bounds: b, Start: max(capacity.Start, 2*int(s.slots.Load())), Set: s.slots.SetCapacity, Tell: s.tellCapacity,
		}))
	}
}

// learns reports whether the origin's capacity is learned.
func (s *originState) learns() bool { return s.learner.Load() != nil }

// capacityText is the capacity for people.
func (s *originState) capacityText() string {
	text := strconv.FormatInt(s.slots.Capacity(), 10)
	if s.learns() {
		return "auto " + text
	}
	return text
}

// capacityEvery is how often the log is told of the capacity of one origin, at most.
const capacityEvery = time.Minute

// capacityChanged tells the log of a large change of what was learned, and reports
// whether it did. Calls do not overlap: the learner's lock is held.
func (r *registry) capacityChanged(s *originState, was, is int) (told bool) {
	now := time.Now()
	if now.Sub(s.capacityTold) < capacityEvery {
		return false
	}
	s.capacityTold = now
	r.log.LogAttrs(context.Background(), slog.LevelInfo, "origin capacity learned",
		slog.String("origin", *s.name.Load()), slog.String("address", s.origin.Address), slog.Int("was", was), slog.Int("is", is))
	return true
}

// teach tells who learns the capacity of the origin how long its answer took to
// begin. A failure tells nothing: those are quick where answers are slow.
func (x *Exchange) teach() {
	s := x.member.state
	l := s.learner.Load()
	if l == nil {
		return
	}
	if took, known := x.trip.Waited(x.start.Add(x.firstByte)); known {
		l.Answered(took, s.slots.Load())
	}
}

// complain tells it of a failure that says that the origin has too much to do.
func (s *originState) complain(f *origin.Failure) {
	if l := s.learner.Load(); l != nil && isOverload(f) {
		l.Overloaded(s.slots.Load())
	}
}

func isOverload(f *origin.Failure) bool {
	return !f.Beyond && (f.Fault == origin.FaultTimeout || f.Fault == origin.FaultStatus503 || f.Fault == origin.FaultStatus504)
}

// seeking is an exchange that waits for a slot: while it is looked at, those who learn
// the capacities of its origins hear of it.
type seeking struct{ *Exchange }

// Gone implements [admission.Client].
func (s seeking) Gone() bool {
	now := time.Now()
	for _, m := range s.group.members {
		if l := m.state.learner.Load(); l != nil {
			l.Awaited(now)
		}
	}
	return s.Exchange.Gone()
}
