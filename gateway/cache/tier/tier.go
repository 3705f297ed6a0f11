// Package tier keeps on a disk what memory has no room for, and brings it back.
//
// A [Tier] stands behind a [store.Cache], which tells it what it has stored and what is
// true no more. Answers that are complete are written by a goroutine that nobody waits
// for; when more come than it can write they are dropped, and counted. On a miss in
// memory [Tier.Recall] looks for the answer: it goes back into memory, and from there to
// the client. What fails to be read or written is a miss, or is not kept: the disk is never
// the reason that an answer is wrong, late or missing.
//
// What was purged or invalidated does not come back, also not after a restart. A [Volume]
// is one folder; a Tier has one at a time, or none, and then does nothing.
//
// It knows of no request but the one that Recall is for, and of no rule: what fits that, and may be
// used, package cache says.
package tier

import (
	"sync/atomic"
	"time"

	"weirkeep/gateway/cache"
	"weirkeep/gateway/cache/disk"
	"weirkeep/gateway/cache/store"
)

// Tier is a place behind memory. It is safe for concurrent use.
type Tier struct {
	volume atomic.Pointer[Volume]
	owed   atomic.Pointer[owed] // to the volume that is to come; nil: none is
	counts counts
}

// New makes a tier without a volume.
func New() *Tier { return new(Tier) }

// Volume is the one in use; nil: none.
func (t *Tier) Volume() *Volume { return t.volume.Load() }

// Use makes a volume the one in use, nil for none, and returns the one before.
func (t *Tier) Use(v *Volume) (before *Volume) {
	if v != nil {
		v.counts.Store(&t.counts)
		if o := t.owed.Load(); o != nil {
			defer t.owed.Store(nil)
			return t.pay(o, v)
		}
	}
	return t.volume.Swap(v)
}

// Recall looks for an answer to a request, and puts it into memory. It reports whether it
// has. What could only be asked for anew, as it has expired and has no validator, stays
// where it is.
func (t *Tier) Recall(c *store.Cache, k *store.Key, r *cache.Request, p *cache.Policy, now time.Time) bool {
	v := t.volume.Load()
	return v != nil && v.recall(c, wanted{k, r, p, now})
}

// VoidFitting makes sure that what fits a request does not come back from the disk.
func (t *Tier) VoidFitting(k *store.Key, r *cache.Request, p *cache.Policy) {
	if t.owe(func(o *owed) { o.targets = append(o.targets, sumOf(k)) }) {
		return
	}
	if v := t.volume.Load(); v != nil {
		v.voidFitting(k, r, p)
	}
}

// Keep implements store.Behind.
func (t *Tier) Keep(e *store.Entry) {
	if v := t.volume.Load(); v != nil {
		v.keep(e)
	}
}

// Void implements store.Behind.
func (t *Tier) Void(e *store.Entry) {
	if t.volume.Load() == nil && t.owed.Load() == nil {
		return
	}
	id := idOf(e.Key(), e.Stored())
	if t.owe(func(o *owed) { o.ids = append(o.ids, id) }) {
		return
	}
	if v := t.volume.Load(); v != nil {
		v.void(id)
	}
}

// VoidTarget implements store.Behind.
func (t *Tier) VoidTarget(k *store.Key) (int, func()) {
	if t.volume.Load() == nil && t.owed.Load() == nil {
		return 0, func() {}
	}
	sum := sumOf(k)
	if t.owe(func(o *owed) { o.targets = append(o.targets, sum) }) {
		return 0, func() {}
	}
	if v := t.volume.Load(); v != nil {
		return v.voidTarget(sum)
	}
	return 0, func() {}
}

// Purge implements store.Behind.
func (t *Tier) Purge(sel *store.Selector, how store.How, preview bool) func([]*store.Entry) store.Behinds {
	if !preview {
		t.owe(func(o *owed) { o.purges = append(o.purges, owedPurge{sel, how}) })
	}
	if v := t.volume.Load(); v != nil {
		return v.purge(sel, how, preview)
	}
	return func([]*store.Entry) store.Behinds { return store.Behinds{} }
}

// counts are of all volumes of a tier.
type counts struct {
	hits, dropped, failed atomic.Int64
}

// Stats is what a tier has, and what has become of what it had. The zero value is that
// of one that has never had a volume.
type Stats struct {
	Objects int64 // answers on the disk
	Waiting int64 // answers that are still to be written
	Bytes   int64 // of all files
	Limit   int64 // bytes that all files may have; 0: there is no volume

	Hits    int64 // answers that were brought back
	Evicted int64 // answers that went to make room, since the volume was opened
	Dropped int64 // answers that were not written, since too many waited
	Failed  int64 // answers that could not be written or deleted
	Corrupt int64 // answers on the disk that were damaged, since the volume was opened
	Errors  int64 // of the disk: when it was read, written, synced or tidied, since then
}

// Stats may be called at any time.
func (t *Tier) Stats() Stats {
	st := Stats{Hits: t.counts.hits.Load(), Dropped: t.counts.dropped.Load(), Failed: t.counts.failed.Load()}
	v := t.volume.Load()
	if v == nil {
		return st
	}
	d := v.disk.Stats()
	st.Objects, st.Bytes, st.Limit = d.Objects, d.Bytes, v.size.Load()
	st.Evicted = d.Evicted
	st.Corrupt, st.Errors = d.Corrupt, d.ReadErrors+d.WriteErrors+d.SyncErrors+d.RemoveErrors
	st.Waiting = v.waiting()
	return st
}

// Options bound a volume.
type Options struct {
	// Size is what all files may have together, in bytes; at least disk.MinSize.
	Size int64

	// Longest is the longest body that is kept, in bytes.
	// Zero means an eighth of Size, which is also the maximum.
	Longest int64

	// Told is told of a disk that fails, as [disk.Options.Told] has it. Nil means nobody is.
	Told func(disk.Trouble)

	// FS is the file system. Nil means the machine's.
	FS disk.FS
}
