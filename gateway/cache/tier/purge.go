package tier

import (
	"errors"
	"maps"

	"weirkeep/gateway/cache"
	"weirkeep/gateway/cache/disk"
	"weirkeep/gateway/cache/store"
)

// purge implements Tier.Purge. What is on the disk goes first: what is brought back before
// is found in memory then, and what is about to be is warned.
func (v *Volume) purge(sel *store.Selector, how store.How, preview bool) func([]*store.Entry) store.Behinds {
	if preview {
		matched, err := v.matching(sel)
		return func(inMemory []*store.Entry) store.Behinds { return only(matched, inMemory, err) }
	}
	v.work.Lock()
	v.purgePending(sel, how)
	if len(sel.Tags()) > 0 && v.tags.wantsAll() {
		v.reindex() // what cannot be read now cannot be below
	}
	matched, err := v.matching(sel)
	err = v.apply(matched, how, err)
	return func(inMemory []*store.Entry) store.Behinds {
		defer v.work.Unlock()
		v.purgePending(sel, how)
		v.purgeSame(inMemory, how)
		return only(matched, inMemory, v.last(err, sel.Brief))
	}
}

// match is what is known of one that a selector selects.
type match struct {
	length int64 // of its body
	slice  bool  // it is no answer by itself
}

// matching are what a selector selects of what may be read.
func (v *Volume) matching(sel *store.Selector) (map[disk.ID]match, error) {
	matched := make(map[disk.ID]match)
	err := v.each(sel, func(i disk.Item) {
		if v.selected(sel, i) {
			of, _ := readSummary(i.Summary)
			_, slice := cache.CutSliceName(of.key.Parts)
			matched[i.ID] = match{i.Length, slice != nil}
		}
	})
	return matched, err
}

// taggedPart of the answers, at most, are looked at one by one for their tags: to read the
// lists of all costs less for more.
const taggedPart = 16

// each calls f with all that a selector may select.
func (v *Volume) each(sel *store.Selector, f func(disk.Item)) error {
	ids, ok := v.tags.of(sel.Tags(), int(v.disk.Stats().Objects/taggedPart)+taggedPart)
	if !ok {
		return v.disk.All(func(i disk.Item) bool {
			f(i)
			return true
		})
	}
	for _, id := range ids {
		o, err := v.disk.Look(id)
		switch {
		case err == nil:
			f(disk.Item{ID: id, Flags: o.Label().Flags, Length: o.Length(), Summary: o.Label().Summary})
			o.Close()
		case !errors.Is(err, disk.ErrNotFound) && !errors.Is(err, disk.ErrCorrupt):
			return err
		}
	}
	return nil
}

func (v *Volume) selected(sel *store.Selector, i disk.Item) bool {
	if !v.has(i.ID) {
		return false
	}
	of, ok := readSummary(i.Summary)
	if !ok {
		v.void(i.ID)
		return false
	}
	return sel.Selects(&of.key, of.tags) && (sel.Where == nil || v.selectedByFields(sel, i.ID))
}

// selectedByFields asks a selector about what only the label says. What cannot be read is
// selected: it is of no use in any case.
func (v *Volume) selectedByFields(sel *store.Selector, id disk.ID) bool {
	o, err := v.disk.Look(id)
	if err != nil {
		return true
	}
	defer o.Close()
	k, s, ok := readLabel(o.Label())
	return !ok || sel.Where(store.Apart(&k, s))
}

func (v *Volume) has(id disk.ID) bool {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.ids.has(id)
}

// apply purges what was found. If something could not be looked at or noted, all goes:
// what should have gone must not come back.
func (v *Volume) apply(matched map[disk.ID]match, how store.How, err error) error {
	for id := range matched {
		if err != nil {
			break
		}
		if how == store.Soft {
			err = v.disk.SetFlags(id, expired)
		} else {
			v.forget(id)
			err = v.disk.Delete(id)
		}
		if errors.Is(err, disk.ErrNotFound) {
			err = nil
		}
	}
	if err != nil {
		return v.clearAll()
	}
	return nil
}

func (v *Volume) forget(id disk.ID) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.ids.remove(id)
}

// clearAll removes everything that is on the disk. The index forgets it also if the disk
// does not.
func (v *Volume) clearAll() error {
	v.counts.Load().failed.Add(1)
	v.mu.Lock()
	v.ids = make(index)
	v.mu.Unlock()
	v.tags.clear()
	return v.disk.Clear()
}

// purgePending purges what is still to be written. Nothing is being written.
func (v *Volume) purgePending(sel *store.Selector, how store.How) {
	v.mu.Lock()
	waiting := maps.Clone(v.pending)
	v.mu.Unlock()
	for id, e := range waiting {
		if e != nil && sel.Matches(e) {
			v.purgeOne(id, e, how)
		}
	}
}

func (v *Volume) purgeOne(id disk.ID, e *store.Entry, how store.How) {
	v.mu.Lock()
	defer v.mu.Unlock()
	switch {
	case v.pending[id] != e: // which came since
	case how == store.Soft:
		v.putLocked(id, e.With(e.Stored().Expire(), e.Head()))
	default:
		v.voidLocked(id)
	}
}

// purgeSame purges what was purged in memory: a selector may ask for what is only known
// there.
func (v *Volume) purgeSame(inMemory []*store.Entry, how store.How) {
	for _, e := range inMemory {
		id := idOf(e.Key(), e.Stored())
		if how == store.Hard || v.has(id) && v.disk.SetFlags(id, expired) != nil {
			v.void(id)
		}
	}
}

// last makes all last that is to be deleted, also over a loss of power unless that is brief.
func (v *Volume) last(err error, brief bool) error {
	v.mu.Lock()
	waiting := maps.Clone(v.pending)
	v.mu.Unlock()
	for id, e := range waiting {
		if e == nil {
			err = errors.Join(err, v.disk.Delete(id))
		}
	}
	if brief {
		return err
	}
	return errors.Join(err, v.disk.Sync())
}

// only sums up what is not in memory too.
func only(matched map[disk.ID]match, inMemory []*store.Entry, err error) (b store.Behinds) {
	for _, e := range inMemory {
		delete(matched, idOf(e.Key(), e.Stored()))
	}
	for _, m := range matched {
		if b.Bytes += m.length; !m.slice {
			b.Count++
		}
	}
	b.Err = err
	return b
}
