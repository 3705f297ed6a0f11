package store

import "slices"

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

// add adds bytes that have room in the last piece. They are copied before readers can
// see them.
func (b *Body) add(p []byte) {
	last := &b.pieces[len(b.pieces)-1]
	filled := append(last.bytes, p...)
	b.mu.Lock()
	defer b.mu.Unlock()
	last.bytes = filled
	b.end += int64(len(p))
	b.wakeReaders()
}

func (b *Body) setLossy() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.lossy = true
}

// dropPast drops the pieces that all readers are past, and says how many bytes they
// held, how many readers there are, and what is closed when one of them has moved.
func (b *Body) dropPast() (dropped int64, readers int, moved <-chan struct{}) {
	b.mu.Lock()
	defer b.mu.Unlock()
	slowest := b.end
	for _, s := range b.seats {
		if !s.thrown {
			readers++
			slowest = min(slowest, s.at)
		}
	}
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

// throwSlowest throws out the readers that are farthest behind.
func (b *Body) throwSlowest() {
	b.mu.Lock()
	defer b.mu.Unlock()
	slowest := b.end
	for _, s := range b.seats {
		if !s.thrown {
			slowest = min(slowest, s.at)
		}
	}
	for _, s := range b.seats {
		s.thrown = s.thrown || s.at == slowest
	}
}

// finish makes a body complete: in one piece if that costs little, and without room to spare.
func (b *Body) finish() {
	if !b.lossy {
		b.compact()
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.state = complete
	if len(b.pieces) == 1 && !b.lossy {
		b.whole.Store(&b.pieces[0].bytes)
	}
	b.wakeReaders()
}

// compact puts pieces together, or at least takes the room to spare from the last.
func (b *Body) compact() {
	pieces := slices.Clone(b.pieces)
	switch last := len(pieces) - 1; {
	case len(pieces) == 0:
		pieces = []piece{{bytes: []byte{}}}
	case b.end <= joined && len(pieces) > 1:
		pieces = []piece{{bytes: b.join()}}
	case b.spare() > 0:
		pieces[last].bytes = append(make([]byte, 0, len(pieces[last].bytes)), pieces[last].bytes...)
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.pieces = pieces
}

func (b *Body) join() []byte {
	whole := make([]byte, 0, b.end)
	for _, p := range b.pieces {
		whole = append(whole, p.bytes...)
	}
	return whole
}

// fail ends a body that broke off.
func (b *Body) fail() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.state = cut
	b.wakeReaders()
}
