package admission

import "sync/atomic"

// Access says to whom an origin is open.
type Access uint32

const (
	Open      Access = iota // to everybody
	BoundOnly               // to those whose session is at home there: it drains
	Testers                 // to those whom a rule lets in: it is in maintenance
	Unwell                  // to those who may go to one that is out: too few are not
	Shut                    // to nobody: it is disabled, or out and not in service
)

// String is the access in words.
func (a Access) String() string {
	return [...]string{"open", "bound only", "testers", "unwell", "shut"}[a]
}

// Slots are the places at one origin: how many exchanges it may have at once,
// its capacity, and how many it has, its load. They belong to the origin's
// address and outlive configurations. They are safe for concurrent use.
//
// Who may come in when not everybody may stands in a line apart, so that nobody has
// to be passed over: the next one stands at the front of one of the lines.
type Slots struct {
	lobby    *Lobby
	capacity atomic.Int64
	load     atomic.Int64
	access   atomic.Uint32 // changed under lobby.mu
	waiting  atomic.Int64  // in all lines; changed under lobby.mu
	lines    [standings]line
}

// standing is what an exchange is to an origin.
type standing uint8

const (
	bound     standing = 1 << iota // its session is at home there
	tester                         // a rule lets it into origins in maintenance
	desperate                      // it may go to one that is out
	standings                      // how many combinations there are
)

// NewSlots makes the slots of an origin that is open and has nothing to do.
// The capacity must be at least 1.
func (l *Lobby) NewSlots(capacity int) *Slots {
	s := &Slots{lobby: l}
	s.capacity.Store(int64(capacity))
	return s
}

// Capacity is how many exchanges the origin may have at once.
func (s *Slots) Capacity() int64 { return s.capacity.Load() }

// Load is how many it has. It may exceed the capacity after that was lowered.
func (s *Slots) Load() int64 { return s.load.Load() }

// Waiting is how many exchanges would take a slot here, over all queues. One
// that would take a slot elsewhere as well is counted there, too.
func (s *Slots) Waiting() int64 { return s.waiting.Load() }

// Access is to whom the origin is open.
func (s *Slots) Access() Access { return Access(s.access.Load()) }

// SetCapacity changes how many exchanges the origin may have. Room that this
// makes goes to those who wait.
func (s *Slots) SetCapacity(n int) {
	if s.capacity.Swap(int64(n)) < int64(n) && s.Waiting() > 0 {
		s.lobby.offer(s)
	}
}

// Set brings the access up to date. Truth is called with the lobby's lock held,
// so that of several changes at the same time the last one stays; it must not
// call back. Those who wait get what this opens; those for whom it has shut the
// last origin stop waiting.
func (s *Slots) Set(truth func() Access) {
	s.lobby.mu.Lock()
	defer s.lobby.mu.Unlock()
	s.access.Store(uint32(truth()))
	s.serve()
	if s.Access() != Open {
		s.dismiss()
	}
}

// Take takes a slot, if there is one, whoever may wait and whoever the origin is
// open to. It is for trials of an origin that is out; others use [Queue.Enter].
func (s *Slots) Take() bool {
	for {
		n := s.load.Load()
		if n >= s.capacity.Load() {
			return false
		}
		if s.load.CompareAndSwap(n, n+1) {
			return true
		}
	}
}

// Leave gives a slot back that was taken. Whoever takes one must leave it once.
//
// No wake-up is lost: a waiter first stands in line and then looks for room, and
// who leaves first makes room and then looks at the line. One of the two sees
// the other.
func (s *Slots) Leave() {
	s.load.Add(-1)
	if s.Waiting() > 0 {
		s.lobby.offer(s)
	}
}

// admits reports whether an origin with the access is open to an exchange.
func (a Access) admits(who standing) bool {
	switch a {
	case Open:
		return true
	case BoundOnly:
		return who&bound != 0
	case Testers:
		return who&tester != 0
	case Unwell:
		return who&desperate != 0
	}
	return false
}

// room reports whether the origin has a free slot, whoever may wait for it.
func (s *Slots) room() bool { return s.load.Load() < s.capacity.Load() }

// free reports whether an exchange may come in now, past nobody who may, too.
func (s *Slots) free(who standing) bool {
	access := s.Access()
	return access.admits(who) && s.room() && (s.Waiting() == 0 || s.ahead(access) == 0)
}

// ahead is how many wait who may come in where the access is this.
func (s *Slots) ahead(access Access) (n int64) {
	for i := range s.lines {
		if access.admits(standing(i)) {
			n += s.lines[i].length.Load()
		}
	}
	return n
}

// serve gives what is free to those who wait and may come in, oldest first. The
// lobby's lock is held.
func (s *Slots) serve() {
	for {
		p := s.next()
		if p == nil || !s.Take() {
			return
		}
		p.waiter.end(p.index)
	}
}

// next is the place of who has waited longest of those to whom the origin is
// open, nil if there is nobody.
func (s *Slots) next() (first *place) {
	access := s.Access()
	for i := range s.lines {
		if access.admits(standing(i)) {
			first = older(first, s.lines[i].oldest())
		}
	}
	return first
}

// older is the place of who arrived first; either may be nil.
func older(a, b *place) *place {
	if a == nil || b != nil && b.waiter.number < a.waiter.number {
		return b
	}
	return a
}

// dismiss ends the wait of those for whom no origin is open any more. The
// lobby's lock is held.
func (s *Slots) dismiss() {
	for i := range s.lines {
		for _, w := range s.lines[i].hopeless() {
			if !w.ended { // else it stood here twice
				w.end(-1)
			}
		}
	}
}
