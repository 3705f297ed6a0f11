package disk

import (
	"fmt"
	"math/rand/v2"
	"sync/atomic"
	"testing"
	"time"
)

// A clock is one that tests move.
type clock struct{ at atomic.Int64 }

func (c *clock) now() time.Time { return time.Unix(0, c.at.Load()) }
func (c *clock) pass()          { c.at.Add(int64(2 * restAfter)) }

// A worker does at random what a store is for, and keeps account of what must be there.
type worker struct {
	t     *testing.T
	r     *rand.Rand
	s     *Store
	facts map[uint64]fact
	next  uint64 // version
	lost  bool   // objects may have been reclaimed, or dropped since they could not be read
	errs  int    // things that did not work
}

func newWorker(t *testing.T, seed uint64, s *Store) *worker {
	return &worker{t: t, r: rand.New(rand.NewPCG(seed, 1)), s: s, facts: make(map[uint64]fact), next: 1}
}

// work does n things.
func (w *worker) work(n int) {
	for range n {
		w.step(w.r.Uint64N(24))
	}
}

func (w *worker) step(n uint64) {
	w.next++
	f := w.facts[n]
	switch w.r.IntN(10) {
	case 0:
		f.deleting = true
		if w.did(w.s.Delete(idOf(n))) {
			f = fact{done: w.next, begun: w.next, deleted: true}
		}
	case 1:
		w.s.SetFlags(idOf(n), uint32(w.r.Int32()))
	case 2, 3:
		w.expect(n)
	case 4:
		w.did(w.relabel(n))
		f.relabelled = w.next
	default:
		f.begun = w.next
		if w.did(put(w.s, n, w.next, w.length())) {
			f = fact{done: w.next, begun: w.next}
		}
	}
	w.facts[n] = f
}

// length is that of an object: most are small, most bytes are in large ones.
func (w *worker) length() int { return w.r.IntN(1 << (4 + w.r.IntN(17))) }

// did counts what did not work.
func (w *worker) did(err error) bool {
	if err != nil {
		w.errs++
	}
	return err == nil
}

// relabel gives an object the label that it has.
func (w *worker) relabel(n uint64) error {
	o, err := w.s.Open(idOf(n))
	if err != nil {
		return nil
	}
	defer o.Close()
	return o.SetLabel(o.Label())
}

// expect fails the test if an object is not as it must be.
func (w *worker) expect(n uint64) {
	w.t.Helper()
	version, err := get(w.s, n)
	if err != nil {
		w.t.Fatal(err)
	}
	if f := w.facts[n]; !f.allows(version, w.lost) {
		w.t.Fatalf("object %d: version %d is there, known is %+v", n, int64(version), f)
	}
}

// expectAll fails the test if any object is not as it must be.
func (w *worker) expectAll() {
	w.t.Helper()
	for n := range w.facts {
		w.expect(n)
	}
}

// reopen goes on with what is on a disk.
func (w *worker) reopen(d *ramDisk, o Options) {
	w.t.Helper()
	o.FS = d
	s, err := Open("/cache", o)
	if err != nil {
		w.t.Fatal(err)
	}
	w.s = s
	w.t.Cleanup(func() { s.Close() })
}

// A process may be killed between any two calls of the system.
func TestWhatIsDoneStaysDone(t *testing.T) {
	for seed := range uint64(either(4, 100)) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) { killOften(t, seed) })
	}
}

func killOften(t *testing.T, seed uint64) {
	d, o := newRAMDisk(), Options{Size: 32 << 20}
	w := newWorker(t, seed, nil)
	w.reopen(d, o)
	for range 6 {
		w.work(30)
		w.expectAll()
		d = d.copy()
		w.reopen(d, o)
		w.expectAll()
	}
	if c := w.s.Stats(); w.errs > 0 || c.Corrupt+c.ReadErrors+c.Damaged > 0 {
		t.Errorf("%d errors, %+v", w.errs, c)
	}
}
