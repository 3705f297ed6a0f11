package store

import (
	"fmt"
	"testing"

	"weirkeep/gateway/cache"
)

// Budget: a hit costs no allocation, nor does a miss; nor do the readers of a body that
// is complete. See BenchmarkHit for time.
func TestLookupAllocs(t *testing.T) {
	c, keys, body := warm(t, 100)
	missing := key("/none")
	gold := with("tier", "gold")
	varies := key("/varies")
	put(t, c, varies, varied(gold, "tier"), body)
	marked := key("/marked")
	c.Alone(marked).Pass(longFor, 0)
	for _, tt := range []struct {
		name string
		do   func()
	}{
		{"hit", func() { hit(t, c, &keys[7]) }},
		{"miss", func() { c.Lookup(missing, plain, policy) }},
		{"hit of a variant", func() { c.Lookup(varies, gold, policy) }},
		{"passing", func() { c.Lookup(marked, plain, policy) }},
		{"reader", func() {
			r := find(c, &keys[7], plain).Body().Reader(10, 20)
			if p, err := r.Next(patient{}); err != nil || len(p) != 10 {
				t.Fatalf("%d bytes, %v", len(p), err)
			}
			r.Close()
		}},
	} {
		if n := testing.AllocsPerRun(1000, tt.do); n != 0 {
			t.Errorf("%s: %v allocations, want 0", tt.name, n)
		}
	}
}

// Budget: what is never kept costs the flight and nothing else.
func TestPassAllocs(t *testing.T) {
	c, marked := newCache(1<<20, 1<<20), key("/marked")
	c.Alone(marked).Pass(longFor, 0)
	pass := func() {
		if f, leads := c.Fetch(marked, plain, policy); leads {
			f.Pass(longFor, 0)
		}
	}
	if n := testing.AllocsPerRun(1000, pass); n > 1 {
		t.Errorf("%v allocations, want 1", n)
	}
}

// warm is a cache with answers of 1 KiB under n keys.
func warm(t testing.TB, n int) (*Cache, []Key, []byte) {
	c := newCache(1<<30, 1<<20)
	body := noise(1, 1024)
	keys := make([]Key, n)
	for i := range keys {
		keys[i] = Key{Site: "shop", Variant: "app:shop@1.0", Target: fmt.Appendf(nil, "/shop/article/%d?size=large", i)}
		put(t, c, &keys[i], answer(1024), body)
	}
	return c, keys, body
}

func hit(t testing.TB, c *Cache, k *Key) {
	f := c.Lookup(k, plain, policy)
	if f.Entry == nil || len(f.Entry.Body().Whole()) != 1024 {
		t.Fatal("no hit")
	}
}

// BenchmarkHit has a budget of 200 ns/op and 0 allocs/op: find one of 10,000 answers
// and its body.
func BenchmarkHit(b *testing.B) {
	c, keys, _ := warm(b, 10_000)
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		hit(b, c, &keys[i*7919%len(keys)])
	}
}

// BenchmarkHitSame is BenchmarkHit of one answer, again and again, which all processors
// want at once. What it costs more is cache lines that go to and fro.
func BenchmarkHitSame(b *testing.B) {
	c, keys, _ := warm(b, 10_000)
	b.ReportAllocs()
	b.ResetTimer()
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			hit(b, c, &keys[7])
		}
	})
}

// BenchmarkHitParallel is BenchmarkHit by all processors at once.
func BenchmarkHitParallel(b *testing.B) {
	c, keys, _ := warm(b, 10_000)
	b.ReportAllocs()
	b.ResetTimer()
	b.RunParallel(func(pb *testing.PB) {
		for i := 0; pb.Next(); i++ {
			hit(b, c, &keys[i*7919%len(keys)])
		}
	})
}

// BenchmarkMiss has a budget of 100 ns/op and 0 allocs/op.
func BenchmarkMiss(b *testing.B) {
	c, _, _ := warm(b, 10_000)
	k := key("/none")
	b.ReportAllocs()
	for b.Loop() {
		c.Lookup(k, plain, policy)
	}
}

// BenchmarkStore has a budget of 10 µs/op: fetch an answer of 1 KiB and store it, in a
// cache that is full, so that another one goes.
func BenchmarkStore(b *testing.B) {
	c := newCache(10_000_000, 1<<20)
	body := noise(1, 1024)
	k, r := &Key{Site: "shop"}, &cache.Request{}
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		k.Target = fmt.Appendf(k.Target[:0], "/shop/article/%d", i)
		f, _ := c.Fetch(k, r, policy)
		fill := f.Store(answer(1024), body[:200])
		fill.Write(body)
		fill.Done()
	}
}

// BenchmarkPurge has a budget of 0.3 s for 1 million answers, 100 ms for the tenth of it
// here, by a path, and of 50 µs by a tag that one of them carries.
func BenchmarkPurge(b *testing.B) {
	c := newCache(1<<30, 1<<20)
	for i := range 100_000 {
		s := answer(0)
		s.Tags = []string{fmt.Sprint("article-", i)}
		put(b, c, key(fmt.Sprint("/shop/article/", i)), s, nil)
	}
	for _, text := range []string{"path:/shop/**/1234", "tag:article-1234"} {
		sel, err := ParseSelector(text, false, nil)
		if err != nil {
			b.Fatal(err)
		}
		b.Run(text[:4], func(b *testing.B) {
			for b.Loop() {
				c.Purge(sel, Soft, false)
			}
		})
	}
}
