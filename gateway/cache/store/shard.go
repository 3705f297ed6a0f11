package store

import (
	"slices"
	"sync"
)

// shardCount is how many locks the keys are spread over. It is a power of two.
const shardCount = 256

// maxVariants is how many answers are kept under one key: the newest ones.
const maxVariants = 64

// shard is a part of the keys under a lock of its own. All keys of one target are in
// the same shard.
type shard struct {
	mu      sync.RWMutex
	keys    map[uint64]*resource            // by the sum of all; those with equal sums are a list
	targets map[uint64]*resource            // by the sum of the target; all that have it are a list
	tags    map[string]map[*object]struct{} // what carries them
	flying  map[*Flight]struct{}            // all that are under way

	_ [8]byte // so that two shards share no cache line for long
}

// resource is all that is known under one key. It is there for as long as it has
// entries, a mark or flights.
type resource struct {
	key         Key
	target, sum uint64
	next        *resource // with an equal sum
	prior, post *resource // neighbours among those whose target has an equal sum

	closed bool // it is not found any more; another one may be open for the key

	entries []*Entry // the newest first; the slice is never changed, only replaced
	flights []*Flight

	mark *object // stands in the space for what a mark costs; nil: none
	said Mark    // by it
}

func (s *shard) init() {
	s.keys, s.targets = make(map[uint64]*resource), make(map[uint64]*resource)
	s.tags = make(map[string]map[*object]struct{})
	s.flying = make(map[*Flight]struct{})
}

func (c *Cache) shard(target uint64) *shard { return &c.shards[target>>56%shardCount] }

func (s *shard) find(sum uint64, k *Key) *resource {
	r := s.keys[sum]
	for r != nil && !r.key.Equal(k) {
		r = r.next
	}
	return r
}

// open finds the resource of a key, or makes it.
func (s *shard) open(target, sum uint64, k *Key) *resource {
	if r := s.find(sum, k); r != nil {
		return r
	}
	r := &resource{key: k.clone(), target: target, sum: sum, next: s.keys[sum], post: s.targets[target]}
	if r.post != nil {
		r.post.prior = r
	}
	s.keys[sum], s.targets[target] = r, r
	return r
}

// closeIdle forgets a resource of which nothing is left.
func (s *shard) closeIdle(r *resource) {
	if r.closed || len(r.entries) > 0 || len(r.flights) > 0 || r.mark != nil {
		return
	}
	r.closed = true
	s.unlinkKey(r)
	s.unlinkTarget(r)
}

func (s *shard) unlinkKey(r *resource) {
	at := s.keys[r.sum]
	if at == r && r.next == nil {
		delete(s.keys, r.sum)
		return
	}
	if at == r {
		s.keys[r.sum] = r.next
		return
	}
	for at.next != r {
		at = at.next
	}
	at.next = r.next
}

func (s *shard) unlinkTarget(r *resource) {
	if r.post != nil {
		r.post.prior = r.prior
	}
	switch {
	case r.prior != nil:
		r.prior.post = r.post
	case r.post != nil:
		s.targets[r.target] = r.post
	default:
		delete(s.targets, r.target)
	}
}

// insert puts an entry first of its resource's, and takes out what it replaces, and the
// oldest if there are too many.
func (s *shard) insert(e *Entry) (replaced []*Entry, surplus *object) {
	r := e.home
	kept := make([]*Entry, 1, len(r.entries)+1)
	kept[0] = e
	for _, old := range r.entries {
		if replaces(e.stored, old.stored) {
			s.leave(old)
			replaced = append(replaced, old)
		} else {
			kept = append(kept, old)
		}
	}
	if last := len(kept) - 1; last == maxVariants {
		surplus = kept[last].object
		s.leave(kept[last])
		kept = kept[:last]
	}
	r.entries = kept
	e.indexed = true
	s.tag(e)
	return replaced, surplus
}

// leave says of an entry that it is in the index no more.
func (s *shard) leave(e *Entry) {
	e.indexed = false
	s.untag(e)
}

// exchange puts another entry in the place of the one that its object has, which must be
// in the index.
func (s *shard) exchange(e *Entry) {
	r := e.home
	i := r.indexOf(e.object)
	s.untag(r.entries[i])
	r.entries = slices.Clone(r.entries)
	r.entries[i] = e
	s.tag(e)
}

// remove takes an object out, and reports whether it was in. Its resource may be idle
// then.
func (s *shard) remove(o *object) bool {
	r := o.home
	if r.mark == o {
		r.mark, r.said = nil, Mark{}
		return true
	}
	i := r.indexOf(o)
	if i < 0 {
		return false
	}
	s.leave(r.entries[i])
	r.entries = slices.Delete(slices.Clone(r.entries), i, i+1)
	return true
}

// current is the entry that an object has in the index; nil: none.
func (r *resource) current(o *object) *Entry {
	if i := r.indexOf(o); i >= 0 {
		return r.entries[i]
	}
	return nil
}

func (r *resource) indexOf(o *object) int {
	return slices.IndexFunc(r.entries, func(e *Entry) bool { return e.object == o })
}

func (s *shard) tag(e *Entry) {
	for _, t := range e.stored.Tags {
		if s.tags[t] == nil {
			s.tags[t] = make(map[*object]struct{}, 1)
		}
		s.tags[t][e.object] = struct{}{}
	}
}

func (s *shard) untag(e *Entry) {
	for _, t := range e.stored.Tags {
		delete(s.tags[t], e.object)
		if len(s.tags[t]) == 0 {
			delete(s.tags, t)
		}
	}
}
