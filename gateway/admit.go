package gateway

import (
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
	home := x.findHome()
	if home < 0 || x.attempts > 0 && !x.session.strict {
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
	if x.tryOut(home) {
		return x.take(home), true
	}
	return SessionOriginOut, true
}

// findHome finds the origin where the session is at home and its group, -1 if
// the session has none.
func (x *Exchange) findHome() int {
	if x.decision.Bound == "" {
		return -1
	}
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
		return x.group.lead.queue.Enter(s, x.group.balancer)
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
// one that the balancer picks. Whom the exchange has tried comes after all others.
func (x *Exchange) enter() (int, error) {
	s := x.seek()
	if x.attempts == 0 {
		for i := range x.group.members {
			if x.tryOut(i) {
				return i, nil
			}
		}
	}
	if s.Barred != 0 {
		if i, err := x.enterElsewhere(); err != admission.ErrNone {
			return i, err
		}
		s.Barred = 0
	}
	return x.group.lead.queue.Enter(s, x.group.balancer)
}

// enterElsewhere takes a slot at an origin that the exchange has not tried. It
// waits for one, as long as there is a place in the queue, if the last one that
// it has tried was to blame: that would fail it again.
func (x *Exchange) enterElsewhere() (int, error) {
	s := &x.seeker
	if x.blamed {
		if i, err := x.group.lead.queue.Enter(s, x.group.balancer); err != admission.ErrFull {
			return i, err
		}
	} else if i := s.Take(x.group.balancer); i >= 0 {
		return i, nil
	}
	return -1, admission.ErrNone
}

// tryOut takes a slot at origin i of the group if that is out and its trial is
// due: nobody checks it, so a request has to. Soon, if it can go nowhere
// else: then it costs nobody anything.
func (x *Exchange) tryOut(i int) bool {
	m, slots := x.group.members[i], x.group.slots[i]
	if m.state.origin.Health() == origin.Up || m.state.state() != serving {
		return false
	}
	alone := x.seeker.Only == i || !x.group.anyUp()
	if !m.state.origin.Due(x.tick, alone) || !slots.Take() {
		return false
	}
	if x.trial = m.state.origin.Claim(x.tick, alone); !x.trial {
		slots.Leave()
	}
	return x.trial
}

// retryAfter says, in whole seconds, when a refused client may try again: when
// all who wait now have been served or turned away, or when an origin that is
// out is looked at again.
func (x *Exchange) retryAfter(reason Reason) []byte {
	d := x.group.lead.comeback
	if reason == QueueFull || reason == QueueTimeout {
		d = x.group.lead.queue.Timeout()
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
