package gateway

// routerCache is what a router's choice matters to stored answers.
type routerCache uint8

const (
	choiceKeyed  routerCache = iota // each of its lists has answers of its own
	choiceShared                    // it does not change the answer
	choicePassed                    // nothing is stored that it may choose an origin for
)

var routerCaches = map[string]routerCache{"per-choice": choiceKeyed, "shared": choiceShared, "pass": choicePassed}

// routedBy is the router that may choose the origin of the request; nil: none.
func (x *Exchange) routedBy() *router {
	if len(x.order) == 0 {
		return nil
	}
	return x.order[0].lead.router
}

// choosePart asks the router before the store is asked, if its choice changes the answer, and
// keeps what it chose as a part of the key. Its list serves the attempts as well.
func (x *Exchange) choosePart() Reason {
	c := &x.cached
	c.choice = c.choice[:0]
	r := x.routedBy()
	if r == nil || r.stored != choiceKeyed {
		return Served
	}
	x.use(x.order[0])
	if x.decision.Home < 0 && !x.atHand() && x.routed == nil {
		x.routed = x.group
		if reason := x.askRouter(r); reason != Served {
			return reason
		}
	}
	c.choice = x.appendChoice(c.choice, r)
	return Served
}

// appendChoice appends what decides which origin answers: the session's home, this node's own
// host, the router's list, or, without one, the balancer.
func (x *Exchange) appendChoice(dst []byte, r *router) []byte {
	switch {
	case x.decision.Home >= 0:
		return append(append(append(dst, "home "...), x.decision.Bound...), '\n')
	case x.routed == nil:
		return append(dst, "at hand\n"...)
	case !x.listed:
		return append(dst, "balanced\n"...)
	}
	for _, p := range x.plug.list {
		dst = append(append(append(dst, "origin "...), r.members[p].address...), '\n')
	}
	return dst
}

// choosesAlike reports whether the router's choice is still the one in the key.
func (x *Exchange) choosesAlike() bool {
	r := x.routedBy()
	return r == nil || r.stored != choiceKeyed || string(x.appendChoice(nil, r)) == string(x.cached.choice)
}

// chosenAs reports whether an origin has answered that the choice in the key stands for, so
// that the answer is one to all who have the same.
func (x *Exchange) chosenAs() bool {
	r := x.routedBy()
	switch {
	case r == nil || r.stored == choiceShared:
		return true
	case r.stored == choicePassed:
		return false
	case x.decision.Home >= 0:
		return x.member.identity == x.decision.Home
	case x.routed == nil || !x.listed:
		return x.group == x.order[0]
	}
	for _, p := range x.plug.list {
		if r.members[p].identity == x.member.identity {
			return true
		}
	}
	return false
}
