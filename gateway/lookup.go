package gateway

import (
	"time"

	"weirkeep/gateway/cache"
	"weirkeep/gateway/cache/store"
	"weirkeep/gateway/metrics"
	"weirkeep/gateway/wire"
)

// cached is what the cache of its site knows of an exchange. Without one, on is false
// and the rest means nothing.
type cached struct {
	on      bool
	asked   bool          // the store is: it may answer, and may be given the answer
	raw     bool          // a filter of stage store has failed at the answer, which goes on as it came
	terms   terms         // of the include that it is asked for by; the zero value: none
	rule    *cacheRule    // that is true whatever the answer will be; nil: none, or not known yet
	request cache.Request // what is asked for
	key     store.Key
	text    []byte // what key is made of
	choice  []byte // what a router has chosen, as a part of it
	mark    []byte // of the site's filters of stage store, as a part of it
	flight  *store.Flight
	stale   *store.Entry // has expired, and may be validated, or used if nothing better is to be had
	entry   *store.Entry // is the answer
	source  []wire.Field // of the answer as it came, where filters of stage store have changed it; nil: they have not
	asking  asking
	sent    time.Time // when the origin was asked
	outcome metrics.CacheOutcome
	refusal cache.Refusal // why the answer is not stored; 0: it is, or it was not asked whether it may be
	status  cache.Status
	reply   cache.Reply  // what is sent of the entry
	coded   *store.Coded // in which form; nil: as it came
	age     [20]byte
	shown   []byte // value of Cache-Status
	between []byte // what stands between parts
	fields  []wire.Field
	pieces  replySource

	slices   *sliceWalk // reads the answer's body; nil: that is in one piece
	unsliced bool       // nothing is stored in slices, since there have been none of it not long ago
	probing  bool       // a range is asked for of which nothing is known: the answer tells whether there are slices
}

// reset readies it for another request. Buffers stay.
func (c *cached) reset() {
	c.on, c.asked, c.asking = false, false, askAsIs
	c.rule, c.flight, c.stale, c.entry, c.coded, c.slices = nil, nil, nil, nil, nil, nil
	c.source, c.raw, c.choice, c.terms = nil, false, c.choice[:0], terms{}
}

// asking is what the origin is asked for in the client's place.
type asking uint8

const (
	askAsIs  asking = iota // what the client asks for
	askWhole               // the whole answer: the client's conditions are left out
	askStale               // whether what is stored still holds
	askRest                // the part that is missing of what is stored
	askSlice               // a slice of what is stored in slices
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

// askAbout is how an origin is asked about what is stored. Where filters make that of a body they
// need the body; and what they make of two parts is not what they would make of the whole.
func (x *Exchange) askAbout(how asking) asking {
	if s := &x.site.toStore; s.bodies || how == askRest && len(s.all) > 0 {
		return x.askAnew()
	}
	return how
}

// askAnew is what an origin is asked where nothing is stored that could be used: what
// the client asks, where that is for a part, or with conditions that only the origin can
// judge; else the whole.
func (x *Exchange) askAnew() asking {
	r := &x.cached.request
	if r.Range != nil && !x.site.toStore.bodies || r.Method == cache.Head || r.ForOrigin() {
		return askAsIs
	}
	return askWhole
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

// withholds reports whether a field of the request is left out of what the origin is
// asked: where the cache asks in the client's place, and what would spoil the answer for
// others. A range of what filters have made is none of what they make it of.
func (x *Exchange) withholds(f *wire.Field) bool {
	c := &x.cached
	if x.site != nil && x.site.toStore.bodies && cache.AsksForRange(f.Name) {
		return true
	}
	if !c.on {
		return false
	}
	return c.asking != askAsIs && cache.IsReplaced(f.Name) || c.asked && cache.OverridesMethod(f.Name)
}

var rangeName = []byte("Range")

// appendAsking appends the conditions that the cache has of its own.
func (x *Exchange) appendAsking(dst []byte) []byte {
	c := &x.cached
	switch c.fields = c.fields[:0]; c.asking {
	case askStale:
		c.fields = c.stale.Stored().AppendConditions(c.fields)
	case askRest:
		c.fields = c.stale.Stored().AppendRest(c.fields)
	case askSlice:
		c.fields = append(c.fields, wire.Field{Name: rangeName, Value: c.request.Range})
	}
	for i := range c.fields {
		dst = wire.AppendField(dst, c.fields[i].Name, c.fields[i].Value)
	}
	return dst
}
