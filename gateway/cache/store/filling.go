package store

import (
	"slices"
	"time"
)

// What the writer of a body does with it. There is only one, so it reads pieces, end
// and state without the lock, and holds it only to let readers see what is new.

// spare is how many bytes still have room in the last piece.
func (b *Body) spare() int {
	if len(b.pieces) == 0 {
		return 0
	}
	last := b.pieces[len(b.pieces)-1].bytes
	return cap(last) - len(last)
}

// extend adds an empty piece with room for size bytes.
func (b *Body) extend(size int64) {
	p := piece{at: b.end, bytes: make([]byte, 0, size)}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.pieces = append(b.pieces, p)
}

// add adds bytes that have room in the last piece.
func (b *Body) add(p []byte) {
	b.lay(p)
	b.show(len(p))
}

// lay copies bytes to where they belong, and readers do not see them before show.
func (b *Body) lay(p []byte) {
	last := b.pieces[len(b.pieces)-1].bytes
	copy(last[len(last):cap(last)], p)
}

// show lets readers see n bytes that were laid.
func (b *Body) show(n int) {
	if n == 0 {
		return
	}
	last := &b.pieces[len(b.pieces)-1]
	b.mu.Lock()
	defer b.mu.Unlock()
	last.bytes = last.bytes[:len(last.bytes)+n]
	b.end += int64(n)
	b.wakeReaders()
}

// dropPast drops the pieces that all readers are past, and says how many bytes they
// held, how many readers there are, and what is closed when one of them has moved.
// Who is only going to read stands at the beginning.
func (b *Body) dropPast() (dropped int64, readers int, moved <-chan struct{}) {
	b.mu.Lock()
	defer b.mu.Unlock()
	slowest, readers := b.slowest()
	n := 0
	for n < len(b.pieces) && b.pieces[n].end() <= slowest {
		dropped += int64(cap(b.pieces[n].bytes))
		n++
	}
	b.pieces = slices.Delete(b.pieces, 0, n)
	if b.moved == nil {
		b.moved = make(chan struct{})
	}
	return dropped, readers, b.moved
}

// slowest is where the slowest reader stands, and how many there are.
func (b *Body) slowest() (at int64, readers int) {
	at = b.end
	if b.awaits > 0 {
		at = 0
	}
	for _, s := range b.seats {
		if !s.thrown {
			readers++
			at = min(at, s.at)
		}
	}
	return at, readers + b.awaits
}

// wanted reports whether somebody reads the body, or is going to.
func (b *Body) wanted() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	_, readers := b.slowest()
	return readers > 0
}

// patience is how long the slowest reader may take.
func (b *Body) patience() time.Duration {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.awaits > 0 {
		return comeWithin
	}
	return stallAfter
}

// throwSlowest throws out the readers that are farthest behind: first those that have
// not come at all.
func (b *Body) throwSlowest() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.awaits > 0 {
		b.awaits = 0
		return
	}
	slowest, _ := b.slowest()
	for _, s := range b.seats {
		s.thrown = s.thrown || s.at == slowest
	}
}

// finish says that nothing more comes.
func (b *Body) finish(as state) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.state = as
	b.wakeReaders()
}

// keep makes a body complete that is to be kept: in one piece if that costs little, and
// without room to spare.
func (b *Body) keep() {
	pieces := b.compact()
	b.mu.Lock()
	defer b.mu.Unlock()
	b.pieces, b.state = pieces, complete
	if len(pieces) == 1 {
		b.whole.Store(&pieces[0].bytes)
	}
	b.wakeReaders()
}

// compact is the pieces put together, or at least without the room to spare in the last.
func (b *Body) compact() []piece {
	pieces := slices.Clone(b.pieces)
	switch last := len(pieces) - 1; {
	case len(pieces) == 0:
		pieces = []piece{{bytes: []byte{}}}
	case b.end <= joined && len(pieces) > 1:
		pieces = []piece{{bytes: b.join()}}
	case b.spare() > 0:
		pieces[last].bytes = append(make([]byte, 0, len(pieces[last].bytes)), pieces[last].bytes...)
	}
	return pieces
}

func (b *Body) join() []byte {
	whole := make([]byte, 0, b.end)
	for _, p := range b.pieces {
		whole = append(whole, p.bytes...)
	}
	return whole
}
