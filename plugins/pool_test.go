package plugins

import (
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"
)

// A call that finds no instance waits limits.wait for one and no longer; that is no
// fault of the guest, and the breaker does not count it.
func TestCallsWaitForAnInstance(t *testing.T) {
	h, e := house(t)
	synctest.Test(t, func(t *testing.T) {
		c := router(t, "good/abstain")
		c.Limits = Limits{Instances: 2, Wait: 30 * time.Millisecond}
		a, end := loaded(t, h, c)
		first, second := hold(t, a), hold(t, a)
		for range 20 {
			begun := time.Now()
			_, _, failure := a.Route(request("/"), nil, everything{}, nil)
			if kindOf(failure) != TimeoutWaiting || time.Since(begun) != 30*time.Millisecond {
				t.Fatalf("%v after %v, want %s after 30 ms", failure, time.Since(begun), TimeoutWaiting)
			}
		}
		if s := a.Standing(); s.Instances != 2 || s.Idle != 0 || s.Breaker != BreakerClosed {
			t.Errorf("%+v, want two instances, none idle, breaker closed", s)
		}
		if got := a.plugin.counters.Faults[0].Load(); got != 20 {
			t.Errorf("%d faults counted, want 20", got)
		}
		if got := len(a.plugin.Faults()); got != 1 {
			t.Errorf("%d faults kept, want one a second", got)
		}
		first.leave()
		second.leave()
		route(t, a, "/")
		end()
	})
	nothingOpen(t, h, e)
}

// An instance that comes back goes to who has waited longest.
func TestInstancesGoToWhoWaitsLongest(t *testing.T) {
	h, e := house(t)
	synctest.Test(t, func(t *testing.T) {
		c := router(t, "good/abstain")
		c.Limits = Limits{Instances: 1, Wait: time.Second}
		a, end := loaded(t, h, c)
		held := hold(t, a)
		var order []int
		for n := range 3 {
			go func() {
				mine := hold(t, a)
				order = append(order, n) // one at a time has the instance
				mine.leave()
			}()
			synctest.Wait()
		}
		held.leave()
		synctest.Wait()
		if !slices.Equal(order, []int{0, 1, 2}) {
			t.Errorf("served in the order %v", order)
		}
		if got := a.plugin.counters.Built.Load(); got != 2 { // one of them for the self-test
			t.Errorf("%d instances made, want 2", got)
		}
		end()
	})
	nothingOpen(t, h, e)
}

// The pool grows as it is needed, to its bound, and is not held up by the pace of
// rebuilds.
func TestPoolGrowsToItsBound(t *testing.T) {
	h, e := house(t)
	synctest.Test(t, func(t *testing.T) {
		c := router(t, "good/abstain")
		c.Limits = Limits{Instances: 24, Wait: 10 * time.Millisecond}
		a, end := loaded(t, h, c)
		begun, held := time.Now(), []turn(nil)
		for range 24 {
			held = append(held, hold(t, a))
		}
		if took := time.Since(begun); took > 0 {
			t.Errorf("24 instances took %v", took)
		}
		if _, _, failure := a.Route(request("/"), nil, everything{}, nil); kindOf(failure) != TimeoutWaiting {
			t.Errorf("the 25th got %v", failure)
		}
		for _, x := range held {
			x.leave()
		}
		if s := a.Standing(); s.Instances != 24 || s.Idle != 24 || s.Memory != 24*2*pageBytes {
			t.Errorf("%+v, want 24 idle with two pages each", s)
		}
		end()
	})
	nothingOpen(t, h, e)
}

// Whoever waits when the attachment is closed is told so, and instances in use are
// closed when they come back, the code after them.
func TestCloseWhileInUse(t *testing.T) {
	h, e := house(t)
	synctest.Test(t, func(t *testing.T) {
		c := router(t, "good/abstain")
		c.Limits = Limits{Instances: 1, Wait: time.Second}
		a, end := loaded(t, h, c)
		held := hold(t, a)
		begun, told := time.Now(), make(chan *Failure)
		go func() {
			_, failure := a.enter(0, time.Second)
			told <- failure
		}()
		synctest.Wait()
		end()
		if f := <-told; kindOf(f) != TimeoutWaiting || time.Since(begun) != 0 {
			t.Errorf("who waited got %v after %v", f, time.Since(begun))
		}
		if e.Modules.Load() != 1 || e.Instances.Load() != 1 {
			t.Errorf("%d modules, %d instances are open, want those in use", e.Modules.Load(), e.Instances.Load())
		}
		held.leave()
		if _, _, f := a.Route(request("/"), nil, everything{}, nil); kindOf(f) != TimeoutWaiting {
			t.Errorf("a call after the end got %v", f)
		}
		a.Close() // once more does nothing
		a.plugin.Close()
	})
	nothingOpen(t, h, e)
}

// Whatever is done with instances, in whatever order: nobody has one that another one
// has, there are never too many, and in the end all are closed.
func TestPoolModel(t *testing.T) {
	h, e := house(t)
	c := router(t, "good/abstain")
	rapid.Check(t, func(r *rapid.T) {
		c.Limits = Limits{Instances: rapid.IntRange(1, 4).Draw(r, "most"), Memory: 2 * pageBytes}
		a, end := loaded(t, h, c)
		var held []*instance
		take := func(i *instance, fault *Fault) {
			if fault == nil {
				if slices.Contains(held, i) {
					r.Fatal("an instance was handed out twice")
				}
				held = append(held, i)
			}
		}
		pick := func() *instance {
			if len(held) == 0 {
				r.Skip("none is held")
			}
			n := rapid.IntRange(0, len(held)-1).Draw(r, "which")
			i := held[n]
			held = slices.Delete(held, n, n+1)
			return i
		}
		r.Repeat(map[string]func(*rapid.T){
			"get":   func(*rapid.T) { take(a.pool.get(time.Millisecond)) },
			"fresh": func(*rapid.T) { take(a.pool.fresh()) },
			"put":   func(*rapid.T) { a.pool.put(pick()) },
			"drop":  func(*rapid.T) { a.pool.drop(pick()) },
			"swap":  func(*rapid.T) { take(a.pool.swap(pick(), a.current())) },
			"large": func(*rapid.T) {
				i := pick()
				i.made = 0 // it has grown since, beyond three quarters of the limit
				a.pool.put(i)
			},
			"": func(r *rapid.T) {
				if s := a.Standing(); s.Idle+len(held) > s.Most || s.Instances > s.Most || s.Instances < len(held) {
					r.Fatalf("%+v with %d held", s, len(held))
				}
			},
		})
		end()
		for _, i := range held {
			a.pool.put(i)
		}
	})
	settled(t, func() bool { return e.Instances.Load() == 0 && e.Modules.Load() == 0 })
	nothingOpen(t, h, e)
}

// settled waits until what happens in the background has happened.
func settled(t testing.TB, done func() bool) {
	t.Helper()
	for end := time.Now().Add(20 * time.Second); !done(); runtime.Gosched() {
		if time.Now().After(end) {
			return // the test says what is missing
		}
	}
}

// Calls, faults, tables, growing memory and the end at the same time.
func TestHammerAttachment(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(4))
	h, e := house(t)
	for _, name := range []string{"call/moody", "good/hoard", "good/steps", "good/buffer-grows"} {
		c := router(t, name)
		c.Limits = Limits{Instances: 3, Wait: 5 * time.Millisecond}
		if name == "good/steps" {
			c.Tick = time.Millisecond
		}
		hammer(t, h, c)
	}
	settled(t, func() bool { return e.Instances.Load() == 0 && e.Modules.Load() == 0 })
	nothingOpen(t, h, e)
}

func hammer(t *testing.T, h *House, c Config) {
	a, end := loaded(t, h, c)
	stop := time.Now().Add(150 * time.Millisecond)
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			var list []uint16
			for time.Now().Before(stop) {
				path := []string{"/1", "/1", "/1", "/1", "/n", "/t", "/x"}[rand.IntN(7)]
				list, _, _ = a.Route(request(path), nil, everything{}, list[:0])
			}
		})
	}
	all.Go(func() {
		for n := uint32(2); time.Now().Before(stop); n++ {
			a.SetTable(tableOf(n, int(n%3)*300))
			a.Standing()
			runtime.Gosched()
		}
	})
	all.Wait()
	end()
}
