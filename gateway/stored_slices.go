package gateway

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"weirkeep/gateway/cache"
	"weirkeep/gateway/cache/store"
	"weirkeep/gateway/unit"
)

// noSlice reports whether an entry is more than a slice.
func noSlice(e *store.Entry) bool {
	_, slice := cache.CutSliceName(e.Key().Parts)
	return slice == nil
}

// folded is a stored answer, with what is in memory of its slices.
type folded struct {
	*store.Entry
	slices, bytes int64
}

// folds are stored answers by what their slices have in common; those with the same are of
// one version, so that all of them have all slices.
type folds map[string][]*folded

// keyOfSlices is what the slices of a whole have in common.
func keyOfSlices(k *store.Key, parts []byte, size int64, version []byte) string {
	return fmt.Sprintf("%s %v %q %q %q %d %q", k.Site, k.Secure, k.Variant, k.Target, parts, size, version)
}

// foldSlices lets a whole stand for its slices: for people it is one answer. The order stays.
func foldSlices(all []*store.Entry) []*folded {
	list := make([]*folded, len(all))
	for i, e := range all {
		list[i] = &folded{e, 0, e.Bytes()}
	}
	return fold(list)
}

// fold is foldSlices of what takes the bytes that are given.
func fold(list []*folded) []*folded {
	wholes := make(folds)
	for _, f := range list {
		if f.Stored().Sliced() {
			of := f.Stored().Slices
			key := keyOfSlices(f.Key(), f.Key().Parts, of.Size, of.Version)
			wholes[key] = append(wholes[key], f)
		}
	}
	if len(wholes) == 0 {
		return list
	}
	return slices.DeleteFunc(list, wholes.take)
}

// withSlices makes a condition one on whole answers: what it is of a head, it is of its slices, which
// say less and something else of themselves. Slices without a head are asked themselves.
func (g *Gateway) withSlices(sel *store.Selector) {
	where := sel.Where
	if where == nil {
		return
	}
	heads := *sel
	heads.Where = func(e *store.Entry) bool { return e.Stored().Sliced() }
	all := append(g.cache.List(&heads, store.ByHits, math.MaxInt), g.tier.List(g.cache, &heads, store.ByHits, math.MaxInt32).First...)
	selected := make(map[string]bool)
	for _, e := range all {
		of := e.Stored().Slices
		key := keyOfSlices(e.Key(), e.Key().Parts, of.Size, of.Version)
		selected[key] = where(e) || selected[key]
	}
	sel.Where = func(e *store.Entry) bool {
		if key, ok := keyOfWhole(e); ok {
			if is, known := selected[key]; known {
				return is
			}
		}
		return where(e)
	}
}

// keyOfWhole is keyOfSlices of the whole that an entry is a slice of, if it is one.
func keyOfWhole(e *store.Entry) (string, bool) {
	parts, name := cache.CutSliceName(e.Key().Parts)
	if name == nil {
		return "", false
	}
	_, size, version, ok := cache.ParseSliceName(name)
	if !ok {
		return "", false
	}
	return keyOfSlices(e.Key(), parts, size, version), true
}

// take adds a slice to the wholes that it is of, and reports whether there are any.
func (w folds) take(slice *folded) bool {
	key, ok := keyOfWhole(slice.Entry)
	if !ok {
		return false
	}
	list := w[key]
	for _, whole := range list {
		if !slice.IsApart() {
			whole.slices++
			whole.bytes += slice.bytes
		}
	}
	return len(list) > 0
}

// describeFolded is what is known of a stored answer, its slices counted as its own.
func (g *Gateway) describeFolded(f *folded, now time.Time) StoredObject {
	o := g.describe(f.Entry, now)
	f.complete(&o)
	return o
}

// describeAll describes so many at most.
func (g *Gateway) describeAll(all []*folded, most int, now time.Time) (list []StoredObject) {
	for _, f := range all[:min(len(all), most)] {
		list = append(list, g.describeFolded(f, now))
	}
	return list
}

// complete says what is known of slices.
func (f *folded) complete(o *StoredObject) {
	o.Bytes = f.bytes
	if s := f.Stored(); s.Sliced() {
		o.Length = s.Slices.Size
		o.Slices = fmt.Sprintf("%d of %d slices of %v", f.slices, s.Slices.Count(), unit.Size(s.Slices.Each))
	}
	if parts, name := cache.CutSliceName(f.Key().Parts); name != nil {
		o.Parts, o.Part = shownParts(parts), strings.ToValidUTF8(string(name), "?")
	}
}

// byFoldedSize puts what takes most bytes first.
func byFoldedSize(a, b *folded) int { return cmp.Compare(b.bytes, a.bytes) }
