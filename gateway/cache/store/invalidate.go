package store

// InvalidateTarget makes all go that is stored of a target, whatever variant and parts,
// since an unsafe method has changed it. An answer to what was asked for before goes to
// who waits for it, and is not stored. It returns how many answers went.
func (c *Cache) InvalidateTarget(site string, secure bool, target []byte) int {
	k := Key{Site: site, Secure: secure, Target: target}
	sum, _ := c.sums(&k)
	s := c.shard(sum)
	s.mu.Lock()
	n := c.clearTarget(s, sum, &k)
	more, endure := c.behind.VoidTarget(&k)
	s.mu.Unlock()
	endure()
	return n + more
}

func (c *Cache) clearTarget(s *shard, sum uint64, k *Key) (n int) {
	for r := s.targets[sum]; r != nil; {
		next := r.post // r may be closed
		if r.key.SameTarget(k) {
			for _, f := range r.flights {
				f.purges = append(f.purges, purge{how: Hard})
			}
			n += c.clear(s, r)
		}
		r = next
	}
	return n
}

func (c *Cache) clear(s *shard, r *resource) int {
	entries := r.entries
	for _, e := range entries {
		c.removeLocked(s, e.object)
	}
	return len(entries)
}
