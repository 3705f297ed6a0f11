package tier

import (
	"cmp"
	"math"
	"slices"

	"weirkeep/gateway/cache"
	"weirkeep/gateway/cache/disk"
	"weirkeep/gateway/cache/store"
)

// Listing is what a selector selects of what is on the disk and not in memory.
type Listing struct {
	Count int            // of answers; slices are no answers
	Bytes int64          // of bodies, those of slices too
	First []*store.Entry // in order, as [store.Apart] makes them

	// Err is why something may be missing.
	Err error
}

// List lists what is on the disk, and not in a cache: so many answers at most, in order.
// Nobody has counted how often they were found, so by that they are equal.
func (t *Tier) List(c *store.Cache, sel *store.Selector, by store.Order, limit int) Listing {
	v := t.volume.Load()
	if v == nil {
		return Listing{}
	}
	return v.list(c, sel, by, limit)
}

// Has reports whether an answer that is in memory is on the disk, too.
func (t *Tier) Has(e *store.Entry) bool {
	v := t.volume.Load()
	return v != nil && v.has(idOf(e.Key(), e.Stored()))
}

// At is what is on the disk of a key's target by its scheme, whatever else it was chosen
// by, but for what is in memory.
func (t *Tier) At(k *store.Key, inMemory []*store.Entry) (all []*store.Entry) {
	v := t.volume.Load()
	if v == nil {
		return nil
	}
	known := idsOf(inMemory)
	v.mu.Lock()
	ids := v.ids.ofTarget(sumOf(k))
	v.mu.Unlock()
	for _, id := range ids {
		if e := v.entry(id); e != nil && !known[id] && e.Key().SameTarget(k) {
			all = append(all, e)
		}
	}
	return all
}

// listed is an answer on the disk as lists order it.
type listed struct {
	id               disk.ID
	length, received int64
}

// orders compare two answers, the one that comes first being less.
var orders = [...]func(a, b listed) int{
	store.ByHits: func(a, b listed) int { return 0 },
	store.BySize: func(a, b listed) int { return cmp.Compare(b.length, a.length) },
	store.ByAge:  func(a, b listed) int { return cmp.Compare(a.received, b.received) },
}

// list implements Tier.List. The labels are read of those alone that are listed.
func (v *Volume) list(c *store.Cache, sel *store.Selector, by store.Order, limit int) (l Listing) {
	inMemory := v.inMemory(c, sel)
	var first []listed
	l.Err = v.each(sel, func(i disk.Item) {
		of, ok := readSummary(i.Summary)
		if ok && !inMemory[i.ID] && v.selected(sel, i) {
			l.Bytes += i.Length
			if _, slice := cache.CutSliceName(of.key.Parts); slice != nil {
				return
			}
			l.Count++
			if first = append(first, listed{i.ID, i.Length, of.received}); len(first) > 2*limit {
				first = firstOf(first, by, limit)
			}
		}
	})
	for _, i := range firstOf(first, by, limit) {
		if e := v.entry(i.id); e != nil {
			l.First = append(l.First, e)
		}
	}
	return l
}

// firstOf are those that come first.
func firstOf(all []listed, by store.Order, limit int) []listed {
	slices.SortFunc(all, func(a, b listed) int {
		return cmp.Or(orders[by](a, b), slices.Compare(a.id[:], b.id[:]))
	})
	return all[:min(max(limit, 0), len(all))]
}

// inMemory is what memory has of what a selector's words select.
func (v *Volume) inMemory(c *store.Cache, sel *store.Selector) map[disk.ID]bool {
	words := *sel
	words.Where = nil
	return idsOf(c.List(&words, store.ByHits, math.MaxInt))
}

func idsOf(all []*store.Entry) map[disk.ID]bool {
	ids := make(map[disk.ID]bool, len(all))
	for _, e := range all {
		ids[idOf(e.Key(), e.Stored())] = true
	}
	return ids
}

// entry is what is known of an answer on the disk; nil: it cannot be read.
func (v *Volume) entry(id disk.ID) *store.Entry {
	o, err := v.disk.Look(id)
	if err != nil {
		return nil
	}
	defer o.Close()
	k, s, ok := readLabel(o.Label())
	if !ok {
		return nil
	}
	return store.Apart(&k, s)
}
