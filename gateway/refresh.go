package gateway

import (
	"time"

	"weirkeep/gateway/cache/store"
)

// mostRefreshes is how many fetches without a client run at once. Further ones are left
// to who comes next.
const mostRefreshes = 64

// refresh asks an origin anew for what is stored, while the client gets what there is, as
// the origins' capacity permits (D-WC-19): at one where a part of it is free, so that no
// client comes to wait. Who asks for the same next tries again, so what is asked for most
// is refreshed first. There is one at a time for each; one that has failed is not repeated
// at once (Z6).
func (g *Gateway) refresh(x *Exchange, e *store.Entry) {
	if !e.Due(x.Now) || !x.hasSpare() {
		return
	}
	if g.refreshes.Add(1) > mostRefreshes {
		g.refreshes.Add(-1)
		return
	}
	c := &x.cached
	flight := g.cache.Lead(&c.key, &c.request, &x.site.cache.policy)
	if flight == nil {
		g.refreshes.Add(-1)
		return
	}
	if g.cache.Peek(&c.key, &c.request, &x.site.cache.policy) != e { // another one has been refreshed since it was looked for
		flight.Leave()
		g.refreshes.Add(-1)
		return
	}
	x.site.cache.metrics.Refreshes.Inc()
	r := g.cloneAsking(x)
	r.cached.flight, r.cached.stale, r.cached.asking = flight, e, r.askAbout(askStale)
	g.fills.Go(func() { g.fetchAnew(r) })
}

// hasSpare reports whether an origin that could answer has a quarter of its capacity free, or
// has nothing to do.
func (x *Exchange) hasSpare() bool {
	if len(x.order) == 0 {
		return false
	}
	for i := range x.order[0].members {
		s := x.order[0].slots[i]
		if load := s.Load(); x.order[0].opens(i) && (load == 0 || (load+1)*4 <= s.Capacity()*3) {
			return true
		}
	}
	return false
}

// retryRefresh is how long after a refresh has failed the next one is tried.
const retryRefresh = 5 * time.Second

// fetchAnew walks an exchange without a client from the origin to the store.
func (g *Gateway) fetchAnew(x *Exchange) {
	defer g.refreshes.Add(-1)
	defer func() { g.endClientless(x, recover()) }()
	c := &x.cached
	old := c.stale
	reason := g.obtain(x)
	if reason == Served {
		reason = g.keep(x, Served)
	}
	if reason == Served && c.entry == nil { // nobody is given it, and it is not stored
		x.trip.End(false)
		x.conclude(reason)
	}
	if c.entry == nil || c.entry == old || c.raw {
		old.Later(g.now(time.Now()).Add(retryRefresh))
	}
}
