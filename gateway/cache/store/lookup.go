package store

import (
	"time"

	"weirkeep/gateway/cache"
)

// Found is what there is for a request.
type Found struct {
	// Entry fits the request. Whether it may be used is for package cache to say. nil:
	// there is none.
	Entry *Entry

	// Passing means that the last answer could not be stored, and not long ago: who asks
	// for it waits for nobody. Why is what [Flight.Pass] was told.
	Passing bool
	Why     uint8

	// Others means that there are entries under the key, and none fits.
	Others bool
}

// Lookup finds what there is for a request. Of several entries that fit it is a whole
// one before a part, and then the one with the newest Date. It allocates nothing.
func (c *Cache) Lookup(k *Key, r *cache.Request, p *cache.Policy) Found {
	target, sum := c.sums(k)
	s := c.shard(target)
	s.mu.RLock()
	res := s.find(sum, k)
	if res == nil {
		s.mu.RUnlock()
		return Found{}
	}
	entries, mark, said := res.entries, res.mark, res.said
	s.mu.RUnlock()
	if e := choose(entries, r, p); e != nil {
		e.hits.Add(1)
		return Found{Entry: e}
	}
	f := Found{Others: len(entries) > 0}
	if mark != nil {
		mark.hits.Add(1)
		f.Passing, f.Why = !said.Failed && c.now().Before(said.Until), said.Why
	}
	return f
}

// Peek is the entry that Lookup finds. It counts as no lookup: who uses it says so
// with [Entry.Hit].
func (c *Cache) Peek(k *Key, r *cache.Request, p *cache.Policy) *Entry {
	return choose(c.entriesAt(k), r, p)
}

// entriesAt is all that is stored under a key, the newest first. It is not to be changed.
func (c *Cache) entriesAt(k *Key) []*Entry {
	target, sum := c.sums(k)
	s := c.shard(target)
	s.mu.RLock()
	defer s.mu.RUnlock()
	if res := s.find(sum, k); res != nil {
		return res.entries
	}
	return nil
}

// Mark is what became of the last fetch under a key that brought nothing to keep. It holds
// for a while.
type Mark struct {
	Until  time.Time
	Failed bool  // there was no answer; else it was not for all
	Why    uint8 // as the leader has said; 0: it was too long, or found no room
}

// Marked is the mark of a key, if it has one that still holds. It counts as no lookup.
func (c *Cache) Marked(k *Key) (Mark, bool) {
	target, sum := c.sums(k)
	s := c.shard(target)
	s.mu.RLock()
	defer s.mu.RUnlock()
	res := s.find(sum, k)
	if res == nil || res.mark == nil {
		return Mark{}, false
	}
	return res.said, c.now().Before(res.said.Until)
}

// AppendFitting appends to dst all entries that fit a request, in the order in which
// they came, the newest first: parts that may be joined are among them.
func (c *Cache) AppendFitting(dst []*Entry, k *Key, r *cache.Request, p *cache.Policy) []*Entry {
	for _, e := range c.entriesAt(k) {
		if e.stored.Fits(r, p) {
			dst = append(dst, e)
		}
	}
	return dst
}

// choose is the best of the entries that fit a request; nil: none does.
func choose(entries []*Entry, r *cache.Request, p *cache.Policy) *Entry {
	var best *Entry
	for _, e := range entries {
		if e.stored.Fits(r, p) && (best == nil || Better(e.stored, best.stored)) {
			best = e
		}
	}
	return best
}

// Better reports whether s is chosen over t.
func Better(s, t *cache.Stored) bool {
	if whole, other := s.Part.Size == 0, t.Part.Size == 0; whole != other {
		return whole
	}
	return s.Newer(t)
}
