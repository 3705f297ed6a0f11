package memfile

import (
	"runtime"
	"sync/atomic"
)

// litter is what was dropped and is not let go yet: who sends it still has it, or the
// collector has not found it.
type litter struct {
	bytes      atomic.Int64
	left       atomic.Int64 // of it, when the collector had run, or less since then
	collecting atomic.Bool
}

// slack is how much litter there may be beside a half of what is in use: for less the collector
// does not run.
const slack = 16 << 20

// mostLitter is how much litter there may come before the collector runs.
func (f *File) mostLitter() int64 {
	return max(f.held.Load()-f.litter.bytes.Load(), 0)/2 + slack
}

// Drop says that who has kept a span has no use for it any more. Who has it meanwhile may go
// on to send it.
func (s *Span) Drop() {
	if s.dropped.Swap(true) {
		return
	}
	f := s.file
	if n := f.litter.bytes.Add(pages(s.n)); n > f.litter.left.Load()+f.mostLitter() {
		f.collect()
	}
}

// collect has the garbage collector run, unless it does. What it finds is let go soon after.
func (f *File) collect() {
	l := &f.litter
	if !l.collecting.CompareAndSwap(false, true) {
		return
	}
	go func() {
		runtime.GC()
		l.left.Store(l.bytes.Load())
		l.collecting.Store(false)
	}()
}

// remove counts litter that was let go.
func (l *litter) remove(n int64) {
	n = l.bytes.Add(-n)
	for left := l.left.Load(); n < left && !l.left.CompareAndSwap(left, n); {
		left = l.left.Load()
	}
}
