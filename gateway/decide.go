package gateway

import (
	"bytes"
	"net/netip"

	"weirkeep/gateway/route"
)

// decide asks route.Decide what happens to the request.
func (g *Gateway) decide(x *Exchange) Reason {
	if x.Redirect {
		return x.redirect()
	}
	x.fillAsk()
	reason := g.decideRoute(x)
	x.countSession()
	return reason
}

// fillAsk fills in what the decision is made from.
func (x *Exchange) fillAsk() {
	r := &x.ask
	r.Method, r.Scheme, r.HTTP = x.Method, x.scheme(), versions[x.Minor]
	r.Host, r.Port = x.Authority.Host, x.Authority.Port
	r.Path, r.RawPath, r.Query, r.URL = x.Target.Path, pathOf(x.Target.Raw), x.Target.Query, x.Target.Raw
	r.Fields, r.Size = x.Head.Fields, declared(x.Head.Length)
	r.Client, r.Peer = x.client(), netip.AddrPortFrom(plainAddr(x.Peer), x.Peer.Port())
	r.TLS, r.ID, r.Matchers = x.TLS, x.requestID, x
}

// pathOf is a target without its query.
func pathOf(target []byte) []byte {
	path, _, _ := bytes.Cut(target, question)
	return path
}

var question = []byte("?")

// client is who sent the request. Of one that a proxy speaks for, the port is not
// known.
func (x *Exchange) client() netip.AddrPort {
	if peer := plainAddr(x.Peer); x.clientIP == peer {
		return netip.AddrPortFrom(peer, x.Peer.Port())
	}
	return netip.AddrPortFrom(x.clientIP, 0)
}

// versions are the texts of HTTP versions by their minor number.
var versions = [2]string{"1.0", "1.1"}

// declared is the length of a body that its head declares, -1 if it declares none.
func declared(length int64) int64 {
	return max(length, -1)
}

// decideRoute makes the decision and looks up what it names. A request that is
// decided anew, by the same rule, is one that the rule has decided.
func (g *Gateway) decideRoute(x *Exchange) Reason {
	before := x.rule
	x.decision = route.Decide(x.snap.table, &x.ask, x, x.Now, nil)
	d := &x.decision
	if d.Site >= 0 {
		x.site = &x.snap.sites[d.Site]
	}
	if d.Mapping >= 0 {
		x.mapping = &x.snap.mappings[d.Mapping]
		x.session = x.mapping.session
	}
	x.order, x.rule = nil, nil
	if d.Order >= 0 {
		x.order = x.snap.orders[d.Order]
	}
	if d.Rule >= 0 {
		x.rule = x.snap.actions[d.Rule]
		if x.rule != before {
			x.rule.metrics.Hits.Inc()
		}
	}
	if x.notPublic() {
		return SiteNotPublic
	}
	return reasonOfDecision[d.Reason]
}

// notPublic reports whether a client asks for what is for fragments of pages alone (M-SITE-02),
// whatever mappings and rules say of it. Who fetches for the store is no client.
func (x *Exchange) notPublic() bool {
	return x.site != nil && x.site.provider && x.within == nil && !x.clientless
}

// reasonOfDecision is why a decision ends the walk, if it does.
var reasonOfDecision = [...]Reason{
	route.NoSite:      NoSite,
	route.NoMapping:   NoMapping,
	route.Matched:     Served,
	route.Rejected:    RejectedByRule,
	route.Redirected:  RedirectedByRule,
	route.NoPermitted: NoPermitted,
}

// countSession counts what the client's session is.
func (x *Exchange) countSession() {
	if x.session == nil || x.within != nil {
		return
	}
	switch d, m := &x.decision, x.session.metrics; {
	case d.Bound != "":
		m.Bound.Inc()
	case d.ID == nil:
		m.None.Inc()
	default:
		m.Unknown.Inc()
	}
}

// redirect sends the client to the same URL with https, if it named a host.
func (x *Exchange) redirect() Reason {
	if len(x.Authority.Raw) == 0 {
		return BadHost
	}
	return RedirectedToHTTPS
}

// scheme is how the request came: what a trusted proxy says of the client's
// connection is for origins, not for choosing a site.
func (x *Exchange) scheme() string {
	if x.Secure {
		return "https"
	}
	return "http"
}
