package gateway

import (
	"bytes"
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"weirkeep/gateway/cache/store"
)

// PopularPath is how often a path was asked for, whatever the query (D-WC-31).
type PopularPath struct {
	Site     string     `json:"site"`
	Path     string     `json:"path"`
	Requests uint64     `json:"requests"`       // Stored and Unstored
	Stored   uint64     `json:"stored"`         // found in the store, of what is there now
	Unstored uint64     `json:"unstored"`       // answered, since the start, by what was not stored: at most so many
	Last     *time.Time `json:"last,omitempty"` // of Unstored
	Why      string     `json:"why,omitempty"`  // it was not stored the last time
}

// PopularLists are the lists that there are, the usual one first.
var PopularLists = []string{"all", "stored", "unstored"}

// popularOrders are what a list goes by; what is 0 is not in it.
var popularOrders = map[string]func(*PopularPath) uint64{
	"": requestsOf, "all": requestsOf,
	"stored":   func(p *PopularPath) uint64 { return p.Stored },
	"unstored": func(p *PopularPath) uint64 { return p.Unstored },
}

func requestsOf(p *PopularPath) uint64 { return p.Requests }

// PopularPaths are the paths of sites with a cache that are asked for most: of all, of what is
// stored, or of what is not.
func (g *Gateway) PopularPaths(of string, limit int) ([]PopularPath, error) {
	by, known := popularOrders[of]
	if !known {
		return nil, fmt.Errorf("of is one of %s, not %q", strings.Join(PopularLists, ", "), of)
	}
	snap, _, err := g.hold()
	if err != nil {
		return nil, err
	}
	defer snap.release()
	if snap.stored.Memory == 0 {
		return nil, ErrNoCache
	}
	all := g.foundPaths()
	for _, p := range g.unstored.List() {
		q := all.at(p.Site, p.Path)
		q.Unstored, q.Last, q.Why = p.Requests, &p.Last, p.Why
	}
	list := []PopularPath{}
	for _, p := range all {
		if p.Requests = p.Stored + p.Unstored; by(p) > 0 {
			list = append(list, *p)
		}
	}
	slices.SortFunc(list, func(a, b PopularPath) int {
		return cmp.Or(cmp.Compare(by(&b), by(&a)), cmp.Compare(a.Site, b.Site), cmp.Compare(a.Path, b.Path))
	})
	return list[:min(max(limit, 0), len(list))], nil
}

// sitePath names a path.
type sitePath struct{ site, path string }

// popularPaths are some of them, by name.
type popularPaths map[sitePath]*PopularPath

func (all popularPaths) at(site, path string) *PopularPath {
	p := all[sitePath{site, path}]
	if p == nil {
		p = &PopularPath{Site: site, Path: path}
		all[sitePath{site, path}] = p
	}
	return p
}

// foundPaths are the paths of what is stored. Who finds a whole finds slices of it, too: they are
// not counted.
func (g *Gateway) foundPaths() popularPaths {
	all := make(popularPaths)
	for _, e := range g.cache.List(store.SelectAll(), store.ByHits, math.MaxInt) {
		if !noSlice(e) {
			continue
		}
		path, _, _ := bytes.Cut(e.Key().Target, question)
		all.at(e.Key().Site, string(path)).Stored += uint64(e.Hits())
	}
	return all
}

// countUnstored counts an exchange of a site with a cache, if the store had no part in its
// answer.
func (g *Gateway) countUnstored(x *Exchange) {
	if c := &x.cached; c.on && c.entry == nil && x.site != nil && x.site.cache != nil {
		g.unstored.Add(x.site.name, x.Target.Path, x.whyUnstored(), x.Now)
	}
}

// whyUnstored is a word for why the answer came from elsewhere.
func (x *Exchange) whyUnstored() string {
	switch c := &x.cached; {
	case x.reason != Served:
		return x.reason.String()
	case c.refusal != 0:
		return c.refusal.String()
	case c.status.Detail != "":
		return c.status.Detail
	default:
		return c.status.Fwd.String()
	}
}
