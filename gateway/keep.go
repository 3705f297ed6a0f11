package gateway

import (
	"time"

	"weirkeep/gateway/cache"
	"weirkeep/gateway/cache/store"
	"weirkeep/gateway/metrics"
)

// keep looks at what an origin has answered, or that none has: filters of stage store have
// their turn; what may be stored is, and becomes the answer of all who wait for it; what was
// stored and still holds is the answer; what has expired is, where nothing better is to be had
// and nothing forbids it.
func (g *Gateway) keep(x *Exchange, reason Reason) Reason {
	c := &x.cached
	if !c.on || reason == SentAway {
		return g.unkept(x, reason)
	}
	if x.changedSides() || c.asked && reason == Served && !x.chosenAs() {
		return g.leaveStore(x, reason)
	}
	if reason != Served {
		return g.keepFailure(x, reason)
	}
	c.status.FwdStatus = x.trip.Status.Code
	if x.cutsTemplate() {
		return g.askAgain(x)
	}
	switch c.request.Method {
	case cache.Unsafe:
		return g.invalidate(x)
	case cache.Get:
		if c.asked && x.trip.Status.Code != 101 {
			return g.keepAnswer(x)
		}
	case cache.Head:
		if c.asked {
			g.keepHead(x)
			return g.passHead(x)
		}
	}
	return g.filterToStore(x)
}

// unkept is what becomes of an answer that the store is not asked about.
func (g *Gateway) unkept(x *Exchange, reason Reason) Reason {
	if reason != Served {
		return reason
	}
	return g.filterToStore(x)
}

// keepAnswer looks at an answer to GET.
func (g *Gateway) keepAnswer(x *Exchange) Reason {
	c := &x.cached
	code := x.trip.Status.Code
	if code >= 500 && c.stale != nil && x.mayUseStale(cache.Failure(code)) {
		x.endFlight()
		g.dropAnswer(x)
		x.answerFrom(c.stale, metrics.CacheStale)
		return Served
	}
	switch {
	case code == 304 && c.asking == askStale:
		return g.keepValidated(x)
	case code == 206 && c.asking == askRest:
		return g.keepRest(x)
	}
	if reason := g.filterToStore(x); reason != Served {
		return reason
	}
	s, why := g.judge(x)
	if why != 0 {
		g.refuseToStore(x, why)
		return Served
	}
	if whole := x.inSlices(s); whole != nil {
		return g.storeSliced(x, whole)
	}
	return g.store(x, s)
}

// judge says what is to be stored of the answer, as filters have made it.
func (g *Gateway) judge(x *Exchange) (*cache.Stored, cache.Refusal) {
	if x.cached.raw {
		return nil, cache.RefusedFilter
	}
	a := x.answerToKeep(g)
	return x.site.cache.policy.Store(&x.cached.request, &a, x.override(&a))
}

// override is what the caching rule says that is true of the request and an answer, and what
// the include does that asks for it.
func (x *Exchange) override(a *cache.Answer) cache.Override {
	rule := x.cached.rule
	if rule == nil {
		rule = x.site.cache.ruleOf(x, a)
	}
	var say cache.Override
	if rule != nil {
		say = rule.say
	}
	return x.cached.terms.add(say)
}

// refuseToStore ends the fetch for others with an answer that is not stored. Others go at
// once; if theirs are not likely to be stored either, nobody waits for them for a while. What is
// stored goes, if the answer shows that it is out of date.
func (g *Gateway) refuseToStore(x *Exchange, why cache.Refusal) {
	c := &x.cached
	c.status.Detail, c.refusal = why.String(), why
	if c.stale != nil && why.Supersedes(x.trip.Status.Code) {
		g.removeFitting(x)
	}
	x.passFlight(why)
}

// removeFitting removes all that is stored and fits the request, in memory and behind it: what is
// older than the newest, which is out of date, is so even more.
func (g *Gateway) removeFitting(x *Exchange) {
	c, p := &x.cached, &x.site.cache.policy
	for _, e := range g.cache.AppendFitting(nil, &c.key, &c.request, p) {
		g.cache.Remove(e)
	}
	g.cache.Remove(c.stale) // which may have left memory
	g.tier.VoidFitting(&c.key, &c.request, p)
}

// answerToKeep is the origin's answer as the cache looks at it.
func (x *Exchange) answerToKeep(g *Gateway) cache.Answer {
	t := x.trip
	return cache.Answer{
		Status: t.Status.Code, Reason: t.Status.Reason, Fields: t.Answer.Fields, Source: x.cached.source, Length: t.Body.Length(),
		Sent: x.cached.sent, Received: g.now(time.Now()),
	}
}

// keepValidated is what an origin says still holds, with what it says anew (C6, C7). A
// 304 about another version is for a client that has that; for others the origin is
// asked anew.
func (g *Gateway) keepValidated(x *Exchange) Reason {
	c := &x.cached
	a := x.answerToKeep(g)
	whole, same := c.stale.Stored().Renewed(&a)
	switch {
	case !same && c.request.Has(&a):
		x.passFlight(0)
		return g.filterToStore(x)
	case !same:
		return g.askAgain(x)
	}
	if reason := g.filterRenewed(x, &whole); reason != Served {
		return reason
	}
	s, why := x.site.cache.policy.Renew(c.stale.Stored(), &c.request, &whole, x.override(&whole))
	switch {
	case c.raw:
		why = cache.RefusedFilter
		c.status.Detail, c.refusal = why.String(), why
	case why.Lasting():
		g.removeFitting(x)
	}
	e := x.renewStale(s, why)
	x.passFlight(why)
	g.dropAnswer(x)
	x.answerFrom(e, metrics.CacheRevalidated)
	return Served
}

// renewStale is what has expired with what is known of it now: for all, if nothing speaks against
// that, else for this exchange alone.
func (x *Exchange) renewStale(s *cache.Stored, why cache.Refusal) *store.Entry {
	c, head := &x.cached, s.AppendHead(nil)
	f := c.flight
	if f == nil || why != 0 {
		return c.stale.With(s, head)
	}
	c.flight = nil
	return f.Update(c.stale, s, head)
}

// askAgain asks for the whole, whatever is stored.
func (g *Gateway) askAgain(x *Exchange) Reason {
	g.dropAnswer(x)
	x.cached.asking, x.cached.stale = askWhole, nil
	return g.keep(x, g.obtain(x))
}

// keepRest puts a part that is stored and the rest of it together (G3). If that must not be
// stored, the whole is asked for: others may wait for it, whom the answer is not for.
func (g *Gateway) keepRest(x *Exchange) Reason {
	c := &x.cached
	a, first := x.answerToKeep(g), c.stale
	s, why := x.site.cache.policy.Join(first.Stored(), &c.request, &a, x.override(&a))
	if why.Lasting() {
		g.removeFitting(x)
	}
	if why != 0 || !first.Body().Ready() {
		return g.askAgain(x)
	}
	if reason := g.storeAfter(x, s, first.Body()); c.entry != nil {
		return reason
	}
	c.flight = g.cache.Alone(&c.key)
	return g.askAgain(x)
}

// dropAnswer ends the trip, whose answer nobody is given. It counts for the origin as
// one that was passed on.
func (g *Gateway) dropAnswer(x *Exchange) {
	x.learn()
	x.trip.End(x.trip.Body.Arrived())
	x.conclude(Served)
	x.leave()
}

// keepHead compares an answer to HEAD with what is stored of GET (C10): where they
// differ, that has expired.
func (g *Gateway) keepHead(x *Exchange) {
	c := &x.cached
	if c.stale == nil {
		return
	}
	a := x.answerToKeep(g)
	if len(x.site.toStore.all) > 0 {
		if s := c.stale.Stored().AfterHead(&a); s != c.stale.Stored() {
			g.cache.Update(c.stale, s, c.stale.Head())
		}
		return
	}
	s, why := x.site.cache.policy.RefreshHead(c.stale.Stored(), &c.request, &a, x.override(&a))
	switch {
	case why.Lasting():
		g.removeFitting(x)
	case why == 0 && s != c.stale.Stored():
		g.cache.Update(c.stale, s, s.AppendHead(nil))
	}
}
