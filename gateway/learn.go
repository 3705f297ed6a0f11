package gateway

import (
	"bytes"

	"weirkeep/gateway/admission"
	"weirkeep/gateway/metrics"
	"weirkeep/gateway/route"
	"weirkeep/gateway/session"
	"weirkeep/gateway/wire"
)

// sessionPolicy is a session definition with its bindings, and what holds when
// the origin where a session is at home is out or full.
type sessionPolicy struct {
	definition    *session.Definition
	bindings      *session.Table
	homes         map[string]bool // names of the origins of all mappings whose session it is
	onPrimaryDown route.OnPrimaryDown

	strict    bool // its sessions go nowhere else when that origin is out
	rebalance bool // they do, for once, when it is full
	links     bool // ids are learned from links in pages as well
	metrics   *metrics.Session
}

// learn binds the session that the origin's answer begins, if it begins one, to
// the origin (M-BIND-04). One that has lost its origin is bound to the one that
// has answered in its place (M-BIND-09). What a session itself says of its origin
// is left to it. Of fragments nobody gets to see the session.
func (x *Exchange) learn() {
	s := x.session
	if x.learned {
		return
	}
	x.learned = true
	if s == nil || x.clientless || x.within != nil || s.definition.Binding == session.Passive {
		return
	}
	if x.homeless() {
		s.metrics.Lost.Inc()
		x.decision.Bound = x.member.bound
		x.bind(x.decision.ID)
	}
	if g := s.definition.Gateway; g != nil && !x.away() && g.Outdated(x.Head.Fields) {
		x.bind(nil) // while the old key is still there, or in place of an origin that is not
	}
	id, from := s.definition.Learn(x.trip.Answer.Fields)
	switch {
	case from == session.FromCookie:
		x.bind(id)
	case from == session.FromURL:
		x.bindNew(id)
	case x.rule != nil && x.rule.sticky && x.decision.Bound == "":
		x.bind(nil)
	case s.links && isPlainHTML(x.trip.Answer.Fields):
		x.readLinks()
	}
}

// readLinks begins to look for a session id in the links of a page that passes.
func (x *Exchange) readLinks() {
	if x.links == nil {
		x.links = new(session.Links)
	}
	x.links.Reset(x.session.definition)
	x.reading = true
}

// feedLinks gives them what passes.
func (x *Exchange) feedLinks(p []byte) {
	x.links.Feed(p)
	if id := x.links.ID(); id != nil {
		x.bindNew(id)
		x.reading = false
	}
}

// isPlainHTML reports whether an answer is a page whose links can be read as they
// pass: HTML that is not compressed.
func isPlainHTML(fields []wire.Field) bool {
	html := false
	for i := range fields {
		switch f := &fields[i]; {
		case wire.EqualFold(f.Name, "content-encoding"):
			return false
		case wire.EqualFold(f.Name, "content-type"):
			kind, _, _ := bytes.Cut(f.Value, semicolon)
			html = wire.EqualFold(bytes.TrimSpace(kind), "text/html")
		}
	}
	return html
}

// homeless reports whether the session's origin is out of service, or not there
// any more, so that another has answered. One that only other mappings have may
// well be where they need it.
func (x *Exchange) homeless() bool {
	if !x.away() {
		return false
	}
	if p := x.decision.Primary; p >= 0 && x.session.homes[x.decision.Bound] {
		return x.snap.origins[p].access() > admission.BoundOnly && x.snap.table.InBestSet(&x.decision, p)
	}
	return true
}

// away reports whether the session is at home at another origin than the one
// that has answered.
func (x *Exchange) away() bool {
	return x.decision.Bound != "" && x.decision.Bound != x.member.bound
}

// bind binds a session to the origin that has answered; but not the request's own
// if it is away from home for once: an answer may name the session without
// having begun it.
func (x *Exchange) bind(id []byte) {
	if x.away() && bytes.Equal(id, x.decision.ID) {
		return
	}
	if s := x.session.definition; s.Binding == session.GatewayCookie {
		x.binds = s.Gateway.AppendSet(x.binds[:0], x.member.bound, x.Secure)
	} else {
		x.session.bindings.Bind(id, x.member.bound, x.Now)
	}
	x.session.metrics.Learned.Inc()
}

// bindNew binds a session that was learned from a URL, unless it is bound: a
// page or a redirect may hold an id that somebody else has put there.
func (x *Exchange) bindNew(id []byte) {
	if x.session.definition.Binding == session.GatewayCookie {
		return // the head with its Set-Cookie may have gone
	}
	if _, known := x.session.bindings.Peek(id, x.Now); !known {
		x.bind(id)
	}
}

// sessionText is what the access log says of the request's session.
func (x *Exchange) sessionText() string {
	switch d := &x.decision; {
	case x.session == nil:
		return ""
	case d.ID == nil && d.Bound == "":
		return "none"
	case d.Bound == "":
		return "unknown"
	case x.member != nil && d.Bound != x.member.bound:
		return "elsewhere"
	}
	return "bound"
}
