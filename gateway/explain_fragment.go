package gateway

import (
	"time"

	"weirkeep/gateway/cache/store"
	"weirkeep/gateway/esi"
	"weirkeep/gateway/route"
)

// ExplainedFragment is one that a page asks for.
type ExplainedFragment struct {
	URL      string         `json:"url,omitempty"` // empty: there is none that could be asked for
	Level    int            `json:"level"`         // 1: the page itself includes it; 2: a fragment does
	Site     string         `json:"site,omitempty"`
	Does     string         `json:"does"` // as a cache does; off: the site has none; fetch: no site has the host; refused: nobody is asked; again: an include before asks for it
	Why      string         `json:"why,omitempty"`
	TTL      *int64         `json:"ttl,omitempty"`      // seconds of what is stored, less than 0: it has expired
	Template bool           `json:"template,omitempty"` // it is one itself
	InPlace  bool           `json:"in_place,omitempty"` // it stands in the place of one that cannot be asked for (alt)
	Else     string         `json:"else,omitempty"`     // alt: what is asked for if there is none
	Optional bool           `json:"optional,omitempty"` // the page goes on without it (onerror)
	Last     *ExplainedLast `json:"last,omitempty"`     // nil: not known
}

// ExplainedLast is how a fragment was had for a page not long ago.
type ExplainedLast struct {
	Time         time.Time `json:"time"` // of the page
	Milliseconds int64     `json:"milliseconds"`
	Status       int       `json:"status,omitempty"` // 0: there was no answer
	Cache        string    `json:"cache,omitempty"`  // what it did; empty: none was asked
	Failure      string    `json:"failure,omitempty"`
	Why          string    `json:"why,omitempty"` // of a host that no site has: why it is not asked
}

// mostFragments is how many fragments are explained.
const mostFragments = 200

// fragments says what the page asks for.
func (e *explanation) fragments(g *Gateway) {
	program, why := programToExplain(e.used, e.x.site.esi)
	if program == nil || string(e.x.Method) == "HEAD" {
		e.Page.Why = and(e.Page.Why, why)
		return
	}
	l := &fragmentLook{e: e, parts: &fragments{g: g, page: e.x}, told: make(map[*esi.Include]*ExplainedFragment)}
	var w pageWork
	e.x.pageOf(&w, program)
	planned := esi.Plan(&w.page, l.look)
	shown := planned[:min(len(planned), mostFragments)]
	e.Page.More = len(planned) - len(shown)
	last := lastOf(e.used)
	for i := range shown {
		e.Page.Fragments = append(e.Page.Fragments, l.tell(&shown[i], last))
	}
}

// fragmentLook looks at fragments as the page would, and counts, asks and changes nothing.
type fragmentLook struct {
	e     *explanation
	parts *fragments
	told  map[*esi.Include]*ExplainedFragment
}

// tell describes a planned fragment.
func (l *fragmentLook) tell(p *esi.Planned, last *lastPage) ExplainedFragment {
	out := ExplainedFragment{Level: p.Level, InPlace: p.Alternate, Else: p.Alt, Optional: p.Continues}
	if p.Include == nil {
		out.Does, out.Why = "refused", p.Failure.String()
		return out
	}
	out.URL = p.URL.String()
	if p.Shared {
		out.Does = "again"
		return out
	}
	seen := l.told[p.Include]
	out.Site, out.Does, out.Why, out.TTL, out.Template = seen.Site, seen.Does, seen.Why, seen.TTL, seen.Template
	out.Last = last.of(p.URL)
	return out
}

// of is how a fragment was had; nil: that is not known.
func (p *lastPage) of(u esi.URL) *ExplainedLast {
	if p == nil {
		return nil
	}
	for i := range p.fragments {
		if f := &p.fragments[i]; f.url == u {
			out := &ExplainedLast{Time: p.at, Milliseconds: f.millis, Status: f.status, Cache: f.cache}
			if f.failure != esi.None {
				out.Failure, out.Why = f.failure.String(), f.why
			}
			return out
		}
	}
	return nil
}

// look finds out what becomes of an include, and returns its program if it is a template that is in
// memory.
func (l *fragmentLook) look(i *esi.Include) *esi.Program {
	told := &ExplainedFragment{}
	l.told[i] = told
	f := &fragmentExchange{of: l.parts, include: i}
	f.x.snap, f.url = l.e.snap, i.URL
	if !f.address(i.URL) {
		told.Does, told.Why = "refused", reasonTable[BadTarget].text
		return nil
	}
	sub := &explanation{cfg: l.e.cfg, snap: l.e.snap, x: &f.x, view: l.e.view, Explanation: &Explanation{}}
	if !sub.decideFragment(f, told) {
		return nil
	}
	told.Site = f.x.site.name
	sub.lookForFragment(f.of.g, told)
	if sub.used == nil {
		return nil
	}
	s := f.templates(sub.used.Stored())
	if told.Template = s != nil; s == nil {
		return nil
	}
	program, why := programToExplain(sub.used, s)
	told.Why = and(told.Why, why)
	return program
}

// fetchedThere is what becomes of a fragment whose host is at no site, where pages may have such.
const fetchedThere = "no site has the host: it is asked by itself, at a public address and port 80 or 443"

// decideFragment decides where a fragment is asked for, and reports whether it is at a site.
func (e *explanation) decideFragment(f *fragmentExchange, told *ExplainedFragment) bool {
	x := e.x
	x.fillAsk()
	x.decision = route.Decide(e.snap.table, &x.ask, e.view, x.Now, nil)
	d := &x.decision
	switch {
	case !f.hasSite() && f.of.page.site.esi.unmapped:
		told.Does, told.Why = "fetch", fetchedThere
		if refusal := f.of.g.providers.Refuses(f.requestAstray()); refusal != nil {
			told.Does, told.Why = "refused", "no site has the host, and "+refusal.Detail
		}
		return false
	case !f.hasSite():
		told.Does, told.Why = "refused", "no site has the host, and esi.unmapped_providers is deny"
		return false
	}
	if d.Site >= 0 {
		x.site = &e.snap.sites[d.Site]
	}
	if d.Rule >= 0 {
		x.rule = e.snap.actions[d.Rule]
	}
	if reason := reasonOfDecision[d.Reason]; reason != Served || d.Mapping < 0 {
		e.end(reason)
		told.Does, told.Why = "refused", e.Outcome.Text
		return false
	}
	x.order = e.order()
	x.cached.terms = terms{f.include.Attributes, x.site == f.of.page.site || x.site.provider}
	return true
}

// lookForFragment says what the cache of the fragment's site does.
func (e *explanation) lookForFragment(g *Gateway, told *ExplainedFragment) {
	x := e.x
	if x.site.cache == nil {
		told.Does, told.Why = "off", "its site has no cache"
		return
	}
	c := &ExplainedCache{}
	defer func() { told.Does, told.Why = c.Does, c.Why }()
	if !e.asksStore(c) {
		return
	}
	if e.used = e.fitting(g); e.used == nil {
		e.used = e.broughtBack(g.tier.At(&x.cached.key, []*store.Entry{}))
	}
	if e.used == nil {
		c.Does, c.Why = "miss", "nothing is stored of it"
		return
	}
	e.useOf(c, e.used)
	ttl := wholeSeconds(e.used.Stored().TTLAt(x.Now))
	told.TTL = &ttl
}
