package store

import "weirkeep/gateway/cache"

// Loose begins to fill an answer that is in no index and that no budget counts: who is
// given it reads it, and nobody else. Its length must be known, and is held in one piece.
func (c *Cache) Loose(k *Key, s *cache.Stored) *Fill {
	e := newEntry(&resource{key: k.clone(), closed: true}, s, nil)
	f := &Fill{cache: c, entry: e, length: s.Length, room: s.Length, taken: s.Length}
	if s.Length > 0 {
		f.body().extend(s.Length)
	}
	return f
}

// Passing begins to fill an answer that is for one reader, which the caller is or sees to: it is in
// no index, and no budget counts it. It is read at the origin's pace, and held in full until it
// is longer than [Options.MaxObject]; what is longer is passed on through a window, at the
// pace of the reader, who may take nothing for 30 s at most. The fill ends when nobody reads the
// body any more, and nobody is going to ([Body.Decline]); who has opened a reader is one who reads until he closes it.
func (c *Cache) Passing(k *Key, s *cache.Stored) *Fill {
	if 0 <= s.Length && s.Length <= leastRoom {
		return c.Loose(k, s)
	}
	e := newEntry(&resource{key: k.clone(), closed: true}, s, nil)
	e.body.expect(1)
	return &Fill{cache: c, entry: e, length: -1, room: max(c.maxObject.Load(), leastRoom), loose: true}
}
