package gateway

import (
	"bytes"
	"net/netip"
	"time"

	"weirkeep/gateway/cache/store"
	"weirkeep/gateway/probe"
	"weirkeep/gateway/wire"
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
	defer x.release()
	defer x.leave()
	defer x.endFlight()
	defer func() {
		if fault := recover(); fault != nil {
			g.tellPanic(fault)
			x.trip.Abandon()
		}
	}()
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

// newClientless is an exchange that has no client, and that begins now.
func (g *Gateway) newClientless(start, now time.Time) *Exchange {
	return &Exchange{
		Source: &heldBody{}, Client: noClient{g}, w: noResponder{}, clientless: true, Peer: netip.MustParseAddrPort("127.0.0.1:0"),
		Now: now, start: start, tick: start,
	}
}

// cloneAsking is cloneExchange for what the store has been asked for, and is to be given.
func (g *Gateway) cloneAsking(x *Exchange) *Exchange {
	y := g.cloneExchange(x)
	c := &y.cached
	c.on, c.asked, c.rule, c.terms, c.choice = true, true, x.cached.rule, x.cached.terms, bytes.Clone(x.cached.choice)
	y.fillKey()
	c.request.Read(y.Method, y.Head.Fields)
	return y
}

// cloneExchange is an exchange for what another is for, GET or HEAD, that gets all of
// it. It has no client and may outlive that one: nothing in it is a view of the other's bytes.
func (g *Gateway) cloneExchange(x *Exchange) *Exchange {
	now := time.Now()
	y := g.newClientless(now, g.now(now))
	y.Method, y.Line, y.Protocol = []byte("GET"), bytes.Clone(x.Line), bytes.Clone(x.Protocol)
	y.Peer, y.Secure, y.TLS, y.Listener = x.Peer, x.Secure, x.TLS, x.Listener
	y.reset()
	y.Head.Length = wire.NoLength
	y.Minor, y.number, y.trusted, y.clientIP = x.Minor, x.number, x.trusted, x.clientIP
	y.Target.Parse(bytes.Clone(x.Target.Raw))
	if len(x.Authority.Raw) > 0 {
		y.Authority.Parse(bytes.Clone(x.Authority.Raw))
	}
	for _, f := range x.Head.Fields {
		y.Head.Fields = append(y.Head.Fields, wire.Field{Name: bytes.Clone(f.Name), Value: bytes.Clone(f.Value), Class: f.Class})
	}
	y.requestID = bytes.Clone(x.requestID)
	y.snap, y.site, y.mapping, y.session, y.rule, y.order, y.decision = x.snap, x.site, x.mapping, x.session, x.rule, x.order, x.decision
	y.decision.ID = bytes.Clone(x.decision.ID)
	y.snap.users.Add(1)
	y.fillAsk()
	return y
}

// noClient is the client of exchanges that have none: it is there until the gateway is
// closed.
type noClient struct{ g *Gateway }

// Look implements ClientConn.
func (c noClient) Look() probe.Sight {
	if c.g.cut.Load() {
		return probe.Broken
	}
	return probe.Silent
}

// Interrupt implements ClientConn.
func (noClient) Interrupt() {}

// Resume implements ClientConn.
func (noClient) Resume() {}

// noResponder takes an answer that nobody gets.
type noResponder struct{ Responder }

// Interim implements Responder.
func (noResponder) Interim(int, []wire.Field) error { return nil }

// Flush implements Responder.
func (noResponder) Flush() error { return nil }

// Sent implements Responder: an answer is on its way, so that nobody asks whether the client is there.
func (noResponder) Sent() (status int, content int64) { return 200, 0 }
