package memfile

import (
	"runtime"
	"runtime/metrics"
	"sync/atomic"
)

// litter is what was dropped and is not let go yet: who sends it still has it, or the
// collector has not found it.
type litter struct {
	bytes      atomic.Int64
	left       atomic.Int64 // of it, when the collector had run, or less since then
	heap       atomic.Int64 // bytes that live on the heap, by then
	collecting atomic.Bool
}

// slack is how much litter there may be beside a half of what is in use: for less the collector
// does not run.
const slack = 16 << 20

// mostLitter is how much litter there may come before the collector runs: that costs what the
// heap is long, so it is for a half of what is in use here, or there.
func (f *File) mostLitter() int64 {
	inUse := f.held.Load() - f.litter.bytes.Load()
	return max(inUse, f.litter.heap.Load(), 0)/2 + slack
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
		l.heap.Store(heapInUse())
		l.left.Store(l.bytes.Load())
		l.collecting.Store(false)
	}()
}

// heapInUse is how much the collector has found to be in use.
func heapInUse() int64 {
	live := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	if metrics.Read(live); live[0].Value.Kind() != metrics.KindUint64 {
		return 0
	}
	return int64(live[0].Value.Uint64())
}

// remove counts litter that was let go.
func (l *litter) remove(n int64) {
	n = l.bytes.Add(-n)
	for left := l.left.Load(); n < left && !l.left.CompareAndSwap(left, n); {
		left = l.left.Load()
	}
}
