package admission

import (
	"time"

	"weirkeep/gateway/balance"
)

// State is how an origin is at one moment, or is taken to be.
type State struct {
	Load, Capacity int64  // slots taken, slots there are
	Waiting        int64  // exchanges in line that may come in: who is new stands behind them
	Access         Access // to whom it is open
}

// State is how the origin is. While exchanges come and go its parts may be of
// slightly different moments.
func (s *Slots) State() State {
	access := s.Access()
	return State{Load: s.Load(), Capacity: s.Capacity(), Waiting: s.ahead(access), Access: access}
}

// Asker is who would look for a slot: see [Seeker].
type Asker struct {
	Only   int // -1: any
	Barred uint64
	Tester bool
	Panic  bool
	Key    uint64
	Now    time.Time

	Preference *Preference
}

// Planned is what Enter would do. With no pick and no queueing it is [ErrNone].
type Planned struct {
	Pick     int       // index of the origin whose slot it would take; -1: none
	Sure     bool      // unless chance decides
	Queues   bool      // it would wait for a slot, if the line has a place
	Verdicts []Verdict // one for each origin
}

// Verdict is what stands for or against one origin.
type Verdict struct {
	Why   Why
	Share float64 // part of its capacity that is free, from 0 to 1
}

// Why says why an origin is picked, or not.
type Why uint8

// The reasons.
const (
	Picked        Why = iota
	Free              // it could have been
	Full              // no slot is free
	Waited            // others wait for it
	Drains            // it takes only what is bound to it
	InMaintenance     // it takes only what a rule lets in
	Out               // it is out or disabled
	NotAsked          // the exchange is bound elsewhere
	Tried             // the exchange has tried it
	Farther           // one that is nearer is preferred
)

// String is the reason in words.
func (w Why) String() string {
	return [...]string{
		"picked", "free", "full", "waited for", "draining", "in maintenance", "out", "the request is bound elsewhere", "tried", "farther",
	}[w]
}

// Plan says which of a group's origins [Queue.Enter] would take a slot at, and why
// not at the others. It is pure: it moves no slot, no line and no turn, and where
// nothing else happens in between, Enter does what it says.
func Plan(members []State, a Asker, b balance.Balancer) Planned {
	s := Seeker{Only: a.Only, Barred: a.Barred, Tester: a.Tester, Panic: a.Panic, Key: a.Key, Now: a.Now, Preference: a.Preference}
	p := Planned{Pick: -1, Verdicts: make([]Verdict, len(members))}
	for i, m := range members {
		p.Verdicts[i] = Verdict{Why: s.judge(i, m), Share: max(0, float64(m.Capacity-m.Load)/float64(max(1, m.Capacity)))}
	}
	if a.Preference != nil && a.Preference.Far != nil && s.Only < 0 {
		a.Preference.plan(p.Verdicts)
	}
	candidates := make([]balance.Candidate, len(members))
	for i, m := range members {
		why := p.Verdicts[i].Why
		candidates[i] = balance.Candidate{Usable: why == Free, Load: m.Load, Capacity: m.Capacity}
		p.Queues = p.Queues || why == Full || why == Waited
	}
	if p.Pick, p.Sure = s.plan(candidates, b); p.Pick >= 0 {
		p.Queues = false
		p.Verdicts[p.Pick].Why = Picked
	}
	p.Sure = p.Sure && (s.Only >= 0 || s.evenly(candidates))
	return p
}

// plan says which of the origins that could be picked, or waited for, are too far.
func (p *Preference) plan(vs []Verdict) {
	least := uint8(anyFar)
	for i, v := range vs {
		if v.Why == Free || p.Loyal && (v.Why == Full || v.Why == Waited) {
			least = min(least, p.Far[i])
		}
	}
	for i := range vs {
		v := &vs[i]
		if p.Far[i] > least && (v.Why == Free || p.Loyal && (v.Why == Full || v.Why == Waited)) {
			v.Why = Farther
		}
	}
}

// evenly reports whether all that could be picked are equally warm: else chance decides
// which are.
func (s *Seeker) evenly(candidates []balance.Candidate) bool {
	p, first := s.Preference, 0
	if p == nil || p.Warmth == nil {
		return true
	}
	for i := range candidates {
		share := p.Warmth[i].share(s.Now, p.WarmUp)
		if first == 0 && candidates[i].Usable {
			first = share
		}
		if candidates[i].Usable && share != first {
			return false
		}
	}
	return true
}

func (s *Seeker) plan(candidates []balance.Candidate, b balance.Balancer) (i int, sure bool) {
	switch {
	case s.Only < 0:
		return b.Peek(candidates, s.Key)
	case candidates[s.Only].Usable:
		return s.Only, true
	}
	return -1, true
}

// judge says whether the seeker could take a slot at an origin.
func (s *Seeker) judge(i int, m State) Why {
	switch {
	case s.Only >= 0 && i != s.Only:
		return NotAsked
	case s.Only < 0 && s.barred(i):
		return Tried
	case m.Access.admits(s.standing()) && m.Load >= m.Capacity:
		return Full
	case m.Access.admits(s.standing()) && m.Waiting > 0:
		return Waited
	case m.Access.admits(s.standing()):
		return Free
	}
	return [...]Why{Open: Free, BoundOnly: Drains, Testers: InMaintenance, Unwell: Out, Shut: Out}[m.Access]
}
