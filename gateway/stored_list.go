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
	sel := store.SelectSite(x.site.name)
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
