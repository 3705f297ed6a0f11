package gateway

import (
	"slices"
	"strconv"
	"time"

	"weirkeep/gateway/admission"
	"weirkeep/gateway/origin"
)

// admit takes a slot at one of the origins that the decision names: the one
// where the session is at home; else one of the first group that has any in
// service. A group that is full is waited for, unless its cluster says
// that what its queue cannot hold goes on to the next.
func (x *Exchange) admit() Reason {
	if reason, settled := x.admitHome(); settled {
		return reason
	}
	for {
		x.use(x.mapping.groups[x.next])
		i, err := x.enter()
		if err == nil {
			return x.take(i)
		}
		if last := x.next == len(x.mapping.groups)-1; last || !x.group.passesOn(err) {
			return reasonOfAdmission(err)
		}
		x.next++
	}
}

// passesOn reports whether who could not enter the group goes on to the next.
func (g *group) passesOn(err error) bool {
	return err == admission.ErrNone || err == admission.ErrFull && g.lead.overflows
}

// use makes g the group in which a slot is looked for.
func (x *Exchange) use(g *group) {
	if x.group != g {
		x.group = g
		x.seeker.Barred = 0 // its indexes are the other group's
	}
}

// take makes origin i of the group the one that is tried.
func (x *Exchange) take(i int) Reason {
	x.member = x.group.members[i]
	x.slots = x.group.slots[i]
	x.seeker.Bar(i)
	if x.seeker.Waited > 0 {
		x.tick = time.Now()
	}
	return Served
}

// leave gives the slot back, if there is one.
func (x *Exchange) leave() {
	if x.slots != nil {
		x.slots.Leave()
		x.slots = nil
	}
}

// admitHome takes a slot where the session is at home (M-BIND-05), in whichever
// group that is. It is not settled if there is no such origin, or if it is out
// and its sessions may go elsewhere (M-BIND-09), or full and they may for once
// . After a failure there only those go there again that may go nowhere else.
func (x *Exchange) admitHome() (reason Reason, settled bool) {
	if x.decision.Bound == "" || x.attempts > 0 && !x.session.strict {
		return Served, false
	}
	home := x.findHome()
	if home < 0 {
		return Served, false
	}
	i, err := x.enterHome(home)
	switch {
	case err == nil:
		return x.take(i), true
	case err != admission.ErrNone:
		return reasonOfAdmission(err), true
	}
	if !x.session.strict || x.group.slots[home].Access() != admission.Shut {
		return Served, false
	}
	if x.group.members[home].state.lets(true) && x.tryOut(home, true) {
		return x.take(home), true
	}
	return SessionOriginOut, true
}

// findHome finds the origin where the session is at home and its group, -1 if
// the mapping has no such origin.
func (x *Exchange) findHome() int {
	for _, g := range x.mapping.groups {
		if i, ok := g.byName[x.decision.Bound]; ok {
			x.use(g)
			return i
		}
	}
	return -1
}

// enterHome takes a slot at one origin, waiting for it unless its sessions are
// to be balanced anew when it is full.
func (x *Exchange) enterHome(home int) (int, error) {
	s := x.seek()
	s.Only = home
	if !x.session.rebalance {
		return x.line()
	}
	if i := s.Take(x.group.balancer); i >= 0 {
		return i, nil
	}
	return -1, admission.ErrNone
}

// seek readies the seeker for the group.
func (x *Exchange) seek() *admission.Seeker {
	s := &x.seeker
	s.Slots, s.Client, s.Only = x.group.slots, x, -1
	x.trial = false
	return s
}

// enter takes a slot in the group: at an origin that has to be tried out, or at
// one that the balancer picks. Whom the exchange has tried comes after all
// others, also if those have to be waited for: it would fail it again (M-ALG-13).
func (x *Exchange) enter() (int, error) {
	s := x.seek()
	if x.attempts == 0 {
		if i := x.findTrial(); i >= 0 {
			return i, nil
		}
	}
	i, err := x.line()
	if s.Barred != 0 && (err == admission.ErrNone || err == admission.ErrFull) {
		s.Barred = 0
		i, err = x.line()
	}
	return i, err
}

// line enters the queue of the group's lead, and counts the wait, if there is one.
func (x *Exchange) line() (int, error) {
	lead, before := x.group.lead, x.seeker.Waited
	i, err := lead.queue.Enter(&x.seeker, x.group.balancer)
	if waited := x.seeker.Waited - before; waited > 0 {
		lead.metrics.Wait.Observe(waited)
	}
	return i, err
}

// findTrial takes a slot at an origin of the group whose trial is due, and
// returns its index; -1: there is none.
func (x *Exchange) findTrial() int {
	looked, alone := false, false
	for i, m := range x.group.members {
		if m.state.origin.Health() == origin.Up || m.state.state() != serving {
			continue
		}
		if !looked {
			looked, alone = true, !x.anyUp()
		}
		if x.tryOut(i, alone) {
			return i
		}
	}
	return -1
}

// tryOut takes a slot at origin i of the group, which is out, if its trial is
// due: nobody checks it, so a request has to. alone says that the request
// can go nowhere else: then a trial costs nobody anything, and is due soon.
func (x *Exchange) tryOut(i int, alone bool) bool {
	m, slots := x.group.members[i], x.group.slots[i]
	if !m.state.origin.Due(x.tick, alone) || !slots.Take() {
		return false
	}
	if x.trial = m.state.origin.Claim(x.tick, alone); !x.trial {
		slots.Leave()
	}
	return x.trial
}

// anyUp reports whether an origin of one of the mapping's groups is in service.
func (x *Exchange) anyUp() bool {
	return slices.ContainsFunc(x.mapping.groups, (*group).anyUp)
}

// retryAfter says, in whole seconds, when a refused client may try again: when
// all who wait now have been served or turned away, or when the first origin that
// is out is looked at again.
func (x *Exchange) retryAfter(reason Reason) []byte {
	d := x.group.lead.queue.Timeout()
	if reason == NoOrigin || reason == SessionOriginOut {
		d = x.group.lead.comeback
		for _, g := range x.mapping.groups {
			d = min(d, g.lead.comeback)
		}
	}
	return strconv.AppendInt(x.again[:0], max(1, int64((d+time.Second-1)/time.Second)), 10)
}

// reasonOfAdmission is why no slot could be taken.
func reasonOfAdmission(err error) Reason {
	switch err {
	case admission.ErrFull:
		return QueueFull
	case admission.ErrTimeout:
		return QueueTimeout
	case admission.ErrGone:
		return ClientGone
	}
	return NoOrigin
}
