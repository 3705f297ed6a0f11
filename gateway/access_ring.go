package gateway

import (
	"runtime"
	"sync/atomic"
)

// recordRing is a bounded first-in, first-out line of records. Any number of
// goroutines put and take without a lock: a place belongs to whoever moves the
// index over it, and its turn says whether it is full.
type recordRing struct {
	places []recordPlace // a power of two
	_      [64]byte
	in     atomic.Uint64 // places that were claimed for putting, ever
	_      [56]byte
	out    atomic.Uint64 // places that were claimed for taking, ever
	_      [56]byte
}

// recordPlace holds one record, or none.
type recordPlace struct {
	turn   atomic.Uint64 // index of the put that may fill it; one more: full
	record *accessRecord
}

// newRecordRing makes an empty ring of n places, a power of two.
func newRecordRing(n int) *recordRing {
	r := &recordRing{places: make([]recordPlace, n)}
	for i := range r.places {
		r.places[i].turn.Store(uint64(i))
	}
	return r
}

func (r *recordRing) place(i uint64) *recordPlace {
	return &r.places[i&uint64(len(r.places)-1)]
}

// put appends a record. False means there was no room.
func (r *recordRing) put(record *accessRecord) bool {
	for {
		i := r.in.Load()
		p := r.place(i)
		switch turn := p.turn.Load(); {
		case turn == i:
			if r.in.CompareAndSwap(i, i+1) {
				p.record = record
				p.turn.Store(i + 1)
				return true
			}
		case turn < i:
			return false
		}
	}
}

// putSoon appends a record to a ring that has as many places as there are
// records, so that a place can only be missing while its taker leaves it.
func (r *recordRing) putSoon(record *accessRecord) {
	for !r.put(record) {
		runtime.Gosched()
	}
}

// take removes the oldest record. Nil means there is none, or that who puts the
// oldest is not done yet.
func (r *recordRing) take() *accessRecord {
	for {
		i := r.out.Load()
		p := r.place(i)
		switch turn := p.turn.Load(); {
		case turn == i+1:
			if r.out.CompareAndSwap(i, i+1) {
				record := p.record
				p.record = nil
				p.turn.Store(i + uint64(len(r.places)))
				return record
			}
		case turn < i+1:
			return nil
		}
	}
}

// empty reports whether take would give nothing.
func (r *recordRing) empty() bool {
	i := r.out.Load()
	return r.place(i).turn.Load() < i+1
}

// settled reports that all that was put has been taken, also what is being put.
func (r *recordRing) settled() bool { return r.out.Load() == r.in.Load() }
