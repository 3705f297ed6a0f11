package gateway

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"weirkeep/gateway/cache/store"
	"weirkeep/gateway/metrics"
)

// StoredList is what a selection selects.
type StoredList struct {
	Matched int            `json:"matched"` // answers, of which Objects may be a part
	Bytes   int64          `json:"bytes"`   // that they take
	OnDisk  int            `json:"on_disk"` // of Matched, those that are on the disk alone
	Objects []StoredObject `json:"objects"` // never null

	Incomplete string `json:"incomplete,omitempty"` // why something on the disk may be missing
}

// StoredOrders are the orders of lists, the usual one first.
var StoredOrders = []string{"hits", "size", "age"}

var storeOrders = map[string]store.Order{"": store.ByHits, "hits": store.ByHits, "size": store.BySize, "age": store.ByAge}

// ListStored lists stored answers: those that were found most often, that are largest,
// or that came first.
func (g *Gateway) ListStored(q StoredSelection, order string, limit int) (StoredList, error) {
	list := StoredList{Objects: []StoredObject{}}
	by, known := storeOrders[order]
	if !known {
		return list, fmt.Errorf("sort is one of %s, not %q", strings.Join(StoredOrders, ", "), order)
	}
	snap, _, err := g.hold()
	if err != nil {
		return list, err
	}
	defer snap.release()
	sel, err := snap.selector(g, q)
	if err != nil {
		return list, err
	}
	g.withSlices(sel)
	behind := g.tier.List(g.cache, sel, by, limit)
	all := foldSlices(store.Merge(g.cache.List(sel, by, math.MaxInt), behind.First, by, math.MaxInt))
	if by == store.BySize {
		slices.SortStableFunc(all, byFoldedSize)
	}
	list.OnDisk, list.Matched, list.Bytes = behind.Count, len(all)-len(behind.First)+behind.Count, behind.Bytes
	for _, f := range all {
		if !f.IsApart() {
			list.Bytes += f.bytes
		}
	}
	list.Objects = append(list.Objects, g.describeAll(all, limit, g.now(time.Now()))...)
	if behind.Err != nil {
		list.Incomplete = behind.Err.Error()
	}
	return list, nil
}

// ErrNotStored means that nothing is stored of a URL.
var ErrNotStored = errors.New("nothing is stored")

// Stored is all that is stored of a URL: what was fetched by http and https, and for
// every choice of the decision, the configuration and the origin.
func (g *Gateway) Stored(url string) ([]StoredObject, error) {
	snap, _, err := g.hold()
	if err != nil {
		return nil, err
	}
	defer snap.release()
	if snap.stored.Memory == 0 {
		return nil, ErrNoCache
	}
	x, err := snap.requestFor(g, url, nil)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", url, err)
	}
	target := x.site.cache.key.targetOf(x.Target.Raw)
	sel, err := store.ParseSelector("site:"+x.site.name, false, nil)
	if err != nil {
		return nil, err
	}
	sel.Where = func(e *store.Entry) bool { return bytes.Equal(e.Key().Target, target) }
	found := g.cache.List(sel, store.ByHits, math.MaxInt)
	for _, secure := range []bool{false, true} {
		found = append(found, g.tier.At(&store.Key{Site: x.site.name, Secure: secure, Target: target}, found)...)
	}
	all := []StoredObject{}
	folded := foldSlices(found)
	for _, f := range folded[:min(len(folded), maxStored)] {
		all = append(all, g.inFull(f, g.now(time.Now())))
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("%w of %s at site %s", ErrNotStored, target, x.site.name)
	}
	return all, nil
}

// maxStored is how many answers to one URL are shown.
const maxStored = 100

// StoredPurge is what is to be purged, and how.
type StoredPurge struct {
	StoredSelection
	Soft   bool // it stays, and is stale from now on
	DryRun bool // nothing is done
}

// StoredPurged is what a purge has found.
type StoredPurged struct {
	Count   int            `json:"count"`   // answers; one in slices is one
	OnDisk  int            `json:"on_disk"` // of Count, on the disk alone
	Bytes   int64          `json:"bytes"`   // that it takes, or took
	Soft    bool           `json:"soft"`
	DryRun  bool           `json:"dry_run"`
	Millis  float64        `json:"milliseconds"`   // that it took
	Largest []StoredObject `json:"largest"`        // of what is in memory, at most 100; never null
	Hint    string         `json:"hint,omitempty"` // why nothing was found, if nothing was
}

// PurgeStored makes all that is selected go, or stale. What is fetched now, and was asked
// for before, is treated as if it had been here.
func (g *Gateway) PurgeStored(p StoredPurge) (StoredPurged, error) {
	done := StoredPurged{Soft: p.Soft, DryRun: p.DryRun, Largest: []StoredObject{}}
	if words := strings.TrimSpace(p.Match); p.All && words != "" {
		return done, fmt.Errorf("selector: all, and %q, which is a part of it: write the words alone to purge that part, or --all alone to purge everything", words)
	}
	snap, _, err := g.hold()
	if err != nil {
		return done, err
	}
	defer snap.release()
	sel, err := snap.selector(g, p.StoredSelection)
	if err != nil {
		return done, err
	}
	g.withSlices(sel)
	how, counter := store.Hard, &g.metrics.Store.Removed
	if p.Soft {
		how, counter = store.Soft, &g.metrics.Store.Expired
	}
	began, now := time.Now(), g.now(time.Now())
	report := g.cache.Purge(sel, how, p.DryRun)
	done.Millis = float64(time.Since(began).Microseconds()) / 1000
	found := foldSlices(report.All)
	done.OnDisk = report.Behind.Count
	if done.Count, done.Bytes = len(found)+done.OnDisk, report.Bytes+report.Behind.Bytes; !p.DryRun {
		counter.Add(uint64(done.Count))
	}
	if err := report.Behind.Err; err != nil && !p.DryRun {
		return done, fmt.Errorf("purged, but after a restart it may be back: %w", err)
	}
	slices.SortStableFunc(found, byFoldedSize)
	done.Largest = append(done.Largest, g.describeAll(found, store.MaxItems, now)...)
	if done.Count == 0 {
		done.Hint = g.whyNothing(snap, p.StoredSelection)
	}
	return done, nil
}

// whyNothing says what may be wrong with a selection that selects nothing.
func (g *Gateway) whyNothing(snap *snapshot, q StoredSelection) string {
	known := snap.siteNames()
	var wider []string
	for _, w := range strings.Fields(q.Match) {
		name, isSite := strings.CutPrefix(w, "site:")
		switch {
		case isSite && !slices.Contains(known, name):
			return fmt.Sprintf("no site %q has a cache; there is %s", name, strings.Join(known, ", "))
		case isSite:
			wider = append(wider, w)
		}
	}
	sel, err := store.ParseSelector(strings.Join(wider, " "), true, nil)
	if err != nil {
		return ""
	}
	r := g.cache.Purge(sel, store.Hard, true)
	switch {
	case r.Total() == 0:
		return "nothing is stored there at all"
	case q.Where != "":
		return fmt.Sprintf("%d are stored there: weirkeep cache ls lists them, without --where too", r.Total())
	}
	return fmt.Sprintf("%d are stored there: weirkeep cache ls lists them. A site's aliases share one copy under its name, paths are compared in their canonical form, and tags letter by letter", r.Total())
}

// StoredStats are what is stored, and what became of it.
type StoredStats struct {
	Objects   int         `json:"objects"` // each slice of an answer counts as one, beside its head
	Filling   int         `json:"filling"`
	Bytes     int64       `json:"bytes"`
	Limit     int64       `json:"limit"`   // of Bytes
	Fetches   int64       `json:"fetches"` // under way, that others may wait for
	Waiting   int64       `json:"waiting"` // exchanges, for these
	Evicted   int64       `json:"evicted"`
	Rejected  int64       `json:"rejected"`
	Removed   uint64      `json:"removed"` // by operators
	Expired   uint64      `json:"expired"` // the same, by soft purges
	Sites     []SiteStats `json:"sites"`   // never null
	MaxObject int64       `json:"max_object"`
	Disk      *DiskStats  `json:"disk,omitempty"` // nil: nothing is kept on a disk
}

// DiskStats are what is kept behind memory, also of what is in memory too.
type DiskStats struct {
	Objects int64 `json:"objects"`
	Waiting int64 `json:"waiting"` // still to be written
	Bytes   int64 `json:"bytes"`   // of all files
	Limit   int64 `json:"limit"`   // of Bytes
	Hits    int64 `json:"hits"`    // brought back into memory
	Evicted int64 `json:"evicted"` // to make room
	Dropped int64 `json:"dropped"` // not written, since too many waited
	Failed  int64 `json:"failed"`  // could not be written or deleted
	Corrupt int64 `json:"corrupt"` // were damaged
	Errors  int64 `json:"errors"`  // of the disk itself
}

// SiteStats are those of one site.
type SiteStats struct {
	Site      string            `json:"site"`
	Objects   int               `json:"objects"`
	Bytes     int64             `json:"bytes"`
	Outcomes  map[string]uint64 `json:"outcomes"`
	Ratio     float64           `json:"ratio"` // of exchanges that needed no whole answer of an origin
	Stored    uint64            `json:"stored"`
	Refreshes uint64            `json:"refreshes"`
}

// StoredStats are what is stored, and what became of it.
func (g *Gateway) StoredStats() (StoredStats, error) {
	snap, _, err := g.hold()
	if err != nil {
		return StoredStats{}, err
	}
	defer snap.release()
	if snap.stored.Memory == 0 {
		return StoredStats{}, ErrNoCache
	}
	st, m := g.cache.Stats(), &g.metrics.Store
	stats := StoredStats{
		Objects: st.Objects, Filling: st.Filling, Bytes: st.Bytes, Limit: snap.stored.Memory, MaxObject: snap.stored.MaxObject, Fetches: st.Flights, Waiting: st.Waiting,
		Evicted: st.Evictions, Rejected: st.Rejected, Removed: m.Removed.Load(), Expired: m.Expired.Load(), Sites: []SiteStats{},
	}
	for _, name := range snap.siteNames() {
		stats.Sites = append(stats.Sites, g.siteStats(name))
	}
	if d := g.tier.Stats(); d.Limit > 0 {
		stats.Disk = &DiskStats{d.Objects, d.Waiting, d.Bytes, d.Limit, d.Hits, d.Evicted, d.Dropped, d.Failed, d.Corrupt, d.Errors}
	}
	return stats, nil
}

func (g *Gateway) siteStats(name string) SiteStats {
	s := SiteStats{Site: name, Outcomes: make(map[string]uint64)}
	if sel, err := store.ParseSelector("site:"+name, false, nil); err == nil {
		for _, e := range g.cache.List(sel, store.ByHits, 1<<31) {
			s.Objects++
			s.Bytes += e.Bytes()
		}
	}
	for site, m := range g.metrics.Current().Caches() {
		if site != name {
			continue
		}
		all := uint64(0)
		for o := range m.Outcomes {
			n := m.Outcomes[o].Load()
			s.Outcomes[metrics.CacheOutcome(o).String()] = n
			all += n
		}
		if all > 0 {
			asked := m.Outcomes[metrics.CacheMiss].Load() + m.Outcomes[metrics.CachePass].Load() + m.Outcomes[metrics.CacheUnreachable].Load()
			s.Ratio = float64(all-asked) / float64(all)
		}
		s.Stored, s.Refreshes = m.Stored.Load(), m.Refreshes.Load()
	}
	return s
}
