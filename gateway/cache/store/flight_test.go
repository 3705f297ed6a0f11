package store

import (
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"weirkeep/gateway/cache"
)

// wait is one who waits for a flight.
type wait struct {
	client  client
	entry   *Entry
	outcome Outcome
	over    bool
}

// client goes when it is told to.
type client struct{ gone atomic.Bool }

func (c *client) Gone() bool { return c.gone.Load() }

// joinAs joins the flight for a request, which must be under way, and waits.
func joinAs(t *testing.T, c *Cache, k *Key, r *cache.Request, limit time.Duration) *wait {
	t.Helper()
	f, leads := c.Fetch(k, r, policy)
	if leads {
		t.Fatal("there is no flight to join")
	}
	w := &wait{}
	go func() {
		w.entry, w.outcome = f.Wait(&w.client, limit)
		w.over = true
	}()
	synctest.Wait()
	return w
}

func join(t *testing.T, c *Cache, k *Key) *wait {
	t.Helper()
	return joinAs(t, c, k, plain, time.Hour)
}

// state is how far a wait is, in a word.
func (w *wait) state() string {
	synctest.Wait()
	if !w.over {
		return "waits"
	}
	return w.outcome.String()
}

func expect(t *testing.T, when, want string, w *wait) {
	t.Helper()
	if got := w.state(); got != want {
		t.Errorf("%s: %s, want %s", when, got, want)
	}
}

// Many misses are one fetch. All have the entry when its head is known, and read the
// body as it comes; whoever comes then finds it.
func TestWaitersHaveTheEntryAtOnce(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c, k := newCache(1<<20, 1<<20), key("/a")
		f := lead(t, c, k, plain)
		if f.Waited() {
			t.Error("it is waited for before anybody came")
		}
		a, b := join(t, c, k), join(t, c, k)
		expect(t, "nothing has come", "waits", a)
		if !f.Waited() {
			t.Error("it is not waited for")
		}
		fill := f.Store(answer(6), nil)
		expect(t, "the head has come", "answered", a)
		expect(t, "the head has come", "answered", b)
		late := find(c, k, plain)
		if a.entry != fill.Entry() || b.entry != fill.Entry() || late != fill.Entry() {
			t.Fatal("they do not have the same entry")
		}
		got := make([][]byte, 3)
		for i, from := range []int64{0, 2, 5} {
			go func() { got[i], _ = read(late.Body(), from, -1) }()
		}
		for _, p := range []string{"ab", "cde", "f"} {
			fill.Write([]byte(p))
			synctest.Wait()
		}
		fill.Done()
		synctest.Wait()
		for i, want := range []string{"abcdef", "cdef", "f"} {
			same(t, "read while it was filled", got[i], []byte(want))
		}
	})
}

// M6 and collapsing: what becomes of one who waits.
func TestWait(t *testing.T) {
	for _, tt := range []struct {
		name string
		do   func(c *Cache, f *Flight, w *wait)
		want string
	}{
		{"nothing happens", func(c *Cache, f *Flight, w *wait) { time.Sleep(time.Minute) }, "waits"},
		{"stored", func(c *Cache, f *Flight, w *wait) { f.Store(answer(-1), nil) }, "answered"},
		{"stored, too long", func(c *Cache, f *Flight, w *wait) { f.Store(answer(1<<20+1), nil) }, "passed"},
		{"stored, no room", func(c *Cache, f *Flight, w *wait) {
			c.Resize(Options{Memory: 100, MaxObject: 1 << 20})
			f.Store(answer(1000), nil)
		}, "passed"},
		{"passed", func(c *Cache, f *Flight, w *wait) { f.Pass(0, 0) }, "passed"},
		{"failed", func(c *Cache, f *Flight, w *wait) { f.Fail() }, "failed"},
		{"left", func(c *Cache, f *Flight, w *wait) { f.Leave() }, "leads"},
		{"limit", func(c *Cache, f *Flight, w *wait) { time.Sleep(time.Hour) }, "too late"},
		{"gone", func(c *Cache, f *Flight, w *wait) { w.client.gone.Store(true); time.Sleep(lookEvery) }, "gone"},
		{"invalidated", func(c *Cache, f *Flight, w *wait) { c.InvalidateTarget("shop", false, []byte("/a")) }, "waits"},
		{"invalidated, stored", func(c *Cache, f *Flight, w *wait) {
			c.InvalidateTarget("shop", false, []byte("/a"))
			f.Store(answer(-1), nil)
		}, "answered"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				c, k := newCache(1<<20, 1<<20), key("/a")
				f := lead(t, c, k, plain)
				w := join(t, c, k)
				tt.do(c, f, w)
				expect(t, tt.name, tt.want, w)
				if (w.outcome == Answered) != (w.entry != nil) && w.over {
					t.Errorf("outcome %v, entry %v", w.outcome, w.entry)
				}
				f.Fail()
				synctest.Wait()
				if n := c.Stats().Flights; n != 0 && tt.want != "leads" {
					t.Errorf("%d flights in the end", n)
				}
				balanced(t, c)
			})
		})
	}
}
