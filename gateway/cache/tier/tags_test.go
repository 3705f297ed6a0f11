package tier

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"weirkeep/gateway/cache/disk"
	"weirkeep/gateway/cache/store"
)

// TestTagsFindAll: what the lists on the disk say of tags is what the index finds, whatever was
// stored, told anew and invalidated before, also after a restart, and when the index has
// become too large, whereupon the next purge makes it anew.
func TestTagsFindAll(t *testing.T) {
	w := newTwo(t, 64<<20)
	r := rand.New(rand.NewPCG(1, 2))
	tag := func() string { return fmt.Sprint("t", r.IntN(40)) }
	for range 3000 {
		k := keyOf(fmt.Sprint("/", r.IntN(60)))
		switch r.IntN(4) {
		case 0:
			w.InvalidateTarget("shop", false, k.Target)
		case 1: // as a 304 does that has other tags
			if e := w.Lookup(k, get(), nil).Entry; e != nil {
				s := *e.Stored()
				s.Tags = []string{tag()}
				w.Update(e, &s, e.Head())
			}
		default:
			w.put(k, answer(1, tag(), tag()), "x")
		}
	}
	w.settle(t)
	w.forgetMemory(64 << 20)
	compare := func(what string) {
		v := w.tier.Volume()
		for n := range 40 {
			name := fmt.Sprint("t", n)
			sel, _ := store.ParseSelector("tag:"+name, false, nil)
			if got, want := v.foundBy(t, sel), v.read(t, name); !slices.Equal(got, want) {
				t.Errorf("%s, %s: %d answers, want %d", what, name, len(got), len(want))
			}
		}
	}
	compare("at once")
	w.close(t)
	w.open(t)
	compare("after a restart")
	x := w.tier.Volume().tags
	x.over, x.ids = true, nil
	compare("without an index")
	purged, _ := store.ParseSelector("tag:t0", false, nil)
	w.Purge(purged, store.Hard, false)
	if x.over {
		t.Error("a purge has not made the index anew")
	}
	compare("after it was made anew")
	x.over, x.ids, x.hopeless = true, nil, true
	if w.Purge(purged, store.Hard, false); !x.over {
		t.Error("it was made anew in vain once more")
	}
}

// foundBy are the ids that a purge finds.
func (v *Volume) foundBy(t *testing.T, sel *store.Selector) (ids []disk.ID) {
	matched, err := v.matching(sel)
	if err != nil {
		t.Error(err)
	}
	for id := range matched {
		ids = append(ids, id)
	}
	slices.SortFunc(ids, compareIDs)
	return ids
}

// read are the ids of what has a tag, by what is written.
func (v *Volume) read(t *testing.T, tag string) (ids []disk.ID) {
	err := v.disk.All(func(i disk.Item) bool {
		if of, ok := readSummary(i.Summary); ok && slices.Contains(of.tags, tag) {
			ids = append(ids, i.ID)
		}
		return true
	})
	if err != nil {
		t.Error(err)
	}
	slices.SortFunc(ids, compareIDs)
	return ids
}

// TestTagIndexIsBounded: it knows nothing rather than too much, and says so; and it forgets
// tags that nothing has any more.
func TestTagIndexIsBounded(t *testing.T) {
	x := newTagIndex()
	none, all := func(disk.ID) bool { return false }, func(disk.ID) bool { return true }
	for n := range 1000 {
		x.add(disk.ID{byte(n), byte(n >> 8)}, []string{fmt.Sprint("once", n)}, none)
	}
	if x.pairs > 10 || len(x.ids) > 10 {
		t.Errorf("%d ids of %d tags, of which nothing is there", x.pairs, len(x.ids))
	}
	if ids, ok := x.of([]string{"other"}, 9); !ok || len(ids) != 0 {
		t.Errorf("%d ids of no answer, %t", len(ids), ok)
	}
	for n := range 2000 {
		x.add(disk.ID{byte(n % 20)}, []string{"many"}, all)
	}
	if x.pairs > 60 {
		t.Errorf("%d ids of 20 answers", x.pairs)
	}
	if _, ok := x.of([]string{"many"}, 19); ok {
		t.Error("20 ids are given, want 19 at most")
	}
	if ids, ok := x.of([]string{"many", "other"}, 20); !ok || len(ids) != 20 {
		t.Errorf("%d ids, %t", len(ids), ok)
	}
	x.pairs = mostPairs
	x.add(disk.ID{}, []string{"one more"}, all)
	if _, ok := x.of([]string{"other"}, 9); ok || !x.over || x.ids != nil {
		t.Error("it knows more than it may")
	}
	x.add(disk.ID{}, []string{"one more"}, all)
	if x.clear(); x.over {
		t.Error("it is not empty")
	}
}

// BenchmarkPurgeByTag finds ten of 200,000 answers by a tag, with the index and by the lists
// on the disk. Budget: 1 ms with it.
func BenchmarkPurgeByTag(b *testing.B) {
	const n = 200_000
	w := newTwo(b, 1<<30)
	w.close(b)
	d, err := disk.Open(w.path, disk.Options{Size: 1 << 30})
	if err != nil {
		b.Fatal(err)
	}
	for i := range n {
		k, s := keyOf(fmt.Sprintf("/products/%020d?colour=green", i)), answer(300, "shop", fmt.Sprint("product", i/10), fmt.Sprint("brand", i%500))
		out, err := d.Create(idOf(k, s), labelOf(k, s), 300)
		if err != nil {
			b.Fatal(err)
		}
		out.Write([]byte(strings.Repeat("x", 300)))
		if err := out.Commit(); err != nil {
			b.Fatal(err)
		}
	}
	d.Close()
	began := time.Now()
	v, err := Open(w.path, Options{Size: 1 << 30})
	if err != nil {
		b.Fatal(err)
	}
	b.Logf("%d answers are known after %v", n, time.Since(began))
	w.tier.Use(v)
	sel, _ := store.ParseSelector("tag:product77", false, nil)
	for _, over := range []bool{false, true} {
		b.Run(fmt.Sprint("lists ", over), func(b *testing.B) {
			v.tags.over = over
			for b.Loop() {
				if matched, err := v.matching(sel); len(matched) != 10 || err != nil {
					b.Fatal(len(matched), err)
				}
			}
		})
	}
}
