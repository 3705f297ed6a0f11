package gateway

import (
	"errors"
	"math/rand/v2"

	"weirkeep/gateway/cache"
	"weirkeep/gateway/metrics"
)

// A sliced answer is stored as a head without a body, and as slices: pieces of the body, each
// of which is an entry of its own, under the key of the head, what it is of the whole, and the
// version. So slices of two versions never meet. What expires, is validated and is
// chosen for a request is the head; see the RATIONALE.

// inSlices is the head of what an origin has answered, if it is to be stored in slices; else
// nil.
func (x *Exchange) inSlices(s *cache.Stored) *cache.Stored {
	if !x.slices() || x.site.esi != nil && x.site.esi.takes(s.Content, s.Fields) { // a template is read as a whole
		return nil
	}
	a, of := cache.Answer{Status: x.trip.Status.Code, Fields: x.trip.Answer.Fields}, x.site.cache
	return s.InSlices(&x.cached.request, &a, of.slice, of.above)
}

// slices reports whether an answer to the exchange may be stored in slices. A filter of stage
// store would have to see all of it, and a page has use for all of a fragment.
func (x *Exchange) slices() bool {
	return x.site.cache.slice > 0 && x.within == nil && len(x.site.toStore.all) == 0 && !x.cached.request.ForOrigin()
}

// storeSliced stores a head. The answer that it came with is given up: from now on only
// slices are asked for.
func (g *Gateway) storeSliced(x *Exchange, whole *cache.Stored) Reason {
	c := &x.cached
	if c.unsliced {
		c.refusal = cache.RefusedSlices
		c.status.Detail = c.refusal.String()
		x.passFlight(0)
		return Served
	}
	fill := c.flight.Store(whole, whole.AppendHead(nil))
	c.flight = nil
	if fill == nil {
		c.status.Detail = "no room"
		return Served
	}
	fill.Done()
	c.status.Stored = true
	x.site.cache.metrics.Stored.Inc()
	g.dropAnswer(x)
	c.entry = fill.Entry()
	return Served
}

// sliced reports whether the answer is one that is stored in slices.
func (c *cached) sliced() bool { return c.entry != nil && c.entry.Stored().Sliced() }

// What an origin may answer that is no slice of what is being sent. Before the first byte
// the exchange begins anew; later the answer breaks off.
var (
	errSliceChanged = errors.New("another version came while the answer was sent in slices of one")
	errSliceOther   = errors.New("the origin was asked for a slice and answered with something else")
	errSliceStatus  = errors.New("the origin was asked for a slice and answered with an error")
)

// openSlices gets the slice that the reply begins with, before anything is sent. If that is of
// another version by now, what is stored is forgotten, and the whole is asked about once
// more; if there are no slices, or not of one version, the answer is passed on as it comes.
func (g *Gateway) openSlices(x *Exchange) Reason {
	c := &x.cached
	for tries := 1; ; tries++ {
		err := g.beginSlices(x)
		switch {
		case err == nil:
			return Served
		case err.cause == errSliceStatus, err.cause == errSliceOther:
			return g.passUnsliced(x)
		case err.cause != errSliceChanged:
			return x.because(err.cause, err.reason)
		case tries > 1:
			g.markUnsliced(x)
			return g.passUnsliced(x)
		}
		c.entry, c.slices = nil, nil
		if reason := g.askOnceMore(x); reason != Served || !c.sliced() {
			return reason
		}
	}
}

// beginSlices decides what is sent of a sliced answer, and gets the first slice of it.
func (g *Gateway) beginSlices(x *Exchange) *sliceError {
	c := &x.cached
	s := c.entry.Stored()
	c.reply = s.Reply(&c.request, s.Slices.Size)
	c.slices = &sliceWalk{g: g, x: x, head: c.entry, whole: s}
	at, any := c.reply.Begins()
	if !any || c.request.Method == cache.Head {
		return nil
	}
	came, err := c.slices.take(at / s.Slices.Each)
	if err != nil {
		return err
	}
	if c.entry = c.entry.With(s.Since(c.slices.slice.Stored()), c.entry.Head()); came != metrics.CacheHit && c.outcome == metrics.CacheHit {
		c.outcome = came
		c.status.Hit, c.status.Fwd, c.status.FwdStatus = false, cache.FwdPartial, 206
		c.status.Collapsed = came == metrics.CacheCollapsed
	}
	return nil
}

// markUnsliced lets nothing be stored in slices for a while.
func (g *Gateway) markUnsliced(x *Exchange) {
	g.cache.Alone(&x.cached.key).Pass(passMarker, uint8(cache.RefusedSlices))
}

// askOnceMore goes back to where the store is asked.
func (g *Gateway) askOnceMore(x *Exchange) Reason {
	reason := g.find(x)
	if reason == Served && x.cached.entry == nil {
		reason = g.keep(x, g.obtain(x))
	}
	return reason
}

// passUnsliced asks as the client asks, and passes the answer on.
func (g *Gateway) passUnsliced(x *Exchange) Reason {
	c := &x.cached
	c.entry, c.slices, c.stale = nil, nil, nil
	c.asking, c.unsliced, c.flight = askAsIs, true, g.cache.Alone(&c.key)
	c.outcome = metrics.CacheMiss
	c.status.Hit, c.status.Collapsed, c.status.Fwd = false, false, cache.FwdPartial
	return g.keep(x, g.obtain(x))
}

// deliverSliced is deliverStored for an answer whose body is in slices.
func (g *Gateway) deliverSliced(x *Exchange) Reason {
	c := &x.cached
	s, head := c.entry.Stored(), c.entry.Head()
	if c.reply.Status != s.Status || len(c.reply.Parts()) > 0 {
		c.reply.Seed = rand.Uint64()
		x.up = s.AppendReply(x.up[:0], &c.reply)
		head = x.up
	}
	if len(x.site.filters) > 0 || x.site.response.any() {
		return g.deliverEdited(x, head)
	}
	x.w.Prepared(c.reply.Status, head, x.fieldsOfNow(g, s), x.replyLength())
	return x.passReply()
}
