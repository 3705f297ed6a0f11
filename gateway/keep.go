package gateway

import (
	"bytes"
	"log/slog"
	"time"

	"weirkeep/gateway/cache"
	"weirkeep/gateway/cache/store"
	"weirkeep/gateway/metrics"
	"weirkeep/gateway/wire"
)

// passMarker is how long requests for what was not stored are not held together.
const passMarker = 2 * time.Minute

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

// endFlight ends the fetch for others that has brought nothing, if it has not ended.
func (x *Exchange) endFlight() {
	if f := x.cached.flight; f != nil {
		x.cached.flight = nil
		f.Fail()
	}
}

// leaveFlight leaves the fetch for others to one of them: it is the client that has gone, and
// not the origin.
func (x *Exchange) leaveFlight() {
	if f := x.cached.flight; f != nil {
		x.cached.flight = nil
		f.Leave()
	}
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

// passFlight ends the fetch for others with an answer that is not for them.
func (x *Exchange) passFlight(why cache.Refusal) {
	f := x.cached.flight
	if f == nil {
		return
	}
	x.cached.flight = nil
	if why.Lasting() {
		f.Pass(passMarker, uint8(why))
	} else {
		f.Pass(0, 0)
	}
}

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
	head := s.AppendHead(nil)
	e := c.stale.With(s, head)
	if c.flight != nil && why == 0 {
		e = c.flight.Update(c.stale, s, head)
		c.flight = nil
	}
	x.passFlight(why)
	g.dropAnswer(x)
	x.answerFrom(e, metrics.CacheRevalidated)
	return Served
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

// passHead passes an answer to HEAD on with what GET would say of codings (RFC 9110, 9.3.2): a
// cache behind this one may hold either against what it has.
func (g *Gateway) passHead(x *Exchange) Reason {
	reason := g.filterToStore(x)
	if reason == Served && x.offersCodings(g) {
		x.trip.Answer.Fields = append(x.trip.Answer.Fields, variesByCoding)
	}
	return reason
}

var variesByCoding = wire.Field{Name: varyName, Value: []byte("Accept-Encoding")}

// offersCodings reports whether the answer to HEAD is one to a GET that would be stored, and
// sent in codings, and does not say so itself.
func (x *Exchange) offersCodings(g *Gateway) bool {
	a := x.answerToKeep(g)
	a.Length = x.trip.Answer.Length
	say, p := x.override(&a), &x.site.cache.policy
	if x.cached.raw || len(p.Codings)+len(say.Codings) == 0 {
		return false
	}
	get := x.cached.request
	get.Method = cache.Get
	s, why := p.Store(&get, &a, say)
	return why == 0 && s.AddsVary() && s.Length <= x.snap.stored.MaxObject && x.inSlices(s) == nil
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
