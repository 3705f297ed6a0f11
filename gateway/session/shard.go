package session

import (
	"math"
	"sync"
	"sync/atomic"
	"time"
)

// never is a time before any other: no binding is idle then.
const never = time.Duration(math.MinInt64 / 2)

// shard is a part of a table's bindings under a lock of its own. They stand in
// a ring, in the order of their last use.
type shard struct {
	mu       sync.Mutex
	bindings map[string]*binding // by id
	tallies  map[string]*tally   // by origin
	ring     binding             // next is the newest one, prev the oldest

	// oldest is the number of the oldest binding's last use, noUse if there is
	// none. It is read without the lock.
	oldest atomic.Uint64

	_ [40]byte // so that two shards share no cache line
}

// noUse is later than any use.
const noUse = math.MaxUint64

// binding is one id's.
type binding struct {
	id         string
	tally      *tally        // of its origin
	use        uint64        // number of the last use
	at         time.Duration // of the last use, as Table.since has it
	prev, next *binding
}

// tally counts the bindings of one origin. They share its name, which need not
// be walked for to be counted.
type tally struct {
	origin   string
	bindings int
}

func (s *shard) init() {
	s.bindings, s.tallies = make(map[string]*binding), make(map[string]*tally)
	s.ring.prev, s.ring.next, s.ring.use = &s.ring, &s.ring, noUse
	s.oldest.Store(noUse)
}

// add makes a binding that is the oldest until it is used.
func (s *shard) add(id string) *binding {
	b := &binding{id: id, at: never}
	s.bindings[id] = b
	s.link(b, s.ring.prev)
	return b
}

// point makes a binding one of the origin's.
func (s *shard) point(b *binding, origin string) {
	if b.tally != nil && b.tally.origin == origin {
		return
	}
	s.release(b)
	b.tally = s.tallies[origin]
	if b.tally == nil {
		b.tally = &tally{origin: origin}
		s.tallies[origin] = b.tally
	}
	b.tally.bindings++
}

// release takes a binding away from its origin, if it has one.
func (s *shard) release(b *binding) {
	if b.tally == nil {
		return
	}
	b.tally.bindings--
	if b.tally.bindings == 0 {
		delete(s.tallies, b.tally.origin)
	}
	b.tally = nil
}

// use notes a use. A time before that of the last use changes only the order.
func (s *shard) use(b *binding, number uint64, at time.Duration) {
	b.use, b.at = number, max(b.at, at)
	if s.ring.next != b {
		b.unlink()
		s.link(b, &s.ring)
	}
	s.publish()
}

// remove takes a binding out of the shard.
func (s *shard) remove(b *binding) {
	delete(s.bindings, b.id)
	s.release(b)
	b.unlink()
	s.publish()
}

// link puts b behind the binding before it.
func (s *shard) link(b, before *binding) {
	b.prev, b.next = before, before.next
	b.prev.next, b.next.prev = b, b
}

func (b *binding) unlink() {
	b.prev.next, b.next.prev = b.next, b.prev
}

// publish says which use is the oldest. Most uses are not of that binding, and
// then nothing is written.
func (s *shard) publish() {
	if use := s.ring.prev.use; s.oldest.Load() != use {
		s.oldest.Store(use)
	}
}

// drop takes a binding out of the table. The caller holds the shard's lock.
func (t *Table) drop(s *shard, b *binding) {
	s.remove(b)
	t.held.Add(-1)
}

// dropIdle drops the oldest bindings of a shard that are idle, but no more than
// most, and returns how many. The caller holds the shard's lock.
func (t *Table) dropIdle(s *shard, at time.Duration, most int) (dropped int) {
	for dropped < most && s.ring.prev != &s.ring && t.idled(s.ring.prev, at) {
		t.drop(s, s.ring.prev)
		dropped++
	}
	return dropped
}

// trim drops the oldest bindings of the table until no more are left than may
// be. Callers must hold no lock.
func (t *Table) trim(at time.Duration) {
	for t.full() {
		t.evict(t.stalest(), at)
	}
}

// full reports whether a binding has to go.
func (t *Table) full() bool { return t.held.Load() > t.entries.Load() }

// stalest returns the shard that has the oldest binding of all.
func (t *Table) stalest() *shard {
	s := &t.shards[0]
	for i := range t.shards[1:] {
		if other := &t.shards[i+1]; other.oldest.Load() < s.oldest.Load() {
			s = other
		}
	}
	return s
}

// evict drops the oldest binding of a shard, if one still has to go.
func (t *Table) evict(s *shard, at time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	b := s.ring.prev
	if b == &s.ring || !t.full() {
		return
	}
	if !t.idled(b, at) {
		t.evicted.Add(1)
	}
	t.drop(s, b)
}
