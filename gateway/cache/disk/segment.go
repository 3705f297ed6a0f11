package disk

import (
	"crypto/rand"
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"sync/atomic"

	"github.com/cespare/xxhash/v2"
)

// A segment is a file of frames. It begins with a head:
//
//	 0  magic   16
//	16  number   4
//	20  floor    4  segments before that are void, whether or not they are still there
//	24  synced   4  all before that were whole on the disk when this one began
//	28  zero     4
//	32  secret   8  what its checksums are mixed with
//	40  sum      8  checksum of all that
//
// One that is sealed ends with a list of what is in it and a tail; see [tail].
type segment struct {
	number uint32
	floor  uint32
	synced uint32
	secret uint64

	file File
	refs atomic.Int64 // of the table and of objects that are open: the last one closes the file

	length atomic.Int64 // of the file; changed by who holds the log

	// These are of the one who holds the log, or who opens the folder.
	end     int64  // of its frames
	list    []byte // what is in it; nil once it is sealed: then it is in the file
	items   int64  // in the list
	sealed  bool
	durable bool // it is known to be on the disk
}

const (
	magic       = "weirkeep cache\x00\x01" // the last byte is the version
	segmentHead = 48
)

func segmentName(number uint32) string { return fmt.Sprintf("%010d.segment", number) }

func (s *Store) path(number uint32) string { return filepath.Join(s.dir, segmentName(number)) }

// createSegment makes the file of a segment.
func (s *Store) createSegment(number, floor uint32) (*segment, error) {
	f, err := s.fs.OpenFile(s.path(number), os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return nil, err
	}
	g := &segment{number: number, floor: floor, synced: s.table.durable(), secret: newSecret(), file: f}
	g.end = segmentHead
	g.length.Store(segmentHead)
	g.refs.Store(1)
	if err := writeAt(f, g.appendHead(nil), 0); err != nil {
		f.Close()
		s.fs.Remove(s.path(number))
		return nil, err
	}
	return g, nil
}

func newSecret() uint64 {
	var b [8]byte
	rand.Read(b[:]) // never fails
	return binary.LittleEndian.Uint64(b[:])
}

func (g *segment) appendHead(b []byte) []byte {
	le := binary.LittleEndian
	b = append(b, magic...)
	b = le.AppendUint32(b, g.number)
	b = le.AppendUint32(b, g.floor)
	b = le.AppendUint32(b, g.synced)
	b = le.AppendUint32(b, 0)
	b = le.AppendUint64(b, g.secret)
	return le.AppendUint64(b, xxhash.Sum64(b))
}

// parseHead reads a head, and reports whether it is one of that number.
func (g *segment) parseHead(b []byte, number uint32) bool {
	le := binary.LittleEndian
	if len(b) != segmentHead || string(b[:len(magic)]) != magic || le.Uint64(b[40:]) != xxhash.Sum64(b[:40]) {
		return false
	}
	g.number, g.floor, g.synced, g.secret = le.Uint32(b[16:]), le.Uint32(b[20:]), le.Uint32(b[24:]), le.Uint64(b[32:])
	return g.number == number
}

// release gives back a reference.
func (g *segment) release() {
	if g.refs.Add(-1) == 0 {
		g.file.Close()
	}
}
