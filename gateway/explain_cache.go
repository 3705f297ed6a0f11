package gateway

import (
	"bytes"
	"fmt"
	"math"
	"slices"

	"weirkeep/gateway/cache"
	"weirkeep/gateway/cache/store"
	"weirkeep/rules"
)

// ExplainedCache is what the cache of a site does with a request.
type ExplainedCache struct {
	Does   string           `json:"does"`             // off, pass, look (who explains has no store), fresh, stale, validate, complete, miss or unreachable
	Why    string           `json:"why,omitempty"`    // it does
	Rule   string           `json:"rule,omitempty"`   // caching rule that is true of the request, whatever the answer will be
	When   string           `json:"when,omitempty"`   // its condition
	Late   []string         `json:"late,omitempty"`   // caching rules that may be true of the request, of which the first that is true of the answer decides
	Key    *ExplainedKey    `json:"key,omitempty"`    // nil: the store is not asked
	Stored []StoredObject   `json:"stored,omitempty"` // of the target, the one that is used first
	Sent   string           `json:"sent,omitempty"`   // in which form the client is sent it: as it came, or in a coding
	Needs  string           `json:"needs,omitempty"`  // what the request makes an answer say to be stored
	Answer *ExplainedAnswer `json:"answer,omitempty"` // nil: none is assumed
}

// ExplainedKey is what tells a stored answer from others.
type ExplainedKey struct {
	Site    string `json:"site"`
	Scheme  string `json:"scheme"`
	Target  string `json:"target"`
	Variant string `json:"variant,omitempty"`
	Parts   string `json:"parts,omitempty"`  // what the configuration adds
	Router  bool   `json:"router,omitempty"` // what a router chooses is a part of it, too
}

// ExplainedAnswer is what would become of an answer.
type ExplainedAnswer struct {
	Status int      `json:"status"`
	Stored bool     `json:"stored"`
	Why    string   `json:"why,omitempty"`  // it is not stored
	Rule   string   `json:"rule,omitempty"` // caching rule that is true of it
	Raw    bool     `json:"raw,omitempty"`  // filters of stage store, which are not called here, may make another one of it
	TTL    int64    `json:"ttl"`            // seconds for which it is fresh; 0: it is validated each time
	Vary   []string `json:"vary,omitempty"` // fields of the request that it was chosen by
	Tags   []string `json:"tags,omitempty"`

	Codings []string `json:"codings,omitempty"` // that it may be sent in

	Page string `json:"page,omitempty"` // assembled: it is a template; else why it is none although it says so; empty: it does not
}

// cache says what the site's cache does with the request. Nothing is
// counted, fetched or stored.
func (e *explanation) cache(g *Gateway, answer []byte) error {
	x, d := e.x, &e.x.decision
	if d.Site < 0 {
		return nil
	}
	x.site, x.order = &e.snap.sites[d.Site], e.order()
	told := &ExplainedCache{Does: "off", Why: fmt.Sprintf("site %s has no cache: cache.enabled is false there", x.site.name)}
	if e.snap.stored.Memory == 0 {
		told.Why = ErrNoCache.Error()
	}
	if e.Cache = told; x.site.cache == nil {
		return e.assumedAnswer(told, answer)
	}
	if !e.asksStore(told) {
		return e.assumedAnswer(told, answer)
	}
	c := &x.cached
	if c.request.Authorization {
		told.Needs = "the request has Authorization: an answer is stored only if it says public, must-revalidate or s-maxage"
	}
	k := &c.key
	told.Key = &ExplainedKey{Site: k.Site, Scheme: schemeOf(k.Secure), Target: string(k.Target), Variant: k.Variant, Parts: shownParts(k.Parts)}
	told.Key.Router = x.routedBy() != nil && x.routedBy().stored == choiceKeyed
	e.storedOf(told, g)
	return e.assumedAnswer(told, answer)
}

// asksStore makes the key of what the store is asked for, and reports whether it is.
func (e *explanation) asksStore(told *ExplainedCache) bool {
	x, c := e.x, &e.x.cached
	c.request.Read(x.Method, x.Head.Fields)
	c.rule = e.cachingRule(told)
	if x.bypass() != cache.NotForwarded {
		told.Does, told.Why = "pass", x.whyPassed()
		return false
	}
	c.asked = true
	x.fillKey()
	return true
}

// cachingRule is the caching rule that is true of the request; nil: none is, or the answer
// decides which.
func (e *explanation) cachingRule(told *ExplainedCache) *cacheRule {
	s := e.x.site.cache
	r := e.firstTrue(s.rules[:s.early], rules.Response{})
	if r == nil {
		told.Late = e.lateRules(s.rules[s.early:])
		return nil
	}
	if told.Rule = r.name; r.when != nil {
		told.When = r.when.program.Source()
	}
	return r
}

// lateRules are names of the rules that the answer may still decide for: not those that are false of
// the request, as far as is seen without an answer, nor those behind one that is true of it.
func (e *explanation) lateRules(list []cacheRule) (names []string) {
	for i := range list {
		r := &list[i]
		if r.when != nil && !r.when.program.Requires().Allows(&e.x.ask) {
			continue
		}
		decided := !r.late && e.firstTrue(list[i:i+1], rules.Response{}) == r
		if r.late || decided {
			names = append(names, r.name)
		}
		if decided {
			break
		}
	}
	return names
}

// firstTrue is the first rule that is true of the request and an answer.
func (e *explanation) firstTrue(list []cacheRule, answer rules.Response) *cacheRule {
	ask := &e.x.ask
	ask.Response = answer
	defer func() { ask.Response = rules.Response{} }()
	for i := range list {
		r := &list[i]
		if r.when == nil {
			return r
		}
		if met, err := r.when.program.Match(ask); met && err == nil {
			return r
		}
	}
	return nil
}

// storedOf says what is stored of the target, and what is done with it.
func (e *explanation) storedOf(told *ExplainedCache, g *Gateway) {
	c := &e.x.cached
	if !g.registry.serves {
		told.Does, told.Why = "look", "whether it is stored only a running gateway knows (--live)"
		return
	}
	used, all := e.fitting(g), g.storedAt(&c.key)
	behind := g.tier.At(&c.key, all)
	if used == nil {
		used = e.broughtBack(behind)
	}
	all = append(all, behind...)
	if used != nil {
		all = append([]*store.Entry{used}, slices.DeleteFunc(all, func(o *store.Entry) bool { return o == used })...)
	}
	told.Stored, e.used = g.describeAll(foldSlices(all), mostExplained, e.x.Now), used
	switch {
	case used != nil:
		e.useOf(told, used)
	case told.Key.Router && slices.ContainsFunc(all, noSlice):
		told.Does, told.Why = "look", "what the router chooses is a part of the key, and decides which of these is used"
	case slices.ContainsFunc(all, noSlice):
		told.Does, told.Why = "miss", "what is stored of the target was chosen by something else"
	default:
		told.Does, told.Why = "miss", "nothing is stored of the target"
	}
	if told.Does != "fresh" && told.Does != "stale" {
		e.lastOf(told, g, used)
	}
}

// useOf says what is done with the stored answer that fits.
func (e *explanation) useOf(told *ExplainedCache, used *store.Entry) {
	x, c := e.x, &e.x.cached
	use := c.terms.use(&x.site.cache.policy, used.Stored(), &c.request, x.Now)
	words := x.wordsFor(use)
	told.Does, told.Why, told.Sent = words[0], words[1], x.formOf(used)
	if use == cache.UseFetch && whyAsked(used.Stored(), x.Now) == cache.FwdStale {
		told.Why = "it has expired, and an origin is asked for it anew"
	}
	if use == cache.UseFetch || use == cache.UseValidate {
		told.Why += x.allTheSame(used)
	}
	if used.Stored().Sliced() {
		told.Why += "; its slices are sent, and those asked for that are missing"
	}
}

// allTheSame says when what has expired is sent even so.
func (x *Exchange) allTheSame(used *store.Entry) string {
	x.cached.stale = used
	switch unreached, failed := x.mayUseStale(cache.Disconnected), x.mayUseStale(503); {
	case unreached && failed:
		return "; it is sent all the same if none can be reached, or one fails"
	case unreached:
		return "; it is sent all the same if none can be reached"
	}
	return ""
}

// lastOf says what became of the last request for the same, if it brought nothing to keep.
func (e *explanation) lastOf(told *ExplainedCache, g *Gateway, used *store.Entry) {
	m, ok := g.cache.Marked(&e.x.cached.key)
	switch {
	case ok && m.Failed:
		e.failsAlike(told, Reason(m.Why), used)
	case ok:
		told.Why += "; the last answer was not stored, so nobody waits for this one: " + whyNotStored(m)
	}
}

// whyNotStored is what is known of the last answer.
func whyNotStored(m store.Mark) string {
	if m.Why == 0 {
		return "it was longer than max_object, or found no room"
	}
	return cache.Refusal(m.Why).Sentence()
}

// failsAlike says that an exchange is answered like the one before it, which has reached no
// origin.
func (e *explanation) failsAlike(told *ExplainedCache, reason Reason, used *store.Entry) {
	x := e.x
	if !x.failsLikeOthers() {
		return
	}
	last := fmt.Sprintf("the last request for it reached no origin (%v), less than %v ago", reason, x.site.cache.failing)
	if x.cached.stale = used; used != nil && x.mayUseStale(cache.Disconnected) {
		told.Does, told.Why = "stale", last+": it is sent although it has expired"
		return
	}
	told.Does, told.Why = "unreachable", last+": the answer is the same"
	e.alike = reason
}

// mostExplained is how many stored answers are shown of a target.
const mostExplained = 8

// wordsFor are the words for what is done with a stored answer.
func (x *Exchange) wordsFor(use cache.Use) [2]string {
	about := map[cache.Use]asking{cache.UseValidate: askStale, cache.UseRest: askRest}[use]
	if about != askAsIs && x.askAbout(about) != about {
		return [2]string{"miss", "an origin is asked for the whole, which a filter of stage: store makes it of"}
	}
	return useWords[use]
}

// useWords are the words for what may be done with a stored answer, and why.
var useWords = [...][2]string{
	cache.UseFresh:      {"fresh", "it is sent as it is stored"},
	cache.UseStaleWhile: {"stale", "it is sent, and asked for anew meanwhile"},
	cache.UseValidate:   {"validate", "an origin is asked whether it still holds"},
	cache.UseFetch:      {"miss", "it may not be used for such a request"},
	cache.UseRest:       {"complete", "an origin is asked for the part that is missing"},
}

// fitting is the stored answer that a lookup would find, without counting it.
func (e *explanation) fitting(g *Gateway) *store.Entry {
	c := &e.x.cached
	return bestOf(g.cache.AppendFitting(nil, &c.key, &c.request, &e.x.site.cache.policy))
}

// broughtBack is the one that a lookup would bring back from the disk; nil: none.
func (e *explanation) broughtBack(behind []*store.Entry) *store.Entry {
	c, p := &e.x.cached, &e.x.site.cache.policy
	return bestOf(slices.DeleteFunc(slices.Clone(behind), func(o *store.Entry) bool {
		return !o.Key().Equal(&c.key) || !o.Stored().Fits(&c.request, p) || p.Use(o.Stored(), &c.request, e.x.Now) == cache.UseFetch
	}))
}

// bestOf is the one that is chosen over the others; nil: there is none.
func bestOf(all []*store.Entry) (best *store.Entry) {
	for _, o := range all {
		if best == nil || store.Better(o.Stored(), best.Stored()) {
			best = o
		}
	}
	return best
}

// storedAt is all that is stored of a key's target by its scheme, whatever else it was
// chosen by.
func (g *Gateway) storedAt(k *store.Key) []*store.Entry {
	sel := store.SelectAll()
	sel.Where = func(e *store.Entry) bool {
		o := e.Key()
		return o.Site == k.Site && o.Secure == k.Secure && bytes.Equal(o.Target, k.Target)
	}
	return g.cache.List(sel, store.ByHits, math.MaxInt)
}

// assumedAnswer says what would become of an answer, whose head it is.
func (e *explanation) assumedAnswer(told *ExplainedCache, head []byte) error {
	if len(head) == 0 {
		return nil
	}
	x, now := e.x, e.x.Now
	if err := x.readStored(bytes.TrimSuffix(head, crlf)); err != nil {
		return fmt.Errorf("the answer must be a whole head: a status line, fields, and a blank line: %w", err)
	}
	t := x.trip
	a := &ExplainedAnswer{Status: t.Status.Code, Raw: len(x.site.toStore.all) > 0, Page: e.pageOfAnswer()}
	if told.Answer = a; x.site.cache == nil {
		a.Why = told.Why
		return nil
	}
	var say cache.Override
	if r := e.firstTrue(x.site.cache.rules, rules.Response{Status: t.Status.Code, Fields: t.Answer.Fields}); r != nil {
		a.Rule, say = r.name, r.say
	}
	if told.Does == "pass" {
		a.Why = told.Why
		return nil
	}
	s, why := x.site.cache.policy.Store(&x.cached.request, &cache.Answer{
		Status: t.Status.Code, Reason: t.Status.Reason, Fields: t.Answer.Fields, Length: max(t.Answer.Length, -1), Sent: now, Received: now,
	}, say)
	if s == nil {
		a.Why = why.Sentence()
		return nil
	}
	a.Stored, a.TTL, a.Vary, a.Tags = true, max(wholeSeconds(s.TTLAt(now)), 0), s.Vary.Names, s.OwnTags()
	if s.Fresh.Validate {
		a.TTL = 0
	}
	for _, c := range s.Codings {
		a.Codings = append(a.Codings, c.String())
	}
	return nil
}

// whyPassed says why the store is not asked, nor given the answer.
func (x *Exchange) whyPassed() string {
	c := &x.cached
	switch r := c.rule; {
	case c.terms.pass():
		return "the include says no-store"
	case c.request.Method != cache.Get && c.request.Method != cache.Head:
		return "only answers to GET, without content, are stored"
	case r != nil && r.session == sessionWithout && x.decision.ID != nil:
		return fmt.Sprintf("cache rule %q: session: without, and the request has a session", r.name)
	case r != nil && r.session == sessionWith && x.decision.ID == nil:
		return fmt.Sprintf("cache rule %q: session: with, and the request has no session", r.name)
	case r != nil && r.say.Pass:
		return fmt.Sprintf("cache rule %q says pass", r.name)
	case x.Head.Upgrade != nil:
		return "the request asks for another protocol"
	case x.routedBy() != nil && x.routedBy().stored == choicePassed:
		return "a router may choose the origin, and its plugin says cache: pass"
	}
	return "no room"
}
