package rollout

import (
	"fmt"
	"time"
)

// Status is how a roll-out stands, for people and for programs.
type Status struct {
	Options
	Phase    Phase          `json:"phase"`
	Active   []string       `json:"active"`  // labels of the editions that serve
	Batch    int            `json:"batch"`   // the one that is on its way, from 1; 0: none is
	Batches  int            `json:"batches"` // how many there will have been
	Done     int            `json:"done"`    // origins that serve the new edition
	Total    int            `json:"total"`
	Began    time.Time      `json:"began"`
	Ended    time.Time      `json:"ended,omitzero"`
	Held     string         `json:"held,omitempty"`    // why the next batch does not begin
	Expected time.Time      `json:"expected,omitzero"` // when it may be over; zero: nobody knows
	Basis    string         `json:"basis,omitempty"`   // what Expected goes by
	Left     *Left          `json:"left,omitempty"`    // cancelled: what runs what
	Origins  []MemberStatus `json:"origins"`
}

// MemberStatus is how one origin stands.
type MemberStatus struct {
	Name     string    `json:"name"`
	Label    string    `json:"label"`
	Stage    Stage     `json:"stage"`
	State    State     `json:"state"`
	Since    time.Time `json:"since"`
	Until    time.Time `json:"until,omitzero"` // draining: its sessions are waited for no longer
	Sessions int       `json:"sessions"`       // bound to it; negative: nobody can tell
	InFlight int       `json:"in_flight"`
	Up       bool      `json:"up"`
	Waits    string    `json:"waits,omitempty"` // for what
}

// Status tells how the roll-out stands.
func (r *Rollout) Status(now time.Time, v View) Status {
	s := Status{
		Options: r.s.Options, Phase: r.s.Phase, Active: r.active(), Began: r.s.Began, Ended: r.s.Ended,
		Batches: r.s.Batches, Done: r.in(Done), Total: len(r.s.Members), Origins: []MemberStatus{},
	}
	for i := range r.s.Members {
		s.Origins = append(s.Origins, r.originStatus(&r.s.Members[i], v))
	}
	switch r.s.Phase {
	case Running:
		s.Batches += r.remaining()
		if !r.s.Batch.IsZero() {
			s.Batch = r.s.Batches + 1
		}
		s.Held = r.held(v)
		s.Expected, s.Basis = r.expected(now)
	case Cancelled:
		left := r.left()
		s.Left = &left
	}
	return s
}

func (r *Rollout) originStatus(m *Member, v View) MemberStatus {
	s := MemberStatus{
		Name: m.Name, Label: m.Label, Stage: m.Stage, State: r.state(m), Since: m.Since,
		Sessions: v.Sessions(m.Name), InFlight: v.InFlight(m.Name), Up: v.Up(m.Name),
	}
	switch m.Stage {
	case Draining:
		s.Until = m.Since.Add(time.Duration(r.s.Drain))
		s.Waits = drainWaits(s)
	case Waiting:
		s.Waits = r.readyWaits(m, v)
	case Ready:
		s.Waits = "for the rest of its half"
	}
	return s
}

func drainWaits(s MemberStatus) string {
	if s.Sessions < 0 {
		return fmt.Sprintf("for sessions, which nobody counts, until the longest wait is over; %d in flight", s.InFlight)
	}
	return fmt.Sprintf("for its sessions and requests to end: %d and %d", s.Sessions, s.InFlight)
}

func (r *Rollout) readyWaits(m *Member, v View) string {
	label, known := v.Edition(m.Name)
	switch {
	case !v.Up(m.Name) && m.Confirmed:
		return "to come up: it is confirmed"
	case !v.Up(m.Name):
		return fmt.Sprintf("to come up with edition %s", r.s.To)
	case known:
		return fmt.Sprintf("for edition %s: it says that it runs %s", r.s.To, label)
	}
	return fmt.Sprintf("for a health answer with edition %s, or to be confirmed", r.s.To)
}

// held says why the next batch does not begin; empty: it does, or one is on its way.
func (r *Rollout) held(v View) string {
	if r.in(Draining, Waiting, Ready) > 0 || r.in(Pending) == 0 {
		return ""
	}
	batch := r.batch()
	switch {
	case len(batch) == 0 && r.s.Strategy == Grouped:
		return "one origin is left, and nobody would serve while it is renewed"
	case len(batch) == 0 && r.count(func(m *Member) bool { return m.First && v.Up(m.Name) }) == 0:
		return fmt.Sprintf("no origin with edition %s is up", r.s.To)
	case len(batch) > 0 && r.last(batch, v):
		return fmt.Sprintf("nobody else is up while %s is renewed", batch[0].Name)
	}
	return ""
}

// remaining is how many batches are not through, the one on its way included.
func (r *Rollout) remaining() (n int) {
	if !r.s.Batch.IsZero() {
		n = 1
	}
	pending := r.in(Pending)
	switch {
	case pending == 0:
		return n
	case r.s.Strategy == Grouped:
		size := max(1, r.groupSize())
		return n + (pending+size-1)/size
	case r.s.Switched || r.count(func(m *Member) bool { return m.First && m.Stage == Pending }) == 0:
		return n + 1
	}
	return n + 2
}

// expected is when the roll-out may be over: as fast as the batches so far; before
// there was one, if every origin is drained for as long as allowed and renewed at once.
func (r *Rollout) expected(now time.Time) (time.Time, string) {
	each, basis := time.Duration(r.s.Drain), "the longest drains; what it takes to renew origins is not known yet"
	if r.s.Batches > 0 {
		each, basis = time.Duration(r.s.Took)/time.Duration(r.s.Batches), "the batches so far"
	}
	rest := time.Duration(r.remaining()) * each
	if !r.s.Batch.IsZero() {
		rest -= min(max(0, now.Sub(r.s.Batch)), each)
	}
	return now.Add(rest), basis
}
