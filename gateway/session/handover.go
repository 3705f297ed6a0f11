package session

import (
	"cmp"
	"slices"
	"time"
)

// Entry is a binding on its way from one table to another.
type Entry struct {
	ID, Origin string

	// Idle is how long ago the id was used.
	Idle time.Duration
}

// Entries returns the bindings that are not idle, the most recently used first.
// It is not for the request path: a thirty-second of the table at a time is
// locked until it has been copied, some 0.1 ms of 100,000 bindings.
func (t *Table) Entries(now time.Time) []Entry {
	all, at := make([]numbered, 0, t.Len()+t.Len()/8), t.since(now)
	for i := range t.shards {
		all = t.appendEntries(all, &t.shards[i], at)
	}
	slices.SortFunc(all, func(a, b numbered) int { return cmp.Compare(b.use, a.use) })
	entries := make([]Entry, len(all))
	for i := range all {
		entries[i] = all[i].Entry
	}
	return entries
}

// numbered is an entry with the number of its binding's last use.
type numbered struct {
	Entry
	use uint64
}

func (t *Table) appendEntries(all []numbered, s *shard, at time.Duration) []numbered {
	s.mu.Lock()
	defer s.mu.Unlock()
	for b := s.ring.next; b != &s.ring; b = b.next {
		if !t.idled(b, at) {
			all = append(all, numbered{Entry{b.id, b.tally.origin, max(0, at-b.at)}, b.use})
		}
	}
	return all
}

// Restore binds what Entries returned of another table. The order of use stays,
// and an id has as long to be used as it had there; those that are idle by now
// are left out, and so are the least recently used ones if there are too many.
func (t *Table) Restore(entries []Entry, now time.Time) {
	entries = entries[:min(len(entries), int(t.entries.Load()))]
	for _, e := range slices.Backward(entries) {
		if e.Idle >= 0 && e.Idle < time.Duration(t.idle.Load()) {
			t.Bind([]byte(e.ID), e.Origin, now.Add(-e.Idle))
		}
	}
}
