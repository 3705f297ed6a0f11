package disk

import (
	"encoding/binary"

	"github.com/cespare/xxhash/v2"
)

// A segment's list says what its frames say, but for bodies, each entry after those
// that it makes void: who reads the lists of all segments knows all objects. Entries
// are
//
//	kind 1, id 16
//	of a record: offset 4, size 4, oldest 4, flags 4, length 8, summary 2 and so many
//	of a flagging: flags 4
//
// An item is one of them.
type item struct {
	kind    kind
	id      ID
	off     uint32 // of the record's frame
	size    uint32 // of that frame
	oldest  uint32 // segment that the object needs
	flags   uint32
	length  int64
	summary []byte
}

// recordItemOf is what a list says of a record of that size at that place.
func recordItemOf(d *description, at place, size uint32) item {
	return item{kind: record, id: d.id, off: at.off, size: size, oldest: d.oldest(at.seg),
		flags: d.label.Flags, length: d.length, summary: d.label.Summary}
}

func (i *item) append(b []byte) []byte {
	le := binary.LittleEndian
	b = append(append(b, byte(i.kind)), i.id[:]...)
	if i.kind == flagging {
		return le.AppendUint32(b, i.flags)
	}
	if i.kind != record {
		return b
	}
	b = le.AppendUint32(b, i.off)
	b = le.AppendUint32(b, i.size)
	b = le.AppendUint32(b, i.oldest)
	b = le.AppendUint32(b, i.flags)
	b = le.AppendUint64(b, uint64(i.length))
	b = le.AppendUint16(b, uint16(len(i.summary)))
	return append(b, i.summary...)
}

// note adds an item to the list.
func (g *segment) note(i *item) {
	g.list = i.append(g.list)
	g.items++
}

const (
	itemHead   = 17
	recordItem = itemHead + 26 // and its summary
)

// next reads the first item of a list, with views of it. It reports whether there is one.
func (i *item) next(b []byte) (rest []byte, ok bool) {
	if len(b) < itemHead {
		return b, false
	}
	le := binary.LittleEndian
	*i = item{kind: kind(b[0]), id: ID(b[1:])}
	all := b
	b = b[itemHead:]
	switch {
	case i.kind == deletion:
		return b, true
	case i.kind == flagging && len(b) >= 4:
		i.flags = le.Uint32(b)
		return b[4:], true
	case i.kind == record && len(b) >= 26 && len(b) >= 26+int(le.Uint16(b[24:])):
		i.off, i.size, i.oldest, i.flags = le.Uint32(b), le.Uint32(b[4:]), le.Uint32(b[8:]), le.Uint32(b[12:])
		i.length = int64(le.Uint64(b[16:]))
		i.summary, b = cut(b[26:], int64(le.Uint16(b[24:])))
		return b, true
	}
	return all, false
}

// A sealed segment's file ends with a tail:
//
//	 0  start  8  where the list begins, which is where the frames end
//	 8  items  8  how many there are
//	16  magic  8
//	24  sum    8  checksum of the list and of that much of the tail, mixed with the secret
const (
	tailSize  = 32
	tailMagic = "the list"
)

// appendTail ends a list that stands at start.
func appendTail(list []byte, start, items int64, secret uint64) []byte {
	b := binary.LittleEndian.AppendUint64(list, uint64(start))
	b = binary.LittleEndian.AppendUint64(b, uint64(items))
	b = append(b, tailMagic...)
	return binary.LittleEndian.AppendUint64(b, xxhash.Sum64(b)^secret)
}

// readTail makes g end where its tail says, and reports whether it has one. That is to be
// believed once the list passes.
func (g *segment) readTail() bool {
	b := make([]byte, tailSize)
	if g.length.Load() < segmentHead+tailSize {
		return false
	}
	if _, err := g.file.ReadAt(b, g.length.Load()-tailSize); err != nil || string(b[16:24]) != tailMagic {
		return false
	}
	start, items := binary.LittleEndian.Uint64(b), binary.LittleEndian.Uint64(b[8:])
	if start < segmentHead || start > uint64(g.length.Load()-tailSize) || items > (uint64(g.length.Load())-start)/itemHead {
		return false
	}
	g.end, g.items = int64(start), int64(items)
	return true
}

// listPasses reports whether b, a list with its tail, is what was written.
func listPasses(b []byte, secret uint64) bool {
	head := b[:len(b)-8]
	return binary.LittleEndian.Uint64(b[len(head):])^secret == xxhash.Sum64(head)
}
