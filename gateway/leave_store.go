package gateway

import "bytes"

// changedSides reports whether what comes of it is no answer to what the store was asked:
// a reload, or the loss of a session's origin, has had the decision made anew while the exchange
// waited, and it is another one, or one of a site that has no cache.
func (x *Exchange) changedSides() bool {
	c := &x.cached
	if x.site == nil || x.site.cache == nil {
		return true
	}
	return c.asked && (x.site.name != c.key.Site || x.snap.table.Variant(x.decision.Variant) != c.key.Variant ||
		!x.choosesAlike() || !bytes.Equal(x.site.toStore.mark, c.mark))
}

// leaveStore makes the exchange one that the store has nothing to do with any more. An answer to what
// was asked in the client's place is not one to the client: then the origin is asked as
// the client asks.
func (g *Gateway) leaveStore(x *Exchange, reason Reason) Reason {
	x.endFlight()
	c := &x.cached
	own := c.asking == askStale || c.asking == askRest
	c.on, c.asked, c.asking = x.site != nil && x.site.cache != nil, false, askAsIs
	if code := x.trip.Status.Code; reason == Served && own && (code == 304 || code == 206) {
		g.dropAnswer(x)
		reason = g.obtain(x)
	}
	return g.unkept(x, reason)
}
