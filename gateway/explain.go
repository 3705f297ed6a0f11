package gateway

import (
	"errors"
	"net/netip"
	"time"

	"weirkeep/gateway/config"
	"weirkeep/gateway/metrics"
	"weirkeep/gateway/route"
)

// An Explainer explains what a configuration does, without serving it: every
// origin is up and has nothing in hand, unless the question says otherwise.
type Explainer struct {
	gateway *Gateway
	config  *config.Config
	snap    *snapshot
}

// NewExplainer compiles a configuration for questions. The problems are those
// that [Gateway.Apply] would find, short of what only trying shows; the explainer
// is nil if one of them is an error. Nothing is bound or opened.
func NewExplainer(cfg *config.Config) (*Explainer, config.Problems) {
	g := New(Options{})
	g.registry.serves = false // nothing is kept, and plugins do nothing but answer
	cfg, doubts := withFiles(cfg)
	snap, problems := compile(cfg, newUses(g.registry), metrics.New(nil).NewSet(), &g.dates)
	problems = append(problems, doubts...)
	if problems.Errors() > 0 {
		return nil, problems
	}
	return &Explainer{g, cfg, snap}, problems
}

// Explain says what would happen to a request, and why. The error is of a
// question that cannot be asked: no head, an origin that does not exist.
func (e *Explainer) Explain(q Question) (*Explanation, error) {
	return explain(e.gateway, e.snap, e.config, q)
}

// Rules are the rules in the order in which they are tried: those of all sites,
// then those of each.
func (e *Explainer) Rules() []RuleInfo { return e.snap.ruleInfos() }

// Explain says what would happen to a request now, and why: origins are as they
// are. It moves no turn, binds nothing and is not counted.
func (g *Gateway) Explain(q Question) (*Explanation, error) {
	snap, cfg, err := g.hold()
	if err != nil {
		return nil, err
	}
	defer snap.release()
	if q.Now.IsZero() {
		q.Now = g.now(time.Now())
	}
	return explain(g, snap, cfg, q)
}

// Rules are the rules of the current configuration, in the order in which they
// are tried, with what they have decided since the start.
func (g *Gateway) Rules() []RuleInfo {
	snap, _, err := g.hold()
	if err != nil {
		return nil
	}
	defer snap.release()
	return snap.ruleInfos()
}

// hold returns the current snapshot, which must be released, and what it was
// compiled from.
func (g *Gateway) hold() (*snapshot, *config.Config, error) {
	g.applying.Lock()
	defer g.applying.Unlock()
	if g.applied == nil {
		return nil, nil, errNotServing
	}
	return g.acquire(), g.applied.served, nil
}

// ruleInfos describes the rules.
func (s *snapshot) ruleInfos() []RuleInfo {
	infos := []RuleInfo{}
	for i, a := range s.actions {
		r := s.table.Rule(i)
		info := RuleInfo{
			Index: i, Name: a.name, Path: a.path, Place: a.place,
			Action: a.text(r), Hits: a.metrics.Hits.Load(), Errors: a.metrics.Errors.Load(),
		}
		if r.Site >= 0 {
			info.Site = s.sites[r.Site].name
		}
		if r.When != nil {
			info.When, info.Cost, info.Slow = r.When.Source(), r.When.Cost(), r.When.Slow()
		}
		infos = append(infos, info)
	}
	return infos
}

var errNoHead = errors.New("the request must be a whole head of HTTP/1.1: a request line, fields, and a blank line")

// explain walks a request as far as its decision, with the functions that live
// traffic calls.
func explain(g *Gateway, snap *snapshot, cfg *config.Config, q Question) (*Explanation, error) {
	x := &Exchange{snap: snap, Peer: q.From, Secure: q.Secure, Now: q.Now, start: time.Now()}
	if !x.Peer.IsValid() {
		x.Peer = netip.MustParseAddrPort("127.0.0.1:0")
	}
	if x.Now.IsZero() {
		x.Now = x.start
	}
	x.reset()
	if !x.readHead(q.Raw) {
		return nil, errNoHead
	}
	if q.Fragment {
		x.within = new(Exchange)
	}
	view, err := assume(snap, q)
	if err != nil {
		return nil, err
	}
	e := &explanation{cfg: cfg, snap: snap, x: x, view: view, Explanation: &Explanation{Schema: 1}}
	if reason := checkSized(g, x, len(q.Raw)); reason != Served {
		e.refused(reason)
		return e.Explanation, nil
	}
	x.fillAsk()
	x.ask.Seal = q.Seal
	if q.RequestID != "" {
		x.ask.ID = []byte(q.RequestID)
	}
	route.Decide(snap.table, &x.ask, view, x.Now, nil) // so that what is made once is not counted as a rule's time
	x.decision = route.Decide(snap.table, &x.ask, view, x.Now, &e.trace)
	return e.Explanation, e.tell(g, q.Answer)
}

// checkSized is the wire check of a head that must first have found room, as in
// the buffer that a connection reads into.
func checkSized(g *Gateway, x *Exchange, size int) Reason {
	reason := g.check(x)
	if reason == Served && int64(size) > x.snap.headerBytes {
		return x.because(errHeadLong, HeadTooLarge)
	}
	return reason
}
