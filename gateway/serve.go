package gateway

import (
	"log/slog"
	"runtime/debug"
)

// serve walks one exchange through the gateway, from a head that has arrived
// to an answer that has been sent. This is the page to read first: one call a
// room. A room returns Served to go on, or the reason why the walk ends.
func (g *Gateway) serve(x *Exchange, w Responder) {
	x.w = w
	x.snap = g.acquire()
	defer g.finish(x)
	x.Now = g.now(x.start)

	reason := g.check(x)
	if reason != Served {
		x.w.Close() // where its body ends is not known
	} else {
		reason = g.decide(x)
	}
	if reason == Served && len(x.site.filters) > 0 {
		reason = g.filterRequest(x)
	}
	if reason == Served {
		reason = g.lookup(x)
	}
	if reason == Served && x.cached.entry == nil {
		reason = g.keep(x, g.obtain(x))
	}
	if reason == Served && x.cached.sliced() {
		reason = g.openSlices(x)
	}
	switch reason {
	case Served:
		reason = g.deliver(x)
	case AnsweredByFilter:
		g.giveAnswer(x)
	default:
		g.refuse(x, reason)
	}
	if err := x.w.End(); err != nil && reason == Served {
		reason = x.because(err, ClientGone)
	}
	x.reason = g.whoEnded(reason)
}

// whoEnded tells a client that has gone from one that we cut: when the drain's
// patience has ended, both look the same to the walk.
func (g *Gateway) whoEnded(reason Reason) Reason {
	if reason == ClientGone && g.cut.Load() {
		return CutByDrain
	}
	return reason
}

// finish ends the walk, also one that ended in a panic: a fault of ours costs
// its own exchange and no other, also if it is met while that is recorded.
func (g *Gateway) finish(x *Exchange) {
	defer x.dropHeld()
	defer x.release()
	defer x.leave()
	defer x.endFlight()
	if fault := recover(); fault != nil {
		g.caught(x, fault)
	}
	defer g.unrecorded(x)
	g.record(x)
}

// unrecorded ends an exchange that met a fault of ours while it was recorded.
func (g *Gateway) unrecorded(x *Exchange) {
	if fault := recover(); fault != nil {
		g.tellPanic(fault)
		x.w.Abort()
	}
}

// tellPanic counts and logs a fault of ours.
func (g *Gateway) tellPanic(fault any) {
	g.metrics.Process.Panics.Inc()
	g.log.Error("panic in an exchange", slog.Any("fault", fault), slog.String("stack", string(debug.Stack())))
}

// release gives the snapshot back, once. Its parts may still be read.
func (x *Exchange) release() {
	if !x.released {
		x.released = true
		x.snap.release()
	}
}

// caught answers an exchange that met a fault of ours, to the answer's end. Its
// trip is given up first; if the answer, or the log, meets a fault as well, the
// connection is all that ends.
func (g *Gateway) caught(x *Exchange, fault any) {
	defer func() {
		if recover() != nil {
			x.w.Abort()
		}
	}()
	x.reason = Panicked
	g.tellPanic(fault)
	x.trip.Abandon()
	if status, _ := x.w.Sent(); status == 0 {
		g.refuse(x, Panicked)
	} else {
		x.w.Abort()
	}
	x.w.Close()
	x.w.End()
}

// serveBadHead answers a head that the front door could not read: it has no
// part that a room could look at.
func (g *Gateway) serveBadHead(x *Exchange, w Responder, reason Reason) {
	x.w = w
	x.snap = g.acquire()
	defer g.finish(x)
	x.Now = g.now(x.start)
	x.w.Close()
	x.Minor = -1 // not known
	x.nameRequest(g)
	x.identify()
	g.refuse(x, reason)
	x.reason = reason
}
