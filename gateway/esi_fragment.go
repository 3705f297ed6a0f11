package gateway

import (
	"context"
	"math"
	"sync"
	"time"

	"weirkeep/gateway/cache"
	"weirkeep/gateway/cache/store"
	"weirkeep/gateway/esi"
	"weirkeep/gateway/metrics"
	"weirkeep/gateway/wire"
)

// mostFetches is how many fragments the process fetches at once, over all pages (Z5). Further
// ones fail: pages within pages must not take all there is.
const mostFetches = 4096

// fragments gets what a page includes. Each fragment is an exchange of its own, which walks
// from the decision to the store like a client's, by the configuration that the page began with.
// What is in memory is had by the page's goroutine at once; the rest on goroutines that the
// page waits for.
type fragments struct {
	g    *Gateway
	page *Exchange

	charset     []byte              // that the page says; nil: none
	own, others []wire.Field        // of requests to the page's origin, and to others; nil: not made yet
	spare       []*fragmentExchange // the page's goroutine's

	mu    sync.Mutex
	asked []askedFragment // in the order in which they came
}

// askedFragment is a fragment that was asked for.
type askedFragment struct {
	include *esi.Include
	f       *fragmentExchange // nil: it was in memory
	told    fragment
	left    time.Duration // for which it is fresh; 0: it is not for all clients alike
}

// mostSpare is how many exchanges are kept for the next page.
const mostSpare = 16

// fragmentsOf gets what the page includes that an exchange has come to. It must be ended.
func (g *Gateway) fragmentsOf(x *Exchange) *fragments {
	p, _ := g.parts.Get().(*fragments)
	if p == nil {
		p = &fragments{g: g}
	}
	p.page, p.charset = x, charsetOf(x.trip.Answer.Fields)
	return p
}

// end lets everything go. All fetches have ended, and nobody reads a body any more.
func (p *fragments) end() {
	for i := range p.asked {
		a := &p.asked[i]
		if a.f != nil {
			a.told = a.f.told
			fetched := a.f.held
			p.giveBack(a.f)
			if !fetched {
				continue // the page has ended before its turn
			}
		}
		p.page.assembled.fragments = append(p.page.assembled.fragments, a.told)
	}
	clear(p.asked)
	p.page, p.charset, p.asked = nil, nil, p.asked[:0]
	p.own, p.others = p.own[:0], p.others[:0]
	p.g.parts.Put(p)
}

// take is an exchange for an include.
func (p *fragments) take(i *esi.Include) *fragmentExchange {
	var f *fragmentExchange
	if n := len(p.spare); n > 0 {
		f, p.spare = p.spare[n-1], p.spare[:n-1]
	} else {
		f = new(fragmentExchange)
	}
	f.of, f.include = p, i
	f.told = fragment{url: i.URL, depth: i.Depth}
	f.x.snap = p.page.snap
	return f
}

// giveBack readies an exchange for another fragment.
func (p *fragments) giveBack(f *fragmentExchange) {
	f.x.dropHeld()
	f.x.release()
	f.held = false
	f.x.reset()
	f.of, f.include, f.x.snap, f.client.ctx = nil, nil, nil, nil
	if len(p.spare) < mostSpare {
		p.spare = append(p.spare, f)
	}
}

// Ready implements esi.Fetcher.
func (p *fragments) Ready(i *esi.Include) (esi.Fragment, bool) {
	f := p.take(i)
	got, ok := f.ready()
	a := askedFragment{include: i, f: f}
	if ok {
		f.tell(&got)
		a.f, a.told, a.left = nil, f.told, f.left(&got)
		p.giveBack(f)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.asked = append(p.asked, a)
	return got, ok
}

// find is what was asked for with an include. It holds until the next one is asked for.
func (p *fragments) find(i *esi.Include) *askedFragment {
	for n := range p.asked {
		if p.asked[n].include == i {
			return &p.asked[n]
		}
	}
	return nil
}

// exchange is that of an include that was not ready.
func (p *fragments) exchange(i *esi.Include) *fragmentExchange {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.find(i).f
}

// keepLeft keeps for how long a fragment is fresh that was fetched.
func (p *fragments) keepLeft(i *esi.Include, left time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.find(i).left = left
}

// left is for how long all that was asked for so far is fresh; not ok: some of it is not, or is not
// for all clients alike.
func (p *fragments) left() (least time.Duration, ok bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	least = math.MaxInt64
	for i := range p.asked {
		least = min(least, p.asked[i].left)
	}
	return least, least > 0
}

// Fetch implements esi.Fetcher.
func (p *fragments) Fetch(ctx context.Context, i *esi.Include) esi.Fragment {
	f := p.exchange(i)
	defer p.g.fetching.Add(-1)
	got, began := esi.Fragment{Failure: esi.Busy}, time.Now()
	f.begin(ctx)
	if p.g.fetching.Add(1) <= mostFetches {
		got = f.fetch(ctx)
	}
	f.told.millis = time.Since(began).Milliseconds()
	f.tell(&got)
	p.keepLeft(i, f.left(&got))
	return got
}

// fragmentExchange is the exchange of a fragment, with all that is its own.
type fragmentExchange struct {
	x       Exchange
	of      *fragments
	include *esi.Include
	url     esi.URL // the include's, or where a redirect leads
	text    []byte  // target and authority of that, which x has views of
	source  heldBody
	client  fragmentClient
	body    fragmentBody
	told    fragment
	held    bool // the snapshot is, for the exchange itself
	astray  bool // no site has the host
	loose   bool // the answer is not stored
}

// ready is what is in memory, or known without asking anybody.
func (f *fragmentExchange) ready() (got esi.Fragment, ok bool) {
	x, g := &f.x, f.of.g
	if failure := f.aim(f.include.URL); failure != esi.None {
		return esi.Fragment{Failure: failure}, true
	}
	if f.astray || len(x.site.filters) > 0 || x.routedBy() != nil || !x.mayAsk() {
		return got, false
	}
	x.fillKey()
	c, p := &x.cached, &x.site.cache.policy
	e := g.cache.Peek(&c.key, &c.request, p)
	if e == nil {
		return got, false
	}
	use := c.terms.use(p, e.Stored(), &c.request, x.Now)
	if use != cache.UseFresh && use != cache.UseStaleWhile {
		return got, false
	}
	if got, ok = f.inMemory(e); ok {
		e.Hit()
		c.asked = true
		g.answerWhile(x, e, use)
		f.countOutcome()
	}
	return got, ok
}

// begin readies the exchange for waiting: what it goes on with may outlive the page.
func (f *fragmentExchange) begin(ctx context.Context) {
	x := &f.x
	f.client.ctx = ctx
	x.snap.users.Add(1)
	f.held, x.released = true, false
	f.setClock()
}

func (f *fragmentExchange) setClock() {
	f.x.start = time.Now()
	f.x.tick, f.x.Now = f.x.start, f.of.g.now(f.x.start)
}

// mostRedirects is how many are followed, where the include says that they are.
const mostRedirects = 3

// fetch walks to the answer, and to where that redirects to.
func (f *fragmentExchange) fetch(ctx context.Context) esi.Fragment {
	defer f.leave()
	for n := 0; ; n++ {
		if got, ok := f.come(ctx); !ok {
			return got
		}
		to, ok := f.redirect()
		if !ok || n == mostRedirects {
			return f.answer()
		}
		f.drop()
		f.x.leave()
		if failure := f.aim(to); failure != esi.None {
			return esi.Fragment{Failure: failure}
		}
		f.setClock()
	}
}

// leave ends what the walk has begun for others, also if it has met a fault of ours: then the page
// does, too.
func (f *fragmentExchange) leave() {
	x := &f.x
	if fault := recover(); fault != nil {
		x.trip.Abandon()
		defer panic(fault)
	}
	x.trip.Connecting = nil
	x.leave()
	x.endFlight()
}

// come walks to an answer that came from an origin, or is stored; without one there is a fragment all
// the same, or none for a reason.
func (f *fragmentExchange) come(ctx context.Context) (got esi.Fragment, ok bool) {
	if f.astray {
		got.Failure = f.obtainAstray(ctx)
		return got, got.Failure == esi.None
	}
	switch reason := f.walk(ctx); reason {
	case Served:
		return got, true
	case AnsweredByFilter:
		return f.givenByFilter(), false
	default:
		return f.failed(reason), false
	}
}

// walk is the walk from the decision to the answer.
func (f *fragmentExchange) walk(ctx context.Context) Reason {
	x, g := &f.x, f.of.g
	reason := g.walkToLookup(x)
	if reason == Served && x.cached.entry == nil {
		x.trip.Connecting = ctx
		reason = g.obtain(x)
		x.trip.Connecting = nil // the trip may go on without the page
		reason = g.keep(x, reason)
	}
	switch sliced := reason == Served && x.cached.sliced(); {
	case sliced && f.templates(x.cached.entry.Stored()) != nil:
		reason = g.passUnsliced(x) // a template is read as a whole
	case sliced:
		reason = g.openSlices(x)
	}
	x.reason = reason
	f.countOutcome()
	g.countUnstored(x)
	return reason
}

// countOutcome counts what the cache of the fragment's site did.
func (f *fragmentExchange) countOutcome() {
	x := &f.x
	if !x.cached.on || x.site == nil || x.site.cache == nil {
		return
	}
	f.told.cache = x.cached.outcome.String()
	x.site.cache.metrics.Outcomes[x.cached.outcome].Inc()
}

// tell keeps for the record what came of the fragment.
func (f *fragmentExchange) tell(got *esi.Fragment) {
	f.told.status, f.told.failure = got.Status, got.Failure
}

// givenTo reports whether whoever fills an entry counts on it that the fragment is read.
func givenTo(o metrics.CacheOutcome) bool {
	return o == metrics.CacheMiss || o == metrics.CacheCollapsed || o == metrics.CachePass
}

// drop gives an answer up of which nothing is read.
func (f *fragmentExchange) drop() {
	x := &f.x
	switch c := &x.cached; {
	case c.entry == nil:
		f.of.g.dropAnswer(x)
	case f.loose || givenTo(c.outcome):
		c.entry.Body().Decline()
	}
}

var _ esi.Fetcher = (*fragments)(nil)

var _ store.Waiter = (*fragmentBody)(nil)
