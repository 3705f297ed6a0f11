package gateway

import (
	"bytes"
	"net/netip"
	"time"

	"weirkeep/gateway/probe"
	"weirkeep/gateway/wire"
)

// newClientless is an exchange that has no client, and that begins now.
func (g *Gateway) newClientless(start, now time.Time) *Exchange {
	return &Exchange{
		Source: &heldBody{}, Client: noClient{g}, w: noResponder{}, clientless: true, Peer: netip.MustParseAddrPort("127.0.0.1:0"),
		Now: now, start: start, tick: start,
	}
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

// cloneAsking is cloneExchange for what the store has been asked for, and is to be given.
func (g *Gateway) cloneAsking(x *Exchange) *Exchange {
	y := g.cloneExchange(x)
	c := &y.cached
	c.on, c.asked, c.rule, c.terms, c.choice = true, true, x.cached.rule, x.cached.terms, bytes.Clone(x.cached.choice)
	y.fillKey()
	c.request.Read(y.Method, y.Head.Fields)
	return y
}

// endClientless ends the walk of an exchange that has no client, also one that has met a fault of
// ours: that costs its answer and no more. A fault of nil is none.
func (g *Gateway) endClientless(x *Exchange, fault any) {
	defer x.release()
	defer x.leave()
	defer x.endFlight()
	if fault != nil {
		g.tellPanic(fault)
		x.trip.Abandon()
	}
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
