package gateway

import (
	"math/bits"
	"sync/atomic"
	"time"
)

// Spans are counted by their size: up to a microsecond together, then in eighths of
// each power of two, up to more than a minute.
const (
	spanShift  = 10 // the first power of two, in nanoseconds
	spanPowers = 27
	spanParts  = 8
	spanSlots  = 1 + spanPowers*spanParts
)

// spans count durations. The zero value is empty.
type spans [spanSlots]atomic.Uint32

// spanCounts are the durations that there were.
type spanCounts [spanSlots]uint32

// add counts d. It costs one atomic addition.
func (s *spans) add(d time.Duration) { s[slotOf(d)].Add(1) }

// slotOf is the slot that d falls into.
func slotOf(d time.Duration) int {
	if d < 1<<spanShift {
		return 0
	}
	power := bits.Len64(uint64(d)) - 1
	part := int(d>>(power-3)) & (spanParts - 1)
	return min(1+(power-spanShift)*spanParts+part, spanSlots-1)
}

// slotEnd is where a slot ends, in nanoseconds: an eighth above what it holds at most.
func slotEnd(slot int) uint64 {
	if slot == 0 {
		return 1 << spanShift
	}
	power, part := (slot-1)/spanParts+spanShift, (slot-1)%spanParts
	return uint64(spanParts+part+1) << (power - 3)
}

// empty takes out what there is, n durations.
func (s *spans) empty() (c spanCounts, n uint64) {
	for i := range s {
		c[i] = s[i].Swap(0)
		n += uint64(c[i])
	}
	return c, n
}

// part is the duration, in nanoseconds, that so many percent of n do not exceed; 0 if
// there is none.
func (c *spanCounts) part(n uint64, percent uint64) uint64 {
	if n == 0 {
		return 0
	}
	rank := (n*percent + 99) / 100
	for i, count := range c {
		if uint64(count) >= rank {
			return slotEnd(i)
		}
		rank -= uint64(count)
	}
	return slotEnd(spanSlots - 1)
}
