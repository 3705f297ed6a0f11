package store

// overheadOfGhost is what it takes to remember one key, in bytes.
const overheadOfGhost = 64

// ghosts are the sums of keys whose objects fell out of the small queue, the oldest
// first, as many as their objects would have filled the main queue with.
type ghosts struct {
	limit, bytes int64
	line         []ghost // from head on; those that were recalled have no bytes
	head         int
	first        uint64            // number of the ghost at head
	numbers      map[uint64]uint64 // by sum
}

type ghost struct {
	sum   uint64
	bytes int64
}

func (g *ghosts) len() int { return len(g.numbers) }

// remember makes a ghost of an object, if it is an answer. Ghosts are paid for by what the object frees,
// which is more.
func (s *space) remember(o *object) {
	g := &s.ghosts
	if g.numbers == nil {
		g.numbers = make(map[uint64]uint64)
	}
	sum, bytes := o.home.sum, o.bytes.Load()
	if _, known := g.numbers[sum]; known || o.marks {
		return
	}
	g.tidy()
	g.numbers[sum] = g.first + uint64(len(g.line)-g.head)
	g.line = append(g.line, ghost{sum, bytes})
	g.bytes += bytes
	s.used += overheadOfGhost
	for g.bytes > g.limit {
		s.dropGhost()
	}
}

// recall reports whether an object's key was a ghost, which it is then no more.
func (s *space) recall(o *object) bool {
	g := &s.ghosts
	number, ok := g.numbers[o.home.sum]
	if !ok {
		return false
	}
	at := &g.line[g.head+int(number-g.first)]
	g.bytes -= at.bytes
	at.bytes = 0
	delete(g.numbers, at.sum)
	s.used -= overheadOfGhost
	return true
}

// dropGhost forgets the oldest ghost; false: there is none.
func (s *space) dropGhost() bool {
	g := &s.ghosts
	for g.head < len(g.line) {
		oldest := g.line[g.head]
		g.head++
		g.first++
		if oldest.bytes > 0 {
			g.bytes -= oldest.bytes
			delete(g.numbers, oldest.sum)
			s.used -= overheadOfGhost
			return true
		}
	}
	return false
}

// tidy makes the line anew when half of it is ghosts that are none any more.
func (g *ghosts) tidy() {
	if len(g.line) < 2*len(g.numbers)+1024 {
		return
	}
	old := g.line[g.head:]
	g.line, g.head, g.first = make([]ghost, 0, len(g.numbers)+512), 0, 0
	for _, o := range old {
		if o.bytes > 0 {
			g.numbers[o.sum] = uint64(len(g.line))
			g.line = append(g.line, o)
		}
	}
}
