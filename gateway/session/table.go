package session

import (
	"hash/maphash"
	"sync/atomic"
	"time"
)

const (
	defaultEntries     = 100_000
	defaultIdleTimeout = 30 * time.Minute

	// maxID is the longest id that is bound. With it, an entry takes at most
	// about 620 bytes.
	maxID = 512

	// shardCount is how many locks a table has.
	shardCount = 32
)

// Options bound a table.
type Options struct {
	// Entries is how many ids are bound at most.
	// Zero means the default, 100,000.
	Entries int

	// IdleTimeout is how long an id stays bound without being used.
	// Zero means the default, 30 min.
	IdleTimeout time.Duration
}

// Table binds session ids to origins, by name. Its methods may be called at the
// same time.
//
// The time is the caller's, who reads the clock once per exchange; so one call
// may come with an earlier time than the one before.
type Table struct {
	seed    maphash.Seed // secret, so that no client can choose the shard of its id
	entries atomic.Int64
	idle    atomic.Int64              // a time.Duration
	epoch   atomic.Pointer[time.Time] // the first time that was seen; see since

	held    atomic.Int64  // bindings in all shards; changes under the shard's lock
	uses    atomic.Uint64 // so far; numbers them
	evicted atomic.Uint64
	shards  [shardCount]shard
}

// New makes an empty table.
func New(o Options) *Table {
	t := &Table{seed: maphash.MakeSeed()}
	for i := range t.shards {
		t.shards[i].init()
	}
	t.SetOptions(o)
	return t
}

// SetOptions puts other bounds in place. Bindings that are one too many are
// dropped at once, the least recently used first; a longer IdleTimeout also
// holds for those that are bound already.
func (t *Table) SetOptions(o Options) {
	if o.Entries <= 0 {
		o.Entries = defaultEntries
	}
	if o.IdleTimeout <= 0 {
		o.IdleTimeout = defaultIdleTimeout
	}
	t.entries.Store(int64(o.Entries))
	t.idle.Store(int64(o.IdleTimeout))
	t.trim(never)
}

// IdleTimeout is how long an id stays bound without being used.
func (t *Table) IdleTimeout() time.Duration { return time.Duration(t.idle.Load()) }

// Bound returns the name of the origin that an id is bound to, and notes that
// it has been used. It allocates nothing.
func (t *Table) Bound(id []byte, now time.Time) (origin string, ok bool) {
	return t.look(id, now, true)
}

// Peek is Bound for who only wants to know: nothing is noted.
func (t *Table) Peek(id []byte, now time.Time) (origin string, ok bool) {
	return t.look(id, now, false)
}

func (t *Table) look(id []byte, now time.Time, use bool) (origin string, ok bool) {
	if len(id) > maxID {
		return "", false
	}
	s, at := t.shard(id), t.since(now)
	s.mu.Lock()
	b := s.bindings[string(id)]
	if b != nil && !t.idled(b, at) {
		origin, ok = b.tally.origin, true
		if use {
			s.use(b, t.uses.Add(1), at)
		}
	}
	s.mu.Unlock()
	return origin, ok
}

// Bind binds an id, which is copied, to an origin, instead of the one that it
// was bound to before. An id that is empty or longer than 512 bytes is not
// bound. A full table drops the binding that has not been used for the longest
// time.
func (t *Table) Bind(id []byte, origin string, now time.Time) {
	if len(id) == 0 || len(id) > maxID {
		return
	}
	s, at := t.shard(id), t.since(now)
	s.mu.Lock()
	b := s.bindings[string(id)]
	if b == nil {
		b = s.add(cloneID(id))
		t.held.Add(1)
	}
	s.point(b, origin)
	s.use(b, t.uses.Add(1), at)
	t.dropIdle(s, at, 2) // more than one, so that a table shrinks while sessions come
	s.mu.Unlock()
	t.trim(at)
}

// Expire drops the bindings that are idle. They bind nothing in any case and
// are dropped as room is needed; but Len and Count have them until then.
func (t *Table) Expire(now time.Time) {
	const batch = 64 // per hold of the lock
	at := t.since(now)
	for i := range t.shards {
		s := &t.shards[i]
		for dropped := batch; dropped == batch; {
			s.mu.Lock()
			dropped = t.dropIdle(s, at, batch)
			s.mu.Unlock()
		}
	}
}

// Len returns how many ids are bound.
func (t *Table) Len() int { return int(t.held.Load()) }

// Count returns how many ids are bound to each origin that has any.
func (t *Table) Count() map[string]int {
	counts := make(map[string]int)
	for i := range t.shards {
		s := &t.shards[i]
		s.mu.Lock()
		for origin, tally := range s.tallies {
			counts[origin] += tally.bindings
		}
		s.mu.Unlock()
	}
	return counts
}

// Evicted returns how many bindings have been dropped, since the table was made,
// because it was full. Those that were idle by then do not count.
func (t *Table) Evicted() uint64 { return t.evicted.Load() }

// cloneID copies an id that is to be kept.
func cloneID(id []byte) string { return string(id) }

// since turns a time into one that is cheap to keep. It counts from the first
// time that the table is given, so that the monotonic clock, if times have it,
// decides: a step of the wall clock ends no session.
func (t *Table) since(now time.Time) time.Duration {
	epoch := t.epoch.Load()
	if epoch == nil {
		first := now
		t.epoch.CompareAndSwap(nil, &first)
		epoch = t.epoch.Load()
	}
	return now.Sub(*epoch)
}

func (t *Table) shard(id []byte) *shard {
	return &t.shards[maphash.Bytes(t.seed, id)%shardCount]
}

func (t *Table) idled(b *binding, at time.Duration) bool {
	return at-b.at >= time.Duration(t.idle.Load())
}
