// Package popular counts what is asked for most, in bounded memory.
//
// [Counts.Add] counts a path of a site. When there is no room for another one, it takes, with
// a chance that falls as the least count grows, the place of the one that was asked for
// least, and its count: what is asked for often is counted to within that, and what is asked
// for once by a crawler displaces little. Nothing allocates but a path that is new.
//
// The package does not know why something is counted: it keeps the word for the last time.
package popular

import (
	"cmp"
	"hash/maphash"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"time"
)

// Bounds: of shards, of paths in each, and of bytes of a site and a path.
const (
	shardCount = 16
	perShard   = 128
	longest    = 512
)

// Counts is safe for concurrent use. There is no zero value: see New.
type Counts struct {
	seed   maphash.Seed
	shards [shardCount]shard
}

// shard is some of the paths.
type shard struct {
	mu    sync.Mutex
	paths map[string]*count
	least uint64 // no count is less, when all places are taken
}

type count struct {
	n, over uint64
	last    time.Time
	why     string
}

// New counts nothing yet.
func New() *Counts {
	c := &Counts{seed: maphash.MakeSeed()}
	for i := range c.shards {
		c.shards[i].paths = make(map[string]*count)
	}
	return c
}

// Add counts a request. Why is a word that outlives it. What is too long is not counted.
func (c *Counts) Add(site string, path []byte, why string, now time.Time) {
	var room [longest + 1]byte
	if len(site)+len(path) > longest {
		return
	}
	key := append(append(append(room[:0], site...), 0), path...)
	s := &c.shards[maphash.Bytes(c.seed, key)%shardCount]
	s.mu.Lock()
	defer s.mu.Unlock()
	if k := s.place(key); k != nil {
		k.n++
		k.last, k.why = now, why
	}
}

// place is where a key is counted; nil: it is not.
func (s *shard) place(key []byte) *count {
	if k := s.paths[string(key)]; k != nil {
		return k
	}
	k := new(count)
	if len(s.paths) >= perShard {
		if rand.Uint64N(s.least+1) > 0 {
			return nil
		}
		of := s.lowest()
		k.n, k.over = s.paths[of].n, s.paths[of].n
		s.least = k.n
		delete(s.paths, of)
	}
	s.paths[string(key)] = k
	return k
}

// lowest is what was asked for least, and least lately.
func (s *shard) lowest() (of string) {
	var low *count
	for key, k := range s.paths {
		if low == nil || cmp.Or(cmp.Compare(k.n, low.n), k.last.Compare(low.last)) < 0 {
			of, low = key, k
		}
	}
	return of
}

// A Path is how often one was asked for.
type Path struct {
	Site, Path string
	Requests   uint64 // at most
	Over       uint64 // it may be less by so many
	Last       time.Time
	Why        string // of the last request
}

// List is all that is counted, what was asked for most first.
func (c *Counts) List() (all []Path) {
	for i := range c.shards {
		s := &c.shards[i]
		s.mu.Lock()
		for key, k := range s.paths {
			site, path, _ := strings.Cut(key, "\x00")
			all = append(all, Path{site, path, k.n, k.over, k.last, k.why})
		}
		s.mu.Unlock()
	}
	slices.SortFunc(all, func(a, b Path) int {
		return cmp.Or(cmp.Compare(b.Requests, a.Requests), cmp.Compare(a.Site, b.Site), cmp.Compare(a.Path, b.Path))
	})
	return all
}
