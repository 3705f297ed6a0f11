package store

import (
	"sync/atomic"
	"unsafe"

	"weirkeep/gateway/cache"
	"weirkeep/gateway/wire"
)

// Entry is one answer as it was at one time. It never changes, but for its body while
// that is filled: an update makes another entry with the same body.
type Entry struct {
	*object
	stored *cache.Stored
	head   []byte
}

// Stored is what is known of the answer.
func (e *Entry) Stored() *cache.Stored { return e.stored }

// Head is the rendered head as the answer was stored with it.
func (e *Entry) Head() []byte { return e.head }

// Body is what the answer is read from.
func (e *Entry) Body() *Body { return &e.object.body }

// Key is what the answer is stored under. It must not be changed.
func (e *Entry) Key() *Key { return &e.home.key }

// Hits is how often a lookup has found the answer, updates of it counted together.
func (e *Entry) Hits() int64 { return e.hits.Load() }

// Hit counts as a lookup that has found the answer: for one that [Cache.Peek] has.
func (e *Entry) Hit() { e.hits.Add(1) }

// Bytes is what the answer takes of [Options.Memory]; while it is filled, what is
// reserved for it; 0 after it has left the cache.
func (e *Entry) Bytes() int64 { return e.bytes.Load() }

// object is a body, with all that its entries have in common. It is what the space
// counts. A mark is an object without entries.
type object struct {
	due atomic.Int64 // when it may be asked for anew, in Unix milliseconds

	home    *resource
	apart   bool // it is not of a cache
	indexed bool // under the shard's lock: one of its entries is in the index
	hits    atomic.Int64
	bytes   atomic.Int64 // that the space counts for it; written under its lock

	// Under the space's lock.
	place      place
	marks      bool  // it is a mark
	weight     int64 // of bytes, what is not of the body
	freq       int64 // at the last look, 0..3
	heir       bool  // it joins the main queue at once
	seen       int64 // hits at the last look
	prev, next *object

	body  Body
	coded slots // in codings

	made atomic.Pointer[made] // of the body; nil: nothing. Written under the shard's lock
}

// What an object takes beside the bytes that are its own: itself, its entry, what is
// stored with it, its resource, and their places in maps. TestLittleMemoryIsNotCounted
// measures it.
const (
	overheadOfObject = 1128
	overheadOfMark   = 560
	overheadOfTag    = 240
)

// weigh is what an answer takes beside its body, and that in codings; what was made of it
// is part of it.
func (e *Entry) weigh() int64 {
	s := e.stored
	n := overheadOfObject + e.home.key.size() + int64(len(e.head)+len(s.Reason)+len(s.ETag)+len(s.Content))
	for _, fields := range [...][]wire.Field{s.Fields, s.Source} {
		n += int64(len(fields)) * int64(unsafe.Sizeof(wire.Field{}))
		for _, f := range fields {
			n += int64(len(f.Name) + len(f.Value))
		}
	}
	if s.Sliced() {
		n += int64(unsafe.Sizeof(*s.Slices)) + int64(len(s.Slices.Version))
	}
	for i, name := range s.Vary.Names {
		n += int64(len(name)+len(s.Vary.Values[i])) + int64(unsafe.Sizeof("")+unsafe.Sizeof([]byte(nil)))
	}
	for _, t := range s.Tags {
		n += overheadOfTag + int64(len(t))
	}
	return n + e.weighAllCoded() + e.made.Load().weigh()
}

// footprint is what n bytes in one piece take: the runtime rounds small pieces up by an
// eighth at most, and large ones to pages of 8 KiB.
func footprint(n int64) int64 {
	if n <= 32<<10 {
		return n + n/16
	}
	return (n + 8<<10 - 1) &^ (8<<10 - 1)
}

// replaces reports whether an answer takes the place of another one under its key: it
// was chosen by the same values of the same fields, and is the whole, or the same part.
func replaces(s, old *cache.Stored) bool {
	return s.SameVariant(old) && (s.Part.Size == 0 || samePart(s, old))
}

func samePart(a, b *cache.Stored) bool {
	return a.Part.First == b.Part.First && a.Part.Size == b.Part.Size && a.Length == b.Length
}
