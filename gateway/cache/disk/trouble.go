package disk

import (
	"sync"
	"sync/atomic"
	"time"
)

// An Op is what is asked of a disk.
type Op uint8

// The ops, as [Trouble] tells of them.
const (
	Reading  Op = iota
	Writing     // and beginning files
	Syncing     // bringing to the disk what was written
	Removing    // files, to make room
	ops
)

func (o Op) String() string { return [...]string{"reading", "writing", "syncing", "removing"}[o] }

// Trouble is what people should hear of a disk: that something fails, or works again.
type Trouble struct {
	Op       Op
	Err      *Error // nil: it works again
	Failures int64  // since the one before this was told
}

// tellEvery is the least time between two times that the same is said to fail.
const tellEvery = time.Minute

// health is how an op fares. The zero value is that of one that works.
type health struct {
	errors  atomic.Int64 // ever, of the disk
	failing atomic.Bool  // the last one failed

	mu    sync.Mutex
	last  *Error // not told yet; nil: none
	since int64  // failures since people were told
	works bool   // it does again, since the last failure
	down  bool   // people were told that it fails
	told  time.Time
}

// failed counts an error of the disk and says what it is, which people will hear, too.
func (s *Store) failed(op Op, what string, err error) error {
	s.health[op].errors.Add(1)
	fault := s.fault(what, err)
	s.troubles(op, fault)
	return fault
}

// troubles notes what people are to be told by the keeper.
func (s *Store) troubles(op Op, fault *Error) {
	h := &s.health[op]
	h.mu.Lock()
	h.last, h.works = fault, false
	h.since++
	h.failing.Store(true)
	h.mu.Unlock()
	s.nudgeTrouble()
}

// worked notes that an op has worked.
func (s *Store) worked(op Op) {
	h := &s.health[op]
	if !h.failing.Load() {
		return
	}
	h.mu.Lock()
	h.failing.Store(false)
	h.works = true
	h.mu.Unlock()
	s.nudgeTrouble()
}

func (s *Store) nudgeTrouble() {
	select {
	case s.trouble <- struct{}{}:
	default: // the keeper knows
	}
}

// tellTrouble says what people have not heard yet.
func (s *Store) tellTrouble() {
	for op := range ops {
		h := &s.health[op]
		if t, ok := h.fails(op, s.now()); ok {
			s.told(t)
		}
		if h.recovers() {
			s.told(Trouble{Op: op})
		}
	}
}

// fails reports whether people should hear of failures now, and of how many.
func (h *health) fails(op Op, now time.Time) (t Trouble, ok bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.last == nil || now.Sub(h.told) < tellEvery {
		return t, false
	}
	t = Trouble{op, h.last, h.since}
	h.last, h.since, h.down, h.told = nil, 0, true, now
	return t, true
}

// recovers reports whether people should hear that it works: those who have heard that it
// fails. What they have not heard of is counted when it fails again.
func (h *health) recovers() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	if !h.works {
		return false
	}
	was := h.down
	h.last, h.works, h.down = nil, false, false
	return was
}
