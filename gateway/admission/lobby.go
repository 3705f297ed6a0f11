package admission

import (
	"container/list"
	"sync"
	"sync/atomic"
)

// Lobby is where the exchanges of one gateway wait. Its one lock guards all
// lines, so that a slot goes to the oldest waiter over all queues. It is taken by
// those who find everything full, and by those who leave an origin that is
// waited for: while there is room nobody takes it.
//
// The zero value is ready.
type Lobby struct {
	mu     sync.Mutex
	joined uint64 // how many have ever stood in line
}

// waiter is one exchange in line. It stands in a line of every origin that it
// may use. All is guarded by the lobby's lock; done is closed at its end.
type waiter struct {
	queue  *Queue
	who    standing
	number uint64 // of its arrival
	places []place
	got    int // index of the origin whose slot it was given; -1: none
	ended  bool
	done   chan struct{}
}

// place is where a waiter stands in one line.
type place struct {
	waiter  *waiter
	slots   *Slots
	index   int // of the origin in the waiter's group
	element *list.Element
}

// line is some of those who wait at one origin, the oldest first. It is guarded
// by the lobby's lock; who only wants its length needs none.
type line struct {
	length atomic.Int64
	places list.List // of *place
}

// push puts a place at the end of its line.
func (p *place) push() {
	l := &p.slots.lines[p.waiter.who]
	p.element = l.places.PushBack(p)
	l.length.Add(1)
	p.slots.waiting.Add(1)
}

// remove takes it out.
func (p *place) remove() {
	l := &p.slots.lines[p.waiter.who]
	l.places.Remove(p.element)
	l.length.Add(-1)
	p.slots.waiting.Add(-1)
}

// oldest is the place of who has waited longest, nil if nobody waits.
func (l *line) oldest() *place {
	if e := l.places.Front(); e != nil {
		return e.Value.(*place)
	}
	return nil
}

// hopeless are those for whom no origin is open any more.
func (l *line) hopeless() (ws []*waiter) {
	for e := l.places.Front(); e != nil; e = e.Next() {
		if w := e.Value.(*place).waiter; !w.hopes() {
			ws = append(ws, w)
		}
	}
	return ws
}

// offer serves those who wait for the origin.
func (l *Lobby) offer(s *Slots) {
	l.mu.Lock()
	defer l.mu.Unlock()
	s.serve()
}

// stand puts the waiter at the end of its lines.
func (l *Lobby) stand(w *waiter) {
	l.joined++
	w.number = l.joined
	w.queue.waiting.Add(1)
	for i := range w.places {
		w.places[i].push()
	}
}

// end takes the waiter out of its lines, with the origin that it was given.
func (w *waiter) end(got int) {
	for i := range w.places {
		w.places[i].remove()
	}
	w.queue.waiting.Add(-1)
	w.got, w.ended = got, true
	close(w.done)
}

// hopes reports whether one of the waiter's origins is open to it.
func (w *waiter) hopes() bool {
	for i := range w.places {
		if w.places[i].slots.Access().admits(w.who) {
			return true
		}
	}
	return false
}
