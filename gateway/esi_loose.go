package gateway

import (
	"weirkeep/gateway/cache"
	"weirkeep/gateway/cache/store"
)

// loose makes of the origin's answer, which is not stored, what is read like one that is: a filler
// takes the trip, so that the slot is free when the origin has sent all, however slow the
// client is. Nobody else is given it. Who does not read it after all says so (Decline). nil: the
// request is not sent in full yet, and the answer stays with the exchange.
func (g *Gateway) loose(x *Exchange) *store.Entry {
	if x.trip.Uploading() || !x.Body.Done() {
		return nil
	}
	var p cache.Policy
	if x.site.cache != nil {
		p = x.site.cache.policy
	}
	x.learn()
	a := x.answerToKeep(g)
	fill := g.cache.Passing(&x.cached.key, p.Unstored(&a))
	g.begin(x, fill)
	return fill.Entry()
}
