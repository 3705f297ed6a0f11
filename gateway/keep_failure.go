package gateway

import (
	"weirkeep/gateway/cache"
	"weirkeep/gateway/metrics"
)

// keepFailure answers from what has expired, if it may be used when no origin can be
// reached (4.2.4).
func (g *Gateway) keepFailure(x *Exchange, reason Reason) Reason {
	c := &x.cached
	switch {
	case reason == ClientGone:
		x.leaveFlight()
	case x.tellsOthers(reason):
		x.failFlight(reason)
	}
	x.endFlight()
	if c.stale == nil || reason == ClientGone || !unreached[reason] {
		return reason
	}
	if x.mayUseStale(cache.Disconnected) {
		x.cause = nil
		x.answerFrom(c.stale, metrics.CacheStale)
		c.status.Hit, c.status.Fwd, c.status.Detail = false, cache.FwdStale, reason.String()
		return Served
	}
	return x.withoutStale(reason)
}

// withoutStale is why an exchange fails that may not use what has expired, if that is stored.
func (x *Exchange) withoutStale(reason Reason) Reason {
	if s := x.cached.stale; s != nil && (s.Stored().Fresh.Strict || s.Stored().Fresh.Validate) {
		return NotValidated
	}
	return reason
}

// unreached are the reasons that say that no origin could be reached.
var unreached = [reasons]bool{
	NoOrigin: true, QueueFull: true, QueueTimeout: true, ConnectRefused: true, NameNotFound: true, TLSFailed: true, ConnectFailed: true,
	ConnectTimeout: true, OriginReset: true, OriginTimeout: true, BadAnswer: true,
}

func (x *Exchange) mayUseStale(f cache.Failure) bool {
	c := &x.cached
	return x.site.cache.policy.MayUseStale(c.stale.Stored(), &c.request, x.Now, f)
}
