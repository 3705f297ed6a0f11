package gateway

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"weirkeep/gateway/cache/store"
)

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

// mostPurged is how many answers a purge names.
const mostPurged = 100

// PurgeStored makes all that is selected go, or stale. What is fetched now, and was asked
// for before, is treated as if it had been here.
func (g *Gateway) PurgeStored(p StoredPurge) (StoredPurged, error) {
	none := StoredPurged{Soft: p.Soft, DryRun: p.DryRun, Largest: []StoredObject{}}
	if words := strings.TrimSpace(p.Match); p.All && words != "" {
		return none, fmt.Errorf("selector: all, and %q, which is a part of it: write the words alone to purge that part, or --all alone to purge everything", words)
	}
	snap, _, err := g.hold()
	if err != nil {
		return none, err
	}
	defer snap.release()
	sel, err := snap.selector(g, p.StoredSelection)
	if err != nil {
		return none, err
	}
	g.withSlices(sel)
	how, counter := store.Hard, &g.metrics.Store.Removed
	if p.Soft {
		how, counter = store.Soft, &g.metrics.Store.Expired
	}
	began := time.Now()
	report := g.cache.Purge(sel, how, p.DryRun)
	done := none.with(g, &report, time.Since(began))
	if !p.DryRun {
		counter.Add(uint64(done.Count))
	}
	if err := report.Behind.Err; err != nil && !p.DryRun {
		return done, fmt.Errorf("purged, but after a restart it may be back: %w", err)
	}
	if done.Count == 0 {
		done.Hint = g.whyNothing(snap, p.StoredSelection)
	}
	return done, nil
}

// with is a purge that has found something, in so much time.
func (p StoredPurged) with(g *Gateway, report *store.Report, took time.Duration) StoredPurged {
	found := make([]*folded, len(report.Items))
	for i, item := range report.Items {
		found[i] = &folded{item.Entry, 0, item.Took}
	}
	found = fold(found)
	slices.SortStableFunc(found, byFoldedSize)
	p.Millis = float64(took.Microseconds()) / 1000
	p.Count, p.OnDisk = len(found)+report.Behind.Count, report.Behind.Count
	p.Bytes = report.Bytes + report.Behind.Bytes
	p.Largest = append(p.Largest, g.describeAll(found, mostPurged, g.now(time.Now()))...)
	return p
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
