package plugins

import (
	"runtime"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"weirkeep/abi"
)

func collector(t testing.TB, name string) Config {
	return Config{Name: "p", Kind: Collector, Wasm: guestOf(t, name), Limits: Limits{Wait: time.Second}}
}

// The calls of a collector come one after the other, on one instance, which counts
// them.
func TestCollectorIsSerial(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(4))
	h, e := house(t)
	a, end := loaded(t, h, collector(t, "good/count"))
	var mu sync.Mutex
	seen := make(map[int]bool)
	var all sync.WaitGroup
	for range 10 {
		all.Go(func() {
			for range 10 {
				metric, known, failure := a.Collect(&abi.CollectorView{Name: "server1"})
				mu.Lock()
				if failure != nil || !known || seen[metric] {
					t.Errorf("%d, %v, %v, seen %v", metric, known, failure, seen[metric])
				}
				seen[metric] = true
				mu.Unlock()
			}
		})
	}
	all.Wait()
	if got := e.Instances.Load(); got != 1 || len(seen) != 100 {
		t.Errorf("%d instances, %d metrics", got, len(seen))
	}
	if metric, _, _ := a.Collect(&abi.CollectorView{}); metric != 100 || a.plugin.counters.Clamped.Load() != 1 {
		t.Errorf("the call number 101 gives %d, %d clamped", metric, a.plugin.counters.Clamped.Load())
	}
	end()
	nothingOpen(t, h, e)
}

// gw_enabled is asked first; a collector that wants no sampling has no opinion.
func TestCollectorThatIsNotAlwaysAsked(t *testing.T) {
	h, e := house(t)
	a, end := loaded(t, h, collector(t, "good/enabled"))
	for n := range 6 {
		metric, known, failure := a.Collect(&abi.CollectorView{})
		if failure != nil || known != (n%2 == 1) || known && metric != 42 {
			t.Errorf("sampling %d: %d, %v, %v", n, metric, known, failure)
		}
	}
	end()
	nothingOpen(t, h, e)
}

// gw_tick is called every period, on an instance that serves no requests.
func TestTicksHaveTheirOwnInstance(t *testing.T) {
	h, e := house(t)
	synctest.Test(t, func(t *testing.T) {
		c := router(t, "good/steps")
		c.Tick = time.Second
		a, end := loaded(t, h, c)
		time.Sleep(3500 * time.Millisecond)
		if got := a.plugin.counters.Calls.Load(); got != 3 {
			t.Errorf("%d calls in 3.5 s, want 3", got)
		}
		a.SetTable(tableOf(2, 20))
		v := request("/")
		v.Generation = 2
		list, _, failure := a.Route(v, nil, everything{}, nil)
		if len(list) != 8 {
			t.Errorf("steps %v, want 1 to 7 and 9", list)
		}
		for _, step := range list {
			if step == 8 || failure != nil {
				t.Errorf("steps %v, %v: the instance of requests ticks", list, failure)
			}
		}
		if got := e.Instances.Load(); got != 2 {
			t.Errorf("%d instances, want two", got)
		}
		built := a.plugin.counters.Built.Load()
		a.SetTable(tableOf(3, 0))
		time.Sleep(time.Second)
		if got := a.plugin.counters.Built.Load(); got != built {
			t.Error("a new table made a new instance")
		}
		a.SetTable(tableOf(4, 2000)) // larger than the buffer, and than what this guest has
		time.Sleep(time.Second)
		if f := a.plugin.Faults(); len(f) != 1 || f[0].Kind != InitFault || f[0].Export != tickExport {
			t.Errorf("faults %v, want that no larger instance could be made", f)
		}
		end()
	})
	nothingOpen(t, h, e)
}

// A tick that faults costs the instance of ticks; requests go on, and the breaker
// does not count it.
func TestTicksThatFault(t *testing.T) {
	for _, name := range []string{"call/tick-trap", "call/tick-positive"} {
		h, e := house(t)
		synctest.Test(t, func(t *testing.T) {
			c := router(t, name)
			c.Tick = 10 * time.Millisecond
			a, end := loaded(t, h, c)
			time.Sleep(10 * time.Second)
			route(t, a, "/")
			if s := a.Standing(); s.Breaker != BreakerClosed || s.Idle != 1 {
				t.Errorf("%+v", s)
			}
			if got := a.plugin.counters.Built.Load(); got < 90 || got > 112 {
				t.Errorf("%d instances in ten seconds, want ten a second", got)
			}
			f := a.plugin.Faults()
			if len(f) != keptFaults || f[0].Export != tickExport || f[0].At.Before(f[19].At) || f[0].Attachment != "cluster main/shop" {
				t.Errorf("%d faults, the newest %+v", len(f), f[0])
			}
			end()
		})
		nothingOpen(t, h, e)
	}
}
