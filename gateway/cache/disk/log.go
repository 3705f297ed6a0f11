package disk

import (
	"errors"
	"io/fs"
	"path/filepath"
	"syscall"
	"time"
)

// restAfter is how long a disk that fails is left alone.
const restAfter = time.Second

// append adds size bytes to the log, at a place in a segment that fill is told; it may
// be told twice. The caller holds the log.
func (s *Store) append(size int64, fill func(g *segment) []byte) error {
	err := s.appendOnce(size, fill)
	if noSpace(err) {
		err = s.appendOnce(size, fill) // there is room now, or another file
	}
	return err
}

func (s *Store) appendOnce(size int64, fill func(g *segment) []byte) error {
	g, err := s.room(size)
	if err != nil {
		return err
	}
	if err := writeAt(g.file, fill(g), g.end); err != nil {
		began := g.end > segmentHead
		s.abandon(g)
		return s.gaveWay("write", err, began)
	}
	s.worked(Writing)
	g.end += size
	g.length.Store(g.end)
	s.counts.written.Add(size)
	return nil
}

// room is the segment that takes so many bytes.
func (s *Store) room(size int64) (*segment, error) {
	if err := s.resting(); err != nil {
		return nil, err
	}
	if size+segmentHead+listRoom > s.segment {
		return nil, ErrTooLarge
	}
	if g := s.active; g != nil && g.end+size+int64(len(g.list)) <= s.segment-listRoom {
		return g, nil
	}
	s.seal()
	return s.begin()
}

// listRoom is what is left free in a segment for the last item of its list and the tail.
const listRoom = recordItem + MaxSummary + tailSize

// begin starts the next segment, and removes old ones if there must be room for it.
func (s *Store) begin() (*segment, error) {
	for s.full(s.segment) {
		if err := s.drop(s.table.oldest()); err != nil {
			return nil, s.gaveWay("remove the oldest segment", err, false)
		}
		s.counts.reclaimed.Add(1)
	}
	g, err := s.createSegment(s.next, s.table.first(s.next))
	if err != nil {
		s.skipNumber(err)
		return nil, s.gaveWay("begin a segment", err, false)
	}
	s.next++
	s.table.add(g)
	s.active = g
	s.nudge()
	return g, nil
}

// skipNumber leaves a number out whose file somebody else has made.
func (s *Store) skipNumber(err error) {
	if errors.Is(err, syscall.EEXIST) {
		s.next++
	}
}

// full reports whether there is no room for so many bytes more, the rest of the segment
// that is appended to aside. The number of files is bounded, too: some may have been ended
// early, because of a disk that failed.
func (s *Store) full(more int64) bool {
	if s.active != nil {
		more += s.segment - s.active.length.Load()
	}
	n := s.table.len()
	return n > 0 && (s.table.total()+more > s.limit.Load() || int64(n) > 2*s.size.Load()/s.segment)
}

// seal ends the segment that is appended to: its list is written at its end. Without
// one it is read from front to end when the folder is opened.
func (s *Store) seal() {
	g := s.active
	s.active = nil
	if g == nil {
		return
	}
	b := appendTail(g.list, g.end, g.items, g.secret)
	if err := writeAt(g.file, b, g.end); err != nil {
		s.failed(Writing, "write", err)
		g.file.Truncate(g.end)
		return
	}
	g.length.Store(g.end + int64(len(b)))
	g.list, g.sealed = nil, true
	s.limit.Store(min(s.limit.Load()+s.segment, s.size.Load()))
	s.nudge()
}

// abandon ends a segment that could not be written to.
func (s *Store) abandon(g *segment) {
	g.file.Truncate(g.end) // what is after that is void in any case
	if g.end > segmentHead {
		s.seal()
		return
	}
	s.active = nil
	if s.drop(g) == nil {
		s.next = g.number // a number that is missing would look like a loss
	}
}

// gaveWay counts an error of the disk, and makes room or lets the disk rest. Began says
// that the file took something before.
func (s *Store) gaveWay(what string, err error, began bool) error {
	long := errors.Is(err, syscall.EFBIG)
	better := long && began || !long && noSpace(err) && s.squeeze()
	err = s.failed(Writing, what, err)
	if !better {
		s.rest, s.why = s.now().Add(restAfter), err
	}
	return err
}

// squeeze lets go of the oldest segment and does with less, since the disk is full. With
// each segment that can be sealed the store allows itself more again. It reports whether
// something was freed.
func (s *Store) squeeze() bool {
	g := s.table.oldest()
	if g == nil || g == s.active || s.drop(g) != nil {
		return false
	}
	s.counts.reclaimed.Add(1)
	s.limit.Store(max(s.table.total(), 2*s.segment))
	return true
}

// drop removes a segment. It is not given up before its file is: what is removed in
// order never comes back without what made it void.
func (s *Store) drop(g *segment) error {
	if err := s.removeFile(segmentName(g.number)); err != nil {
		return err
	}
	s.table.remove(g)
	s.nudge()
	return nil
}

// removeFile removes a file of the folder. It may have been removed already.
func (s *Store) removeFile(name string) error {
	err := s.fs.Remove(filepath.Join(s.dir, name))
	if err == nil || errors.Is(err, fs.ErrNotExist) {
		s.worked(Removing)
		return nil
	}
	s.failed(Removing, "remove a segment", err)
	return err
}
