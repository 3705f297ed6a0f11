package store

// How says what a purge does with what it finds.
type How uint8

// The kinds of purge.
const (
	Hard How = iota // it goes
	Soft            // it stays, and is stale from now on
)

// Report is what a purge has found.
type Report struct {
	Count int
	Bytes int64  // that the answers take, as [Entry.Bytes]
	Items []Item // the largest first

	// Behind is what only [Options.Behind] had; the rest is about memory alone.
	Behind Behinds
}

// Item is an answer that a purge has found.
type Item struct {
	*Entry
	Took int64 // bytes, when it was found: what has gone takes none
}

// Behinds is what a purge has found behind memory.
type Behinds struct {
	Count int
	Bytes int64 // of bodies
	Err   error // it is gone or stale, but may come back as it was after a restart
}

// Total is how many answers a purge has found, in memory or behind it.
func (r *Report) Total() int { return r.Count + r.Behind.Count }

// purge is one that flights have to heed.
type purge struct {
	sel *Selector
	how How
}

func (p *purge) concerns(e *Entry) bool { return p.sel == nil || p.sel.Matches(e) }

// Purge makes all that a selector selects go, or stale, and reports it; a preview only
// reports it. An answer that was asked for before the purge is as if it had been here
// already. What comes while the purge is under way, and was asked for after its begin,
// is kept.
func (c *Cache) Purge(sel *Selector, how How, preview bool) Report {
	var r Report
	var found []listed
	var entries []*Entry
	finish := c.behind.Purge(sel, how, preview)
	for i := range c.shards {
		s := &c.shards[i]
		if !preview {
			s.warn(sel, how)
		}
		for _, e := range s.collect(sel) {
			if !sel.Matches(e) {
				continue
			}
			l := listed{e, e.Hits(), e.Bytes()}
			if preview || c.apply(s, e, how) {
				found = append(found, l)
				entries = append(entries, e)
				r.Bytes += l.bytes
			}
		}
	}
	r.Count = len(found)
	rank(found, BySize)
	for _, l := range found {
		r.Items = append(r.Items, Item{l.Entry, l.bytes})
	}
	r.Behind = finish(entries)
	return r
}

// warn tells the flights that a purge may concern.
func (s *shard) warn(sel *Selector, how How) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for f := range s.flying {
		if sel.matchesKey(&f.home.key) {
			f.purges = append(f.purges, purge{sel, how})
		}
	}
}

// collect is the entries that a selector may select: it is asked without the lock.
func (s *shard) collect(sel *Selector) []*Entry {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if tags := sel.Tags(); len(tags) > 0 {
		return s.tagged(tags)
	}
	var out []*Entry
	for _, res := range s.targets {
		for ; res != nil; res = res.post {
			if sel.matchesKey(&res.key) {
				out = append(out, res.entries...)
			}
		}
	}
	return out
}

func (s *shard) tagged(tags []string) []*Entry {
	seen := make(map[*object]struct{})
	var out []*Entry
	for _, t := range tags {
		for o := range s.tags[t] {
			if _, again := seen[o]; again {
				continue
			}
			seen[o] = struct{}{}
			out = append(out, o.home.current(o))
		}
	}
	return out
}

// apply purges what the index has of an entry now, and reports whether it has any.
func (c *Cache) apply(s *shard, e *Entry, how How) bool {
	if how == Hard {
		return c.remove(e.object)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	current := e.home.current(e.object)
	if current == nil {
		return false
	}
	s.exchange(current.expired())
	return true
}
