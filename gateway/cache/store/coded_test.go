package store

import (
	"bytes"
	"strings"
	"testing"

	"weirkeep/gateway/cache"
	"weirkeep/gateway/wire"
)

// coded stores an answer that may be sent in any coding, with a body in one beside it.
func coded(t *testing.T, c *Cache, path string) *Entry {
	t.Helper()
	s := answer(5000)
	s.Codings = codings
	e := headed(t, c, key(path), s, noise(1, 5000))
	if !c.Encodes(e, cache.Gzip) || !c.KeepCoded(e, cache.Gzip, noise(2, 3000)) {
		t.Fatalf("%s is not kept in a coding", path)
	}
	return e
}

// A body is encoded once for each coding, and found from then on beside what came.
func TestCodedIsKept(t *testing.T) {
	c := newCache(1<<20, 1<<20)
	s := answer(5000)
	s.Codings = codings
	e := headed(t, c, key("/a"), s, noise(1, 5000))
	before := e.Bytes()
	if e.Coded(cache.Gzip) != nil || !e.Untried(cache.Gzip) || !c.Encodes(e, cache.Gzip) {
		t.Fatal("it is there before it is asked for, or is not to be encoded")
	}
	if c.Encodes(e, cache.Gzip) || e.Untried(cache.Gzip) || e.Coded(cache.Gzip) != nil || e.Useless(cache.Gzip) {
		t.Error("it is encoded twice, or is there before it is")
	}
	if !c.KeepCoded(e, cache.Gzip, noise(2, 3000)) {
		t.Fatal("it is not kept")
	}
	d := find(c, key("/a"), plain).Coded(cache.Gzip)
	same(t, "in gzip", d.Body(), noise(2, 3000))
	same(t, "as it came", e.Body().Whole(), noise(1, 5000))
	if !bytes.Contains(d.Head(), []byte("Content-Encoding: gzip\r\n")) {
		t.Errorf("the head is %q", d.Head())
	}
	if more := e.Bytes() - before; more < 3000+int64(len(d.Head())) || more > 4000 {
		t.Errorf("%d bytes are counted for 3000 and a head", more)
	}
	if c.Encodes(e, cache.Brotli) && c.KeepCoded(e, cache.Brotli, nil) || !e.Useless(cache.Brotli) || c.Encodes(e, cache.Brotli) || e.Coded(cache.Brotli) != nil {
		t.Error("what is not worth it is kept, or tried again")
	}
	balanced(t, c)
}

// What is in codings goes with the answer, whatever makes it go, and stays when that is
// updated: with a head of its own.
func TestCodedHasTheFateOfTheAnswer(t *testing.T) {
	for _, tt := range []struct {
		name string
		do   func(c *Cache, e *Entry)
		left bool
	}{
		{"an update", func(c *Cache, e *Entry) {
			c.Alone(e.Key()).Update(e, again(e), e.Stored().AppendHead(nil))
		}, true},
		{"an answer to HEAD", func(c *Cache, e *Entry) { c.Update(e, again(e), e.Stored().AppendHead(nil)) }, true},
		{"a hard purge", func(c *Cache, e *Entry) { c.Purge(&Selector{}, Hard, false) }, false},
		{"an invalidation", func(c *Cache, e *Entry) { c.InvalidateTarget("shop", false, []byte("/a")) }, false},
		{"no memory", func(c *Cache, e *Entry) { c.Resize(Options{Memory: 4000}) }, false},
		{"another answer", func(c *Cache, e *Entry) { put(t, c, key("/a"), answer(10), noise(3, 10)) }, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := newCache(1<<20, 1<<20)
			e := coded(t, c, "/a")
			tt.do(c, e)
			now := find(c, key("/a"), plain)
			if left := now != nil && now.Coded(cache.Gzip) != nil; left != tt.left {
				t.Fatalf("it is there: %v, want %v", left, tt.left)
			}
			if tt.left && !bytes.Contains(now.Coded(cache.Gzip).Head(), []byte("X-New: 1\r\n")) {
				t.Errorf("the head is still %q", now.Coded(cache.Gzip).Head())
			}
			if bytes.Contains(e.Coded(cache.Gzip).Head(), []byte("X-New")) {
				t.Error("who has the older answer gets the head of the newer one")
			}
			balanced(t, c)
			c.Purge(&Selector{}, Hard, false)
			if st := c.Stats(); st.Bytes != int64(st.Ghosts)*overheadOfGhost {
				t.Errorf("in the end %d bytes are counted", st.Bytes)
			}
		})
	}
}

// again is what a 304 makes of an answer.
func again(e *Entry) *cache.Stored {
	s := *e.Stored()
	s.Fields = append([]wire.Field{{Name: []byte("X-New"), Value: []byte("1")}}, s.Fields...)
	return &s
}

// What comes too late, or finds no room, is not kept, nor tried again.
func TestCodedIsNotKept(t *testing.T) {
	for _, tt := range []struct {
		name string
		do   func(c *Cache, e *Entry)
		size int
	}{
		{"of an answer that has gone", func(c *Cache, e *Entry) { c.Remove(e) }, 3000},
		{"longer than all memory", func(*Cache, *Entry) {}, 1 << 20},
		{"while a fill holds the rest", func(c *Cache, e *Entry) { c.Alone(key("/b")).Store(answer(980_000), nil) }, 60_000},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := newCache(1<<20, 1<<20)
			e := put(t, c, key("/a"), answer(5000), noise(1, 5000))
			if !c.Encodes(e, cache.Zstd) {
				t.Fatal("it is not to be encoded")
			}
			tt.do(c, e)
			if c.KeepCoded(e, cache.Zstd, noise(2, tt.size)) || e.Coded(cache.Zstd) != nil || c.Encodes(e, cache.Zstd) {
				t.Error("it is kept, or tried again")
			}
			balanced(t, c)
		})
	}
}

// What is still coming is not encoded yet, and what has gone is not any more.
func TestOnlyWhatIsKeptIsEncoded(t *testing.T) {
	c := newCache(1<<20, 1<<20)
	f := c.Alone(key("/a")).Store(answer(10), nil)
	f.Write([]byte("01234"))
	if c.Encodes(f.Entry(), cache.Gzip) {
		t.Error("a half is to be encoded")
	}
	f.Write([]byte("56789"))
	f.Done()
	e := find(c, key("/a"), plain)
	c.Remove(e)
	if c.Encodes(e, cache.Gzip) {
		t.Error("what has gone is to be encoded")
	}
}

// Room for what is encoded is made by what is asked for less.
func TestCodedDrivesOthersOut(t *testing.T) {
	c := small(20)
	for i := range 18 {
		putSmall(t, c, "/old/"+strings.Repeat("x", i+1))
	}
	e := put(t, c, key("/a"), answer(1024), noise(1, 1024))
	if !c.Encodes(e, cache.Gzip) || !c.KeepCoded(e, cache.Gzip, noise(2, 9000)) {
		t.Fatal("it is not kept")
	}
	if st := c.Stats(); st.Evictions == 0 || find(c, key("/a"), plain) == nil {
		t.Errorf("%+v", st)
	}
	balanced(t, c)
}
