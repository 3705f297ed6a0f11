package disk

import (
	"cmp"
	"errors"
	"io"
	"os"
)

// The keeper is the goroutine that does in the background what nobody should wait for:
// it brings sealed segments to the disk, makes room before it is needed, saves objects that
// are in use from going with their segment, forgets those that went, and tells people what
// fails.

// nudge tells the keeper that there may be something to do.
func (s *Store) nudge() {
	select {
	case s.wake <- struct{}{}:
	default: // it knows
	}
}

func (s *Store) keep() {
	defer s.kept.Done()
	for {
		select {
		case <-s.stop:
			return
		case <-s.trouble:
			s.tellTrouble()
		case <-s.wake:
			s.syncSealed()
			s.sweep()
			for s.wanting() && s.reclaim() {
				s.sweep()
			}
		}
	}
}

// sweep forgets the objects that went with their segments.
func (s *Store) sweep() {
	s.mu.Lock()
	first := s.table.first(s.next)
	swept := s.swept == first
	s.swept = first
	s.mu.Unlock()
	if !swept {
		s.counts.evicted.Add(s.index.sweep(first))
	}
}

// ahead is how many segments the keeper keeps room for.
const ahead = 2

// wanting reports whether the oldest segment should go. Not while nothing can be written:
// what is in use of it would go, too.
func (s *Store) wanting() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.resting() == nil && (s.full(ahead*s.segment) || s.index.len() > s.maxObjects)
}

// reclaim removes the oldest segment, after it has saved what is in use of it. It reports
// whether that worked.
func (s *Store) reclaim() bool {
	g := s.table.oldest()
	s.mu.Lock()
	if g == nil || g == s.active {
		s.mu.Unlock()
		return false
	}
	s.mu.Unlock()
	s.rescue(g.number)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.table.oldest() != g {
		return true // somebody could not wait
	}
	if s.closed || s.drop(g) != nil {
		return false
	}
	s.counts.reclaimed.Add(1)
	return true
}

// rescue copies to the front what needs a segment that goes, and was opened since it was
// written or copied. Half of a segment at most: the store must move on.
func (s *Store) rescue(segment uint32) {
	left := s.segment / 2
	for _, u := range s.index.usedIn(segment) {
		n, err := s.rescueOne(u, left)
		if err == nil {
			s.counts.rescued.Add(1)
		}
		if left -= n; left <= 0 || errors.Is(err, ErrClosed) {
			return
		}
	}
}

// rescueOne copies an object unless it is longer than left. It returns how many bytes it
// has written.
func (s *Store) rescueOne(u found, left int64) (int64, error) {
	o, err := s.open(u.id)
	if err != nil {
		return 0, err
	}
	defer o.Close()
	if o.Length() > left {
		return 0, ErrTooLarge
	}
	w, err := s.Create(u.id, o.Label(), o.Length())
	if err != nil {
		return 0, err
	}
	defer w.Abort()
	at := o.e.at
	w.from = &at
	n, err := io.CopyBuffer(struct{ io.Writer }{w}, io.NewSectionReader(o, 0, o.Length()), make([]byte, blockSize))
	if err != nil {
		return n, err
	}
	return n + recordSize(&w.d.label, n), w.Commit()
}

// Sync makes durable what has been done: it is there even after a loss of power.
func (s *Store) Sync() error {
	if s.isClosed() {
		return ErrClosed
	}
	return s.sync(s.volatile(true))
}

func (s *Store) isClosed() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.closed
}

// syncSealed brings the segments to the disk that are sealed. If that fails the checksums
// tell later what is lost.
func (s *Store) syncSealed() error { return s.sync(s.volatile(false)) }

// A syncing is a segment that is brought to the disk, and held meanwhile.
type syncing struct {
	*segment
	ended bool // it was sealed before: nothing is appended to it any more
}

// volatile are the segments that may not be on the disk, with the active one or without.
func (s *Store) volatile(active bool) (all []syncing) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, g := range s.table.snapshot() {
		if !g.durable && (g.sealed || active) {
			g.refs.Add(1)
			all = append(all, syncing{g, g.sealed})
		}
	}
	return all
}

// sync brings segments to the disk, and their names, and lets go of them.
func (s *Store) sync(all []syncing) error {
	if len(all) == 0 {
		return nil
	}
	err := s.syncFolder()
	for _, g := range all {
		err = cmp.Or(s.syncOne(g), err)
	}
	if err != nil {
		return s.failed(Syncing, "bring it to the disk", err)
	}
	s.worked(Syncing)
	return nil
}

func (s *Store) syncOne(g syncing) error {
	defer g.release()
	if err := g.file.Sync(); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	g.durable = g.ended
	return nil
}

// syncFolder makes the names of files durable.
func (s *Store) syncFolder() error {
	f, err := s.fs.OpenFile(s.dir, os.O_RDONLY, 0)
	if err != nil {
		return err
	}
	defer f.Close()
	return f.Sync()
}
