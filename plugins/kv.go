package plugins

import (
	"container/heap"
	"encoding/binary"
	"sync"
	"time"

	"weirkeep/abi"
)

const (
	maxKey    = 256
	maxStored = 65536
	maxTTL    = int64(1) << 40 // ms: 34 years
	entryCost = 64             // bytes that an entry counts beside its key and value
)

// kv is the key-value store of a plugin: one on this node, whatever instances and
// configurations come and go. Nothing is evicted.
type kv struct {
	mu      sync.Mutex
	size    int64 // bytes that it may hold
	used    int64
	version uint64
	entries map[string]*kvEntry
	ending  endings // those that end
}

type kvEntry struct {
	key     string
	value   []byte
	version uint64
	ends    time.Time // zero: never
	at      int       // in endings
}

// endings are entries that end, the next one first.
type endings []*kvEntry

func (e endings) Len() int           { return len(e) }
func (e endings) Less(i, j int) bool { return e[i].ends.Before(e[j].ends) }
func (e endings) Swap(i, j int) {
	e[i], e[j] = e[j], e[i]
	e[i].at, e[j].at = i, j
}

// Push and Pop are for package heap.
func (e *endings) Push(x any) {
	entry := x.(*kvEntry)
	entry.at = len(*e)
	*e = append(*e, entry)
}

func (e *endings) Pop() any {
	last := len(*e) - 1
	entry := (*e)[last]
	(*e)[last] = nil
	*e = (*e)[:last]
	return entry
}

func (e *kvEntry) over(now time.Time) bool { return !e.ends.IsZero() && !now.Before(e.ends) }

func (e *kvEntry) cost() int64 { return int64(len(e.key)+len(e.value)) + entryCost }

// setSize puts another size in place, and returns the one before. What is there
// already stays.
func (s *kv) setSize(n int64) (before int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	before, s.size = s.size, n
	return before
}

// get returns a value, which is not to be changed, and its version.
func (s *kv) get(key string, now time.Time) (value []byte, version uint64, found bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	e, found := s.entries[key]
	if !found || e.over(now) {
		return nil, 0, false
	}
	return e.value, e.version, true
}

// set stores a copy of a value. A version of 0 says always, -1 only if there is none,
// any other only if it is that one.
func (s *kv) set(key string, value []byte, ttl time.Duration, version int64, now time.Time) abi.Code {
	s.mu.Lock()
	defer s.mu.Unlock()
	old, found := s.entries[key]
	found = found && !old.over(now)
	if version == -1 && found || version > 0 && (!found || old.version != uint64(version)) {
		return abi.Conflict
	}
	e := &kvEntry{key: key, value: append([]byte(nil), value...), version: s.version + 1}
	if ttl > 0 {
		e.ends = now.Add(ttl)
	}
	if !s.fits(e, now) {
		return abi.Limit
	}
	s.drop(key)
	s.put(e)
	s.version++
	return 0
}

// put puts in an entry whose key is not there.
func (s *kv) put(e *kvEntry) {
	if s.entries == nil {
		s.entries = make(map[string]*kvEntry)
	}
	s.entries[e.key] = e
	s.used += e.cost()
	if !e.ends.IsZero() {
		heap.Push(&s.ending, e)
	}
}

// fits reports whether an entry has room in the place of the one with its key. If
// not, what is over is taken out first.
func (s *kv) fits(e *kvEntry, now time.Time) bool {
	more := e.cost()
	if old := s.entries[e.key]; old != nil {
		more -= old.cost()
	}
	for s.used+more > s.size && len(s.ending) > 0 && s.ending[0].over(now) {
		over := s.ending[0]
		if over.key == e.key {
			more += over.cost()
		}
		s.drop(over.key)
	}
	return s.used+more <= s.size
}

// delete takes an entry away, and reports whether it was there.
func (s *kv) delete(key string, now time.Time) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	e, found := s.entries[key]
	s.drop(key)
	return found && !e.over(now)
}

func (s *kv) drop(key string) {
	e := s.entries[key]
	if e == nil {
		return
	}
	s.used -= e.cost()
	delete(s.entries, key)
	if !e.ends.IsZero() {
		heap.Remove(&s.ending, e.at)
	}
}

func putUint64(b []byte, n uint64) { binary.LittleEndian.PutUint64(b, n) }
