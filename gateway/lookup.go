package gateway

import (
	"time"

	"weirkeep/gateway/cache"
	"weirkeep/gateway/cache/store"
	"weirkeep/gateway/metrics"
	"weirkeep/gateway/wire"
)

// lookup looks for a stored answer. One that may be used as it is becomes
// x.cached.entry; without, the exchange goes on to an origin: alone, or as the one that
// fetches for all who ask for the same.
func (g *Gateway) lookup(x *Exchange) Reason {
	if !x.mayAsk() {
		return Served
	}
	if reason := x.choosePart(); reason != Served {
		return reason
	}
	x.cached.asked = true
	x.fillKey()
	return g.find(x)
}

// mayAsk reports whether the store may be asked at all.
func (x *Exchange) mayAsk() bool {
	s, c := x.site.cache, &x.cached
	if c.on = s != nil; !c.on {
		return false
	}
	c.status, c.outcome, c.refusal = cache.Status{}, metrics.CachePass, 0
	c.request.Read(x.Method, x.Head.Fields)
	c.rule = s.earlyRule(x)
	c.status.Fwd = x.bypass()
	return c.status.Fwd == cache.NotForwarded
}

// bypass is why the store is not asked; NotForwarded: it is.
func (x *Exchange) bypass() cache.Fwd {
	c := &x.cached
	switch {
	case c.request.Method != cache.Get && c.request.Method != cache.Head:
		return cache.FwdMethod
	case c.rule != nil && c.rule.passes(x), c.terms.pass():
		return cache.FwdBypass
	case x.Head.Length != wire.NoLength && x.Head.Length != 0, x.Head.Upgrade != nil:
		return cache.FwdRequest
	case x.routedBy() != nil && x.routedBy().stored == choicePassed:
		return cache.FwdBypass
	}
	return cache.NotForwarded
}

// passes reports whether the rule leaves the request to the origin.
func (r *cacheRule) passes(x *Exchange) bool {
	switch has := x.decision.ID != nil; r.session {
	case sessionWithout:
		return has || r.say.Pass
	case sessionWith:
		return !has || r.say.Pass
	}
	return r.say.Pass
}

// find looks for the answer, and joins or begins the fetch of one. Who waited for a
// fetch that does not serve it looks once more, and then goes alone.
func (g *Gateway) find(x *Exchange) Reason {
	now := x.Now
	for range 2 {
		if g.look(x, now) {
			return Served
		}
		if reason, settled := g.fetchShared(x); settled {
			return reason
		}
		now = g.now(time.Now())
	}
	return g.goAlone(x)
}

// fetchShared begins the fetch of what is not stored, or joins that of another exchange. It is
// settled then how the exchange goes on, unless the answer that came does not fit it.
func (g *Gateway) fetchShared(x *Exchange) (reason Reason, settled bool) {
	c := &x.cached
	if c.request.OnlyIfCached {
		return NotStored, true
	}
	if reason, alike := g.failsAlike(x); alike {
		return reason, true
	}
	if !x.collapses() {
		return g.goAlone(x), true
	}
	flight, leads := g.cache.Fetch(&c.key, &c.request, &x.site.cache.policy)
	if leads {
		c.flight = flight
		return Served, true
	}
	return g.awaitFlight(x, flight)
}

// awaitFlight waits for the fetch of another exchange. It is settled by it, unless its answer does not
// fit.
func (g *Gateway) awaitFlight(x *Exchange, flight *store.Flight) (reason Reason, settled bool) {
	e, outcome := flight.Wait(x, x.site.cache.wait)
	switch outcome {
	case store.Gone:
		return ClientGone, true
	case store.Leads:
		x.cached.flight = flight
		return Served, true
	case store.Answered:
		return Served, x.answerShared(e)
	}
	if reason, alike := g.failsAlike(x); alike {
		return reason, true
	}
	return g.goAlone(x), true
}

// goAlone has the exchange ask an origin by itself.
func (g *Gateway) goAlone(x *Exchange) Reason {
	x.cached.flight = g.cache.Alone(&x.cached.key)
	return Served
}

// answerShared makes the answer to another exchange the answer, if it is one to this.
func (x *Exchange) answerShared(e *store.Entry) bool {
	if !x.suits(e) {
		e.Body().Decline()
		return false
	}
	x.answerFrom(e, metrics.CacheCollapsed)
	x.cached.status.Collapsed = true
	return true
}

// suits reports whether the answer to another exchange is one to this.
func (x *Exchange) suits(e *store.Entry) bool {
	s, r, p := e.Stored(), &x.cached.request, &x.site.cache.policy
	return s.Fits(r, p) && p.Shares(s, r, x.Now)
}

// look asks the store once, memory before the disk, and reports whether it answers.
func (g *Gateway) look(x *Exchange, now time.Time) bool {
	c, p := &x.cached, &x.site.cache.policy
	found := g.cache.Lookup(&c.key, &c.request, p)
	if found.Entry == nil && !found.Passing && g.tier.Recall(g.cache, &c.key, &c.request, p, now) {
		found = g.cache.Lookup(&c.key, &c.request, p)
	}
	c.stale = nil
	x.noteMiss(&found)
	return found.Entry != nil && g.useStored(x, found.Entry, now)
}

// noteMiss notes what an origin is asked, and why, as if nothing were stored that can be used.
func (x *Exchange) noteMiss(found *store.Found) {
	c := &x.cached
	c.asking = x.askAnew()
	c.unsliced = found.Passing && cache.Refusal(found.Why) == cache.RefusedSlices
	c.probing = found.Entry == nil && !found.Passing && x.probes()
	c.outcome, c.status.Fwd = metrics.CacheMiss, cache.FwdURIMiss
	if found.Others {
		c.status.Fwd = cache.FwdVaryMiss
	}
	if found.Passing {
		c.asking, c.status.Detail = askAsIs, "not stored before"
	}
}

// useStored does with a stored answer what may be done with it, and reports whether that is to send it
// at once. Else it says what an origin is asked about it.
func (g *Gateway) useStored(x *Exchange, e *store.Entry, now time.Time) bool {
	c, s := &x.cached, e.Stored()
	c.status.Fwd = whyAsked(s, now)
	switch use := c.terms.use(&x.site.cache.policy, s, &c.request, now); use {
	case cache.UseFresh, cache.UseStaleWhile:
		g.answerWhile(x, e, use)
		return true
	case cache.UseValidate:
		c.asking = x.askAbout(askStale)
	case cache.UseRest:
		if c.asking = x.askAbout(askRest); s.Part.Size > x.snap.stored.MaxObject { // all of it would not be stored
			c.asking = x.askAnew()
		}
	default:
		c.asking = x.askAnew()
	}
	c.stale = e
	return false
}

// answerWhile makes a stored answer that may be used the answer. One that is stale is asked
// for anew meanwhile.
func (g *Gateway) answerWhile(x *Exchange, e *store.Entry, use cache.Use) {
	if use == cache.UseFresh {
		x.answerFrom(e, metrics.CacheHit)
		return
	}
	x.answerFrom(e, metrics.CacheStale)
	g.refresh(x, e)
}

// whyAsked is why the origin is asked although s is stored, and fits.
func whyAsked(s *cache.Stored, now time.Time) cache.Fwd {
	switch {
	case s.Fresh.Validate || s.TTLAt(now) <= 0:
		return cache.FwdStale
	case s.Part.Size != 0:
		return cache.FwdPartial
	}
	return cache.FwdRequest
}

// answerFrom makes a stored answer the answer.
func (x *Exchange) answerFrom(e *store.Entry, o metrics.CacheOutcome) {
	c := &x.cached
	c.entry, c.outcome = e, o
	if c.status.Hit = o == metrics.CacheHit || o == metrics.CacheStale && c.status.FwdStatus == 0; c.status.Hit {
		c.status.Fwd = cache.NotForwarded
	}
}

// collapses reports whether one fetch may serve the request and others.
func (x *Exchange) collapses() bool {
	c := &x.cached
	return c.request.Method == cache.Get && (c.asking != askAsIs || c.probing) && !c.request.Authorization && x.site.cache.wait > 0
}

// probes reports whether the answer to a range may tell that there are slices.
func (x *Exchange) probes() bool { return x.cached.request.Range != nil && x.slices() }
