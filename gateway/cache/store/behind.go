package store

import (
	"slices"

	"weirkeep/gateway/cache"
)

// Behind keeps answers where there is more room than in memory. It is told what is to be
// kept, and what is true no more; [Flight.Restore] brings an answer back. Keep, Void and
// VoidTarget are called under a lock, so they never wait.
type Behind interface {
	// Keep is told of an answer that is complete, and again when what is known of it has
	// changed.
	Keep(e *Entry)

	// Void is told that what was kept like e, with the same key and variant, and as the same
	// part, must not come back.
	Void(e *Entry)

	// VoidTarget is Void for all of a target, whatever variant and parts. It returns how much
	// that is, and what makes it last; that may wait, and is called without a lock.
	VoidTarget(k *Key) (n int, endure func())

	// Purge does what Cache.Purge does, before that looks at memory. Until the
	// function that it returns is called, with what was found in memory, nothing more is kept.
	Purge(sel *Selector, how How, preview bool) (finish func(inMemory []*Entry) Behinds)
}

// nowhere keeps nothing.
type nowhere struct{}

func (nowhere) Keep(*Entry)                   {}
func (nowhere) Void(*Entry)                   {}
func (nowhere) VoidTarget(*Key) (int, func()) { return 0, func() {} }
func (nowhere) Purge(*Selector, How, bool) func([]*Entry) Behinds {
	return func([]*Entry) Behinds { return Behinds{} }
}

// Restore ends the flight with an answer that was kept behind memory: read is given room
// for its body, and fills it. Purges that have come since the flight began hold for it. It
// returns false, and the flight goes on, if the answer is too long, finds no room or cannot
// be read, if it was purged, or if another one has taken its place.
func (f *Flight) Restore(s *cache.Stored, head []byte, read func(body []byte) error) bool {
	c := f.cache
	if s.Length < 0 || s.Length > c.maxObject.Load() {
		return false
	}
	e := newEntry(f.home, s, head)
	fill, ok := c.newFill(e)
	if !ok {
		return false
	}
	if fill.body().readAll(s.Length, read) != nil || !f.landRestored(e) {
		c.space.drop(e.object)
		return false
	}
	return true
}

// readAll fills a body that nobody sees yet.
func (b *Body) readAll(length int64, read func([]byte) error) error {
	if length > 0 {
		p := &b.pieces[0]
		p.bytes = p.bytes[:length]
		if err := read(p.bytes); err != nil {
			return err
		}
	}
	b.end = length
	b.keep()
	return nil
}

// landRestored puts an entry that is complete in the index, unless something is there in
// its place.
func (f *Flight) landRestored(e *Entry) bool {
	c, s := f.cache, f.shard()
	s.mu.Lock()
	hard, soft := f.judge(s, e)
	if soft {
		e = e.expired()
	}
	if hard || f.ended || f.home.hasLike(e.stored) {
		s.mu.Unlock()
		return false
	}
	c.unmark(f.home)
	_, surplus := s.insert(e)
	if surplus != nil {
		c.space.dropIdle(surplus)
	}
	out := c.space.admit(e.object, footprint(e.stored.Length))
	f.endLocked(s, e, Answered)
	s.mu.Unlock()
	c.forget(out)
	return true
}

// hasLike reports whether an entry is there whose place s would take, or that has made
// it needless.
func (r *resource) hasLike(s *cache.Stored) bool {
	return slices.ContainsFunc(r.entries, func(e *Entry) bool {
		return replaces(s, e.stored) || replaces(e.stored, s)
	})
}

// Apart is an answer that is kept behind memory, for selectors and lists. Its body has a
// length and no bytes, and that length is what it takes.
func Apart(k *Key, s *cache.Stored) *Entry {
	o := &object{home: &resource{key: *k}, apart: true}
	o.body.end, o.body.state = s.Length, complete
	o.bytes.Store(s.Length)
	return &Entry{object: o, stored: s}
}

// IsApart reports whether an entry is one that Apart has made.
func (e *Entry) IsApart() bool { return e.apart }
