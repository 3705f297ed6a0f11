package store

import (
	"fmt"
	"slices"
	"testing"

	"weirkeep/gateway/cache"
	"weirkeep/gateway/memfile"
)

func newCache(memory, longest int64) *Cache {
	return New(Options{Memory: memory, MaxObject: longest})
}

// filedCache is newCache with a file for what is long.
func filedCache(t testing.TB, memory, longest int64) *Cache {
	t.Helper()
	f, err := memfile.New()
	if err != nil {
		t.Fatal(err)
	}
	return New(Options{Memory: memory, MaxObject: longest, File: func() *memfile.File { return f }})
}

// What is stored is found whole, in one piece, and by its parts, whether its length was
// known before or not.
func TestStoredBodiesAreRead(t *testing.T) {
	t.Run("on the heap", func(t *testing.T) { readStored(t, newCache(64<<20, 16<<20)) })
	t.Run("in a file", func(t *testing.T) { readStored(t, filedCache(t, 64<<20, 16<<20)) })
}

func readStored(t *testing.T, c *Cache) {
	for _, size := range []int{0, 1, leastPiece, leastPiece + 1, leastFiled - 1, leastRoom, leastRoom + 1, joined, joined + 1, 3 * joined} {
		for _, known := range []bool{true, false} {
			body := noise(uint64(size), size)
			s := answer(-1)
			if known {
				s.Length = int64(size)
			}
			put(t, c, key("/a"), s, body)
			e := find(c, key("/a"), plain)
			if e == nil {
				t.Fatalf("%d bytes, length known %v: not found", size, known)
			}
			if e.Stored().Length != int64(size) {
				t.Errorf("%d bytes: Length %d", size, e.Stored().Length)
			}
			span := c.Filed(e)
			if whole := e.Body().Whole(); c.file != nil && size >= leastFiled {
				if whole != nil || span == nil || span.Len() != int64(size) {
					t.Errorf("%d bytes are not in the file", size)
				}
			} else if known || size <= joined {
				same(t, "whole", whole, body)
			} else if whole != nil {
				t.Errorf("%d bytes that came in pieces are whole", size)
			}
			for _, r := range [][2]int64{{0, -1}, {0, 1}, {int64(size) / 2, -1}, {int64(size) / 3, int64(size) / 2}, {int64(size), -1}} {
				got, err := read(e.Body(), r[0], r[1])
				if err != nil {
					t.Errorf("%d bytes, %d to %d: %v", size, r[0], r[1], err)
				}
				to := r[1]
				if to < 0 || to > int64(size) {
					to = int64(size)
				}
				same(t, "part", got, body[r[0]:to])
			}
			balanced(t, c)
		}
	}
}

// Two requests share an answer only if all parts of their keys are equal.
func TestKeysAreNeverMixed(t *testing.T) {
	keys := []Key{
		{Site: "shop", Target: []byte("/a")},
		{Site: "shop", Target: []byte("/a"), Secure: true},
		{Site: "blog", Target: []byte("/a")},
		{Site: "shop", Target: []byte("/a?b")},
		{Site: "shop", Target: []byte("/a"), Variant: "x"},
		{Site: "shop", Target: []byte("/a"), Parts: []byte("x")},
		{Site: "shop", Target: []byte("/a"), Variant: "x", Parts: []byte("x")},
		{Site: "shop", Target: []byte("/ax")},
		{Site: "shop/", Target: []byte("a")},
	}
	c := newCache(1<<20, 1<<20)
	for i := range keys {
		put(t, c, &keys[i], answer(-1), []byte{byte(i)})
	}
	for i := range keys {
		e := find(c, &keys[i], plain)
		if e == nil {
			t.Fatalf("key %d: not found", i)
		}
		same(t, "body", e.Body().Whole(), []byte{byte(i)})
	}
}

func TestVariantsAreKeptApart(t *testing.T) {
	c := newCache(1<<20, 1<<20)
	k := key("/a")
	for _, tier := range []string{"gold", "iron"} {
		put(t, c, k, varied(with("tier", tier), "tier"), []byte(tier))
	}
	for _, tier := range []string{"gold", "iron"} {
		if e := find(c, k, with("tier", tier)); e == nil || string(e.Body().Whole()) != tier {
			t.Errorf("%s does not get its own", tier)
		}
	}
	if f := c.Lookup(k, with("tier", "wood"), policy); f.Entry != nil || !f.Others {
		t.Errorf("wood gets %+v, want no entry, and that there are others", f)
	}
	put(t, c, k, varied(with("tier", "gold"), "tier"), []byte("new"))
	if e := find(c, k, with("tier", "gold")); string(e.Body().Whole()) != "new" {
		t.Error("gold was not replaced")
	}
	if n := c.Stats().Objects; n != 2 {
		t.Errorf("%d objects, want 2", n)
	}
	balanced(t, c)
}

// To peek finds what a lookup finds, and counts when it is said to.
func TestToPeekIsNoHit(t *testing.T) {
	c, k := newCache(1<<20, 1<<20), key("/a")
	if e := c.Peek(k, plain, policy); e != nil {
		t.Error("something is found where nothing is")
	}
	put(t, c, k, answer(-1), []byte("abcd"))
	e := c.Peek(k, plain, policy)
	if e == nil || e != find(c, k, plain) || e.Hits() != 1 {
		t.Fatalf("found %v, which must be what a lookup has found once", e)
	}
	if e.Hit(); e.Hits() != 2 {
		t.Errorf("%d hits, want 2", e.Hits())
	}
}

// A whole answer is chosen before a part, whatever their dates; of the rest the newest.
func TestTheWholeComesBeforeAPart(t *testing.T) {
	c := newCache(1<<20, 1<<20)
	k := key("/a")
	part := answer(-1)
	part.Part = cache.Part{Size: 4}
	put(t, c, k, part, []byte("ab"))
	if e := find(c, k, plain); e == nil || e.Stored().Part.Size != 4 {
		t.Error("the part is not found")
	}
	put(t, c, k, answer(-1), []byte("abcd"))
	newer := *part
	newer.Date = epoch.Add(1)
	put(t, c, k, &newer, []byte("ab"))
	if e := find(c, k, plain); e == nil || e.Stored().Part.Size != 0 {
		t.Error("the whole is not found")
	}
	if n := len(c.AppendFitting(nil, k, plain, policy)); n != 2 {
		t.Errorf("%d entries fit, want 2: the whole took the place of the first part", n)
	}
}

// Under one key the newest variants are kept, so many and no more.
func TestVariantsAreBounded(t *testing.T) {
	c, k := newCache(1<<20, 1<<20), key("/a")
	tier := func(i int) *cache.Request { return with("tier", fmt.Sprint(i)) }
	for i := range maxVariants + 3 {
		put(t, c, k, varied(tier(i), "tier"), nil)
	}
	for i := range maxVariants + 3 {
		if found := find(c, k, tier(i)) != nil; found != (i >= 3) {
			t.Errorf("variant %d found: %v", i, found)
		}
	}
	balanced(t, c)
}

// Keys whose sums are equal are told apart all the same, in whichever order they come
// and go.
func TestEqualSumsAreToldApart(t *testing.T) {
	for _, leave := range [][3]int{{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}} {
		var s shard
		s.init()
		keys := []*Key{key("/0"), key("/1"), key("/2")}
		var all [3]*resource
		for i, k := range keys {
			all[i] = s.open(1, 2, k)
		}
		for n, i := range leave {
			s.closeIdle(all[i])
			s.closeIdle(all[i]) // once more is nothing
			for j, k := range keys {
				gone := slices.Contains(leave[:n+1], j)
				if r := s.find(2, k); gone && r != nil || !gone && r != all[j] {
					t.Errorf("after %v have left, /%d is %v", leave[:n+1], j, r)
				}
			}
		}
		if len(s.keys)+len(s.targets) != 0 {
			t.Errorf("%v: there are %d keys and %d targets in the end", leave, len(s.keys), len(s.targets))
		}
	}
}
