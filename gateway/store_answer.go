package gateway

import (
	"io"
	"sync"

	"weirkeep/gateway/cache"
	"weirkeep/gateway/cache/store"
	"weirkeep/gateway/origin"
	"weirkeep/gateway/wire"
)

// store stores the origin's answer, and makes what is stored the answer: to this
// exchange and to those that wait for the same. What is here as a whole is stored at
// once; else a filler goes on with it at the origin's pace, whatever the clients'.
func (g *Gateway) store(x *Exchange, s *cache.Stored) Reason { return g.storeAfter(x, s, nil) }

// storeAfter is store for an answer whose beginning is stored already, in first if that is not nil.
func (g *Gateway) storeAfter(x *Exchange, s *cache.Stored, first *store.Body) Reason {
	c := &x.cached
	fill := c.flight.Store(s, s.AppendHead(nil))
	c.flight = nil
	if fill == nil {
		c.status.Detail = "no room"
		return Served
	}
	c.status.Stored = true
	x.site.cache.metrics.Stored.Inc()
	g.fill(x, fill, first)
	return Served
}

// fill makes what is being stored the answer, begins it with what is stored already, and
// sees to the rest.
func (g *Gateway) fill(x *Exchange, fill *store.Fill, first *store.Body) {
	x.learn()
	x.cached.entry = fill.Entry()
	if x.clientless {
		fill.Unread()
	}
	if first != nil {
		g.copyStored(fill, first)
	}
	g.begin(x, fill)
}

// begin has a filler take the rest of the answer: at once, if it is here as a whole.
func (g *Gateway) begin(x *Exchange, fill *store.Fill) {
	f := g.filler(x, fill)
	if f.x.trip.Body.Whole() || f.x.trip.Body.Arrived() {
		f.run()
	} else {
		g.fills.Go(f.run)
	}
}

// copyStored begins what is being stored with a body that is. One that cannot be read makes it
// too short, so that it fails.
func (g *Gateway) copyStored(fill *store.Fill, first *store.Body) {
	r := first.Reader(0, -1)
	defer r.Close()
	for {
		p, err := r.Next(nobody{g})
		if err != nil || fill.Write(p) != nil {
			return
		}
	}
}

// filler stores an answer that is arriving. It has taken the trip, the slot and what
// is still to be told of the attempt from the exchange that began it, whose client may
// go (design: whose head is here belongs to the cache).
type filler struct {
	g    *Gateway
	x    *Exchange // has no client
	fill *store.Fill
	held room // of what was read ahead of the answer for filters
}

// fillers are those that are not at work.
var fillers = sync.Pool{New: func() any { return &filler{x: &Exchange{trip: new(origin.Trip)}} }}

// noContent is the content of a request that is sent in full: what the exchange had is the
// next request's by the time that the trip ends.
var noContent wire.Body

// filler takes an attempt over, whose request is sent in full.
func (g *Gateway) filler(x *Exchange, fill *store.Fill) *filler {
	f := fillers.Get().(*filler)
	f.g, f.fill = g, fill
	f.x.trip, x.trip = x.trip, f.x.trip
	f.x.trip.Caller, f.x.trip.Sender, f.x.trip.Content = nobody{g}, nobody{g}, &noContent
	f.x.snap, f.x.member, f.x.group, f.x.slots = x.snap, x.member, x.group, x.slots
	f.x.trial, f.x.blamed, f.x.counted, f.x.tick, f.x.start = x.trial, x.blamed, x.counted, x.tick, x.start
	f.x.cause = nil
	f.x.snap.users.Add(1)
	x.slots, x.trial = nil, false
	if x.plug != nil {
		f.held, x.plug.answer = x.plug.answer, room{}
	}
	return f
}

// run stores the rest of the answer. Its end is seen when the origin's slot is free: who has it
// all may ask for more at once. A fault of ours costs the answer and no more.
func (f *filler) run() {
	x := f.x
	defer fillers.Put(f)
	defer x.snap.release()
	defer x.leave()
	defer f.held.drop()
	defer x.trip.Body.Drop()
	defer func() {
		if fault := recover(); fault != nil {
			f.g.tellPanic(fault)
			x.trip.Abandon()
			x.leave()
			f.fill.Fail()
		}
	}()
	reason := f.carry()
	x.trip.End(reason == Served)
	x.conclude(reason)
	x.leave()
	f.end(reason)
}

// end says to who reads the answer that it is complete, or broke off.
func (f *filler) end(reason Reason) {
	if reason == Served {
		f.fill.Done()
	} else {
		f.fill.Fail()
	}
}

// carry copies content until its end, or until one side fails.
func (f *filler) carry() Reason {
	for b := &f.x.trip.Body; ; {
		p, err := b.Next()
		switch {
		case err == io.EOF:
			return Served
		case err != nil:
			return f.x.reasonOfCut(err)
		}
		if err := f.fill.Write(p); err != nil { // nobody reads it, and it is not stored
			return ClientGone
		}
		b.Consume(len(p))
	}
}

// nobody waits for what a filler stores, and is told nothing. It goes when the gateway is
// closed.
type nobody struct{ g *Gateway }

// Interim implements origin.Caller.
func (nobody) Interim(int, []wire.Field) error { return nil }

// Flush implements origin.Caller.
func (nobody) Flush() error { return nil }

// Gone implements origin.Caller.
func (n nobody) Gone() bool { return n.g.cut.Load() }

// Continue implements origin.Sender.
func (nobody) Continue() error { return nil }

// Interrupt implements origin.Sender.
func (nobody) Interrupt() {}

var (
	_ origin.Caller = nobody{}
	_ origin.Sender = nobody{}
)
