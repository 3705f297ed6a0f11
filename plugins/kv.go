package plugins

import (
	"encoding/binary"
	"maps"
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
	entries map[string]kvEntry
}

type kvEntry struct {
	value   []byte
	version uint64
	ends    time.Time // zero: never
}

func (e *kvEntry) over(now time.Time) bool { return !e.ends.IsZero() && !now.Before(e.ends) }

func (e *kvEntry) cost(key string) int64 { return int64(len(key)+len(e.value)) + entryCost }

// setSize puts another size in place. What is there already stays.
func (s *kv) setSize(n int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.size = n
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
	e := kvEntry{value: append([]byte(nil), value...), version: s.version + 1}
	if ttl > 0 {
		e.ends = now.Add(ttl)
	}
	if !s.fits(key, &e, now) {
		return abi.Limit
	}
	s.drop(key)
	if s.entries == nil {
		s.entries = make(map[string]kvEntry)
	}
	s.entries[key] = e
	s.used += e.cost(key)
	s.version++
	return 0
}

// fits reports whether an entry has room in the place of the one with its key. If
// not, what is over is swept out first.
func (s *kv) fits(key string, e *kvEntry, now time.Time) bool {
	room := func() bool {
		used := s.used
		if old, ok := s.entries[key]; ok {
			used -= old.cost(key)
		}
		return used+e.cost(key) <= s.size
	}
	if room() {
		return true
	}
	maps.DeleteFunc(s.entries, func(key string, e kvEntry) bool {
		if e.over(now) {
			s.used -= e.cost(key)
			return true
		}
		return false
	})
	return room()
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
	if e, ok := s.entries[key]; ok {
		s.used -= e.cost(key)
		delete(s.entries, key)
	}
}

func putUint64(b []byte, n uint64) { binary.LittleEndian.PutUint64(b, n) }
