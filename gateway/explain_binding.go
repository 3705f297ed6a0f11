package gateway

import (
	"fmt"

	"weirkeep/gateway/admission"
	"weirkeep/gateway/route"
	"weirkeep/gateway/session"
)

func (e *explanation) binding() {
	d := &e.x.decision
	s := d.Session
	if s == nil {
		return
	}
	b := &ExplainedBinding{Session: s.Name, Kind: e.cfg.Sessions[s.Name].Binding, Carrier: carrierOf(d)}
	b.Primary, b.PrimaryState = e.originOf(d.Primary)
	b.Secondary, b.SecondaryState = e.originOf(d.Secondary)
	b.Origin, _ = e.originOf(d.Home)
	home := e.trace.Home
	b.Shields = home >= 0 && !e.cfg.OverrideAffinity
	b.Why = e.whyBound(home)
	e.Binding = b
}

// carrierOf is what the session's id stands in, or what says by itself where the
// session is at home; empty: the request has neither.
func carrierOf(d *route.Decision) string {
	switch s := d.Session; {
	case s.Binding == session.GatewayCookie && d.Bound != "":
		return "gateway-cookie " + s.Gateway.Name()
	case d.ID != nil:
		return d.Carrier.String()
	}
	return ""
}

// whyBound says in words what the session's binding does.
func (e *explanation) whyBound(home int) string {
	d := &e.x.decision
	switch {
	case d.ID == nil && d.Bound == "":
		return "the request has no session id"
	case home >= 0 && home != d.Primary:
		return e.whyReplica()
	case d.Primary < 0:
		return e.whyUnbound()
	case !e.snap.table.InBestSet(d, d.Primary):
		return "its origin is not in the best set"
	case home >= 0 && e.view.Usable(home):
		return "its origin can be used"
	case home >= 0:
		return "its origin is out, and its sessions go nowhere else"
	case e.letIn(d.Primary):
		return "its origin is in maintenance, where no binding leads: it is balanced anew, and the rule lets it in there"
	}
	return "its origin is out: it is balanced anew"
}

// whyReplica is why a session goes to the origin that has its replica.
func (e *explanation) whyReplica() string {
	if e.x.decision.Primary < 0 {
		return e.whyUnbound() + ", the origin with the replica can be used"
	}
	return "its origin cannot be used, the one with the replica can"
}

// whyUnbound is why a session has no origin.
func (e *explanation) whyUnbound() string {
	d := &e.x.decision
	if d.Bound != "" {
		return fmt.Sprintf("it is bound to %s, which is not in the configuration any more", d.Bound)
	}
	switch d.Session.Binding {
	case session.Passive:
		if named := e.x.ask.Session.Primary; len(named) > 0 {
			return fmt.Sprintf("%q is in no origin's ids", named)
		}
		return "the id names no origin"
	case session.GatewayCookie:
		return "it has no valid " + d.Session.Gateway.Name() + ", the gateway's cookie"
	}
	return "the id is bound to no origin"
}

// letIn reports whether the deciding rule lets the request into an origin that is
// in maintenance.
func (e *explanation) letIn(identity int) bool {
	if e.x.decision.Order < 0 || e.view.states[identity].Access != admission.Testers {
		return false
	}
	for _, g := range e.snap.orders[e.x.decision.Order] {
		if _, there := g.index[identity]; there && g.testers {
			return true
		}
	}
	return false
}

// originOf is the name of an origin and what it is; empty if there is none.
func (e *explanation) originOf(identity int) (name, state string) {
	if identity < 0 {
		return "", ""
	}
	return e.memberOf(identity).path(), e.view.words[identity]
}

// memberOf is the origin as the best set has it: one address may be in several
// clusters. One that is not in the best set is as the first that has it.
func (e *explanation) memberOf(identity int) *member {
	for _, m := range e.snap.table.BestSetOf(&e.x.decision) {
		if o := e.snap.clusters[m.Cluster].members[m.Origin]; o.identity == identity {
			return o
		}
	}
	for _, cl := range e.snap.clusters {
		for _, m := range cl.members {
			if m.identity == identity {
				return m
			}
		}
	}
	return nil // every identity is somebody's
}
