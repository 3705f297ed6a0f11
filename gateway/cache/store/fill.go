package store

import (
	"errors"
	"time"
)

var (
	// ErrUnwanted means that a body is too long to be kept, and that nobody reads it:
	// the fill has ended.
	ErrUnwanted = errors.New("body is not kept and nobody reads it")

	// ErrLong means that there are more bytes than the answer said: the fill has failed.
	ErrLong = errors.New("body is longer than its length says")
)

const (
	// leastPiece and mostPiece bound the pieces of a body of unknown length: each is as
	// long as all before it.
	leastPiece = 4 << 10
	mostPiece  = 256 << 10

	// leastRoom is what is reserved for a body of unknown length at first. If it turns
	// out too long, or no more can be reserved, its readers may be apart by as much as is
	// reserved then, mostRoom at most.
	leastRoom = 64 << 10
	mostRoom  = 1 << 20

	// joined is the longest body that is put together at its end, of pieces that it
	// came in.
	joined = 1 << 20

	// longFor is how long nobody waits for an answer that was too long to be kept.
	longFor = time.Minute

	// stallAfter is how long a reader may keep all others waiting, comeWithin how long
	// those may who have been given the entry and do not read yet: perhaps it does not
	// fit their requests.
	stallAfter = 30 * time.Second
	comeWithin = 5 * time.Second
)

// Fill writes the body of one entry, for one goroutine. Done or Fail must end it.
type Fill struct {
	cache  *Cache
	entry  *Entry
	length int64 // -1: not known
	room   int64 // bytes of what is reserved that the body may use
	taken  int64 // bytes of the pieces that are held, filled or not
	loose  bool  // it is for one who reads it, and nothing of it is counted
	hidden int   // bytes behind those that readers see
	lossy  bool
	ended  bool
}

// Entry is what is filled.
func (f *Fill) Entry() *Entry { return f.entry }

// Unread says that the leader has no client that is going to read the body, so that
// nothing waits for it. It is called before Write, if at all.
func (f *Fill) Unread() { f.body().Decline() }

// Write adds to the body and copies p. It waits for readers only when the body has
// turned out too long to be kept: then the slowest, for 30 s at most, after which it
// goes on without them. After an error the fill has ended, and others may go on
// without it.
//
// The last bytes of a body whose length is known are seen by nobody before Done: who has
// them knows that they are the last.
func (f *Fill) Write(p []byte) error {
	for len(p) > 0 && !f.ended {
		n, err := f.makeRoom(len(p))
		if err != nil {
			f.Fail()
			return err
		}
		f.put(p[:n])
		p = p[n:]
	}
	if f.ended && len(p) > 0 {
		return ErrUnwanted
	}
	return nil
}

// put puts bytes where there is room for them.
func (f *Fill) put(p []byte) {
	b := f.body()
	if b.end+int64(len(p)) != f.length {
		b.add(p)
		return
	}
	b.lay(p)
	f.hidden = len(p)
}

func (f *Fill) body() *Body { return &f.entry.object.body }

// makeRoom sees to it that the last piece has room, and says for how much of n bytes.
func (f *Fill) makeRoom(n int) (int, error) {
	if f.length < 0 && !f.lossy && f.body().end+int64(n) > f.most() {
		f.lose()
	}
	if spare := f.body().spare(); spare > f.hidden {
		return min(n, spare), nil
	}
	if f.length >= 0 {
		return 0, ErrLong
	}
	if f.loose && !f.body().wanted() {
		return 0, ErrUnwanted
	}
	size := f.nextPiece()
	if !f.lossy && !f.mayTake(size) {
		f.lose()
	}
	if f.lossy {
		size = min(size, f.room/4)
		if err := f.drain(size); err != nil {
			return 0, err
		}
	}
	f.taken += size
	f.body().extend(size)
	return int(min(int64(n), size)), nil
}

// most is how long a body of unknown length may be to be held in full.
func (f *Fill) most() int64 {
	if f.loose {
		return f.room
	}
	return f.cache.maxObject.Load()
}

// nextPiece is how long the next piece of a body of unknown length is.
func (f *Fill) nextPiece() int64 {
	return min(max(f.body().end, leastPiece), mostPiece)
}

// mayTake reserves what a further piece needs, and reports whether there is room.
func (f *Fill) mayTake(size int64) bool {
	lack := f.taken + size - f.room
	if lack <= 0 || f.loose {
		return true
	}
	out, ok := f.cache.space.grow(f.entry.object, lack)
	f.cache.forget(out)
	if ok {
		f.room += lack
	}
	return ok
}

// lose takes the entry out of the index, for good. From now on bytes are held only for
// those who read.
func (f *Fill) lose() {
	f.lossy = true
	if f.loose {
		return
	}
	f.cache.rejected.Add(1)
	f.cache.remove(f.entry.object)
	f.cache.mark(f.entry.home, Mark{Until: f.cache.now().Add(longFor)})
}

// drain drops what all readers are past, until a piece of size bytes has room.
func (f *Fill) drain(size int64) error {
	for {
		dropped, readers, moved := f.body().dropPast()
		f.taken -= dropped
		f.shrinkRoom()
		switch {
		case readers == 0:
			return ErrUnwanted
		case f.taken+size <= f.room:
			return nil
		}
		f.await(moved)
	}
}

// await waits until a reader has moved, or throws out the slowest.
func (f *Fill) await(moved <-chan struct{}) {
	patience := f.body().patience()
	if f.loose {
		patience = stallAfter // who is going to read it has asked for it, and has something else to do first
	}
	stalled := time.NewTimer(patience)
	defer stalled.Stop()
	select {
	case <-moved:
	case <-stalled.C:
		f.body().throwSlowest()
	}
}

// shrinkRoom gives back what is reserved beyond what the readers may be apart.
func (f *Fill) shrinkRoom() {
	if spare := f.room - max(f.taken, mostRoom); spare > 0 {
		f.room -= spare
		if !f.loose {
			f.cache.space.giveBack(f.entry.object, spare)
		}
	}
}

// Done says that the body is complete. If its length was known and is another, that is
// the same as Fail.
func (f *Fill) Done() {
	if f.ended {
		return
	}
	size := f.body().end + int64(f.hidden)
	if f.length >= 0 && size != f.length {
		f.Fail()
		return
	}
	f.ended = true
	if f.lossy {
		f.body().finish(complete)
		f.cache.space.drop(f.entry.object)
		return
	}
	f.body().show(f.hidden)
	f.body().keep()
	f.cache.forget(f.cache.settle(f.entry, size))
}

// Fail says that the body broke off. The entry leaves the index; readers get what is
// there and then [ErrCut].
func (f *Fill) Fail() {
	if f.ended {
		return
	}
	f.ended = true
	f.cache.remove(f.entry.object)
	f.body().finish(cut)
	f.cache.space.drop(f.entry.object)
}

// settle makes a complete entry one that may be evicted, if it is in the index; then its
// length is known from now on. It returns what the space has let go.
func (c *Cache) settle(e *Entry, size int64) []*object {
	o := e.object
	s := c.shard(o.home.target)
	s.mu.Lock()
	defer s.mu.Unlock()
	if !o.indexed {
		c.space.drop(o)
		return nil
	}
	if e = o.home.current(o); e.stored.Length != size {
		e = e.withLength(size)
		s.exchange(e)
	}
	c.behind.Keep(e)
	return c.space.admit(o, footprint(size))
}

func (e *Entry) withLength(n int64) *Entry {
	s := *e.stored
	s.Length = n
	return &Entry{object: e.object, stored: &s, head: e.head}
}

// newFill begins to fill an entry; false: there is no room.
func (c *Cache) newFill(e *Entry) (*Fill, bool) {
	f := &Fill{cache: c, entry: e, length: e.stored.Length}
	f.room = footprint(f.length)
	if f.length < 0 {
		f.room = leastRoom
	}
	out, ok := c.space.begin(e.object, e.weigh(), f.room)
	c.forget(out)
	if ok && f.length > 0 {
		f.taken = f.length
		f.body().extend(f.length)
	}
	return f, ok
}
