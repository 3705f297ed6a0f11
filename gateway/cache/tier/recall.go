package tier

import (
	"errors"
	"slices"
	"time"

	"weirkeep/gateway/cache"
	"weirkeep/gateway/cache/disk"
	"weirkeep/gateway/cache/store"
)

// wanted is what is looked for.
type wanted struct {
	key     *store.Key
	request *cache.Request
	policy  *cache.Policy
	now     time.Time
}

// found is an answer on the disk, open.
type found struct {
	object *disk.Object
	stored *cache.Stored
}

// recall implements Tier.Recall. The flight begins before the disk is asked, so that a
// purge in between concerns it.
func (v *Volume) recall(c *store.Cache, w wanted) bool {
	sum := sumOf(w.key)
	if len(v.readable(sum)) == 0 {
		return false
	}
	flight := c.Lead(w.key, w.request, w.policy)
	if flight == nil {
		return false // somebody brings or fetches it
	}
	defer flight.Leave()
	f := v.best(w, v.readable(sum))
	if f.object == nil {
		return false
	}
	defer f.object.Close()
	ok := flight.Restore(f.stored, f.stored.AppendHead(nil), func(body []byte) error {
		_, err := f.object.ReadAt(body, 0)
		return err
	})
	if ok {
		v.counts.Load().hits.Add(1)
	}
	return ok
}

// best is which of several answers is used; without an object: none.
func (v *Volume) best(w wanted, ids []disk.ID) (best found) {
	for _, id := range slices.Backward(ids) {
		f := v.open(w, id)
		if f.object == nil {
			continue
		}
		if best.object != nil && !store.Better(f.stored, best.stored) {
			f.object.Close()
			continue
		}
		if best.object != nil {
			best.object.Close()
		}
		best = f
	}
	return best
}

// open opens an answer; without an object: it is not there or not one to the request.
func (v *Volume) open(w wanted, id disk.ID) found {
	o, err := v.disk.Open(id)
	if err != nil {
		if errors.Is(err, disk.ErrNotFound) || errors.Is(err, disk.ErrCorrupt) {
			v.void(id)
		}
		return found{}
	}
	k, s, ok := readLabel(o.Label())
	switch {
	case !ok || s.Length != o.Length():
		v.void(id)
	case k.Equal(w.key) && s.Fits(w.request, w.policy) && w.policy.Use(s, w.request, w.now) != cache.UseFetch:
		return found{o, s}
	}
	o.Close()
	return found{}
}

// voidFitting implements Tier.VoidFitting. What is being written may fit, too.
func (v *Volume) voidFitting(k *store.Key, r *cache.Request, p *cache.Policy) {
	sum := sumOf(k)
	for _, id := range v.readable(sum) {
		if e := v.entry(id); e != nil && e.Key().Equal(k) && e.Stored().Fits(r, p) {
			v.void(id)
		}
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	for id, e := range v.pending {
		if e != nil && e.Key().Equal(k) && e.Stored().Fits(r, p) {
			v.voidLocked(id)
		}
	}
	if keySum(v.writing[:12]) == sum {
		v.voidLocked(v.writing)
	}
}
