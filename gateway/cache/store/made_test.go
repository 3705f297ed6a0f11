package store

import "testing"

// program is what is made of bodies here.
type program struct{ of string }

// programmed stores an answer with what was made of its body, of 3000 bytes.
func programmed(t *testing.T, c *Cache, path string) (*Entry, *program) {
	t.Helper()
	e, p := headed(t, c, key(path), answer(5000), noise(1, 5000)), &program{path}
	if !c.KeepMade(e, p, 3000) {
		t.Fatalf("%s: what was made of it is not kept", path)
	}
	return e, p
}

// What is made of a body is kept once, and found beside what came.
func TestMadeIsKept(t *testing.T) {
	c := newCache(1<<20, 1<<20)
	e := put(t, c, key("/a"), answer(5000), noise(1, 5000))
	before, p := e.Bytes(), &program{"/a"}
	if e.Made() != nil || !c.KeepMade(e, p, 3000) {
		t.Fatal("it is there before it is made, or is not kept")
	}
	if got := find(c, key("/a"), plain).Made(); got != p {
		t.Errorf("%v is found, want %v", got, p)
	}
	if more := e.Bytes() - before; more != 3000+overheadOfMade {
		t.Errorf("%d bytes are counted for 3000", more)
	}
	if !c.KeepMade(e, &program{"another"}, 10) || e.Made() != p || e.Bytes() != before+3000+overheadOfMade {
		t.Errorf("what comes second is kept: %v, %d bytes", e.Made(), e.Bytes())
	}
	balanced(t, c)
}

// What was made of a body goes with the answer, whatever makes it go, and stays when that is
// updated: for those too who have the older one.
func TestMadeHasTheFateOfTheBody(t *testing.T) {
	for _, tt := range []struct {
		name string
		do   func(c *Cache, e *Entry)
		left bool
	}{
		{"an update", func(c *Cache, e *Entry) { c.Alone(e.Key()).Update(e, again(e), e.Head()) }, true},
		{"an answer to HEAD", func(c *Cache, e *Entry) { c.Update(e, again(e), e.Head()) }, true},
		{"a coding", func(c *Cache, e *Entry) { c.Encodes(e, 1); c.KeepCoded(e, 1, noise(2, 900)) }, true},
		{"a soft purge", func(c *Cache, e *Entry) { c.Purge(&Selector{}, Soft, false) }, true},
		{"a hard purge", func(c *Cache, e *Entry) { c.Purge(&Selector{}, Hard, false) }, false},
		{"an invalidation", func(c *Cache, e *Entry) { c.InvalidateTarget("shop", false, []byte("/a")) }, false},
		{"no memory", func(c *Cache, e *Entry) { c.Resize(Options{Memory: 4000}) }, false},
		{"another answer", func(c *Cache, e *Entry) { put(t, c, key("/a"), answer(10), noise(3, 10)) }, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := newCache(1<<20, 1<<20)
			e, p := programmed(t, c, "/a")
			tt.do(c, e)
			now := find(c, key("/a"), plain)
			if left := now != nil && now.Made() == p; left != tt.left {
				t.Fatalf("it is there: %v, want %v", left, tt.left)
			}
			if e.Made() != p {
				t.Error("who has the answer has lost what was made of it")
			}
			if tt.left && now.Bytes() < e.weigh()+footprint(5000) {
				t.Errorf("only %d bytes are counted", now.Bytes())
			}
			balanced(t, c)
			c.Purge(&Selector{}, Hard, false)
			if st := c.Stats(); st.Bytes != int64(st.Ghosts)*overheadOfGhost {
				t.Errorf("in the end %d bytes are counted", st.Bytes)
			}
		})
	}
}

// What is made of an answer that has gone, or finds no room, is not kept.
func TestMadeIsNotKept(t *testing.T) {
	for _, tt := range []struct {
		name string
		do   func(c *Cache, e *Entry)
		size int64
	}{
		{"of an answer that has gone", func(c *Cache, e *Entry) { c.Remove(e) }, 3000},
		{"longer than all memory", func(*Cache, *Entry) {}, 1 << 20},
		{"while a fill holds the rest", func(c *Cache, e *Entry) { c.Alone(key("/b")).Store(answer(980_000), nil) }, 60_000},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := newCache(1<<20, 1<<20)
			e := put(t, c, key("/a"), answer(5000), noise(1, 5000))
			tt.do(c, e)
			if c.KeepMade(e, &program{}, tt.size) || e.Made() != nil {
				t.Error("it is kept")
			}
			balanced(t, c)
		})
	}
	c := newCache(1<<20, 1<<20)
	loose := c.Loose(key("/a"), answer(3))
	loose.Write([]byte("abc"))
	loose.Done()
	if c.KeepMade(loose.Entry(), &program{}, 10) {
		t.Error("what is made of an answer that no budget counts is kept")
	}
}

// A body is complete for its readers a moment before the cache may let go of it. What they make of
// it then is kept and counted as what is made later; what they make of less is not.
func TestMadeAtTheEndIsKept(t *testing.T) {
	for _, length := range []int64{9000, -1} {
		c := newCache(1<<20, 1<<20)
		f := c.Alone(key("/a")).Store(answer(length), nil)
		f.Write(noise(1, 9000))
		e, p := f.Entry(), &program{"/a"}
		if c.KeepMade(e, p, 3000) {
			t.Fatal("what is made of less than all is kept")
		}
		f.body().show(f.hidden) // which Done begins with
		f.body().keep()
		f.hidden = 0
		if !c.KeepMade(e, p, 3000) {
			t.Fatal("it is not kept")
		}
		balanced(t, c)
		f.Done()
		now := find(c, key("/a"), plain)
		if want := now.weigh() + footprint(9000); now.Made() != p || now.Bytes() != want {
			t.Errorf("%v is found, and %d bytes are counted, want %d", now.Made(), now.Bytes(), want)
		}
		balanced(t, c)
	}
}

// Room for what is made is taken from what is asked for less.
func TestMadeDrivesOthersOut(t *testing.T) {
	c := small(20)
	for i := range 18 {
		putSmall(t, c, "/old/"+string(rune('a'+i)))
	}
	e := put(t, c, key("/a"), answer(1024), noise(1, 1024))
	if !c.KeepMade(e, &program{}, 9000) || c.Stats().Evictions == 0 || find(c, key("/a"), plain) == nil {
		t.Errorf("%+v", c.Stats())
	}
	balanced(t, c)
}

// Budget: to find what was made of a body costs no allocation.
func TestMadeAllocatesNothing(t *testing.T) {
	e, p := programmed(t, newCache(1<<20, 1<<20), "/a")
	if n := testing.AllocsPerRun(100, func() {
		if e.Made() != p {
			t.Error("it is not there")
		}
	}); n > 0 {
		t.Errorf("Made allocates %v times", n)
	}
}
