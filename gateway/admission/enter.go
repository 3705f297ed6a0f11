package admission

import (
	"time"

	"weirkeep/gateway/balance"
)

// lookEvery is how often a waiting client is looked at, lookSeldom how often in
// the longest lines: a look is a system call.
const (
	lookEvery  = 100 * time.Millisecond
	lookSeldom = time.Second
)

// lookIn is how often one of n waiting clients is looked at: so often that all of
// them cost at most 10,000 looks a second, but for the very longest lines.
func lookIn(n int) time.Duration {
	return min(max(lookEvery, time.Duration(n)*lookEvery/1000), lookSeldom)
}

// Client is who waits.
type Client interface {
	// Gone is asked every 100 ms, in long lines less often: has the client gone,
	// so that nobody waits?
	Gone() bool
}

// Seeker is one exchange that looks for a slot at one of its group's origins. It
// may be used again; its memory is.
type Seeker struct {
	Slots  []*Slots      // of the group's origins, in order; two may share theirs
	Only   int           // index of the one where its session is at home; -1: any
	Barred uint64        // those that it must not get, by index; those past 63 never are
	Tester bool          // origins in maintenance are open to it
	Panic  bool          // origins that are out are open to it
	Key    uint64        // what it is balanced by, where the balancer goes by a key; 0: it has none
	Waited time.Duration // how long Enter has waited, added up; the time-out bounds the sum
	Client Client        // who waits
	Now    time.Time     // used where a Preference has Warmth

	Preference *Preference // nil: none

	candidates []balance.Candidate
	within     uint8 // how far an origin may be that is waited for
}

// Enter takes a slot at the origin that the balancer picks, and returns its
// index. If all that are open to the seeker are full, it waits for one, for as
// long as the queue's options say. The error is [ErrNone], [ErrFull],
// [ErrTimeout] or [ErrGone]; then no slot was taken.
func (q *Queue) Enter(s *Seeker, b balance.Balancer) (int, error) {
	if i := s.Take(b); i >= 0 {
		return i, nil
	}
	switch {
	case !s.hopes():
		return -1, ErrNone
	case q.full() && !s.room():
		return -1, ErrFull // no lock: whoever is overrun turns many away
	}
	return q.wait(s)
}

// standing is what the seeker is to the origins that it looks at.
func (s *Seeker) standing() (who standing) {
	if s.Only >= 0 {
		who |= bound
	}
	if s.Tester {
		who |= tester
	}
	if s.Panic {
		who |= desperate
	}
	return who
}

// full reports whether who comes now may not wait.
func (q *Queue) full() bool { return q.waiting.Load() >= q.size.Load() }

// Take takes a slot if there is one now that nobody waits for, and returns the
// origin's index; -1: there is none. It never waits.
func (s *Seeker) Take(b balance.Balancer) int {
	if s.Only >= 0 {
		if only := s.Slots[s.Only]; only.free(s.standing()) && only.Take() {
			return s.Only
		}
		return -1
	}
	for {
		s.look()
		i := b.Pick(s.candidates, s.Key)
		if i < 0 || s.Slots[i].Take() {
			return i
		} // else somebody was quicker: who is preferred now may be another one
	}
}

// look sees how full the group's origins are.
func (s *Seeker) look() {
	s.candidates = s.candidates[:0]
	for i, slots := range s.Slots {
		s.candidates = append(s.candidates, balance.Candidate{
			Usable:   !s.barred(i) && slots.free(s.standing()),
			Load:     slots.load.Load(),
			Capacity: slots.capacity.Load(),
		})
	}
	s.prefer()
}

// Bar keeps the seeker from origin i.
func (s *Seeker) Bar(i int) {
	if i < 64 {
		s.Barred |= 1 << i
	}
}

// Tried reports whether the seeker is kept from origin i.
func (s *Seeker) Tried(i int) bool { return s.barred(i) }

func (s *Seeker) barred(i int) bool { return i < 64 && s.Barred&(1<<i) != 0 }

// seeks reports whether the seeker would take a slot at the origin.
func (s *Seeker) seeks(i int) bool {
	if s.Only >= 0 {
		return i == s.Only
	}
	return !s.barred(i) && s.near(i)
}

// near reports whether the origin is near enough to be waited for.
func (s *Seeker) near(i int) bool {
	return s.Preference == nil || s.Preference.Far == nil || s.Preference.Far[i] <= s.within
}

// hopes reports whether an origin is open to the seeker, full or not.
func (s *Seeker) hopes() bool {
	for i, slots := range s.Slots {
		if s.seeks(i) && slots.Access().admits(s.standing()) {
			return true
		}
	}
	return false
}

// room reports whether an origin that is open to the seeker has a free slot,
// whoever may wait for it.
func (s *Seeker) room() bool {
	for i, slots := range s.Slots {
		if s.seeks(i) && slots.Access().admits(s.standing()) && slots.room() {
			return true
		}
	}
	return false
}

// wait stands in line.
func (q *Queue) wait(s *Seeker) (int, error) {
	began := time.Now()
	w, err := q.join(s)
	if err == nil {
		err = w.await(s.Client, q.Timeout()-s.Waited)
		s.Waited += time.Since(began)
	}
	switch {
	case err != nil:
		return -1, err
	case w.got < 0:
		return -1, ErrNone
	}
	return w.got, nil
}

// join puts the seeker in line, if there is a place in it. The wait may have
// ended already when it returns: room was made in between.
func (q *Queue) join(s *Seeker) (*waiter, error) {
	w := &waiter{queue: q, who: s.standing(), got: -1, done: make(chan struct{})}
	for i, slots := range s.Slots {
		if s.seeks(i) {
			w.places = append(w.places, place{waiter: w, slots: slots, index: i})
		}
	}
	q.lobby.mu.Lock()
	defer q.lobby.mu.Unlock()
	q.lobby.stand(w)
	for i := range w.places {
		w.places[i].slots.serve()
	}
	switch {
	case w.ended:
	case !w.hopes():
		w.end(-1)
	case q.waiting.Load() > q.size.Load():
		w.end(-1)
		return nil, ErrFull
	}
	return w, nil
}

// await waits for the end of the wait, for so long at most.
func (w *waiter) await(c Client, left time.Duration) error {
	timeout := time.NewTimer(left)
	defer timeout.Stop()
	look := time.NewTicker(lookIn(w.queue.Waiting()))
	defer look.Stop()
	for {
		select {
		case <-w.done:
			return nil
		case <-timeout.C:
			return w.giveUp(ErrTimeout)
		case <-look.C:
			if c.Gone() {
				return w.giveUp(ErrGone)
			}
		}
	}
}

// giveUp leaves the line. A slot that came at the last moment is used if the
// client still waits, and else given back.
func (w *waiter) giveUp(err error) error {
	l := w.queue.lobby
	l.mu.Lock()
	if !w.ended {
		w.end(-1)
		l.mu.Unlock()
		return err
	}
	l.mu.Unlock()
	if err == ErrTimeout {
		return nil
	}
	if w.got >= 0 {
		w.slotsOf(w.got).Leave()
	}
	return err
}

func (w *waiter) slotsOf(index int) *Slots {
	for i := range w.places {
		if w.places[i].index == index {
			return w.places[i].slots
		}
	}
	return nil
}
