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
func (x *Exchange) admit(g *Gateway) Reason {
	if reason, settled := x.admitHome(g); settled {
		return reason
	}
	if len(x.order) == 0 {
		return NoOrigin
	}
	for {
		x.use(x.order[x.next])
		if reason, settled := x.admitRouted(); settled {
			return reason
		}
		i, err := x.enter()
		if err == nil {
			return x.take(i)
		}
		if last := x.next == len(x.order)-1; last || !x.group.passesOn(err) {
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

// admitHome takes a slot where the session is at home (M-BIND-05). It is not
// settled if there is no such origin, or if it is full and its sessions may go
// elsewhere for once. If it is out, or has failed this very request, it is
// decided anew where the session's requests go without it (M-BIND-09, M-WPX-02).
func (x *Exchange) admitHome(g *Gateway) (reason Reason, settled bool) {
	for x.findHome() {
		home := x.group.index[x.decision.Home]
		if x.attempts > 0 && x.member.identity == x.decision.Home && !x.session.strict {
			if reason := x.loseHome(g); reason != Served {
				return reason, true
			}
			continue
		}
		i, err := x.enterHome(home)
		switch {
		case err == nil:
			return x.take(i), true
		case err != admission.ErrNone:
			return reasonOfAdmission(err), true
		case x.group.slots[home].Access() <= admission.BoundOnly:
			return Served, false
		case x.session.strict:
			return x.tryHome(home), true
		}
		if reason := x.loseHome(g); reason != Served {
			return reason, true
		}
	}
	return Served, false
}

// tryHome takes a slot at an origin that is out, if its trial is due: the session
// may go nowhere else.
func (x *Exchange) tryHome(home int) Reason {
	if x.group.members[home].state.lets(true) && x.tryOut(home, true) {
		return x.take(home)
	}
	return SessionOriginOut
}

// loseHome decides anew as if the session were not at home where it is.
func (x *Exchange) loseHome(g *Gateway) Reason {
	if x.losses < len(x.lost) {
		x.lost[x.losses] = x.decision.Home
		x.losses++
	}
	x.next = 0
	return g.decideRoute(x)
}

// findHome finds the group with the origin where the session is at home.
func (x *Exchange) findHome() bool {
	if x.decision.Home < 0 {
		return false
	}
	for _, g := range x.order {
		if _, ok := g.index[x.decision.Home]; ok {
			x.use(g)
			return true
		}
	}
	return false
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
	s.Slots, s.Client, s.Only, s.Tester = x.group.slots, seeking{x}, -1, x.group.testers
	s.Preference, s.Now, s.Panic = x.group.prefer, x.tick, x.group.panics()
	s.Key = x.keyIn(x.group)
	s.Barred |= x.barred()
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
	if err == admission.ErrNone && x.attempts > 0 {
		if i := x.findTrial(); i >= 0 {
			return i, nil // it can only be better than the failure that there was
		}
	}
	if never := x.barred(); s.Barred != never && (err == admission.ErrNone || err == admission.ErrFull) {
		s.Barred = never
		i, err = x.line()
	}
	return i, err
}

// line enters the queue of the group's lead, and counts the wait, if there is one.
func (x *Exchange) line() (int, error) {
	if x.clientless {
		return x.takeSpare()
	}
	lead, before := x.group.lead, x.seeker.Waited
	i, err := lead.queue.Enter(&x.seeker, x.group.balancer)
	if waited := x.seeker.Waited - before; waited > 0 {
		lead.metrics.Wait.Observe(waited)
	}
	return i, err
}

// takeSpare takes a slot without waiting for one: behind its back nobody is to wait for
// what no client waits for.
func (x *Exchange) takeSpare() (int, error) {
	if i := x.seeker.Take(x.group.balancer); i >= 0 {
		return i, nil
	}
	return -1, admission.ErrFull
}

// findTrial takes a slot at an origin of the group whose trial is due, and
// returns its index; -1: there is none.
func (x *Exchange) findTrial() int {
	looked, alone := false, false
	for i, m := range x.group.members {
		if m.state.origin.Health() == origin.Up || !x.group.letsIn(m) {
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

// anyUp reports whether an origin of one of the groups is in service.
func (x *Exchange) anyUp() bool {
	return slices.ContainsFunc(x.order, (*group).anyUp)
}

// retryAfter says, in whole seconds, when a refused client may try again: when
// all who wait now have been served or turned away, or when the first origin that
// is out is looked at again.
func (x *Exchange) retryAfter(reason Reason) []byte {
	var d time.Duration
	if x.group != nil {
		d = x.group.lead.queue.Timeout()
	}
	if reason == NoOrigin || reason == SessionOriginOut {
		d = time.Second
		for i, g := range x.order {
			if i == 0 || g.lead.comeback < d {
				d = g.lead.comeback
			}
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
