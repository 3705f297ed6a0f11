package store

import "sync"

// place is where an object stands in the space.
type place uint8

const (
	outside   place = iota // it is not counted
	filling                // its bytes are reserved
	probation              // it is in the small queue
	protected              // it is in the main queue
)

// space is the budget of bytes, and decides what goes when they are used up: S3-FIFO,
// by bytes. What comes new joins a small queue, a tenth of all, and falls out of its
// end unless it was asked for twice meanwhile; then it joins the main queue, at the end
// of which it gets another round for each of the last three times it was asked for.
// Keys that fell out are remembered as ghosts: if one comes again, it joins the main
// queue at once. So a scan of what is asked for once passes through the small queue
// alone.
//
// A hit takes no lock: it counts up, and the space looks at the count when the object
// has come to an end of a queue.
//
// Its lock is the last one that is taken: under it nothing is called.
type space struct {
	mu          sync.Mutex
	limit, used int64 // bytes
	held        int64 // of those used, what fills have reserved
	fills       int
	marks       int // objects in the queues that are no answers
	small, main queue
	ghosts      ghosts
	evictions   int64
}

// smallPart of the limit is the small queue's: one of ten.
const smallPart = 10

// maxFreq is how many rounds in the main queue an object can earn.
const maxFreq = 3

// resize sets the limit and returns what is too much.
func (s *space) resize(limit int64) []*object {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.limit = max(limit, 0)
	s.ghosts.limit = s.limit - s.limit/smallPart
	return s.shrink(0)
}

// begin takes bytes for an object that is going to be filled: its weight, and room for
// its body. It returns what had to go for them, or false: then nothing was taken and
// nothing went.
func (s *space) begin(o *object, weight, room int64) (out []*object, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if weight+room > s.limit-s.held {
		return nil, false
	}
	o.place, o.weight = filling, weight
	s.fills++
	out = s.shrink(weight + room)
	s.take(o, weight+room)
	return out, true
}

// grow takes n more bytes for the body of an object that is being filled, as begin does.
func (s *space) grow(o *object, n int64) (out []*object, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if n > s.limit-s.held {
		return nil, false
	}
	out = s.shrink(n)
	s.take(o, n)
	return out, true
}

// change changes what an object weighs beside its body, and takes bytes for what has come to
// be of that, as begin does.
func (s *space) change(o *object, weight, body int64) (out []*object, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	more, own := weight-o.weight+body, o.bytes.Load()
	switch o.place {
	case outside:
		return nil, true // it has just been let go
	case filling:
		own = 0 // which is held already
	}
	if more > s.limit-s.held-own {
		return nil, false
	}
	if q := s.queueOf(o); q != nil {
		q.remove(o)
		defer q.push(o)
	}
	out = s.shrink(more)
	s.take(o, more)
	o.weight = weight
	return out, true
}

// giveBack returns n bytes of those that were reserved for the body of an object.
func (s *space) giveBack(o *object, n int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.take(o, -n)
}

func (s *space) take(o *object, n int64) {
	s.used += n
	o.bytes.Add(n)
	if o.place == filling {
		s.held += n
	}
}

// admit puts an object that is complete into a queue, with so many bytes of body; what
// else was reserved for it is given back. It returns what has to go, if the limit has
// become smaller than what fills had reserved.
func (s *space) admit(o *object, body int64) []*object {
	s.mu.Lock()
	defer s.mu.Unlock()
	reserved := o.bytes.Load()
	s.held -= reserved
	s.fills--
	o.place = probation
	if s.recall(o) || o.heir {
		o.place = protected
	}
	s.take(o, o.weight+body-reserved)
	s.queueOf(o).push(o)
	if o.marks {
		s.marks++
	}
	return s.shrink(0)
}

// inherit gives an object that is being filled the standing of the one that it
// replaces: what was popular stays so when its origin sends it anew.
func (s *space) inherit(o, from *object) {
	s.mu.Lock()
	defer s.mu.Unlock()
	from.look()
	o.freq = max(o.freq, from.freq)
	o.heir = o.heir || from.heir || from.place == protected
}

// drop stops counting an object.
func (s *space) drop(o *object) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if o.place == filling {
		s.held -= o.bytes.Load()
		s.fills--
		s.free(o)
	}
	s.dropQueued(o)
}

// dropIdle stops counting an object, unless it is being filled: then its bytes are
// in use until that ends.
func (s *space) dropIdle(o *object) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.dropQueued(o)
}

func (s *space) dropQueued(o *object) {
	if q := s.queueOf(o); q != nil {
		q.remove(o)
		s.free(o)
	}
}

// free stops counting an object that has left its queue. Its body in a file is litter from
// now on.
func (s *space) free(o *object) {
	if o.marks {
		s.marks--
	}
	s.used -= o.bytes.Swap(0)
	o.place = outside
	o.body.unfile()
}

// shrink lets objects go until n more bytes have room, or there are none.
func (s *space) shrink(n int64) (out []*object) {
	for s.used+n > s.limit {
		o := s.next()
		if o == nil {
			if !s.dropGhost() {
				break
			}
			continue
		}
		if !o.marks {
			s.evictions++
		}
		s.free(o)
		out = append(out, o)
	}
	return out
}

// next takes the object that goes next out of its queue; nil: all queues are empty.
func (s *space) next() *object {
	for {
		if s.small.len > 0 && (s.main.len == 0 || s.small.bytes+s.held >= s.limit/smallPart) {
			o := s.small.pop()
			if o.look(); o.freq > 1 {
				o.freq, o.place = 0, protected
				s.main.push(o)
				continue
			}
			s.remember(o)
			return o
		}
		o := s.main.pop()
		if o == nil {
			return nil
		}
		if o.look(); o.freq == 0 {
			return o
		}
		o.freq--
		s.main.push(o)
	}
}

// look brings freq up to date.
func (o *object) look() {
	hits := o.hits.Load()
	o.freq = min(o.freq+hits-o.seen, maxFreq)
	o.seen = hits
}

// queued reports whether an object is complete, and counted.
func (s *space) queued(o *object) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.queueOf(o) != nil
}

func (s *space) queueOf(o *object) *queue {
	switch o.place {
	case probation:
		return &s.small
	case protected:
		return &s.main
	}
	return nil
}

func (s *space) stats() Stats {
	s.mu.Lock()
	defer s.mu.Unlock()
	return Stats{
		Objects:   s.small.len + s.main.len - s.marks,
		Marks:     s.marks,
		Filling:   s.fills,
		Bytes:     s.used,
		Ghosts:    s.ghosts.len(),
		Evictions: s.evictions,
	}
}

// queue is a list of objects, first in, first out.
type queue struct {
	newest, oldest *object
	len            int
	bytes          int64
}

func (q *queue) push(o *object) {
	o.next, o.prev = q.newest, nil
	if q.newest != nil {
		q.newest.prev = o
	} else {
		q.oldest = o
	}
	q.newest = o
	q.len++
	q.bytes += o.bytes.Load()
}

func (q *queue) pop() *object {
	o := q.oldest
	if o != nil {
		q.remove(o)
	}
	return o
}

func (q *queue) remove(o *object) {
	if o.prev != nil {
		o.prev.next = o.next
	} else {
		q.newest = o.next
	}
	if o.next != nil {
		o.next.prev = o.prev
	} else {
		q.oldest = o.prev
	}
	o.prev, o.next = nil, nil
	q.len--
	q.bytes -= o.bytes.Load()
}
