package gw1

import "encoding/binary"

var le = binary.LittleEndian

// blob is bytes from the host. Reading outside of it gives zero and nil.
type blob []byte

func (b blob) u8(at uint64) uint8 {
	if at >= uint64(len(b)) {
		return 0
	}
	return b[at]
}

func (b blob) u16(at uint64) uint16 {
	if at+2 > uint64(len(b)) {
		return 0
	}
	return le.Uint16(b[at:])
}

func (b blob) u32(at uint64) uint32 {
	if at+4 > uint64(len(b)) {
		return 0
	}
	return le.Uint32(b[at:])
}

func (b blob) u64(at uint64) uint64 {
	if at+8 > uint64(len(b)) {
		return 0
	}
	return le.Uint64(b[at:])
}

// bytes returns what the ref at an offset refers to: nil if it is absent.
func (b blob) bytes(at uint64) []byte {
	off := uint64(b.u32(at))
	if off == 0 {
		return nil
	}
	return b.slice(off, uint64(b.u32(at+4)))
}

// slice returns n bytes from off, nil if they are not all there.
func (b blob) slice(off, n uint64) []byte {
	end := off + n
	if end > uint64(len(b)) {
		return nil
	}
	return b[off:end:end]
}

// table is the entries of a table in a blob.
type table struct {
	b     blob
	off   uint64
	entry uint64 // bytes of one
	n     int
}

// table returns the table at an offset: empty if it is not all there.
func (b blob) table(at, entry uint64) table {
	return b.entries(uint64(b.u32(at)), uint64(b.u32(at+4)), entry)
}

func (b blob) entries(n, off, entry uint64) table {
	if n*entry > uint64(len(b)) || off+n*entry > uint64(len(b)) {
		return table{}
	}
	return table{b: b, off: off, entry: entry, n: int(n)}
}

// at returns where entry i begins: behind everything if there is no such entry.
func (t table) at(i int) uint64 {
	if uint(i) >= uint(t.n) {
		return 1 << 32
	}
	return t.off + t.entry*uint64(i)
}
