package gateway

import (
	"bytes"
	"log/slog"

	"weirkeep/gateway/cache"
	"weirkeep/gateway/cache/store"
)

// invalidate removes what an answer to an unsafe method has made untrue (M1 to M3), and
// stores it if it is what a GET would get (M4). One that came before its request was sent in
// full stays with the exchange, whose client is still sending.
func (g *Gateway) invalidate(x *Exchange) Reason {
	c := &x.cached
	c.request.Target = cache.Target{Secure: x.Secure, Authority: x.Authority.Raw, Path: x.Target.Raw}
	a := x.answerToKeep(g)
	for _, raw := range cache.Invalidated(nil, &c.request, &a) {
		if target := x.site.cache.key.targetOf(raw); target != nil {
			g.cache.InvalidateTarget(x.site.name, x.Secure, target)
			x.site.cache.metrics.Purged.Inc()
		}
	}
	g.invalidateGroups(x, cache.InvalidatedGroups(&c.request, &a))
	if reason := g.filterToStore(x); reason != Served {
		return reason
	}
	if !x.storesUnsafe() {
		return Served
	}
	s, why := g.judge(x)
	if why != 0 {
		return Served
	}
	x.fillKey()
	c.flight = g.cache.Alone(&c.key)
	return g.store(x, s)
}

// invalidateGroups removes what is in groups at the request's own origin (RFC 9875): the site
// stands for host and port, unless the key has them.
func (g *Gateway) invalidateGroups(x *Exchange, groups []string) {
	if len(groups) == 0 {
		return
	}
	secure, host := x.Secure, x.hostPart(nil)
	sel := store.SelectGroups(x.site.name, groups)
	sel.Brief = true
	sel.Where = func(e *store.Entry) bool { return e.Key().Secure == secure && bytes.HasPrefix(e.Key().Parts, host) }
	r := g.cache.Purge(sel, store.Hard, false)
	x.site.cache.metrics.Purged.Add(uint64(r.Total()))
	if r.Behind.Err != nil {
		g.log.Warn("what an answer has invalidated may be back after a restart", slog.Any("error", r.Behind.Err))
	}
}

// storesUnsafe reports whether the answer to an unsafe method may be stored as what a GET would
// get. Where a router chooses who answers it would have to be asked what it chooses for that.
func (x *Exchange) storesUnsafe() bool {
	c, r := &x.cached, x.routedBy()
	switch {
	case !x.site.cache.policy.PostLocation, x.trip.Uploading(), !x.Body.Done():
		return false
	case r != nil && r.stored != choiceShared:
		return false
	}
	return c.rule == nil || !c.rule.passes(x)
}
