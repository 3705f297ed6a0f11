package gateway

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/url"
	"strings"
	"time"

	"weirkeep/abi"
	"weirkeep/gateway/origin"
	"weirkeep/gateway/route"
	"weirkeep/gateway/wire"
	"weirkeep/plugins"
)

// errand is a plugin's call to a cluster: an exchange without a client, by the
// configuration that is current when it begins. It takes a slot and is counted like
// any other request to the origin; it never waits, and is neither routed nor cached.
// Its Via names this node, so one that comes back is refused (508) and cannot go in a
// circle.
type errand struct {
	g    *Gateway
	x    *Exchange
	ctx  context.Context // of the call
	most int             // bytes of the answer's body that are of use
}

// errand begins a call to a cluster. It is made by who asks for it, if it can be: a
// guest that finds all slots taken knows at once.
func (g *Gateway) errand(r *plugins.Request, u *url.URL, most int) (func(context.Context) plugins.Answer, abi.Code) {
	snap := g.borrow()
	if snap == nil {
		return unreachable, 0
	}
	group := snap.outlets[u.Host]
	if group == nil { // it is gone, or still to come
		go snap.release()
		return unreachable, 0
	}
	e := &errand{g: g, x: errandExchange(g, snap, group, r, u), most: most}
	if !e.x.takeNow() && e.x.anyOpen() {
		go snap.release()
		return nil, abi.Busy
	}
	return e.run, 0
}

func unreachable(context.Context) plugins.Answer { return plugins.Answer{Code: abi.Unreachable} }

// borrow is acquire for who is called by a guest; nil: nothing is served yet. To let the
// last hold of a snapshot go ends attachments, and that waits for their guests: so it
// is done by nobody whom a guest waits for.
func (g *Gateway) borrow() *snapshot {
	for {
		s := g.current.Load()
		if s == nil {
			return nil
		}
		s.users.Add(1)
		if g.current.Load() == s {
			return s
		}
		go s.release()
	}
}

// errandExchange is the exchange of a call.
func errandExchange(g *Gateway, snap *snapshot, to *group, r *plugins.Request, u *url.URL) *Exchange {
	now := time.Now()
	x := &Exchange{
		Method: []byte(r.Method), Minor: 1, Source: &heldBody{r.Body}, Now: g.now(now),
		snap: snap, start: now, tick: now,
	}
	x.reset()
	x.order, x.site, x.decision.Home = []*group{to}, &clientless, -1
	x.aim([]byte(u.RequestURI()))
	for _, f := range r.Headers {
		if wire.EqualFold(f.Name, "x-request-id") {
			x.Head.RequestID = f.Value
			continue
		}
		x.Head.Fields = append(x.Head.Fields, wire.Field{Name: f.Name, Value: f.Value})
	}
	x.nameRequest(g)
	if x.Head.Length = wire.NoLength; len(r.Body) > 0 {
		x.Head.Length = int64(len(r.Body))
	}
	x.Body.Reset(x.Source, x.Head.Length)
	x.ask.Session.New, x.ask.Now, x.ask.Clusters = true, x.Now, x
	return x
}

// aim says what an errand asks for. A target that no client could ask for goes out as it
// is, and has no canonical path.
func (x *Exchange) aim(target []byte) {
	if err := x.Target.Parse(target); err != nil {
		x.Target = wire.Target{Raw: target}
	}
}

// clientless is the site of errands: nothing is said of a client that is not there.
var clientless = site{request: edits{remove: [][]byte{[]byte("x-forwarded-for"), []byte("x-forwarded-proto"), []byte("x-forwarded-host")}}}

// heldBody is a body that is here as a whole.
type heldBody struct{ rest []byte }

func (b *heldBody) Window() []byte { return b.rest }
func (b *heldBody) Fill() error    { return io.EOF }
func (b *heldBody) Advance(n int)  { b.rest = b.rest[n:] }

// takeNow takes a slot, if there is one: at an origin that has to be tried out, or at
// the one that the balancer picks.
func (x *Exchange) takeNow() bool {
	x.use(x.order[0])
	s, i := x.seek(), -1
	if x.attempts == 0 {
		i = x.findTrial()
	}
	if i < 0 {
		i = s.Take(x.group.balancer)
	}
	if i < 0 {
		return false
	}
	x.take(i)
	return true
}

// run makes the call. A fault of ours costs the call and no more.
func (e *errand) run(ctx context.Context) (answer plugins.Answer) {
	x := e.x
	e.ctx = ctx
	defer x.snap.release()
	defer x.leave()
	defer func() {
		if fault := recover(); fault != nil {
			e.g.tellPanic(fault)
			x.trip.Abandon()
			answer = plugins.Answer{Code: abi.Unreachable}
		}
	}()
	if x.slots == nil {
		return unreachable(ctx)
	}
	if failure := e.attempt(); failure != nil {
		return e.failed(failure)
	}
	return e.answer()
}

// attempt sends the request, to a further origin where that is safe and there
// is a slot.
func (e *errand) attempt() *origin.Error {
	x := e.x
	x.prepareTrip()
	x.trip.Caller, x.trip.Sender, x.trip.Connecting = e, e, e.ctx
	x.group.lead.budget.earn()
	for {
		err := x.pursue()
		if err == nil {
			return nil
		}
		failure, _ := errors.AsType[*origin.Error](err)
		x.tell(failure)
		x.leave()
		if !x.mayRetry(failure) || !x.takeNow() {
			return failure
		}
		x.tick = time.Now()
	}
}

// failed is what the guest is told of an attempt or an answer that broke off.
func (e *errand) failed(err error) plugins.Answer {
	if e.ctx.Err() != nil || errors.Is(err, origin.ErrTimeout) {
		return plugins.Answer{Code: abi.Timeout}
	}
	return plugins.Answer{Code: abi.Unreachable}
}

// answer reads the answer, of its body as much as is of use. It counts for the origin
// as one that was passed on.
func (e *errand) answer() plugins.Answer {
	x, t := e.x, e.x.trip
	a := plugins.Answer{Status: t.Status.Code, Headers: cloneFields(t.Answer.Fields)}
	err := e.read(&a)
	t.End(err == nil && a.Whole)
	if err != nil {
		x.conclude(x.reasonOfCut(err))
		return e.failed(err)
	}
	x.conclude(Served)
	return a
}

// read reads the answer's body to its end, or as far as it is of use.
func (e *errand) read(a *plugins.Answer) error {
	for b := &e.x.trip.Body; ; {
		p, err := b.Next()
		if err == io.EOF {
			a.Whole = true
			return nil
		}
		if err != nil {
			return err
		}
		if room := e.most - len(a.Body); len(p) > room {
			a.Body = append(a.Body, p[:room]...)
			return nil
		}
		a.Body = append(a.Body, p...)
		b.Consume(len(p))
	}
}

// cloneFields copies the fields of an answer that do not end at this hop.
func cloneFields(fields []wire.Field) (all []abi.Field) {
	for _, f := range fields {
		if f.Class != wire.Hop && !ours(f.Name) {
			all = append(all, abi.Field{Name: bytes.Clone(f.Name), Value: bytes.Clone(f.Value)})
		}
	}
	return all
}

// ours reports whether a field of an answer, which Connection does not name, is one
// that guests are not told all the same.
func ours(name []byte) bool {
	return wire.EqualFold(name, "transfer-encoding") || wire.EqualFold(name, "trailer") || len(name) > 6 && wire.EqualFold(name[:6], "proxy-")
}

// Interim implements origin.Caller: a guest is told of the answer alone.
func (e *errand) Interim(int, []wire.Field) error { return nil }

// Flush implements origin.Caller.
func (e *errand) Flush() error { return nil }

// Gone implements origin.Caller: the call has timed out, or nobody asks any more.
func (e *errand) Gone() bool { return e.ctx.Err() != nil }

// Continue implements origin.Sender.
func (e *errand) Continue() error { return nil }

// Interrupt implements origin.Sender: the body is here, and nobody waits for it.
func (e *errand) Interrupt() {}

// outlets are the groups of the clusters that plugins may call, by the names that are
// granted.
func (c *compiler) outlets() {
	c.snap.outlets = make(map[string]*group)
	for _, plugin := range sortedKeys(c.cfg.Plugins) {
		for _, grant := range c.cfg.Plugins[plugin].HTTP {
			name, ok := strings.CutPrefix(grant, "cluster:")
			if members := c.ownMembers(name); ok && len(members) > 0 {
				c.snap.outlets[name] = c.group(route.Group{Members: members})
			}
		}
	}
}

// ownMembers are the origins of a cluster of this node's cell.
func (c *compiler) ownMembers(name string) (all []route.Member) {
	for i, cl := range c.snap.clusters {
		if cl.short != name || cl.cell != c.cfg.Node.Cell {
			continue
		}
		for j := range cl.members {
			all = append(all, route.Member{Cluster: i, Origin: j})
		}
	}
	return all
}

var (
	_ origin.Caller = (*errand)(nil)
	_ origin.Sender = (*errand)(nil)
)
