package store

import (
	"slices"
	"time"
)

// Wait waits for the flight that was joined: for its answer, or for its leadership, for
// so long at most. The entry is there if the outcome is [Answered].
func (f *Flight) Wait(w Waiter, limit time.Duration) (*Entry, Outcome) {
	t, leads := f.queue()
	if leads {
		return nil, Leads
	}
	f.cache.waiting.Add(1)
	defer f.cache.waiting.Add(-1)
	timeout := time.NewTimer(limit)
	defer timeout.Stop()
	look := time.NewTicker(lookEvery)
	defer look.Stop()
	for {
		select {
		case <-f.done:
			return f.entry, f.outcome
		case <-t.lead:
			return nil, Leads
		case <-timeout.C:
			return f.giveUp(t, TooLate)
		case <-look.C:
			if w.Gone() {
				return f.giveUp(t, Gone)
			}
		}
	}
}

// queue stands in line, or takes the lead if nobody has it.
func (f *Flight) queue() (t *turn, leads bool) {
	s := f.shard()
	s.mu.Lock()
	defer s.mu.Unlock()
	if f.vacant {
		f.vacant = false
		f.joined--
		return nil, true
	}
	t = &turn{lead: make(chan struct{})}
	f.line = append(f.line, t)
	return t, false
}

// giveUp leaves the line. What came at the last moment is used, or handed on.
func (f *Flight) giveUp(t *turn, o Outcome) (*Entry, Outcome) {
	s := f.shard()
	s.mu.Lock()
	defer s.mu.Unlock()
	if f.ended {
		return f.entry, f.outcome
	}
	if i := slices.Index(f.line, t); i >= 0 {
		f.line = slices.Delete(f.line, i, i+1)
		f.joined--
		return nil, o
	}
	if o == Gone {
		f.leaveLocked(s)
		return nil, Gone
	}
	return nil, Leads
}
