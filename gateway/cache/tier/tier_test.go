package tier

import (
	"bytes"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"

	"weirkeep/gateway/cache"
	"weirkeep/gateway/cache/disk"
	"weirkeep/gateway/cache/store"
	"weirkeep/gateway/wire"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var epoch = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

// two is a cache with a tier behind it.
type two struct {
	*store.Cache
	tier *Tier
	path string
}

// newTwo has a memory of so many bytes.
func newTwo(t testing.TB, memory int64) *two {
	w := &two{tier: New(), path: filepath.Join(t.TempDir(), "cache")}
	w.Cache = store.New(store.Options{Memory: memory, MaxObject: 1 << 20, Behind: w.tier})
	w.open(t)
	t.Cleanup(func() { w.close(t) })
	return w
}

func (w *two) open(t testing.TB) {
	t.Helper()
	v, err := Open(w.path, Options{Size: 32 << 20, Longest: 1 << 20})
	if err != nil {
		t.Fatal(err)
	}
	w.tier.Use(v)
}

func (w *two) close(t testing.TB) {
	t.Helper()
	if v := w.tier.Use(nil); v != nil {
		if err := v.Close(); err != nil {
			t.Error(err)
		}
	}
}

// settle waits until nothing is to be written.
func (w *two) settle(t testing.TB) {
	t.Helper()
	for end := time.Now().Add(30 * time.Second); w.tier.Stats().Waiting > 0; time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("the writer does not come to an end")
		}
	}
}

// forgetMemory leaves nothing in memory, and all on the disk.
func (w *two) forgetMemory(memory int64) {
	w.Resize(store.Options{})
	w.Resize(store.Options{Memory: memory, MaxObject: 1 << 20})
}

func keyOf(path string) *store.Key { return &store.Key{Site: "shop", Target: []byte(path)} }

// answer is one that is fresh for an hour.
func answer(length int64, tags ...string) *cache.Stored {
	return &cache.Stored{
		Status: 200, Length: length, Date: epoch, ETag: []byte(`"v"`), Tags: tags,
		Fields: []wire.Field{{Name: []byte("Date"), Value: []byte("Fri, 02 Jan 2026 03:04:05 GMT")}},
		Fresh:  cache.Freshness{Received: epoch, Lifetime: time.Hour},
	}
}

// put stores an answer.
func (w *two) put(k *store.Key, s *cache.Stored, body string) {
	fill := w.Alone(k).Store(s, s.AppendHead(nil))
	if fill == nil {
		return
	}
	fill.Write([]byte(body))
	fill.Done()
}

func get() *cache.Request {
	r := new(cache.Request)
	r.Read([]byte("GET"), nil)
	return r
}

// recall is the body of what is brought back, or of what is in memory; false: neither.
func (w *two) find(k *store.Key) (string, bool) {
	p, r := new(cache.Policy), get()
	e := w.Lookup(k, r, p).Entry
	if e == nil && w.tier.Recall(w.Cache, k, r, p, epoch) {
		e = w.Lookup(k, r, p).Entry
	}
	if e == nil {
		return "", false
	}
	reader := e.Body().Reader(0, -1)
	defer reader.Close()
	var b []byte
	for {
		piece, err := reader.Next(patient{})
		if err != nil {
			return string(b), true
		}
		b = append(b, piece...)
	}
}

// TestWhatIsBroughtBack: an answer comes back if it may be used at all.
func TestWhatIsBroughtBack(t *testing.T) {
	old := answer(1)
	old.Fresh.Received = epoch.Add(-2 * time.Hour)
	bare := answer(1)
	bare.Fresh.Received, bare.ETag = old.Fresh.Received, nil
	for _, tt := range []struct {
		name string
		s    *cache.Stored
		want bool
	}{
		{"fresh", answer(1), true},
		{"expired, with a validator", old, true},
		{"expired, without one", bare, false},
		{"of a length that was not known", answer(-1), true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := newTwo(t, 1<<20)
			w.put(keyOf("/x"), tt.s, "x")
			w.settle(t)
			w.forgetMemory(1 << 20)
			if body, ok := w.find(keyOf("/x")); ok != tt.want || ok && body != "x" {
				t.Errorf("%q, %t", body, ok)
			}
			if _, ok := w.find(keyOf("/y")); ok {
				t.Error("another target is found")
			}
		})
	}
}

// TestNewestIsBroughtBack: what took an answer's place in memory takes it on the disk,
// also when it was not kept there, and one that came from an origin meanwhile stays.
func TestNewestIsBroughtBack(t *testing.T) {
	w := newTwo(t, 4<<20)
	k := keyOf("/x")
	w.put(k, answer(3), "one")
	w.settle(t)
	w.put(k, answer(3), "two")
	w.settle(t)
	w.forgetMemory(4 << 20)
	if body, _ := w.find(k); body != "two" {
		t.Errorf("%q", body)
	}
	w.tier.Volume().longest.Store(5)
	w.put(k, answer(6), "longer")
	w.forgetMemory(4 << 20)
	if body, ok := w.find(k); ok {
		t.Errorf("%q is found, which is older", body)
	}
}

// TestQueueIsBounded: what comes while too much waits is dropped, and counted; what is
// older does not come back in its place.
func TestQueueIsBounded(t *testing.T) {
	w := newTwo(t, 128<<20)
	v := w.tier.Volume()
	w.put(keyOf("/x"), answer(3), "old")
	w.settle(t)
	v.work.Lock() // a disk that stalls
	big := strings.Repeat("b", 1<<20)
	for n := range 40 {
		w.put(keyOf(fmt.Sprint("/", n)), answer(1<<20), big)
	}
	w.put(keyOf("/x"), answer(1<<20), big)
	if st := w.tier.Stats(); st.Dropped != 9 || st.Waiting != 32 {
		t.Errorf("%+v", st)
	}
	v.work.Unlock()
	w.settle(t)
	w.forgetMemory(128 << 20)
	if body, ok := w.find(keyOf("/x")); ok {
		t.Errorf("%q is found", body)
	}
}

// TestIndexForgetsWhatTheDiskLetGo: the index does not grow with all that was ever stored.
func TestIndexForgetsWhatTheDiskLetGo(t *testing.T) {
	w := newTwo(t, 64<<20)
	body := strings.Repeat("b", 256<<10)
	for n := range 400 {
		w.put(keyOf(fmt.Sprint("/", n)), answer(int64(len(body))), body)
		if n%50 == 49 {
			w.settle(t)
			for end := time.Now().Add(30 * time.Second); w.tier.Stats().Objects > 130 && time.Now().Before(end); {
				time.Sleep(time.Millisecond) // the disk forgets in the background
			}
		}
	}
	v := w.tier.Volume()
	v.mu.Lock()
	known := len(v.ids)
	v.mu.Unlock()
	if on := v.disk.Stats().Objects; on > 130 || int64(known) > 2*on+tidyBy {
		t.Errorf("%d are known, %d on the disk", known, on)
	}
}

// TestManyVariants: of one key so many are kept at most.
func TestManyVariants(t *testing.T) {
	w := newTwo(t, 64<<20)
	for n := range 2 * mostVariants {
		s := answer(1)
		s.Vary = cache.Vary{Names: []string{"x"}, Values: [][]byte{fmt.Append(nil, n)}}
		w.put(keyOf("/x"), s, "x")
	}
	w.settle(t)
	v := w.tier.Volume()
	if n := len(v.readable(sumOf(keyOf("/x")))); n > mostVariants || n < mostVariants/2 {
		t.Errorf("%d variants", n)
	}
}

// TestIDs: what takes an answer's place has its id, and nothing else has.
func TestIDs(t *testing.T) {
	k := store.Key{Site: "a", Variant: "v", Target: []byte("/t"), Parts: []byte("p")}
	s := func(change func(*cache.Stored)) *cache.Stored { c := answer(3); change(c); return c }
	same := func(*cache.Stored) {}
	var ids []disk.ID
	for _, tt := range []struct {
		k store.Key
		s *cache.Stored
	}{
		{k, s(same)},
		{store.Key{Site: "a/", Variant: "v", Target: []byte("t"), Parts: []byte("p")}, s(same)},
		{store.Key{Site: "a", Secure: true, Variant: "v", Target: []byte("/t"), Parts: []byte("p")}, s(same)},
		{store.Key{Site: "a", Variant: "vp", Target: []byte("/t")}, s(same)},
		{k, s(func(s *cache.Stored) { s.Part = cache.Part{Size: 9} })},
		{k, s(func(s *cache.Stored) { s.Part = cache.Part{First: 3, Size: 9} })},
		{k, s(func(s *cache.Stored) { s.Vary = cache.Vary{Names: []string{"a"}, Values: [][]byte{nil}} })},
		{k, s(func(s *cache.Stored) { s.Vary = cache.Vary{Names: []string{"a"}, Values: [][]byte{{}}} })},
		{k, s(func(s *cache.Stored) { s.Vary.Never = true })},
	} {
		id := idOf(&tt.k, tt.s)
		if slices.Contains(ids, id) {
			t.Errorf("%v has an id twice", tt)
		}
		ids = append(ids, id)
	}
	if ids[0] != idOf(&k, s(func(s *cache.Stored) { s.Length, s.ETag = 4, nil })) {
		t.Error("a newer one has another id")
	}
}

// TestLookingInVainAllocs: a miss costs no allocation where the disk has nothing of the
// kind.
func TestLookingInVainAllocs(t *testing.T) {
	w := newTwo(t, 1<<20)
	k, r, p := keyOf("/x"), get(), new(cache.Policy)
	if n := testing.AllocsPerRun(100, func() { w.tier.Recall(w.Cache, k, r, p, epoch) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// TestHammer: what was purged is found nowhere afterwards, whatever is stored, brought back
// and pushed out meanwhile; and no answer has another one's body.
func TestHammer(t *testing.T) {
	const targets, memory = 40, 300 << 10
	w := newTwo(t, memory)
	path := func(n int) *store.Key { return keyOf(fmt.Sprint("/", n)) }
	var edition, least [targets]atomic.Int64 // what origins have, and the oldest that may be found
	end := time.Now().Add(30 * time.Second)
	var busy sync.WaitGroup
	hammer := func(do func(n int)) {
		busy.Go(func() {
			for n := 0; time.Now().Before(end) && w.tier.Stats().Hits < 20; n++ {
				do(n % targets)
			}
		})
	}
	for range 2 {
		hammer(func(n int) {
			if _, ok := w.find(path(n)); ok {
				return
			}
			flight := w.Alone(path(n)) // before the origin is asked
			body := fmt.Sprintf("%d %d %s", n, edition[n].Load(), bytes.Repeat([]byte("."), 20<<10))
			s := answer(int64(len(body)), fmt.Sprint("t", n))
			if fill := flight.Store(s, nil); fill != nil {
				fill.Write([]byte(body))
				fill.Done()
			}
		})
		hammer(func(n int) {
			oldest := least[n].Load()
			body, ok := w.find(path(n))
			var of int
			var is int64
			if fmt.Sscan(body, &of, &is); ok && (of != n || is < oldest) {
				t.Errorf("/%d has %.20q, want edition %d at least", n, body, oldest)
			}
		})
	}
	for i, forget := range []func(n int){
		func(n int) {
			sel, _ := store.ParseSelector(fmt.Sprint("tag:t", n), false, nil)
			w.Purge(sel, store.Hard, false)
		},
		func(n int) { w.InvalidateTarget("shop", false, path(n).Target) },
	} {
		hammer(func(n int) {
			if n%2 == i {
				next := edition[n].Add(1)
				forget(n)
				least[n].Store(next)
			}
		})
	}
	busy.Wait()
	if st := w.tier.Stats(); st.Hits < 20 || st.Failed+st.Errors+st.Corrupt > 0 {
		t.Errorf("%+v", st)
	}
}
