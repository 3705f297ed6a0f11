package disk

import (
	"slices"
	"sync"
)

// A table is the segments that there are, the oldest first.
type table struct {
	mu  sync.RWMutex
	all []*segment
}

// hold takes a reference to a segment, nil if there is none of that number.
func (t *table) hold(number uint32) *segment {
	t.mu.RLock()
	defer t.mu.RUnlock()
	i, ok := slices.BinarySearchFunc(t.all, number, func(g *segment, n uint32) int { return int(int64(g.number) - int64(n)) })
	if !ok {
		return nil
	}
	t.all[i].refs.Add(1)
	return t.all[i]
}

// holdNext takes a reference to the oldest segment whose number is at least that.
func (t *table) holdNext(number uint32) *segment {
	t.mu.RLock()
	defer t.mu.RUnlock()
	for _, g := range t.all {
		if g.number >= number {
			g.refs.Add(1)
			return g
		}
	}
	return nil
}

func (t *table) add(g *segment) {
	t.mu.Lock()
	t.all = append(t.all, g)
	t.mu.Unlock()
}

// remove takes a segment out; objects that are open still read it.
func (t *table) remove(g *segment) {
	t.mu.Lock()
	t.all = slices.DeleteFunc(t.all, func(o *segment) bool { return o == g })
	t.mu.Unlock()
	g.release()
}

func (t *table) dropAll() {
	t.mu.Lock()
	all := t.all
	t.all = nil
	t.mu.Unlock()
	for _, g := range all {
		g.release()
	}
}

// snapshot is a copy of the list. The segments are held only by who holds the log.
func (t *table) snapshot() []*segment {
	t.mu.RLock()
	defer t.mu.RUnlock()
	return slices.Clone(t.all)
}

// oldest is the segment that goes next, nil if there is none.
func (t *table) oldest() *segment {
	t.mu.RLock()
	defer t.mu.RUnlock()
	if len(t.all) == 0 {
		return nil
	}
	return t.all[0]
}

// first is the number of the oldest segment; what needs older ones is gone. It is
// next if there is none.
func (t *table) first(next uint32) uint32 {
	if g := t.oldest(); g != nil {
		return g.number
	}
	return next
}

func (t *table) len() int {
	t.mu.RLock()
	defer t.mu.RUnlock()
	return len(t.all)
}

// total is how long all files are together.
func (t *table) total() (n int64) {
	t.mu.RLock()
	defer t.mu.RUnlock()
	for _, g := range t.all {
		n += g.length.Load()
	}
	return n
}

// durable is the number before which all segments are known to be on the disk. The
// caller holds the log.
func (t *table) durable() uint32 {
	t.mu.RLock()
	defer t.mu.RUnlock()
	n := uint32(0)
	for _, g := range t.all {
		if !g.durable {
			return g.number
		}
		n = g.number + 1
	}
	return n
}
