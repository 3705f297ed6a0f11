package disk

import (
	"cmp"
	"hash/maphash"
	"math"
	"slices"
	"sync"
)

// An index says where the record of each object is. It is the only thing that grows
// with their number: some 100 bytes each.
type index struct {
	seed   maphash.Seed
	shards [shardCount]shard
}

const shardCount = 64

type shard struct {
	mu sync.RWMutex
	m  map[ID]entry
	_  [32]byte // the next one's lock is on another cache line
}

// An entry is one object. It has no pointers, so that a million of them cost the
// garbage collector nothing.
type entry struct {
	at     place  // of the record's frame
	size   uint32 // of that frame
	oldest uint32 // segment that goes first of those it needs: when it is gone so is the object
	flags  uint32
	used   bool // was opened since it was written or copied
}

// make empties the index and makes room for n objects.
func (x *index) make(n int) {
	x.seed = maphash.MakeSeed()
	for i := range x.shards {
		x.shards[i].m = make(map[ID]entry, n/shardCount)
	}
}

func (x *index) shard(id ID) *shard {
	return &x.shards[maphash.Bytes(x.seed, id[:])%shardCount]
}

func (x *index) find(id ID) (entry, bool) {
	s := x.shard(id)
	s.mu.RLock()
	e, ok := s.m[id]
	s.mu.RUnlock()
	return e, ok
}

func (x *index) set(id ID, e entry) {
	s := x.shard(id)
	s.mu.Lock()
	s.m[id] = e
	s.mu.Unlock()
}

func (x *index) remove(id ID) {
	s := x.shard(id)
	s.mu.Lock()
	delete(s.m, id)
	s.mu.Unlock()
}

// removeAt removes an object if its record is still there.
func (x *index) removeAt(id ID, at place) {
	s := x.shard(id)
	s.mu.Lock()
	if s.m[id].at == at {
		delete(s.m, id)
	}
	s.mu.Unlock()
}

// clear forgets all objects.
func (x *index) clear() { x.sweep(math.MaxUint32) }

// flag changes the flags of an object, if there is one.
func (x *index) flag(id ID, flags uint32) {
	if e, ok := x.find(id); ok {
		x.change(id, e.at, func(e *entry) { e.flags = flags })
	}
}

// change lets f change an entry, if it is still the one whose record is there.
func (x *index) change(id ID, at place, f func(*entry)) {
	s := x.shard(id)
	s.mu.Lock()
	if e, ok := s.m[id]; ok && e.at == at {
		f(&e)
		s.m[id] = e
	}
	s.mu.Unlock()
}

// use notes that an object was opened. Most often that has been noted already.
func (x *index) use(id ID, e entry) {
	if !e.used {
		x.change(id, e.at, func(e *entry) { e.used = true })
	}
}

func (x *index) len() (n int64) {
	for i := range x.shards {
		s := &x.shards[i]
		s.mu.RLock()
		n += int64(len(s.m))
		s.mu.RUnlock()
	}
	return n
}

// sweep forgets what needs segments before first, and returns how much that was.
func (x *index) sweep(first uint32) (n int64) {
	for i := range x.shards {
		s := &x.shards[i]
		s.mu.Lock()
		n += int64(len(s.m))
		for id, e := range s.m {
			if e.oldest < first {
				delete(s.m, id)
			}
		}
		n -= int64(len(s.m))
		s.mu.Unlock()
	}
	return n
}

// A found is an object and where it is.
type found struct {
	id ID
	at place
}

// usedIn are the objects that were opened and need a segment that is the oldest, in the
// order of their records.
func (x *index) usedIn(oldest uint32) (all []found) {
	for i := range x.shards {
		s := &x.shards[i]
		s.mu.RLock()
		for id, e := range s.m {
			if e.oldest == oldest && e.used {
				all = append(all, found{id, e.at})
			}
		}
		s.mu.RUnlock()
	}
	slices.SortFunc(all, func(a, b found) int {
		return cmp.Or(cmp.Compare(a.at.seg, b.at.seg), cmp.Compare(a.at.off, b.at.off))
	})
	return all
}
