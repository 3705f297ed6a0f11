// Package store keeps answers in memory: which there are under a key, what fills
// them, who reads them meanwhile, which of them go when memory is full, and which
// an operator purges.
//
// An [Entry] is one answer: what package cache says of it, a rendered head, and a
// [Body]. [Cache.Lookup] finds one without allocating; what it returns is good for as
// long as it is held, whatever becomes of the entry. [Cache.Fetch] lets one of all who
// miss the same answer ask for it, and the others wait: they get the entry as soon as
// its head is known, and read the body as it comes. The budget of bytes counts all that
// is kept and all that fills have reserved, and is never exceeded; bodies that have
// left the cache while they are still read are their readers' own. [Cache.Filed] puts a long
// body into a file that is memory, so that it can be sent from there.
//
// It knows nothing of connections, disks or what makes an answer fresh: that an answer
// may be stored, and what a request may be given, its caller has asked package cache.
package store

import (
	"hash/maphash"
	"sync/atomic"
	"time"

	"weirkeep/gateway/memfile"
)

// Options bound a cache.
type Options struct {
	// Memory is how many bytes are kept at most: bodies, heads, fields, keys, tags, and
	// what it takes to find them. Zero means that nothing is kept.
	Memory int64

	// MaxObject is the longest body that is kept, in bytes.
	// Zero means that only bodies without a byte are kept.
	MaxObject int64

	// Now tells the time; nil means time.Now. It is asked only where a key is marked
	// as one that is not worth waiting for, and it must not be changed by Resize.
	Now func() time.Time

	// File is where [Cache.Filed] puts bodies: it is asked for the first one, and may
	// return nil. nil: nowhere. What is in it counts as bodies on the heap do. Resize does
	// not look at it.
	File func() *memfile.File

	// Behind keeps what there is no room for; nil: nothing does. Resize does not look at it.
	Behind Behind
}

// Cache is all that is kept. It is safe for concurrent use.
type Cache struct {
	seed      maphash.Seed
	now       func() time.Time
	behind    Behind
	file      func() *memfile.File
	maxObject atomic.Int64
	space     space
	shards    [shardCount]shard

	flights  atomic.Int64 // under way
	waiting  atomic.Int64 // for flights of others
	rejected atomic.Int64 // answers that were too long, or found no room
}

// New makes an empty cache.
func New(o Options) *Cache {
	c := &Cache{seed: maphash.MakeSeed(), now: o.Now, behind: o.Behind, file: o.File}
	if c.behind == nil {
		c.behind = nowhere{}
	}
	if c.now == nil {
		c.now = time.Now
	}
	c.maxObject.Store(o.MaxObject)
	c.space.resize(o.Memory)
	for i := range c.shards {
		c.shards[i].init()
	}
	return c
}

// Resize changes the sizes in place. What is too much then goes at once, but for what
// is being filled; bodies that are longer than the new MaxObject stay.
func (c *Cache) Resize(o Options) {
	c.maxObject.Store(o.MaxObject)
	c.forget(c.space.resize(o.Memory))
}

// Waiter is who waits for a flight or for bytes.
type Waiter interface {
	// Gone is asked every 100 ms: has the client gone, so that nobody waits?
	Gone() bool
}

// lookEvery is how often a waiter is looked at.
const lookEvery = 100 * time.Millisecond

// Stats is what a cache has in it, and what has become of what it had.
type Stats struct {
	Objects   int   // answers that are complete
	Filling   int   // answers that are being filled
	Marks     int   // keys for whose answers nobody waits, or waited until not long ago
	Bytes     int64 // all that counts against Options.Memory
	Ghosts    int   // keys that are remembered of what was evicted
	Flights   int64 // fetches under way
	Waiting   int64 // exchanges that wait for one of them
	Evictions int64 // answers that went because memory was full
	Rejected  int64 // answers that were too long, or found no room
}

// Stats are read at once, but for the counts of flights, of who waits for them, and of rejected answers.
func (c *Cache) Stats() Stats {
	st := c.space.stats()
	st.Flights, st.Waiting, st.Rejected = c.flights.Load(), c.waiting.Load(), c.rejected.Load()
	return st
}
