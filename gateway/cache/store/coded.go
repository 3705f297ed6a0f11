package store

import (
	"sync/atomic"

	"weirkeep/gateway/cache"
)

// Coded is an answer in a coding that it did not come in. It never changes.
type Coded struct {
	stored *cache.Stored // that the head is of
	head   []byte
	body   []byte
}

// Head is the rendered head.
func (d *Coded) Head() []byte { return d.head }

// Body is all of the body. It must not be changed.
func (d *Coded) Body() []byte { return d.body }

// What stands in the place of a body that is not there.
var (
	making  = &Coded{} // somebody encodes it
	useless = &Coded{} // it is not worth it, or found no room
)

// overheadOfCoded is what a body in a coding takes beside its bytes and those of the
// entry's head: what its head says beyond that, and itself.
const overheadOfCoded = 208

// slots are the codings of one body; nil: nobody has asked for it yet.
type slots [cache.Codings - 1]atomic.Pointer[Coded]

func (o *object) slot(c cache.Coding) *atomic.Pointer[Coded] { return &o.coded[c-1] }

// Coded is the answer in a coding that is not Identity; nil: it is not there in it. It
// allocates once for each entry, to render the head.
func (e *Entry) Coded(c cache.Coding) *Coded {
	d := e.slot(c).Load()
	if d == nil || d.body == nil {
		return nil
	}
	if d.stored != e.stored {
		next := e.coded(c, d.body)
		e.slot(c).CompareAndSwap(d, next)
		return next
	}
	return d
}

func (e *Entry) coded(c cache.Coding, body []byte) *Coded {
	return &Coded{stored: e.stored, head: e.stored.AppendCoded(make([]byte, 0, len(e.head)+overheadOfHead), c), body: body}
}

// overheadOfHead is more than a head in a coding is longer than the one of what came.
const overheadOfHead = 64

// Untried reports whether nobody has encoded the answer yet, or does so now.
func (e *Entry) Untried(c cache.Coding) bool { return e.slot(c).Load() == nil }

// Useless reports whether it has been found that the answer is not worth to be kept in a coding.
func (e *Entry) Useless(c cache.Coding) bool { return e.slot(c).Load() == useless }

// Encodes reports whether the caller is to encode the body, which is complete, and to call
// [Cache.KeepCoded] then. It is asked once for each coding of a body.
func (c *Cache) Encodes(e *Entry, as cache.Coding) bool {
	return e.Untried(as) && c.space.queued(e.object) && e.slot(as).CompareAndSwap(nil, making)
}

// KeepCoded keeps the body of an entry in a coding, beside what came and for as long as that;
// nil: it is not worth it. It reports whether it is kept: not if there is no room, or if the
// entry has left the cache.
func (c *Cache) KeepCoded(e *Entry, as cache.Coding, body []byte) bool {
	kept, out := c.keepCoded(e, as, body)
	c.forget(out)
	return kept
}

func (c *Cache) keepCoded(e *Entry, as cache.Coding, body []byte) (kept bool, out []*object) {
	s := c.shard(e.home.target)
	s.mu.Lock()
	defer s.mu.Unlock()
	current := e.home.current(e.object)
	if body != nil && current != nil {
		out, kept = c.space.change(e.object, current.weigh()+current.weighCoded(), footprint(int64(len(body))))
	}
	if kept {
		e.slot(as).Store(current.coded(as, body))
	} else {
		e.slot(as).Store(useless)
	}
	return kept, out
}

// weighCoded is what one body in a coding takes beside its bytes.
func (e *Entry) weighCoded() int64 { return int64(len(e.head)) + overheadOfCoded }

// weighAllCoded is what those that are there take.
func (e *Entry) weighAllCoded() (n int64) {
	for i := range e.object.coded {
		if d := e.object.coded[i].Load(); d != nil && d.body != nil {
			n += e.weighCoded()
		}
	}
	return n
}
