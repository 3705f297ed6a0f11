package gateway

import (
	"bytes"
	"fmt"
	"math"
	"strings"
	"time"

	"weirkeep/gateway/cache/store"
	"weirkeep/gateway/config"
	"weirkeep/gateway/invalidation"
)

// Invalidate does what a message of Web Cache's invalidation protocol wants (D-WC-21, 22),
// and returns the answer to it. The sentences are for the log, one for each object.
func (g *Gateway) Invalidate(text []byte) (answer []byte, told []string, err error) {
	m, err := invalidation.Parse(text)
	if err != nil {
		return nil, nil, err
	}
	snap, cfg, err := g.hold()
	if err != nil {
		return nil, nil, err
	}
	defer snap.release()
	if snap.stored.Memory == 0 {
		return nil, nil, ErrNoCache
	}
	if m.Preview {
		return m.AnswerPreview(g.previewMessage(snap, cfg, m)), nil, nil
	}
	results := make([]invalidation.Result, len(m.Objects))
	for i := range m.Objects {
		results[i] = g.invalidateObject(snap, &m.Objects[i])
		told = append(told, fmt.Sprintf("object %d: %s, objects: %d, removal TTL: %v, info: %q",
			i+1, results[i].Status, results[i].Count, m.Objects[i].Removal, m.Objects[i].Info))
	}
	return m.Answer(results), told, nil
}

func (g *Gateway) previewMessage(snap *snapshot, cfg *config.Config, m *invalidation.Message) invalidation.Listing {
	sel, status := snap.selectorOf(g, &m.Objects[0].Selector)
	if sel == nil {
		return invalidation.Listing{Status: status}
	}
	all := g.cache.List(sel, store.ByAge, math.MaxInt)
	l := invalidation.Listing{Status: invalidation.Success, Total: len(all)}
	for _, e := range all[min(m.Start, len(all)):min(m.Start+m.Max, len(all))] {
		l.URLs = append(l.URLs, urlOf(cfg, e.Key()))
	}
	return l
}

// urlOf is a URL of something stored: of the first host of its site that is a name.
func urlOf(cfg *config.Config, k *store.Key) string {
	for _, host := range cfg.Sites[k.Site].Hosts {
		if !strings.ContainsAny(host, "*") {
			return schemeOf(k.Secure) + "://" + host + string(k.Target)
		}
	}
	return string(k.Target)
}

// invalidateObject makes what an object selects go, or stale until its removal TTL is over.
func (g *Gateway) invalidateObject(snap *snapshot, o *invalidation.Object) invalidation.Result {
	sel, status := snap.selectorOf(g, &o.Selector)
	if sel == nil {
		return invalidation.Result{Status: status}
	}
	how, counter := store.Hard, &g.metrics.Store.Removed
	if o.Removal > 0 && g.removals.Add(1) <= mostRemovals {
		how, counter = store.Soft, &g.metrics.Store.Expired
		time.AfterFunc(o.Removal, func() { g.removeExpired(sel) })
	} else if o.Removal > 0 {
		g.removals.Add(-1)
	}
	report := g.cache.Purge(sel, how, false)
	n := report.Total()
	counter.Add(uint64(n))
	if n == 0 {
		return invalidation.Result{Status: invalidation.NotFound}
	}
	return invalidation.Result{Status: invalidation.Success, Count: n}
}

// mostRemovals is how many removals may be due at once. What is invalidated beyond that is
// removed right away.
const mostRemovals = 1000

// removeExpired removes what a selection has made stale and what has not been asked for
// anew since.
func (g *Gateway) removeExpired(sel *store.Selector) {
	defer g.removals.Add(-1)
	if g.closing.Load() {
		return
	}
	due := store.SelectAll()
	due.Where = func(e *store.Entry) bool { return e.Stored().Fresh.Expired && sel.Matches(e) }
	report := g.cache.Purge(due, store.Hard, false)
	g.metrics.Store.Removed.Add(uint64(report.Total()))
}

// selectorOf is a selector of a message as the store has it; nil: nothing can be stored of
// what it selects, for the reason in status.
func (s *snapshot) selectorOf(g *Gateway, m *invalidation.Selector) (sel *store.Selector, status invalidation.Status) {
	site, known := s.siteOfHost(g, m.Host)
	if !known {
		return nil, invalidation.NotFound
	}
	if site != nil && site.cache == nil {
		return nil, invalidation.NotCacheable
	}
	sel = store.SelectAll()
	targets := s.targetsOf(m.URI)
	sel.Where = func(e *store.Entry) bool {
		k := e.Key()
		if site != nil && k.Site != site.name {
			return false
		}
		if m.Basic {
			return bytes.Equal(k.Target, targets[k.Site])
		}
		return m.Matches(messageView(e))
	}
	return sel, ""
}

// siteOfHost is the site of a host; nil: any, if none is named.
func (s *snapshot) siteOfHost(g *Gateway, host string) (of *site, known bool) {
	if host == "" {
		return nil, true
	}
	for _, scheme := range []string{"http://", "https://"} {
		if of, err := s.siteOfURL(g, scheme+host+"/"); err == nil {
			return of, true
		}
	}
	return nil, false
}

// targetsOf is a path and query as each site keys it, by its name.
func (s *snapshot) targetsOf(uri string) map[string][]byte {
	all := make(map[string][]byte)
	for i := range s.sites {
		if c := s.sites[i].cache; c != nil && uri != "" {
			all[s.sites[i].name] = c.key.targetOf([]byte(uri))
		}
	}
	return all
}

// messageView is what a message's selector looks at of something stored: of cookies and
// fields, those that it was chosen by.
func messageView(e *store.Entry) *invalidation.Stored {
	k, vary := e.Key(), &e.Stored().Vary
	return &invalidation.Stored{
		Target: string(k.Target), Tags: e.Stored().OwnTags(),
		Cookies: func(name string) (string, bool) { return partOf(k.Parts, "cookie "+name) },
		Headers: func(name string) (string, bool) {
			for i, n := range vary.Names {
				if n == name {
					return string(vary.Values[i]), vary.Values[i] != nil
				}
			}
			return partOf(k.Parts, "field "+name)
		},
	}
}

// partOf is the first value of what configuration adds to a key.
func partOf(parts []byte, name string) (value string, ok bool) {
	_, rest, there := bytes.Cut(append([]byte("\n"), parts...), []byte("\n"+name+"\n "))
	value, _, _ = strings.Cut(string(rest), "\n")
	return value, there
}
