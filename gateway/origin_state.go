package gateway

import (
	"sync/atomic"
	"time"

	"weirkeep/gateway/admission"
	"weirkeep/gateway/capacity"
	"weirkeep/gateway/origin"
)

// originState is what belongs to an origin's address and outlives snapshots: its
// health, its slots, and what the operator wants of it. All clusters that name
// the address share it.
type originState struct {
	name    atomic.Pointer[string] // of the origin, as the configuration has it
	origin  *origin.Origin
	slots   *admission.Slots
	learner atomic.Pointer[capacity.Learner] // nil: its capacity is written
	admin   atomic.Uint32                    // adminState
	tunnels atomic.Int64                     // upgraded connections, open
	changes atomic.Int64                     // times that it went out or came back
	warmth  admission.Warmth

	tellCapacity func(was, is int) (told bool)
	capacityTold time.Time // when it did last, or the origin was named
}

// adminState is what the operator wants of an origin, the most open first.
type adminState uint32

const (
	serving     adminState = iota
	draining               // only sessions that are bound to it
	maintenance            // only what a rule sends there that allows it
	disabled               // nothing
)

// adminStates are the states as configuration and status write them.
var adminStates = [...]string{serving: "serving", draining: "draining", maintenance: "maintenance", disabled: "disabled"}

func (a adminState) String() string { return adminStates[a] }

func adminStateOf(name string) adminState {
	for a, known := range adminStates {
		if name == known {
			return adminState(a)
		}
	}
	return serving
}

// state is what the operator wants of the origin.
func (s *originState) state() adminState { return adminState(s.admin.Load()) }

// lets reports whether the operator lets in what is, or is not, bound to the
// origin, whatever its health.
func (s *originState) lets(bound bool) bool {
	a := s.state()
	return a == serving || a == draining && bound
}

// access is to whom the origin is open: the operator's word and its health.
func (s *originState) access() admission.Access {
	switch a := s.state(); {
	case s.origin.Health() == origin.Up:
		return accessOf[a]
	case a == serving:
		return admission.Unwell
	}
	return admission.Shut
}

// accessOf is to whom an origin that is up is open.
var accessOf = [...]admission.Access{
	serving: admission.Open, draining: admission.BoundOnly, maintenance: admission.Testers, disabled: admission.Shut,
}

// open makes the origin as open as a configuration says, unless it is that
// already.
func (s *originState) open(a adminState) {
	if a < s.state() {
		s.admit(a)
		s.slots.Set(s.access)
	}
}

// settle makes what a configuration says of the origin true.
func (s *originState) settle(name string, b capacity.Bounds, a adminState) {
	s.name.Store(&name)
	s.allow(b)
	s.admit(a)
	s.slots.Set(s.access)
}

// admit makes a what the operator wants. Who is let in again has to warm up.
func (s *originState) admit(a adminState) {
	if adminState(s.admin.Swap(uint32(a))) != serving && a == serving {
		s.warmth.Begin(time.Now())
	}
}
