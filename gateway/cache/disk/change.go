package disk

import (
	"bytes"
	"encoding/binary"
)

// SetLabel gives an object another label; the body stays where it is. The label is cloned.
// What o says stays as it was: who opens the object next sees it. The error is ErrNotFound
// if the object has been replaced or is gone.
func (o *Object) SetLabel(label Label) error {
	if len(label.Summary) > MaxSummary || len(label.Meta) > MaxMeta {
		return ErrTooLarge
	}
	for {
		var d description
		e, err := o.s.find(o.d.id, &d)
		if err != nil {
			return err
		}
		if d.length != o.d.length || !bytes.Equal(d.sums, o.d.sums) {
			return ErrNotFound // it has another body by now
		}
		d.label = label
		if done, err := o.s.relabel(&d, e.at); done {
			return err
		}
	}
}

// relabel appends the record of an object anew, unless it is not there any more: then it
// is not done.
func (s *Store) relabel(d *description, at place) (done bool, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if e, ok := s.index.find(d.id); !ok || e.at != at {
		return false, nil
	}
	err = s.appendRecord(d, recordSize(&d.label, d.length), 0, func(*segment) []byte { return nil })
	if e, ok := s.index.find(d.id); ok {
		s.index.use(d.id, e) // who asks about an object wants it
	}
	return true, err
}

// SetFlags changes the flags of an object alone, with some 50 bytes in the log.
func (s *Store) SetFlags(id ID, flags uint32) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, ok := s.index.find(id); !ok {
		return ErrNotFound
	}
	if err := s.note(flagging, id, flags); err != nil {
		return err
	}
	s.index.flag(id, flags)
	return nil
}

// Delete removes an object. After an error there is none either, but it may be there
// again when the folder is opened the next time: the disk could not take note.
func (s *Store) Delete(id ID) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return ErrClosed
	}
	e, ok := s.index.find(id)
	if !ok {
		return nil
	}
	return s.forget(id, e)
}

// deleteAt removes an object if that is still its record.
func (s *Store) deleteAt(id ID, at place) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if e, ok := s.index.find(id); ok && e.at == at {
		s.forget(id, e)
	}
}

// forget takes an object out of the index and the log. If the log takes nothing the
// record is erased where it stands, for which even a full disk has room.
func (s *Store) forget(id ID, e entry) error {
	s.index.remove(id)
	err := s.note(deletion, id, 0)
	if err != nil && s.erase(id, e) == nil {
		return nil
	}
	return err
}

// erase writes another head over that of a record: it says that the object is deleted.
func (s *Store) erase(id ID, e entry) error {
	g := s.table.hold(e.at.seg)
	if g == nil {
		return nil
	}
	defer g.release()
	b := append(make([]byte, frameHead), id[:]...)
	writeHead(b, frame{erased, int64(e.size) - frameHead}, g.secret, int64(e.at.off))
	return writeAt(g.file, b, int64(e.at.off))
}

func flagsOf(payload []byte) uint32 { return binary.LittleEndian.Uint32(payload[16:]) }

// note appends a frame that has an id, and flags if it is about those.
func (s *Store) note(k kind, id ID, flags uint32) error {
	b := append(make([]byte, frameHead, frameHead+20), id[:]...)
	if k == flagging {
		b = binary.LittleEndian.AppendUint32(b, flags)
	}
	err := s.append(int64(len(b)), func(g *segment) []byte {
		closeFrame(b, k, g.secret, g.end)
		return b
	})
	if err == nil {
		s.active.note(&item{kind: k, id: id, flags: flags})
	}
	return err
}

// Clear removes all objects. After an error there are those that were there before.
func (s *Store) Clear() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return ErrClosed
	}
	s.seal()
	g, err := s.createSegment(s.next, s.next) // whatever is older is void, even if it cannot be removed
	if err != nil {
		return s.gaveWay("begin a segment", err, false)
	}
	s.next++
	s.active = g
	s.index.clear()
	for _, old := range s.table.snapshot() {
		s.drop(old)
	}
	s.table.add(g)
	return nil
}
