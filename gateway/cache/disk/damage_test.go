package disk

import (
	"encoding/binary"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"
)

// damages are what becomes of files while nobody has them open.
var damages = []struct {
	name string
	do   func(r *rand.Rand, f *ramFile)
}{
	{"a bit flips", func(r *rand.Rand, f *ramFile) { f.b[r.IntN(len(f.b))] ^= 1 << r.IntN(8) }},
	{"it is cut", func(r *rand.Rand, f *ramFile) { f.b = f.b[:r.IntN(len(f.b))] }},
	{"it is cut between frames", func(r *rand.Rand, f *ramFile) {
		ends := frameEnds(f.b)
		f.b = f.b[:ends[r.IntN(len(ends))]]
	}},
	{"it grows", func(r *rand.Rand, f *ramFile) { f.b = append(f.b, make([]byte, 1+r.IntN(5000))...) }},
	{"a page is zero", func(r *rand.Rand, f *ramFile) {
		at := r.IntN(len(f.b))
		clear(f.b[at:min(at+4096, len(f.b))])
	}},
	{"all is zero", func(r *rand.Rand, f *ramFile) { clear(f.b) }},
	{"it is removed", func(r *rand.Rand, f *ramFile) { delete(f.d.files, f.name) }},
	{"its end is another's", func(r *rand.Rand, f *ramFile) {
		other := f.d.files[f.d.names()[0]]
		copy(f.b[len(f.b)/2:], other.b[len(other.b)/2:])
	}},
}

func (d *ramDisk) names() []string { return slices.Sorted(maps.Keys(d.files)) }

// frameEnds are where the frames of a sealed segment end.
func frameEnds(b []byte) (all []int64) {
	start := int64(binary.LittleEndian.Uint64(b[len(b)-tailSize:]))
	for at := int64(segmentHead); at < start; {
		at += frameHead + readHead(b[at:]).size
		all = append(all, at)
	}
	return all
}

// Whatever becomes of a segment that was on the disk, what is read afterwards is what was
// written last, or a miss: what was deleted or replaced does not come back.
func TestDamagedSegments(t *testing.T) {
	for _, tt := range damages {
		t.Run(tt.name, func(t *testing.T) {
			for seed := range uint64(either(5, 100)) {
				t.Run(fmt.Sprint(seed), func(t *testing.T) { damageOnce(t, seed, tt.do) })
			}
		})
	}
}

func damageOnce(t *testing.T, seed uint64, do func(*rand.Rand, *ramFile)) {
	d, o := newRAMDisk(), Options{Size: 2 * MinSize}
	w := newWorker(t, seed, nil)
	w.lost = true
	w.reopen(d, o)
	w.work(120)
	until(t, "the segments to be on the disk", func() bool { return settled(w.s) })
	mustPut(t, w.s, 200, 1, 2*minSegment) // segments begin: they know of those before
	sure := w.s.active.synced
	w.s.Close()
	d = d.copy()
	i := slices.IndexFunc(d.names(), func(name string) bool { return name >= w.s.path(sure) })
	r := rand.New(rand.NewPCG(seed, 3))
	do(r, d.files[d.names()[r.IntN(i)]])
	w.reopen(d, o)
	w.expectAll()
	w.work(20)
	w.expectAll()
}

// settled reports whether all segments but the active one are on the disk.
func settled(s *Store) bool {
	all := s.volatile(false)
	for _, g := range all {
		g.release()
	}
	return len(all) == 0
}

// The machine loses its power, and with it any of what was written since it was synced:
// what is read afterwards has been written, if not last; what Sync has made durable is
// there, or newer.
func TestPowerIsLost(t *testing.T) {
	for seed := range uint64(either(20, 500)) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) { losePower(t, seed) })
	}
}

func losePower(t *testing.T, seed uint64) {
	d, o := newRAMDisk(), Options{Size: 4 * MinSize}
	d.power = true
	w := newWorker(t, seed, nil)
	if w.lost = seed%2 > 0; w.lost {
		o.Size = MinSize
	}
	w.reopen(d, o)
	w.work(w.r.IntN(150))
	if err := w.s.Sync(); err != nil {
		t.Fatal(err)
	}
	held := maps.Clone(w.facts)
	w.work(w.r.IntN(60))
	w.facts = unsure(held, w.facts)
	w.reopen(d.powerLoss(w.r), o)
	w.expectAll()
}

// unsure are the facts of before, when what came after may have been done as well, and its
// end may have been lost.
func unsure(before, after map[uint64]fact) map[uint64]fact {
	all := make(map[uint64]fact)
	for n, f := range after {
		b := before[n]
		changed := f != b
		all[n] = fact{done: b.done, begun: f.begun, deleted: b.deleted, deleting: b.deleting || changed}
	}
	return all
}
