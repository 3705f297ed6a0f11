package store

import (
	"testing"
	"testing/synctest"
	"time"
)

// A leader that leaves hands the flight to who has waited longest, one after the other;
// the last one ends it.
func TestTheOldestWaiterTakesOver(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c, k := newCache(1<<20, 1<<20), key("/a")
		f := lead(t, c, k, plain)
		waits := []*wait{join(t, c, k), join(t, c, k), join(t, c, k)}
		for i, w := range waits {
			for _, later := range waits[i:] {
				expect(t, "its turn has not come", "waits", later)
			}
			f.Leave()
			expect(t, "the leader has left", "leads", w)
		}
		if f.Waited() {
			t.Error("it is waited for by nobody, and says otherwise")
		}
		if c.Lead(k, plain, policy) != nil {
			t.Error("a second flight began beside it")
		}
		f.Leave()
		if n := c.Stats().Flights; n != 0 {
			t.Errorf("%d flights when all have left", n)
		}
		lead(t, c, k, plain).Fail()
	})
}

// Who has joined and does not wait yet takes over as well, and whoever leaves the line
// with the lead just handed to it hands it on.
func TestTheLeadIsNeverLost(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c, k := newCache(1<<20, 1<<20), key("/a")
		f := lead(t, c, k, plain)
		joined, _ := c.Fetch(k, plain, policy)
		f.Leave()
		if _, o := joined.Wait(patient{}, time.Hour); o != Leads {
			t.Errorf("who had joined: %v, want that it leads", o)
		}
		a, b := join(t, c, k), join(t, c, k)
		s := f.shard()
		s.mu.Lock() // a's client goes, and before a can say so its turn comes
		a.client.gone.Store(true)
		time.Sleep(lookEvery)
		f.leaveLocked(s)
		s.mu.Unlock()
		synctest.Wait()
		if a.state() == "gone" {
			expect(t, "a handed it on", "leads", b)
		} else {
			expect(t, "a took it", "leads", a)
		}
		f.Fail()
		synctest.Wait()
		if n := c.Stats().Flights; n != 0 {
			t.Errorf("%d flights in the end", n)
		}
	})
}

// The wait that ends just when its time is up uses what came.
func TestWhatComesAtTheLastMomentIsUsed(t *testing.T) {
	for _, tt := range []struct {
		name string
		end  func(f *Flight, s *shard)
		want Outcome
	}{
		{"lead", func(f *Flight, s *shard) { f.leaveLocked(s) }, Leads},
		{"answer", func(f *Flight, s *shard) { f.endLocked(s, newEntry(f.home, answer(0), nil), Answered) }, Answered},
	} {
		c, k := newCache(1<<20, 1<<20), key("/a")
		f := lead(t, c, k, plain)
		joined, _ := c.Fetch(k, plain, policy)
		turn, _ := joined.queue()
		s := f.shard()
		s.mu.Lock()
		tt.end(f, s)
		s.mu.Unlock()
		if _, o := joined.giveUp(turn, TooLate); o != tt.want {
			t.Errorf("%s: %v, want %v", tt.name, o, tt.want)
		}
	}
}

// Requests that a known entry tells apart have flights of their own.
func TestVariantsHaveFlightsOfTheirOwn(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c, k := newCache(1<<20, 1<<20), key("/a")
		gold, iron := with("tier", "gold"), with("tier", "iron")
		first := lead(t, c, k, gold)
		w := joinAs(t, c, k, iron, time.Hour) // nothing tells them apart yet
		first.Store(varied(gold, "tier"), nil).Done()
		expect(t, "the answer is gold's", "answered", w)
		if w.entry.Stored().Fits(iron, policy) {
			t.Error("iron is given gold's answer")
		}
		a, b := lead(t, c, k, gold), lead(t, c, k, iron)
		wa, wb := joinAs(t, c, k, gold, time.Hour), joinAs(t, c, k, iron, time.Hour)
		a.Pass(0, 0)
		expect(t, "gold's was passed", "passed", wa)
		expect(t, "gold's was passed", "waits", wb)
		b.Fail()
		expect(t, "iron's failed", "failed", wb)
	})
}

// isMarked reports whether a key has a mark.
func isMarked(c *Cache, k *Key) bool {
	_, ok := c.Marked(k)
	return ok
}

// marked reports whether a key has a mark that says that.
func marked(c *Cache, k *Key, want Mark) bool {
	m, ok := c.Marked(k)
	m.Until = time.Time{}
	return ok && m == want
}

// After a fetch that failed it is known why, for as long as the leader has said; who comes
// waits all the same, and an answer ends it.
func TestFailuresAreRemembered(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c, k := newCache(1<<20, 1<<20), key("/a")
		a := lead(t, c, k, plain)
		w := join(t, c, k)
		a.FailFor(time.Second, 9)
		expect(t, "the first failed", "failed", w)
		if c.Lookup(k, plain, policy).Passing || !marked(c, k, Mark{Failed: true, Why: 9}) {
			t.Error("it is not known that it failed")
		}
		b := lead(t, c, k, plain)
		w = join(t, c, k)
		time.Sleep(time.Second)
		if isMarked(c, k) {
			t.Error("it is still known after its time")
		}
		b.FailFor(time.Second, 9)
		expect(t, "the second failed", "failed", w)
		lead(t, c, k, plain).Store(answer(0), nil).Done()
		if isMarked(c, k) {
			t.Error("it is still known although there is an answer")
		}
	})
}

// After an answer that could not be stored nobody waits for another, until the mark ends
// or an answer is stored after all.
func TestMarkedKeysAreNotWaitedFor(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c, k := newCache(1<<20, 1<<20), key("/a")
		lead(t, c, k, plain).Pass(time.Minute, 7)
		a, b := lead(t, c, k, plain), lead(t, c, k, plain)
		if c.Lead(k, plain, policy) != nil {
			t.Error("who has no use for waiting makes it three at a time")
		}
		if !c.Lookup(k, plain, policy).Passing || !marked(c, k, Mark{Why: 7}) {
			t.Error("the key is not marked")
		}
		time.Sleep(time.Minute)
		if c.Lookup(k, plain, policy).Passing || isMarked(c, k) {
			t.Error("the key is still marked after its time")
		}
		third := lead(t, c, k, plain)
		w := join(t, c, k)
		a.Pass(time.Minute, 0)
		b.Store(answer(0), nil).Done()
		if f := c.Lookup(k, plain, policy); f.Passing || f.Entry == nil || isMarked(c, k) || isMarked(c, key("/none")) {
			t.Errorf("%+v, want the entry and no mark", f)
		}
		third.Fail()
		expect(t, "the third failed", "failed", w)
		balanced(t, c)
	})
}

// A key that is marked is marked anew when half of its time has gone, or where that says
// something else: each row comes after the one before it.
func TestMarksAreRenewed(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c, k := newCache(1<<20, 1<<20), key("/a")
		for _, tt := range []struct {
			name  string
			after time.Duration
			d     time.Duration
			why   uint8
			left  time.Duration
		}{
			{"the first", 0, time.Minute, 7, time.Minute},
			{"the same at once", 0, time.Minute, 7, time.Minute},
			{"the same when half has gone", 30 * time.Second, time.Minute, 7, 30 * time.Second},
			{"the same later", time.Second, time.Minute, 7, time.Minute},
			{"for another reason", time.Second, time.Minute, 8, time.Minute},
			{"for less long", time.Second, 30 * time.Second, 8, 30 * time.Second},
			{"for longer", time.Second, 2 * time.Minute, 8, 2 * time.Minute},
			{"no longer than now", time.Second, 0, 8, 119 * time.Second},
			{"after its end", time.Hour, time.Minute, 8, time.Minute},
		} {
			time.Sleep(tt.after)
			lead(t, c, k, plain).Pass(tt.d, tt.why)
			if m, ok := c.Marked(k); !ok || m.Until.Sub(time.Now()) != tt.left || m.Failed {
				t.Errorf("%s: %+v, %v left, want %v", tt.name, m, m.Until.Sub(time.Now()), tt.left)
			}
			if n := c.Stats().Marks; n != 1 {
				t.Errorf("%s: %d marks, want 1", tt.name, n)
			}
		}
		lead(t, c, k, plain).FailFor(time.Minute, 8)
		lead(t, c, k, plain).Pass(time.Minute, 8)
		if m, ok := c.Marked(k); !ok || m.Failed {
			t.Errorf("after a failure: %+v, want that there was an answer", m)
		}
		balanced(t, c)
	})
}

// A purge counts for answers that were asked for before: who waits gets them, and
// nobody else. A soft one lets them be stale. (M6)
func TestPurgesCountForFlights(t *testing.T) {
	sel := func(text string) *Selector {
		s, err := ParseSelector(text, true, nil)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	for _, tt := range []struct {
		name  string
		purge func(c *Cache)
		want  string
	}{
		{"none", func(c *Cache) {}, "fresh"},
		{"of all", func(c *Cache) { c.Purge(sel(""), Hard, false) }, "nothing"},
		{"of all, soft", func(c *Cache) { c.Purge(sel(""), Soft, false) }, "stale"},
		{"of all, soft, then hard", func(c *Cache) { c.Purge(sel(""), Soft, false); c.Purge(sel(""), Hard, false) }, "nothing"},
		{"preview", func(c *Cache) { c.Purge(sel(""), Hard, true) }, "fresh"},
		{"of its tag, which nobody knew then", func(c *Cache) { c.Purge(sel("tag:news"), Hard, false) }, "nothing"},
		{"of another tag", func(c *Cache) { c.Purge(sel("tag:old"), Hard, false) }, "fresh"},
		{"of its path", func(c *Cache) { c.Purge(sel("path:/a"), Soft, false) }, "stale"},
		{"of another site", func(c *Cache) { c.Purge(sel("site:blog"), Hard, false) }, "fresh"},
		{"where its status is 200", func(c *Cache) {
			s := sel("")
			s.Where = func(e *Entry) bool { return e.Stored().Status == 200 }
			c.Purge(s, Hard, false)
		}, "nothing"},
		{"invalidated", func(c *Cache) { c.InvalidateTarget("shop", false, []byte("/a")) }, "nothing"},
		{"invalidated with another scheme", func(c *Cache) { c.InvalidateTarget("shop", true, []byte("/a")) }, "fresh"},
	} {
		for _, update := range []bool{false, true} {
			t.Run(tt.name, func(t *testing.T) {
				bubble(t, func(t *testing.T) {
					c, k := newCache(1<<20, 1<<20), key("/a")
					s := answer(-1)
					s.Tags = []string{"news"}
					var old *Entry
					if update {
						old = put(t, c, k, s, []byte("abc"))
					}
					f := lead(t, c, k, plain)
					w := join(t, c, k)
					tt.purge(c)
					if update {
						f.Update(old, s, []byte("new"))
					} else {
						fill := f.Store(s, []byte("new"))
						fill.Write([]byte("abc"))
						fill.Done()
					}
					if expect(t, "it was answered", "answered", w); string(w.entry.Head()) != "new" {
						t.Errorf("the waiter has the head %q", w.entry.Head())
					}
					if got := standing(c, k); got != tt.want {
						t.Errorf("update %v: found %s, want %s", update, got, tt.want)
					}
					balanced(t, c)
				})
			})
		}
	}
}

// standing is what a lookup finds, in a word.
func standing(c *Cache, k *Key) string {
	switch e := find(c, k, plain); {
	case e == nil:
		return "nothing"
	case e.Stored().Fresh.Expired:
		return "stale"
	}
	return "fresh"
}
