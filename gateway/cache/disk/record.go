package disk

import "encoding/binary"

// Bodies are checked in blocks and written in chunks.
const (
	blockSize = 64 << 10
	chunkSize = 4 * blockSize
)

// A place is where something stands.
type place struct {
	seg uint32 // number of the segment
	off uint32 // in it, in bytes
}

// places are a list of them as it stands on disk: views of a record cost nothing.
type places []byte

func (p places) len() int64 { return int64(len(p) / 8) }

func (p places) at(i int64) place {
	b := p[8*i:]
	return place{binary.LittleEndian.Uint32(b), binary.LittleEndian.Uint32(b[4:])}
}

func (p places) append(a place) places {
	return binary.LittleEndian.AppendUint32(binary.LittleEndian.AppendUint32(p, a.seg), a.off)
}

// sums are a list of checksums as it stands on disk.
type sums []byte

func (s sums) at(i int64) uint64         { return binary.LittleEndian.Uint64(s[8*i:]) }
func (s sums) append(sum uint64) sums    { return binary.LittleEndian.AppendUint64(s, sum) }
func chunksOf(length int64) int64        { return (length + chunkSize - 1) / chunkSize }
func blocksOf(length int64) int64        { return (length + blockSize - 1) / blockSize }
func listsOf(length int64) (n int64)     { return 8*chunksOf(length) + 8*blocksOf(length) }
func (l *Label) size() int64             { return int64(len(l.Summary) + len(l.Meta)) }
func recordSize(l *Label, n int64) int64 { return frameHead + recordHead + listsOf(n) + l.size() }

// A description is what a record says of an object: the frame's payload.
//
//	 0  id       16
//	16  flags     4
//	20  summary   4  its length
//	24  meta      4  its length
//	28  zero      4
//	32  length    8  of the body
//	40  a place for each chunk, a checksum for each block, summary, meta
//
// How many chunks and blocks there are follows from the length.
type description struct {
	id     ID
	label  Label
	length int64
	chunks places
	sums   sums
}

const recordHead = 40

func (d *description) append(b []byte) []byte {
	le := binary.LittleEndian
	b = append(b, d.id[:]...)
	b = le.AppendUint32(b, d.label.Flags)
	b = le.AppendUint32(b, uint32(len(d.label.Summary)))
	b = le.AppendUint32(b, uint32(len(d.label.Meta)))
	b = le.AppendUint32(b, 0)
	b = le.AppendUint64(b, uint64(d.length))
	b = append(b, d.chunks...)
	b = append(b, d.sums...)
	b = append(b, d.label.Summary...)
	return append(b, d.label.Meta...)
}

// parse makes d views of a payload. It reports whether that is one.
func (d *description) parse(b []byte) bool {
	if len(b) < recordHead {
		return false
	}
	le := binary.LittleEndian
	summary, meta, length := uint64(le.Uint32(b[20:])), uint64(le.Uint32(b[24:])), le.Uint64(b[32:])
	if length > 1<<48 || uint64(len(b)) != recordHead+uint64(listsOf(int64(length)))+summary+meta {
		return false
	}
	d.id, d.length, d.label.Flags = ID(b), int64(length), le.Uint32(b[16:])
	b = b[recordHead:]
	d.chunks, b = cut(b, 8*chunksOf(d.length))
	d.sums, b = cut(b, 8*blocksOf(d.length))
	d.label.Summary, d.label.Meta = cut(b, int64(summary))
	return true
}

func cut(b []byte, n int64) (head, tail []byte) { return b[:n:n], b[n:] }

// oldest is the segment that goes first of those that the object needs, if its record
// stands in segment seg.
func (d *description) oldest(seg uint32) uint32 {
	for i := range d.chunks.len() {
		seg = min(seg, d.chunks.at(i).seg)
	}
	return seg
}
