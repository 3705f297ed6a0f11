package gateway

import (
	"weirkeep/gateway/cache"
	"weirkeep/gateway/metrics"
)

// A request that reaches no origin may answer those that come next for the same
// (cache.ttl.unreachable): each of them would take as long to find out, and a connection to
// an origin that has trouble enough.

// tellable are the reasons that the next request for the same would meet as well. That
// origins are out, or full, is known without asking.
var tellable = [reasons]bool{
	ConnectRefused: true, NameNotFound: true, TLSFailed: true, ConnectFailed: true, ConnectTimeout: true, OriginReset: true, OriginTimeout: true,
}

// tellsOthers reports whether an exchange that failed is the answer to others.
func (x *Exchange) tellsOthers(reason Reason) bool {
	return tellable[reason] && x.failsLikeOthers()
}

// failsLikeOthers reports whether others for the same would be tried at the same origins:
// not where the client or its session matters.
func (x *Exchange) failsLikeOthers() bool {
	c := &x.cached
	return c.asked && x.site.cache.failing > 0 && !c.request.Authorization && x.decision.Home < 0
}

// failsAlike answers an exchange like the one before it for the same, if that has just
// reached no origin: with what has expired, where that may be used then, else with the same
// reason.
func (g *Gateway) failsAlike(x *Exchange) (reason Reason, alike bool) {
	if !x.failsLikeOthers() {
		return Served, false
	}
	c := &x.cached
	m, ok := g.cache.Marked(&c.key)
	if !ok || !m.Failed {
		return Served, false
	}
	reason = Reason(m.Why)
	c.status.Detail = reason.String()
	if c.stale != nil && x.mayUseStale(cache.Disconnected) {
		x.answerFrom(c.stale, metrics.CacheStale)
		return Served, true
	}
	c.outcome, c.status.Fwd = metrics.CacheUnreachable, cache.NotForwarded
	return x.withoutStale(reason), true
}
