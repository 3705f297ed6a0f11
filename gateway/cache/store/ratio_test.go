package store

import (
	"encoding/binary"
	"math/rand/v2"
	"testing"

	"github.com/maypok86/otter/v2"
)

// trace is requests for keys, each of which has a size.
type trace struct {
	keys []uint32
	size []int64 // by key
	all  int64   // bytes of all keys
}

func newTrace(r *rand.Rand, keys int) *trace {
	t := &trace{size: make([]int64, keys)}
	for i := range t.size {
		t.size[i] = 200 + r.Int64N(1<<(8+r.IntN(7))) // most are small, few are large
		t.all += t.size[i]
	}
	return t
}

// popular adds n requests, of which the few first keys of a shuffled list get most.
func (t *trace) popular(r *rand.Rand, n, keys int) {
	order := r.Perm(keys)
	z := rand.NewZipf(r, 1.08, 4, uint64(keys-1))
	for range n {
		t.keys = append(t.keys, uint32(order[z.Uint64()]))
	}
}

// mix takes a scan of keys that are asked for once in between: so many a request.
func (t *trace) mix(from, every int) {
	mixed := make([]uint32, 0, 2*len(t.keys))
	for i, k := range t.keys {
		mixed = append(mixed, k)
		if i%every == 0 && from < len(t.size) {
			mixed = append(mixed, uint32(from))
			from++
		}
	}
	t.keys = mixed
}

// weight is what the store counts for a body of that size in this test.
func weight(size int64) int64 { return footprint(size) + overheadOfObject + 4 }

// ofStore is the part of the requests that the store answers, in percent.
func (t *trace) ofStore(tb testing.TB, limit int64) float64 {
	c := newCache(limit, 1<<30)
	k := &Key{Target: make([]byte, 4)}
	body := make([]byte, 64<<10)
	hits := 0
	for _, id := range t.keys {
		binary.BigEndian.PutUint32(k.Target, id)
		if c.Lookup(k, plain, policy).Entry != nil {
			hits++
			continue
		}
		s := answer(t.size[id])
		s.Fields = nil
		fill := c.Alone(k).Store(s, nil)
		fill.Write(body[:t.size[id]])
		fill.Done()
	}
	balanced(tb, c)
	return 100 * float64(hits) / float64(len(t.keys))
}

// ofOtter is the same of a well-known cache that evicts by W-TinyLFU.
func (t *trace) ofOtter(limit int64) float64 {
	c := otter.Must(&otter.Options[uint32, struct{}]{
		MaximumWeight: uint64(limit),
		Weigher:       func(id uint32, _ struct{}) uint32 { return uint32(weight(t.size[id])) },
		Executor:      func(do func()) { do() },
	})
	defer c.StopAllGoroutines()
	hits := 0
	for _, id := range t.keys {
		if _, ok := c.GetIfPresent(id); ok {
			hits++
			continue
		}
		c.Set(id, struct{}{})
	}
	return 100 * float64(hits) / float64(len(t.keys))
}

// reference is S3-FIFO as it is published, told naively: slices, no locks, no fills.
type reference struct {
	t           *trace
	limit       int64
	small, main []*referenced
	in          map[uint32]*referenced
	ghosts      []uint32
	known       map[uint32]bool // ghosts that were not asked for again
	smallBytes  int64
	mainBytes   int64
	ghostBytes  int64
}

type referenced struct {
	id   uint32
	freq int
}

func (t *trace) ofReference(limit int64) float64 {
	s := &reference{t: t, limit: limit, in: map[uint32]*referenced{}, known: map[uint32]bool{}}
	hits := 0
	for _, id := range t.keys {
		if o := s.in[id]; o != nil {
			o.freq = min(o.freq+1, 3)
			hits++
			continue
		}
		s.insert(id)
	}
	return 100 * float64(hits) / float64(len(t.keys))
}

func (s *reference) weight(id uint32) int64 { return weight(s.t.size[id]) }

func (s *reference) insert(id uint32) {
	w, o := s.weight(id), &referenced{id: id}
	for s.smallBytes+s.mainBytes+w > s.limit {
		s.evict(w)
	}
	s.in[id] = o
	if s.known[id] {
		delete(s.known, id)
		s.main, s.mainBytes = append(s.main, o), s.mainBytes+w
	} else {
		s.small, s.smallBytes = append(s.small, o), s.smallBytes+w
	}
}

func (s *reference) evict(more int64) {
	if len(s.small) > 0 && (s.smallBytes+more >= s.limit/10 || len(s.main) == 0) {
		o := s.small[0]
		s.small, s.smallBytes = s.small[1:], s.smallBytes-s.weight(o.id)
		if o.freq > 1 {
			o.freq = 0
			s.main, s.mainBytes = append(s.main, o), s.mainBytes+s.weight(o.id)
			return
		}
		delete(s.in, o.id)
		s.remember(o.id)
		return
	}
	o := s.main[0]
	s.main = s.main[1:]
	if o.freq > 0 {
		o.freq--
		s.main = append(s.main, o)
		return
	}
	s.mainBytes -= s.weight(o.id)
	delete(s.in, o.id)
}

func (s *reference) remember(id uint32) {
	s.known[id] = true
	s.ghosts, s.ghostBytes = append(s.ghosts, id), s.ghostBytes+s.weight(id)
	for s.ghostBytes > s.limit*9/10 {
		delete(s.known, s.ghosts[0])
		s.ghostBytes -= s.weight(s.ghosts[0])
		s.ghosts = s.ghosts[1:]
	}
}

// The store hits as often as the published algorithm and as a well-known cache, to
// within 2 points: where few keys are popular, where they change, and where scans pass.
func TestSimulatedHitsAreLikeTheBest(t *testing.T) {
	const keys, n = 10_000, 120_000
	for _, tt := range []struct {
		name  string
		build func(r *rand.Rand) *trace
	}{
		{"popular", func(r *rand.Rand) *trace {
			tr := newTrace(r, keys)
			tr.popular(r, n, keys)
			return tr
		}},
		{"popular, others each quarter", func(r *rand.Rand) *trace {
			tr := newTrace(r, keys)
			for range 4 {
				tr.popular(r, n/4, keys)
			}
			return tr
		}},
		{"scans in between", func(r *rand.Rand) *trace {
			tr := newTrace(r, keys*3)
			tr.popular(r, n, keys)
			tr.mix(keys, 5)
			return tr
		}},
	} {
		for _, part := range []int64{2, 10} {
			tr := tt.build(rand.New(rand.NewPCG(1, uint64(part))))
			limit := tr.all * part / 100
			got, published, other := tr.ofStore(t, limit), tr.ofReference(limit), tr.ofOtter(limit)
			t.Logf("%s, room for %d %%: %.1f %% hits, S3-FIFO %.1f, otter %.1f", tt.name, part, got, published, other)
			if got < published-2 || got < other-2 {
				t.Errorf("%s, room for %d %%: %.1f %% hits, S3-FIFO has %.1f, otter %.1f", tt.name, part, got, published, other)
			}
		}
	}
}
