package disk

import (
	"fmt"
	"slices"
)

// An Item is what All tells of an object.
type Item struct {
	ID      ID
	Flags   uint32
	Length  int64  // of the body, in bytes
	Summary []byte // valid until the function returns
}

// All calls f with every object until f returns false. Of what is written, changed or
// deleted meanwhile it may tell or not, and what is moved meanwhile it may tell twice; all
// else it tells once. Bodies and the rest of labels are not read: a million objects take
// well under a second. The error says that some could not be told.
func (s *Store) All(f func(Item) bool) error {
	var failed error
	var buf []byte
	for n := uint32(0); ; {
		g := s.table.holdNext(n)
		if g == nil {
			return failed
		}
		n = g.number + 1
		list, err := s.listOf(g, &buf)
		if err != nil {
			failed = err
		}
		more := s.tell(g.number, list, f)
		g.release()
		if !more {
			return failed
		}
	}
}

// listOf is the list of a segment, from memory or from its end; buf grows to hold it.
func (s *Store) listOf(g *segment, buf *[]byte) ([]byte, error) {
	s.mu.Lock()
	sealed := g.sealed
	if !sealed {
		*buf = append((*buf)[:0], g.list...)
	}
	s.mu.Unlock()
	if !sealed {
		return *buf, nil
	}
	return s.readList(g, g.length.Load(), buf)
}

// readList reads the list at the end of a segment's file, which has that length.
func (s *Store) readList(g *segment, length int64, buf *[]byte) ([]byte, error) {
	b := slices.Grow((*buf)[:0], int(length-g.end))[:length-g.end]
	*buf = b
	if _, err := g.file.ReadAt(b, g.end); err != nil {
		return nil, s.failed(Reading, "read the list of "+segmentName(g.number), err)
	}
	if !listPasses(b, g.secret) {
		return nil, fmt.Errorf("list of %s: %w", segmentName(g.number), ErrCorrupt)
	}
	return b[:len(b)-tailSize], nil
}

// tell calls f with the objects of a list that are those of the index.
func (s *Store) tell(segment uint32, list []byte, f func(Item) bool) bool {
	var i item
	for {
		var ok bool
		if list, ok = i.next(list); !ok {
			return true
		}
		if i.kind != record {
			continue
		}
		e, ok := s.index.find(i.id)
		if ok && e.at == (place{segment, i.off}) && !f(Item{i.id, e.flags, i.length, i.summary}) {
			return false
		}
	}
}
