package store

import (
	"io"
	"sync"
	"time"
)

// Reader reads a part of one body, for one goroutine.
type Reader struct {
	body   *Body
	at, to int64
	seat   *seat           // nil: the body was complete at the start
	room   *[roomSize]byte // for what is in a file; nil: nothing was read of one yet
}

const roomSize = 64 << 10

var rooms = sync.Pool{New: func() any { return new([roomSize]byte) }}

// Next is the next bytes, at least one. They are good until the next call, or Close, and must
// not be changed. While bytes are still to come it waits for them, and asks w every 100 ms
// whether that still matters. At the end it is [io.EOF]; other errors are [ErrCut],
// [ErrPast] and [ErrGone], and what the system says of a file.
func (r *Reader) Next(w Waiter) ([]byte, error) {
	if r.to >= 0 && r.at >= r.to {
		return nil, io.EOF
	}
	if whole := r.body.whole.Load(); whole != nil {
		if r.at >= int64(len(*whole)) {
			return nil, io.EOF
		}
		return r.take((*whole)[r.at:]), nil
	}
	if r.body.filed.Load() != nil {
		return r.copy()
	}
	view, err := r.await(w)
	if err == errFiled {
		return r.copy()
	}
	if err != nil {
		return nil, err
	}
	return r.take(view), nil
}

// take goes on past as much of a view as the reader wants, and returns it.
func (r *Reader) take(view []byte) []byte {
	if left := r.to - r.at; r.to >= 0 && left < int64(len(view)) {
		view = view[:left]
	}
	r.at += int64(len(view))
	return view
}

// copy reads what is in a file.
func (r *Reader) copy() ([]byte, error) {
	if r.room == nil {
		r.room = rooms.Get().(*[roomSize]byte)
	}
	p := r.room[:]
	if left := r.to - r.at; r.to >= 0 && left < roomSize {
		p = p[:left]
	}
	n, err := r.body.filed.Load().ReadAt(p, r.at)
	if n == 0 {
		return nil, err
	}
	r.at += int64(n)
	return p[:n], nil
}

func (r *Reader) await(w Waiter) ([]byte, error) {
	view, come, err := r.body.next(r)
	if come == nil {
		return view, err
	}
	look := time.NewTicker(lookEvery)
	defer look.Stop()
	for come != nil {
		select {
		case <-come:
		case <-look.C:
			if w.Gone() {
				return nil, ErrGone
			}
		}
		view, come, err = r.body.next(r)
	}
	return view, err
}

// Close ends the reading. What is kept for the reader's sake goes.
func (r *Reader) Close() {
	if r.seat != nil {
		r.body.stand(r.seat)
		r.seat = nil
	}
	if r.room != nil {
		rooms.Put(r.room)
		r.room = nil
	}
}
