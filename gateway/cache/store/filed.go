package store

import (
	"slices"

	"weirkeep/gateway/memfile"
)

// leastFiled is the shortest body that is put into a file. A shorter one is sent as fast from
// the heap, in one call with its head.
const leastFiled = 64 << 10

// Filed is all of an entry's body in [Options.File]. The first who asks puts it there, so that
// what is never asked for again costs nothing; those who come meanwhile, or have the bytes on
// the heap in hand, go on with these. nil: it is not there, or not yet.
func (c *Cache) Filed(e *Entry) *memfile.Span {
	b := e.Body()
	if s := b.filed.Load(); s != nil || c.file == nil || e.Bytes() == 0 {
		return s
	}
	if n, all := b.Size(); !all || n < leastFiled {
		return nil
	}
	f := c.file()
	if f == nil {
		return nil
	}
	s := b.file(f)
	if e.Bytes() == 0 {
		b.unfile() // it has left the cache meanwhile
	}
	return s
}

// unfile says that the cache has no use for the body any more. Who reads it goes on.
func (b *Body) unfile() {
	if s := b.filed.Load(); s != nil {
		s.Drop()
	}
}

// file puts a body that is complete into a file.
func (b *Body) file(f *memfile.File) *memfile.Span {
	if !b.moving.CompareAndSwap(false, true) {
		return b.filed.Load()
	}
	defer b.moving.Store(false)
	if s := b.filed.Load(); s != nil {
		return s
	}
	s, err := f.Keep(b.all())
	if err != nil {
		return nil // it stays where it is
	}
	b.filed.Store(s)
	b.mu.Lock()
	b.pieces = nil
	b.mu.Unlock()
	b.whole.Store(nil)
	return s
}

// all is how long a complete body is, and its pieces.
func (b *Body) all() (n int64, bytes func(yield func([]byte) bool)) {
	b.mu.Lock()
	defer b.mu.Unlock()
	pieces := slices.Clone(b.pieces)
	return b.end, func(yield func([]byte) bool) {
		for _, p := range pieces {
			if !yield(p.bytes) {
				return
			}
		}
	}
}
