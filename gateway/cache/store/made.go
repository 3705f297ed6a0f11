package store

// made is what somebody has made of a body.
type made struct {
	what any
	size int64 // in bytes
}

// overheadOfMade is what that takes beside its size.
const overheadOfMade = 48

// Made is what somebody has made of the body, and [Cache.KeepMade] keeps; nil: nothing. All
// updates of an answer have it in common, as they have the body.
func (e *Entry) Made() any {
	if m := e.made.Load(); m != nil {
		return m.what
	}
	return nil
}

// KeepMade keeps what was made of the body of an entry, which takes so many bytes, beside the body and for as
// long as that. It reports whether something is kept: what was kept first stays, and is what
// [Entry.Made] has. Nothing is kept of a body that is not complete, if there is no room, or if the
// entry has left the cache.
func (c *Cache) KeepMade(e *Entry, what any, size int64) bool {
	if _, all := e.Body().Size(); !all {
		return false
	}
	kept, out := c.keepMade(e, &made{what, size})
	c.forget(out)
	return kept
}

func (c *Cache) keepMade(e *Entry, m *made) (kept bool, out []*object) {
	s := c.shard(e.home.target)
	s.mu.Lock()
	defer s.mu.Unlock()
	current := e.home.current(e.object)
	if current == nil || e.made.Load() != nil {
		return current != nil, nil
	}
	if out, kept = c.space.change(e.object, current.weigh()+m.weigh(), 0); kept {
		e.made.Store(m)
	}
	return kept, out
}

// weigh is what it takes; nil takes nothing.
func (m *made) weigh() int64 {
	if m == nil {
		return 0
	}
	return overheadOfMade + m.size
}
