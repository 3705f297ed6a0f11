package disk

import (
	"encoding/binary"

	"github.com/cespare/xxhash/v2"
)

// A segment is a row of frames. Each has a head:
//
//	 0  sum   8  checksum of the rest of the head and, but for data, of the payload
//	 8  kind  4
//	12  size  4  of the payload
//	16  at    8  where in the segment the frame begins
//
// Numbers are little-endian. Checksums of frames are mixed with a secret of their
// segment: bytes of a body can never pass for a frame, wherever a reader stumbles
// upon them.
const frameHead = 24

// A kind is what a frame says.
type kind uint32

const (
	data     kind = 1 + iota // a piece of a body; its record has the checksums of it
	record                   // this is an object
	deletion                 // there is no such object any more
	flagging                 // an object has other flags
	erased                   // was the record of an object that there is no more
)

// checked is how much of a frame the checksum is of, whose payload has that size.
func (k kind) checked(size int64) int64 {
	switch k {
	case data:
		return frameHead
	case erased:
		return frameHead + int64(len(ID{}))
	}
	return frameHead + size
}

// A frame is a head that has been read.
type frame struct {
	kind kind
	size int64 // of the payload
}

// closeFrame fills in the head of a frame, b, that is to stand at a place of a segment.
func closeFrame(b []byte, k kind, secret uint64, at int64) {
	writeHead(b, frame{k, int64(len(b) - frameHead)}, secret, at)
}

// writeHead fills in the head of a frame of which b has what the checksum is of.
func writeHead(b []byte, f frame, secret uint64, at int64) {
	le := binary.LittleEndian
	le.PutUint32(b[8:], uint32(f.kind))
	le.PutUint32(b[12:], uint32(f.size))
	le.PutUint64(b[16:], uint64(at))
	le.PutUint64(b, xxhash.Sum64(b[8:f.kind.checked(f.size)])^secret)
}

// readHead reads a head. It is to be believed once passes says so.
func readHead(b []byte) frame {
	le := binary.LittleEndian
	return frame{kind(le.Uint32(b[8:])), int64(le.Uint32(b[12:]))}
}

// passes reports whether b, which has what the checksum is of, is what was written at that
// place of that segment.
func passes(b []byte, secret uint64, at int64) bool {
	le, f := binary.LittleEndian, readHead(b)
	n := f.kind.checked(f.size)
	return n <= int64(len(b)) && le.Uint64(b[16:]) == uint64(at) && le.Uint64(b)^secret == xxhash.Sum64(b[8:n])
}
