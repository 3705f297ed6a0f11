package store

import (
	"weirkeep/gateway/cache"
)

// Store ends the flight with an answer, whose body the returned fill is for. All who
// wait have the entry at once. It is found from now on, and replaces what was chosen by
// the same values of the same fields; unless a purge or an invalidation has come since
// the flight began: then only those who have it can read it, or, after a soft purge, it
// is stale. Neither s nor head may be changed any more.
//
// nil: the answer is too long, or there is no room. Then who waits goes on as after Pass.
func (f *Flight) Store(s *cache.Stored, head []byte) *Fill {
	if s.Length > f.cache.maxObject.Load() {
		f.cache.rejected.Add(1)
		f.Pass(longFor, 0)
		return nil
	}
	e := newEntry(f.home, s, head)
	fill, ok := f.cache.newFill(e)
	if !ok {
		f.cache.rejected.Add(1)
		f.end(nil, Passed)
		return nil
	}
	fill.entry = f.land(e)
	return fill
}

func newEntry(r *resource, s *cache.Stored, head []byte) *Entry {
	return &Entry{object: &object{home: r}, stored: s, head: head}
}

// land ends the flight with a new entry. It returns it as it is in the index.
func (f *Flight) land(e *Entry) *Entry {
	s := f.shard()
	s.mu.Lock()
	hard, soft := f.judge(s, e)
	if soft {
		e = e.expired()
	}
	if !hard {
		f.cache.insertLocked(s, e)
	}
	e.body.expect(1 + f.joined) // the leader's client too
	f.endLocked(s, e, Answered)
	s.mu.Unlock()
	return e
}

// insertLocked puts an entry in the index, in the place of what it replaces.
func (c *Cache) insertLocked(s *shard, e *Entry) {
	c.unmark(e.home)
	c.behind.Void(e)
	replaced, surplus := s.insert(e)
	for _, old := range replaced {
		c.behind.Void(old)
		c.space.inherit(e.object, old.object)
		c.space.dropIdle(old.object)
	}
	if surplus != nil {
		c.space.dropIdle(surplus)
	}
}

// judge reports whether the purges that have come concern an entry. Their selectors are
// asked without the lock, which it has again when all have been.
func (f *Flight) judge(s *shard, e *Entry) (hard, soft bool) {
	for asked := 0; asked < len(f.purges); asked++ {
		p := f.purges[asked]
		s.mu.Unlock()
		match := p.concerns(e)
		s.mu.Lock()
		hard = hard || match && p.how == Hard
		soft = soft || match && p.how == Soft
	}
	return hard, soft
}

// Update ends the flight with an answer that says that e is still good: the body stays,
// what is known of it and the head are new. It returns the new entry, which takes the
// place of what the index has of e, if it has, as [Flight.Store] says.
func (f *Flight) Update(e *Entry, s *cache.Stored, head []byte) *Entry {
	next := &Entry{object: e.object, stored: s, head: head}
	sh := f.shard()
	sh.mu.Lock()
	hard, soft := f.judge(sh, next)
	if soft {
		next = next.expired()
	}
	var out []*object
	if hard {
		f.cache.behind.Void(e)
		f.cache.removeLocked(sh, e.object)
	} else if e.indexed {
		out = f.cache.replaceLocked(sh, next)
	}
	f.endLocked(sh, next, Answered)
	sh.mu.Unlock()
	f.cache.forget(out)
	return next
}

// Update gives an entry other metadata without a flight, if it is still the one that the
// index has: after an answer to HEAD, which has shown that it is still good, or is not.
func (c *Cache) Update(e *Entry, s *cache.Stored, head []byte) *Entry {
	next := &Entry{object: e.object, stored: s, head: head}
	sh := c.shard(e.home.target)
	sh.mu.Lock()
	var out []*object
	if e.home.current(e.object) == e {
		out = c.replaceLocked(sh, next)
	} else {
		c.behind.Void(e)
	}
	sh.mu.Unlock()
	c.forget(out)
	return next
}

// replaceLocked puts an entry in the place of the one that its object has in the index.
// If it is longer and there is no room for that, the object leaves the index. It returns
// what the space has let go.
func (c *Cache) replaceLocked(s *shard, e *Entry) []*object {
	old := e.home.current(e.object)
	out, ok := c.space.change(e.object, e.weigh(), 0)
	if !ok {
		c.behind.Void(old)
		c.removeLocked(s, e.object)
		return nil
	}
	s.exchange(e)
	if !e.stored.SameVariant(old.stored) {
		c.behind.Void(old)
	}
	if _, all := e.Body().Size(); all {
		c.behind.Keep(e)
	}
	return out
}

func (e *Entry) expired() *Entry {
	s := *e.stored
	s.Fresh.Expired = true
	return &Entry{object: e.object, stored: &s, head: e.head}
}

// mark says of the key of a resource, which may be closed, what became of the last fetch.
func (c *Cache) mark(r *resource, said Mark) {
	o := &object{marks: true}
	out, ok := c.space.begin(o, overheadOfMark+r.key.size(), 0)
	c.forget(out)
	if !ok {
		return
	}
	s := c.shard(r.target)
	s.mu.Lock()
	r = s.open(r.target, r.sum, &r.key)
	c.unmark(r)
	o.home, r.mark, r.said = r, o, said
	out = c.space.admit(o, 0)
	s.mu.Unlock()
	c.forget(out)
}

func (c *Cache) unmark(r *resource) {
	if r.mark != nil {
		c.space.dropIdle(r.mark)
		r.mark, r.said = nil, Mark{}
	}
}

// remove takes an object out of the index and, unless it is being filled, stops
// counting it.
func (c *Cache) remove(o *object) bool {
	s := c.shard(o.home.target)
	s.mu.Lock()
	defer s.mu.Unlock()
	return c.removeLocked(s, o)
}

func (c *Cache) removeLocked(s *shard, o *object) bool {
	was := s.remove(o)
	s.closeIdle(o.home)
	c.space.dropIdle(o)
	return was
}

// forget takes objects out of the index that the space has let go.
func (c *Cache) forget(out []*object) {
	for _, o := range out {
		c.remove(o)
	}
}

// With is the same answer with other metadata, which the index does not have: for one
// client alone.
func (e *Entry) With(s *cache.Stored, head []byte) *Entry {
	return &Entry{object: e.object, stored: s, head: head}
}

// Remove takes an entry out of the index, if it is still there. Who has it can read it.
func (c *Cache) Remove(e *Entry) {
	sh := c.shard(e.home.target)
	sh.mu.Lock()
	c.behind.Void(e)
	if e.home.current(e.object) == e {
		c.removeLocked(sh, e.object)
	}
	sh.mu.Unlock()
}
