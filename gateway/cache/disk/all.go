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
	for n := uint32(0); ; {
		g := s.table.holdNext(n)
		if g == nil {
			return failed
		}
		n = g.number + 1
		list, err := s.listOf(g)
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

// listOf is the list of a segment, from memory or from its end.
func (s *Store) listOf(g *segment) ([]byte, error) {
	s.mu.Lock()
	list, sealed, start, length := g.list, g.sealed, g.end, g.length.Load()
	if !sealed {
		list = slices.Clone(list)
	}
	s.mu.Unlock()
	if !sealed {
		return list, nil
	}
	b := make([]byte, length-start)
	if _, err := g.file.ReadAt(b, start); err != nil {
		s.counts.readErrors.Add(1)
		return nil, s.fault("read the list of "+segmentName(g.number), err)
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
