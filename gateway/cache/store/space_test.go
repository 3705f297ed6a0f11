package store

import (
	"fmt"
	"testing"

	"pgregory.net/rapid"
)

// The budget is kept at every step, whatever is stored, filled at once, updated,
// marked and purged, and however often its size changes.
func TestTheBudgetIsNeverExceeded(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b := &budget{t: t, c: newCache(200<<10, 100<<10)}
		t.Repeat(map[string]func(*rapid.T){
			"":       b.check,
			"store":  b.store,
			"write":  b.write,
			"end":    b.end,
			"hit":    b.hit,
			"update": b.update,
			"encode": b.encode,
			"mark":   b.mark,
			"resize": b.resize,
			"purge":  b.purge,
		})
	})
}

// budget is one run: a small cache and the fills that are under way.
type budget struct {
	t     *rapid.T
	c     *Cache
	fills []*Fill
	n     int
}

func (b *budget) check(t *rapid.T) { balanced(t, b.c) }

func (b *budget) key() *Key {
	return key(fmt.Sprint("/", rapid.IntRange(0, 30).Draw(b.t, "key")))
}

func (b *budget) store(t *rapid.T) {
	s := answer(-1)
	if rapid.Bool().Draw(t, "known") {
		s.Length = rapid.Int64Range(0, 110<<10).Draw(t, "length")
	}
	if f := b.c.Alone(b.key()).Store(s, make([]byte, rapid.IntRange(0, 2000).Draw(t, "head"))); f != nil {
		f.Unread()
		b.fills = append(b.fills, f)
	}
}

func (b *budget) pick(t *rapid.T) (*Fill, int) {
	if len(b.fills) == 0 {
		return nil, 0
	}
	i := rapid.IntRange(0, len(b.fills)-1).Draw(t, "fill")
	return b.fills[i], i
}

func (b *budget) write(t *rapid.T) {
	if f, _ := b.pick(t); f != nil {
		f.Write(make([]byte, rapid.IntRange(0, 60<<10).Draw(t, "bytes")))
	}
}

func (b *budget) end(t *rapid.T) {
	f, i := b.pick(t)
	if f == nil {
		return
	}
	b.fills = append(b.fills[:i], b.fills[i+1:]...)
	if rapid.Bool().Draw(t, "done") {
		if left := f.length - f.body().end; left > 0 {
			f.Write(make([]byte, left))
		}
		f.Done()
	} else {
		f.Fail()
	}
}

func (b *budget) hit(*rapid.T) { find(b.c, b.key(), plain) }

func (b *budget) update(t *rapid.T) {
	k := b.key()
	if e := find(b.c, k, plain); e != nil {
		s := *e.Stored()
		b.c.Alone(k).Update(e, &s, make([]byte, rapid.IntRange(0, 50<<10).Draw(t, "head")))
	}
}

func (b *budget) encode(t *rapid.T) {
	as := rapid.SampledFrom(codings).Draw(t, "coding")
	if e := find(b.c, b.key(), plain); e != nil && b.c.Encodes(e, as) {
		b.c.KeepCoded(e, as, make([]byte, rapid.IntRange(0, 60<<10).Draw(t, "bytes")))
	}
}

func (b *budget) mark(*rapid.T) { b.c.Alone(b.key()).Pass(longFor, 0) }

func (b *budget) resize(t *rapid.T) {
	b.c.Resize(Options{Memory: rapid.Int64Range(0, 300<<10).Draw(t, "memory"), MaxObject: rapid.Int64Range(0, 100<<10).Draw(t, "longest")})
}

func (b *budget) purge(t *rapid.T) {
	sel, err := ParseSelector("path:/1*", false, nil)
	if err != nil {
		t.Fatal(err)
	}
	b.c.Purge(sel, rapid.SampledFrom([]How{Hard, Soft}).Draw(t, "how"), false)
}

// small is a cache with room for so many answers of 1 KiB.
func small(n int64) *Cache {
	return newCache(n*(footprint(1024)+overheadOfObject+200), 1<<20)
}

func putSmall(t testing.TB, c *Cache, path string) {
	put(t, c, key(path), answer(1024), make([]byte, 1024))
}

// A scan of what is asked for once does not touch what is asked for often.
func TestScansPassThrough(t *testing.T) {
	c := small(100)
	for i := range 50 {
		path := fmt.Sprint("/popular/", i)
		putSmall(t, c, path)
		find(c, key(path), plain)
		find(c, key(path), plain)
	}
	for i := range 1000 {
		putSmall(t, c, fmt.Sprint("/once/", i))
	}
	for i := range 50 {
		if find(c, key(fmt.Sprint("/popular/", i)), plain) == nil {
			t.Fatalf("/popular/%d is gone", i)
		}
	}
	balanced(t, c)
}

// What is asked for again soon after it fell out stays from then on; and so does what
// takes the place of something popular.
func TestStandingIsRemembered(t *testing.T) {
	scan := func(c *Cache, from, n int) {
		for i := range n {
			putSmall(t, c, fmt.Sprint("/once/", from+i))
		}
	}
	c := small(100)
	putSmall(t, c, "/again")
	scan(c, 0, 110)
	if find(c, key("/again"), plain) != nil {
		t.Fatal("/again is still here")
	}
	putSmall(t, c, "/again")
	scan(c, 1000, 60)
	if find(c, key("/again"), plain) == nil {
		t.Error("/again fell out, though it was a ghost")
	}
	putSmall(t, c, "/again") // its origin sends it anew
	scan(c, 2000, 60)
	if find(c, key("/again"), plain) == nil {
		t.Error("/again fell out, though it took the place of one that was popular")
	}
	balanced(t, c)
}

// A cache that gets smaller lets go at once what is too much, what is least popular first.
func TestResize(t *testing.T) {
	c := small(100)
	for i := range 100 {
		path := fmt.Sprint("/", i)
		putSmall(t, c, path)
		for range i % 2 * 3 {
			find(c, key(path), plain)
		}
	}
	c.Resize(Options{Memory: c.space.limit / 2, MaxObject: 1 << 20})
	balanced(t, c)
	popular, st := 0, c.Stats()
	for i := 1; i < 100; i += 2 {
		if find(c, key(fmt.Sprint("/", i)), plain) != nil {
			popular++
		}
	}
	if st.Objects < 40 || popular < st.Objects*9/10 {
		t.Errorf("%d are left, %d of them popular", st.Objects, popular)
	}
	c.Resize(Options{})
	if st := c.Stats(); st.Bytes != 0 || st.Objects != 0 || st.Ghosts != 0 {
		t.Errorf("without memory there is %+v", st)
	}
	if c.Alone(key("/a")).Store(answer(0), nil) != nil {
		t.Error("without memory something is stored")
	}
}

// Ghosts that were recalled, or are too old, leave nothing behind.
func TestGhostsAreBounded(t *testing.T) {
	for _, recalled := range []bool{true, false} {
		s := &space{}
		s.resize(1 << 20)
		for i := range 100_000 {
			o := &object{home: &resource{sum: uint64(i)}}
			o.bytes.Store(1000)
			s.remember(o)
			if recalled && !s.recall(o) {
				t.Fatalf("ghost %d is not known", i)
			}
		}
		want := 0
		if !recalled {
			want = 1 << 20 * 9 / 10 / 1000
		}
		g := &s.ghosts
		if g.len() != want || g.bytes != int64(want)*1000 || s.used != int64(want)*overheadOfGhost {
			t.Errorf("recalled %v: %d ghosts of %d bytes, %d used; want %d", recalled, g.len(), g.bytes, s.used, want)
		}
		if len(g.line) > 2*want+2048 {
			t.Errorf("recalled %v: the line is %d long", recalled, len(g.line))
		}
		for i := 100_000 - want; i < 100_000; i++ {
			if !s.recall(&object{home: &resource{sum: uint64(i)}}) {
				t.Fatalf("ghost %d is not known", i)
			}
		}
	}
}
