package session

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"time"
)

// Bindings are those of one session definition.
type Bindings struct {
	Session string  // its name; not empty
	Entries []Entry // the most recently used first
}

// The stream begins with streamBegin. Each definition is a head, its name, and
// entries; an entry is a head, the id and the name of the origin. Heads hold the
// lengths of what follows. One of zeros ends the entries of a definition, and one
// of zeros in the place of a name ends the stream. Numbers are big-endian.
const (
	streamBegin = "weirkeep bindings 1\n"
	nameHead    = 2         // length of the name
	entryHead   = 2 + 2 + 8 // length of the id, length of the origin's name, nanoseconds of idleness

	// maxStream is the longest stream: four million bindings of the usual kind.
	maxStream = 256 << 20
)

// WriteBindings writes what [ReadBindings] reads, 256 MiB at most. It returns how
// many bindings there was no room for: of a definition the least recently used
// ones, and of all definitions the last ones.
func WriteBindings(w io.Writer, all []Bindings) (left int, err error) {
	return writeBindings(w, all, maxStream)
}

func writeBindings(w io.Writer, all []Bindings, most int) (left int, err error) {
	s := &streamWriter{w: bufio.NewWriterSize(w, 64<<10), room: most - len(streamBegin) - nameHead}
	s.w.WriteString(streamBegin)
	for _, b := range all {
		left += s.bindings(b)
	}
	s.w.Write(make([]byte, nameHead))
	return left, s.w.Flush()
}

// streamWriter writes definitions. Its writer keeps the first error for Flush.
type streamWriter struct {
	w    *bufio.Writer
	room int // bytes that may still be written
}

// bindings writes a definition, and returns how many of its entries are left out.
func (s *streamWriter) bindings(b Bindings) (left int) {
	size := nameHead + len(b.Session) + entryHead
	if b.Session == "" || len(b.Session) > math.MaxUint16 || size > s.room {
		return len(b.Entries)
	}
	s.room -= size
	s.w.Write(binary.BigEndian.AppendUint16(nil, uint16(len(b.Session))))
	s.w.WriteString(b.Session)
	for i := range b.Entries {
		if !s.entry(&b.Entries[i]) {
			left++
		}
	}
	s.w.Write(make([]byte, entryHead))
	return left
}

// entry reports whether there was room for an entry. What a table does not bind
// has none.
func (s *streamWriter) entry(e *Entry) bool {
	size := entryHead + len(e.ID) + len(e.Origin)
	if e.ID == "" || len(e.ID) > maxID || len(e.Origin) > math.MaxUint16 || e.Idle < 0 {
		return false
	}
	if s.room -= size; s.room < 0 {
		return false // and none after it, or those that are left would not be the oldest
	}
	head := s.w.AvailableBuffer()
	head = binary.BigEndian.AppendUint16(head, uint16(len(e.ID)))
	head = binary.BigEndian.AppendUint16(head, uint16(len(e.Origin)))
	s.w.Write(binary.BigEndian.AppendUint64(head, uint64(e.Idle)))
	s.w.WriteString(e.ID)
	s.w.WriteString(e.Origin)
	return true
}

// errStream means that a stream is not what WriteBindings writes.
var errStream = errors.New("no bindings of this version of weirkeep")

// ReadBindings reads a stream that [WriteBindings] wrote, to its end. Of one that
// is short, broken or of another version it returns nothing but the error. What
// it keeps at any time is at most a few times as long as what it has read.
func ReadBindings(r io.Reader) ([]Bindings, error) {
	s := &streamReader{r: bufio.NewReaderSize(io.LimitReader(r, maxStream), 64<<10), origins: make(map[string]string)}
	all, err := s.all()
	switch {
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return nil, fmt.Errorf("bindings are cut short: %w", io.ErrUnexpectedEOF)
	case err != nil:
		return nil, fmt.Errorf("read bindings: %w", err)
	}
	return all, nil
}

// streamReader reads definitions.
type streamReader struct {
	r       *bufio.Reader
	origins map[string]string // the names so far, each kept once
	buffer  [math.MaxUint16]byte
}

func (s *streamReader) all() (all []Bindings, err error) {
	if begin, err := s.next(len(streamBegin)); err != nil || string(begin) != streamBegin {
		return nil, orBroken(err)
	}
	for {
		name, err := s.name()
		if err != nil || name == "" {
			return all, orEnd(err, s.r)
		}
		b := Bindings{Session: name}
		if b.Entries, err = s.entries(); err != nil {
			return nil, err
		}
		all = append(all, b)
	}
}

// orBroken is err, and if there is none, that the stream is broken.
func orBroken(err error) error {
	if err != nil {
		return err
	}
	return errStream
}

// orEnd is err, and if there is none, whether nothing comes any more.
func orEnd(err error, r *bufio.Reader) error {
	if err != nil {
		return err
	}
	if _, err = r.ReadByte(); err == io.EOF {
		return nil
	}
	return orBroken(err)
}

// next returns the next n bytes, 65,535 at most, which are good until it is called
// again.
func (s *streamReader) next(n int) ([]byte, error) {
	_, err := io.ReadFull(s.r, s.buffer[:n])
	return s.buffer[:n], err
}

// name returns the name of a definition, an empty one at the end.
func (s *streamReader) name() (string, error) {
	head, err := s.next(nameHead)
	if err != nil {
		return "", err
	}
	text, err := s.next(int(binary.BigEndian.Uint16(head)))
	return string(text), err
}

func (s *streamReader) entries() (entries []Entry, err error) {
	for {
		e, err := s.entry()
		if err != nil || e.ID == "" {
			return entries, err
		}
		entries = append(entries, e)
	}
}

// entry returns an entry, one of zeros at the end.
func (s *streamReader) entry() (e Entry, err error) {
	head, err := s.next(entryHead)
	if err != nil {
		return e, err
	}
	id, origin := binary.BigEndian.Uint16(head), binary.BigEndian.Uint16(head[2:])
	e.Idle = time.Duration(binary.BigEndian.Uint64(head[4:]))
	if id > maxID || e.Idle < 0 || id == 0 && (origin > 0 || e.Idle > 0) {
		return e, errStream
	}
	text, err := s.next(int(id))
	if err != nil {
		return e, err
	}
	e.ID = string(text)
	if text, err = s.next(int(origin)); err != nil {
		return e, err
	}
	e.Origin = s.origin(text)
	return e, nil
}

// origin returns a name that all entries with it share.
func (s *streamReader) origin(text []byte) string {
	name, known := s.origins[string(text)]
	if !known {
		name = string(text)
		s.origins[name] = name
	}
	return name
}
