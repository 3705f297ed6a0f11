package store

import (
	"errors"
	"io"
	"sync"
	"sync/atomic"

	"weirkeep/gateway/memfile"
)

var (
	// ErrCut means that the answer broke off, or that the reader took nothing for so long
	// that the others could not be kept waiting.
	ErrCut = errors.New("stored body is incomplete")

	// ErrPast means that the bytes are no longer here: the body turned out too long to
	// be kept, and those who read it are past them. Who has sent nothing yet may ask
	// the origin.
	ErrPast = errors.New("body is not kept and was read on by others")

	// ErrGone means that the client went away while it waited for bytes.
	ErrGone = errors.New("client gone")

	// errFiled sends a reader that came in time for the pieces to the file.
	errFiled = errors.New("body is in a file now")
)

// Body is the bytes of one answer. Any number may read it, also while it is filled;
// none of them holds up another, and they hold up the writer only after the body has
// turned out too long to be kept.
type Body struct {
	whole atomic.Pointer[[]byte]       // all of it; nil: not complete, or not in one piece
	filed atomic.Pointer[memfile.Span] // the same in a file, set before whole is taken away; nil: it is not

	moving atomic.Bool // somebody puts it there

	mu     sync.Mutex
	pieces []piece // in order, without gaps
	end    int64   // so many bytes have come
	state  state
	seats  []*seat       // of those who read while it is filled
	awaits int           // so many have been given the entry and are going to read
	more   chan struct{} // closed when something has come or ended; nil: nobody waits
	moved  chan struct{} // closed when a reader has gone on or away; nil: the writer does not wait
}

// piece is a part of a body.
type piece struct {
	at    int64
	bytes []byte // filled to its length
}

func (p *piece) end() int64 { return p.at + int64(len(p.bytes)) }

// state is how far a body is.
type state uint8

const (
	coming state = iota
	complete
	cut
)

// seat is the place of one reader of a body that is filled.
type seat struct {
	at     int64 // what it has in hand begins here; it is past all before
	thrown bool  // it took nothing for too long
}

// Whole is all of the body in one piece, if it is complete and in memory as one. nil: it
// is not, or has been [Cache.Filed]. An empty body is not nil. It must not be changed.
func (b *Body) Whole() []byte {
	if w := b.whole.Load(); w != nil {
		return *w
	}
	return nil
}

// Ready reports whether the body is complete, and in one place.
func (b *Body) Ready() bool { return b.whole.Load() != nil || b.filed.Load() != nil }

// Size is how many bytes have come, and whether that is all.
func (b *Body) Size() (n int64, all bool) {
	if w := b.whole.Load(); w != nil {
		return int64(len(*w)), true
	}
	if f := b.filed.Load(); f != nil {
		return f.Len(), true
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.end, b.state == complete
}

// Reader reads the bytes from the one numbered from to before the one numbered to, or
// to the end if to is negative or lies behind it. The reader must be closed.
func (b *Body) Reader(from, to int64) Reader {
	r := Reader{body: b, at: from, to: to}
	if b.Ready() {
		return r
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.state == coming && (b.holds(from) || from >= b.end) {
		r.seat = &seat{at: from}
		b.seats = append(b.seats, r.seat)
	}
	b.awaits = max(b.awaits-1, 0)
	b.wakeWriter()
	return r
}

// expect says that n more are going to read the body, or fewer if n is negative.
func (b *Body) expect(n int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.awaits = max(b.awaits+n, 0)
	b.wakeWriter()
}

// Decline says that one who has been given the entry is not going to read the body: nothing
// waits for it.
func (b *Body) Decline() { b.expect(-1) }

// next is what is there from at on, or an error; neither: come says when to ask again.
func (b *Body) next(r *Reader) (view []byte, come <-chan struct{}, err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if r.seat != nil {
		if r.seat.thrown {
			return nil, nil, ErrCut
		}
		if r.seat.at != r.at {
			r.seat.at = r.at
			b.wakeWriter()
		}
	}
	switch {
	case r.at < b.end:
		view, err = b.view(r)
		return view, nil, err
	case b.state == complete:
		return nil, nil, io.EOF
	case b.state == cut:
		return nil, nil, ErrCut
	}
	if b.more == nil {
		b.more = make(chan struct{})
	}
	return nil, b.more, nil
}

// view is the rest of the piece that the reader stands in.
func (b *Body) view(r *Reader) ([]byte, error) {
	switch {
	case b.filed.Load() != nil:
		return nil, errFiled
	case !b.holds(r.at):
		return nil, ErrPast
	}
	p := &b.pieces[b.pieceAt(r.at)]
	return p.bytes[r.at-p.at:], nil
}

// holds reports whether the byte numbered at, which has come, is still here.
func (b *Body) holds(at int64) bool {
	return len(b.pieces) > 0 && at >= b.pieces[0].at
}

// pieceAt is the index of the piece with the byte numbered at, which must be there.
func (b *Body) pieceAt(at int64) int {
	low, high := 0, len(b.pieces)-1
	for low < high {
		if mid := (low + high) / 2; at >= b.pieces[mid].end() {
			low = mid + 1
		} else {
			high = mid
		}
	}
	return low
}

// stand takes a reader's seat away.
func (b *Body) stand(s *seat) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for i := range b.seats {
		if b.seats[i] == s {
			last := len(b.seats) - 1
			b.seats[i], b.seats[last] = b.seats[last], nil
			b.seats = b.seats[:last]
			break
		}
	}
	b.wakeWriter()
}

func (b *Body) wakeWriter() {
	if b.moved != nil {
		close(b.moved)
		b.moved = nil
	}
}

func (b *Body) wakeReaders() {
	if b.more != nil {
		close(b.more)
		b.more = nil
	}
}
