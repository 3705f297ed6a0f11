package disk

import (
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/cespare/xxhash/v2"
)

// An Object is open for reading. It stays readable, as it was, until Close, whatever
// becomes of what its id names. Close must be called.
type Object struct {
	s      *Store
	d      description
	e      entry
	pieces []*segment // that the chunks are in, one each
	one    [1]*segment
}

// Has reports whether there is an object of an id, as far as the index knows.
func (s *Store) Has(id ID) bool {
	_, ok := s.index.find(id)
	return ok
}

// Open opens the object of an id. The error is ErrNotFound, ErrCorrupt, or what the disk
// says; it is a miss in any case.
func (s *Store) Open(id ID) (*Object, error) {
	if _, ok := s.index.find(id); !ok {
		return nil, ErrNotFound // without an allocation
	}
	o, err := s.open(id)
	if err != nil {
		return nil, err
	}
	s.counts.opened.Add(1)
	s.index.use(id, o.e)
	return o, nil
}

// Look is Open for who only wants to know what there is: it does not make the object one
// that is in use.
func (s *Store) Look(id ID) (*Object, error) { return s.open(id) }

func (s *Store) open(id ID) (*Object, error) {
	o := &Object{s: s}
	for {
		e, err := s.find(id, &o.d)
		if err != nil {
			return nil, err
		}
		if o.e = e; o.hold() {
			o.d.label.Flags = e.flags
			return o, nil
		}
		s.index.removeAt(id, e.at)
	}
}

// find reads the record of an object into d. If its segment has gone it may have moved: the
// index knows.
func (s *Store) find(id ID, d *description) (entry, error) {
	for {
		e, ok := s.index.find(id)
		if !ok {
			return e, ErrNotFound
		}
		err := s.readRecord(id, e, d)
		if !errors.Is(err, ErrNotFound) {
			return e, err
		}
		s.index.removeAt(id, e.at)
	}
}

// readRecord reads what an entry says of an object.
func (s *Store) readRecord(id ID, e entry, d *description) error {
	g := s.table.hold(e.at.seg)
	if g == nil {
		return ErrNotFound
	}
	defer g.release()
	b := make([]byte, e.size)
	if _, err := g.file.ReadAt(b, int64(e.at.off)); err != nil {
		return s.spoilt(id, e.at, err)
	}
	switch f := readHead(b); {
	case !passes(b, g.secret, int64(e.at.off)):
	case f.kind == erased:
		return ErrNotFound
	case f.kind == record && d.parse(b[frameHead:]) && d.id == id:
		return nil
	}
	return s.spoilt(id, e.at, ErrCorrupt)
}

// hold takes a reference to each segment that the body is in.
func (o *Object) hold() bool {
	o.pieces = o.one[:0]
	for i := range o.d.chunks.len() {
		g := o.s.table.hold(o.d.chunks.at(i).seg)
		if g == nil {
			o.Close()
			return false
		}
		o.pieces = append(o.pieces, g)
	}
	return true
}

// spoilt drops an object that cannot be read, counts it and says why.
func (s *Store) spoilt(id ID, at place, err error) error {
	switch {
	case errors.Is(err, io.EOF):
		err = fmt.Errorf("%w: its file is cut short", ErrCorrupt)
	case !errors.Is(err, ErrCorrupt):
		err = s.failed(Reading, "read "+segmentName(at.seg), err)
	}
	if errors.Is(err, ErrCorrupt) {
		s.counts.corrupt.Add(1)
		s.troubles(Reading, s.fault("read "+segmentName(at.seg), err))
	}
	s.deleteAt(id, at)
	return err
}

// Label is what the caller said of the object. It is not to be changed.
func (o *Object) Label() Label { return o.d.label }

// Length is that of the body, in bytes.
func (o *Object) Length() int64 { return o.d.length }

// Close lets go of the object. It is to be called once, when no ReadAt is under way.
func (o *Object) Close() {
	for _, g := range o.pieces {
		g.release()
	}
	o.pieces = nil
}

// ReadAt gives bytes of the body, as io.ReaderAt has it, and allocates nothing. The n
// that it returns have been checked; what is behind them in p is to be thrown away. Reads
// that begin and end where blocks of 64 KiB do need no copy. The error is io.EOF, ErrCorrupt
// or what the disk says; after the latter two the object is dropped.
func (o *Object) ReadAt(p []byte, off int64) (n int, err error) {
	if off < 0 {
		return 0, fmt.Errorf("read at %d, before the first byte", off)
	}
	for n < len(p) && off+int64(n) < o.d.length {
		m, err := o.readSome(p[n:], off+int64(n))
		n += m
		if err != nil {
			return n, o.s.spoilt(o.d.id, o.e.at, err)
		}
		o.s.worked(Reading)
	}
	if n < len(p) {
		return n, io.EOF
	}
	return n, nil
}

// readSome reads what one read of a file gives: whole blocks of a chunk if they are wanted,
// else a part of one.
func (o *Object) readSome(p []byte, off int64) (int, error) {
	block := off / blockSize
	start := block * blockSize
	chunkEnd := min(off/chunkSize*chunkSize+chunkSize, o.d.length)
	if off == start {
		end := min(start+int64(len(p)), chunkEnd)
		if end < chunkEnd {
			end = end / blockSize * blockSize
		}
		if end > start {
			return o.readBlocks(p[:end-start], block)
		}
	}
	return o.readPart(p, off, min(start+blockSize, chunkEnd))
}

// readPart copies out of the block that ends at end.
func (o *Object) readPart(p []byte, off, end int64) (int, error) {
	b := scratch.Get().(*[blockSize]byte)
	defer scratch.Put(b)
	start := off / blockSize * blockSize
	if _, err := o.readBlocks(b[:end-start], off/blockSize); err != nil {
		return 0, err
	}
	return copy(p, b[off-start:end-start]), nil
}

var scratch = sync.Pool{New: func() any { return new([blockSize]byte) }}

// readBlocks fills p with blocks of one chunk, the last of which may be the body's last.
func (o *Object) readBlocks(p []byte, block int64) (n int, err error) {
	chunk := block * blockSize / chunkSize
	at := int64(o.d.chunks.at(chunk).off) + block*blockSize%chunkSize
	if _, err := o.pieces[chunk].file.ReadAt(p, at); err != nil {
		return 0, err
	}
	for ; n < len(p); block++ {
		m := min(len(p)-n, blockSize)
		if xxhash.Sum64(p[n:n+m]) != o.d.sums.at(block) {
			return n, ErrCorrupt
		}
		n += m
	}
	return n, nil
}
