package abi

import (
	"fmt"
	"math"
)

// Field is a header field or a cookie.
type Field struct{ Name, Value []byte }

// writer fills a blob whose size is known. Strings go one behind the other.
type writer struct {
	b  []byte // the blob: as long as it is
	at int    // where the next string goes
}

// bytes writes s and a ref to it; nil is absent.
func (w *writer) bytes(ref int, s []byte) {
	if s == nil {
		return
	}
	le.PutUint32(w.b[ref+refOff:], uint32(w.at))
	le.PutUint32(w.b[ref+refLength:], uint32(len(s)))
	w.at += copy(w.b[w.at:], s)
}

// text writes s and a ref to it, empty or not.
func (w *writer) text(ref int, s string) {
	le.PutUint32(w.b[ref+refOff:], uint32(w.at))
	le.PutUint32(w.b[ref+refLength:], uint32(len(s)))
	w.at += copy(w.b[w.at:], s)
}

// named writes s and a ref to it; an empty string is absent.
func (w *writer) named(ref int, s string) {
	if s != "" {
		w.text(ref, s)
	}
}

// table writes the place of a table of n entries; an empty one has no place.
func (w *writer) table(at, n, off int) {
	if n > 0 {
		le.PutUint32(w.b[at:], uint32(n))
		le.PutUint32(w.b[at+4:], uint32(off))
	}
}

// fields writes entries from entry on, and the names and values they are of.
func (w *writer) fields(entry int, fields []Field) {
	for i := range fields {
		name, value := fields[i].Name, fields[i].Value
		le.PutUint64(w.b[entry:], uint64(w.at)|uint64(len(name))<<32|uint64(len(value))<<48)
		entry += fieldEntry
		w.at += copy(w.b[w.at:], name)
		w.at += copy(w.b[w.at:], value)
	}
}

// sizeOfFields is what fields take in a blob with their entries. The lengths
// joined tell whether one of them does not fit its entry.
func sizeOfFields(fields []Field) (size, joined int) {
	for i := range fields {
		n, v := len(fields[i].Name), len(fields[i].Value)
		size += n + v
		joined |= n | v
	}
	return size + fieldEntry*len(fields), joined
}

// room cuts the blob of the given size out of a buffer, with the head cleared.
func room(b []byte, size, limit, head int) (writer, error) {
	if size > limit || size > len(b) || size > math.MaxInt32 {
		return writer{}, ErrTooLarge
	}
	w := writer{b: b[:size:size]}
	clear(w.b[:head])
	le.PutUint32(w.b, uint32(size))
	le.PutUint16(w.b[viewLayout:], layout)
	return w, nil
}

// reader reads a blob that somebody else wrote. The first thing that is wrong
// stays in err; what is read after it is zero.
type reader struct {
	b    []byte
	head int // strings and tables are behind it
	err  error
}

// newReader checks what every blob begins with.
func newReader(what string, b []byte, head int) (*reader, error) {
	r := &reader{b: b, head: head}
	switch {
	case len(b) < head:
		return nil, fmt.Errorf("%w: %s of %d bytes, the head alone has %d", ErrMalformed, what, len(b), head)
	case uint64(le.Uint32(b)) != uint64(len(b)):
		return nil, fmt.Errorf("%w: %s of %d bytes says it has %d", ErrMalformed, what, len(b), le.Uint32(b))
	case le.Uint16(b[viewLayout:]) != layout:
		return nil, fmt.Errorf("%w: %s of layout %d, want %d", ErrMalformed, what, le.Uint16(b[viewLayout:]), layout)
	}
	return r, nil
}

func (r *reader) u16(at int) uint16 { return le.Uint16(r.b[at:]) }
func (r *reader) u32(at int) uint32 { return le.Uint32(r.b[at:]) }
func (r *reader) u64(at int) uint64 { return le.Uint64(r.b[at:]) }

// bytes returns what the ref at the given place refers to; nil if it is absent.
func (r *reader) bytes(at int) []byte {
	off, n := r.u32(at+refOff), r.u32(at+refLength)
	if off == 0 && n == 0 {
		return nil
	}
	return r.slice(at, off, n)
}

// slice returns n bytes at off, which were referred to at the given place.
func (r *reader) slice(at int, off, n uint32) []byte {
	if end := uint64(off) + uint64(n); uint64(off) < uint64(r.head) || end > uint64(len(r.b)) {
		r.fail(at, off, uint64(n))
		return nil
	}
	return r.b[off : off+n : off+n]
}

// table returns how many entries the table at the given place has, and where
// they begin.
func (r *reader) table(at, entry int) (count, off int) {
	n, o := r.u32(at), r.u32(at+4)
	if n == 0 {
		return 0, 0
	}
	size := uint64(n) * uint64(entry)
	if uint64(o) < uint64(r.head) || uint64(o)+size > uint64(len(r.b)) {
		r.fail(at, o, size)
		return 0, 0
	}
	return int(n), int(o)
}

// fields reads the table of fields at the given place.
func (r *reader) fields(at int) []Field {
	n, off := r.table(at, fieldEntry)
	if n == 0 {
		return nil
	}
	fields := make([]Field, n)
	for i := range fields {
		e := off + fieldEntry*i
		name, value := uint32(r.u16(e+fieldNameLength)), uint32(r.u16(e+fieldValueLength))
		both := r.slice(e, r.u32(e+fieldOff), name+value)
		if both == nil {
			return nil
		}
		fields[i] = Field{Name: both[:name:name], Value: both[name:]}
	}
	return fields
}

func (r *reader) fail(at int, off uint32, size uint64) {
	if r.err == nil {
		r.err = fmt.Errorf("%w: at offset %d: %d bytes at %d are not all between the head and the end, %d", ErrMalformed, at, size, off, len(r.b))
	}
}
