package gateway

import (
	"errors"
	"time"

	"weirkeep/gateway/metrics"
	"weirkeep/gateway/origin"
	"weirkeep/gateway/probe"
	"weirkeep/gateway/wire"
)

// joinBodyBytes is the longest body that is sent in one write with its head.
const joinBodyBytes = 16 << 10

// obtain gets the head of an answer from one of the origins that the decision names: it takes a
// slot at one, makes an attempt, and makes a further one where that is safe
// . If nobody is left to be tried, the failure of the last attempt stands.
func (g *Gateway) obtain(x *Exchange) Reason {
	if limit := x.snap.bodyBytes; limit > 0 && x.Head.Length > limit {
		return x.because(wire.ErrBodyLarge, BodyTooLarge)
	}
	x.prepareTrip()
	if x.cached.on {
		x.cached.sent = g.now(time.Now())
	}
	if len(x.order) > 0 {
		x.order[0].lead.budget.earn()
	}
	var failed Reason
	for {
		if reason := x.admit(g); reason != Served {
			if reason == NoOrigin && x.attempts == 0 && x.snap != g.current.Load() {
				return g.obtainAnew(x)
			}
			return x.unadmitted(reason, failed)
		}
		if x.member.location != nil {
			return x.sendAway()
		}
		err := x.pursue()
		if err == nil {
			return Served
		}
		failure, _ := errors.AsType[*origin.Error](err)
		x.tell(failure)
		x.leave()
		failed = x.because(failure, reasonOfTrip(failure))
		if !x.mayRetry(failure) {
			return failed
		}
		x.tick = time.Now()
	}
}

// obtainAnew goes on with the configuration that has become current: the one that
// the exchange began with may have named origins that are drained by now, in
// favour of others. Edits of the site that hold in both are made twice.
func (g *Gateway) obtainAnew(x *Exchange) Reason {
	old := x.snap
	x.snap = g.acquire()
	old.release()
	x.site, x.mapping, x.session, x.rule, x.next, x.losses = nil, nil, nil, nil, 0, 0
	x.routed, x.listed = nil, false
	if reason := g.decide(x); reason != Served {
		return reason
	}
	return g.obtain(x)
}

// unadmitted is why the exchange ends that found no slot: after an attempt, the
// attempt's failure, unless the client has gone.
func (x *Exchange) unadmitted(reason, failed Reason) Reason {
	if x.attempts == 0 || reason == ClientGone {
		x.cause = nil
		return reason
	}
	return failed
}

// prepareTrip fills in what all attempts share. A body that is here already is
// joined to the head, which also makes it repeatable.
func (x *Exchange) prepareTrip() {
	t := x.trip
	t.Content = &x.Body
	t.Method = x.Method
	t.Secure = x.Secure
	t.Upgrade = x.upgradeAsked()
	t.Expect = x.Head.Expect && x.Minor == 1 && !x.Body.Done()
	t.Caller, t.Sender = x, x
	if edits := &x.site.request; edits.any() {
		x.Head.Fields = edits.apply(x.Head.Fields)
	}
}

// joinBody appends a body that is here as a whole to the upstream head.
func (x *Exchange) joinBody() {
	b := &x.Body
	if b.Done() || x.trip.Expect || b.Length() > joinBodyBytes || !b.Whole() || max(len(b.Held()), len(x.Source.Window())) > joinBodyBytes {
		return
	}
	for {
		p, err := b.Next()
		if err != nil {
			break
		}
		if b.Length() == wire.Chunked {
			x.up = wire.AppendChunk(x.up, p)
		} else {
			x.up = append(x.up, p...)
		}
		b.Consume(len(p))
	}
	if b.Length() == wire.Chunked && b.Done() {
		x.up = wire.AppendLastChunk(x.up, b.Trailer())
	}
	x.joined = b.Done()
}

// attempt sends the request to the member whose slot it has. The head is the
// member's own: its host and the form of the target depend on who gets it.
func (x *Exchange) attempt() error {
	m := x.member
	x.attempts++
	x.blamed, x.counted, x.learned = false, false, false
	x.trip.Timeouts = m.cluster.timeouts
	if x.attempts == 1 {
		x.up = x.appendUpstreamHead(x.up[:0])
		x.bodyAt = len(x.up)
		x.joinBody()
		if err := x.Body.Err(); err != nil { // no reason to trouble an origin
			return &origin.Error{Phase: metrics.Send, Err: &origin.BodyError{Err: err}}
		}
	} else {
		m.metrics.Retries.Inc()
		x.rewriteHead()
		x.resumeBody()
	}
	x.trip.Head = x.up
	x.trip.Timeouts.Attempt = x.patience()
	x.trip.Authority = x.upstreamHost()
	x.trip.Metrics = m.metrics
	return m.pool.Begin(x.trip, x.tick)
}

// resumeBody makes a body readable from its beginning that an earlier attempt has
// begun to send, or stopped waiting for.
func (x *Exchange) resumeBody() {
	if x.joined {
		return
	}
	if x.Client != nil { // an errand has none
		x.Client.Resume()
	}
	x.Body.Rewind()
}

// rewriteHead replaces the upstream head of an earlier attempt. The body that
// was joined to it stays.
func (x *Exchange) rewriteHead() {
	end := len(x.up)
	x.up = x.appendUpstreamHead(x.up)
	bodyAt := len(x.up) - end
	x.up = append(x.up, x.up[x.bodyAt:end]...)
	x.up = append(x.up[:0], x.up[end:]...)
	x.bodyAt = bodyAt
}

// upgradeAsked returns the protocols that the request wants to switch to, if
// the cluster lets it: nil means none. A body has to be here as a whole: it has no
// place on a connection that is about to change its protocol.
func (x *Exchange) upgradeAsked() []byte {
	asked := x.upgradeAllowed()
	if asked == nil || !x.awaitBody() {
		return nil
	}
	return asked
}

// upgradeAllowed is upgradeAsked whatever the body.
func (x *Exchange) upgradeAllowed() []byte {
	asked := x.Head.Upgrade
	if asked == nil || x.Minor == 0 || len(x.order) == 0 || !x.order[0].lead.allowsUpgrade(asked) {
		return nil
	}
	if wire.EqualFold(asked, "websocket") && string(x.Method) != "GET" {
		return nil
	}
	return asked
}

// awaitBody waits until a short body of known length is here as a whole, and
// reports whether nothing of the request's body is left to come.
func (x *Exchange) awaitBody() bool {
	n := x.Body.Length()
	if x.Body.Arrived() {
		return len(x.Body.Held()) <= joinBodyBytes
	}
	if n <= 0 || n > joinBodyBytes || x.Head.Expect {
		return false
	}
	for !x.Body.Whole() {
		if x.Source.Fill() != nil {
			return false // the attempt will find out
		}
	}
	return true
}

// Interim implements origin.Caller.
func (x *Exchange) Interim(code int, fields []wire.Field) error {
	return x.w.Interim(code, fields)
}

// Flush implements origin.Caller.
func (x *Exchange) Flush() error { return x.w.Flush() }

// Gone implements origin.Caller. A reset is proof that the client has gone. The
// end of its half is not: half-closing is legal. So a 102 is sent, once; a
// client that is not there answers it with a reset, which the next look sees.
func (x *Exchange) Gone() bool {
	if f := x.cached.flight; f != nil && x.within == nil && f.Waited() {
		return false // others wait for the same. A page has its time: one of them goes on in its fragment's place
	}
	switch x.Client.Look() {
	case probe.Broken:
		return true
	case probe.Finished:
		if status, _ := x.w.Sent(); status == 0 && !x.asked && x.Minor == 1 {
			x.asked = true
			return x.w.Interim(102, nil) != nil
		}
	}
	return false
}

// Continue implements origin.Sender.
func (x *Exchange) Continue() error {
	if !x.trip.Expect || x.continued {
		return nil
	}
	x.continued = true
	return x.w.Interim(100, nil)
}

// Interrupt implements origin.Sender.
func (x *Exchange) Interrupt() { x.Client.Interrupt() }

var (
	_ origin.Caller = (*Exchange)(nil)
	_ origin.Sender = (*Exchange)(nil)
)
