package store

import "weirkeep/gateway/cache"

// Loose begins to fill an answer that is in no index and that no budget counts: who is
// given it reads it, and nobody else. Its length must be known.
func (c *Cache) Loose(k *Key, s *cache.Stored) *Fill {
	e := newEntry(&resource{key: k.clone(), closed: true}, s, nil)
	f := &Fill{cache: c, entry: e, length: s.Length, room: s.Length, taken: s.Length}
	if s.Length > 0 {
		f.body().extend(s.Length)
	}
	return f
}
