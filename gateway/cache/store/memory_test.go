package store

import (
	"fmt"
	"runtime"
	"testing"

	"weirkeep/gateway/cache"
	"weirkeep/gateway/wire"
)

// fielded is an answer with fields as a server sends them, and bytes of its own.
func fielded(length int64) *cache.Stored {
	s := answer(length)
	s.Fields = nil
	for _, f := range []string{"Content-Type: text/html; charset=utf-8", "Last-Modified: Wed, 04 Mar 2026 05:06:07 GMT", `ETag: "5e3f-611c3b2d9a4c0"`, "Cache-Control: max-age=3600, stale-while-revalidate=60"} {
		s.Fields = append(s.Fields, wire.Field{Name: []byte(f[:12]), Value: []byte(f[14:])})
	}
	return s
}

var codings = []cache.Coding{cache.Gzip, cache.Brotli, cache.Zstd}

// What the budget counts is what the process really needs: for small answers and large
// ones, with tags, of unknown length, and for marks. It is at most a quarter more than
// that, and less by the noise alone.
func TestLittleMemoryIsNotCounted(t *testing.T) {
	for _, tt := range []struct {
		name string
		n    int
		do   func(c *Cache, k *Key, i int)
	}{
		{"empty bodies", 20000, func(c *Cache, k *Key, i int) { put(t, c, k, fielded(0), nil) }},
		{"1 KiB", 20000, func(c *Cache, k *Key, i int) { put(t, c, k, fielded(1024), noise(1, 1024)) }},
		{"50 KB, length not known", 500, func(c *Cache, k *Key, i int) { put(t, c, k, fielded(-1), noise(1, 50_000)) }},
		{"2 MB, length not known", 20, func(c *Cache, k *Key, i int) { put(t, c, k, fielded(-1), noise(1, 2_000_000)) }},
		{"1 KiB, and as much in two codings", 10000, func(c *Cache, k *Key, i int) {
			s := fielded(1024)
			s.Codings = codings
			e := headed(t, c, k, s, noise(1, 1024))
			for _, as := range codings[:2] {
				if !c.Encodes(e, as) || !c.KeepCoded(e, as, noise(2, 1024)) {
					t.Fatal("it is not kept in a coding")
				}
			}
		}},
		{"1 KiB, and as much made of it", 10000, func(c *Cache, k *Key, i int) {
			what := noise(2, 1024)
			if !c.KeepMade(put(t, c, k, fielded(1024), noise(1, 1024)), what, int64(len(what))) {
				t.Fatal("it is not kept")
			}
		}},
		{"two tags of many", 10000, func(c *Cache, k *Key, i int) {
			s := fielded(0)
			s.Tags = []string{fmt.Sprint("article-", i), fmt.Sprint("author-", i%100)}
			put(t, c, k, s, nil)
		}},
		{"two variants each", 10000, func(c *Cache, k *Key, i int) {
			for _, tier := range []string{"gold", "iron"} {
				s := fielded(0)
				s.Vary = policy.VaryBy([]string{"tier"}, with("tier", tier))
				put(t, c, k, s, nil)
			}
		}},
		{"marks", 20000, func(c *Cache, k *Key, i int) { c.Alone(k).Pass(longFor, 0) }},
	} {
		c := newCache(1<<30, 64<<20)
		before := heap()
		for i := range tt.n {
			tt.do(c, &Key{Site: "shop", Target: fmt.Appendf(nil, "/shop/article/%d?size=large", i)}, i)
		}
		real, counted := heap()-before, c.Stats().Bytes
		t.Logf("%s: %d bytes each, %d are counted", tt.name, real/int64(tt.n), counted/int64(tt.n))
		if counted < real*98/100 || counted > real*5/4 {
			t.Errorf("%s: %d bytes are counted, of %d", tt.name, counted, real)
		}
		runtime.KeepAlive(c)
	}
}

// heap is how many bytes are in use.
func heap() int64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.GC()
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}
