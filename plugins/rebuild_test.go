package plugins

import (
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"weirkeep/abi"
)

// Instances that fault are replaced at most ten times a second.
func TestRebuildsArePaced(t *testing.T) {
	h, e := house(t)
	synctest.Test(t, func(t *testing.T) {
		c := router(t, "good/abstain")
		c.Limits = Limits{Instances: 4, Wait: time.Second}
		a, end := loaded(t, h, c)
		before := a.plugin.counters.Built.Load()
		for begun := time.Now(); time.Since(begun) < 5*time.Second; {
			i, fault := a.pool.get(2 * time.Second)
			if fault != nil {
				t.Fatal(fault)
			}
			a.pool.drop(i)
		}
		if got := a.plugin.counters.Built.Load() - before; got < 50 || got > 60 {
			t.Errorf("%d instances in five seconds, want ten a second", got)
		}
		end()
	})
	nothingOpen(t, h, e)
}

// An instance that cannot be made is tried again after 100 ms, twice as long each
// time, to 10 s; each is a fault init.
func TestRebuildsBackOff(t *testing.T) {
	h, e := house(t)
	synctest.Test(t, func(t *testing.T) {
		c := router(t, "call/init-rebuild")
		c.KV = 1 << 20
		a, end := loaded(t, h, c)
		if _, _, failure := a.Route(request("/"), nil, everything{}, nil); kindOf(failure) != TrapFault {
			t.Fatalf("%v, want a trap", failure)
		}
		time.Sleep(60 * time.Second)
		faults := a.plugin.Faults()
		slices.Reverse(faults)
		want := []time.Duration{0, 0, 100, 300, 700, 1500, 3100, 6300, 12700, 22700, 32700, 42700, 52700} // ms
		if len(faults) != len(want) {
			t.Fatalf("%d faults, want %d", len(faults), len(want))
		}
		for n, f := range faults {
			if got := f.At.Sub(faults[0].At); got != want[n]*time.Millisecond {
				t.Errorf("fault %d after %v, want %v", n, got, want[n]*time.Millisecond)
			}
			if n > 0 && (f.Kind != InitFault || f.Stack == "" || f.Message == "") {
				t.Errorf("fault %d is %+v, want an init fault with its stack", n, f)
			}
		}
		a.plugin.store.kv.delete("broken", time.Now())
		time.Sleep(10 * time.Second)
		if s := a.Standing(); s.Idle != 1 {
			t.Errorf("%+v, want an instance again", s)
		}
		end()
	})
	nothingOpen(t, h, e)
}

// Every instance gets a new cluster table before it is called again, once.
func TestTableIsDeliveredBeforeTheNextCall(t *testing.T) {
	h, e := house(t)
	a, end := loaded(t, h, func() Config { c := router(t, "good/steps"); c.Tick = time.Hour; return c }())
	// step numbers are positions, of which three exist
	a.SetTable(tableOf(2, 7))
	v := request("/")
	v.Generation = 2
	for _, want := range [][]uint16{{1, 2, 3, 4, 5, 6, 7, 9}, {1, 2, 3, 4, 5, 6, 7, 9}} {
		if list, _, failure := a.Route(v, nil, everything{}, nil); failure != nil || !slices.Equal(list, want) {
			t.Errorf("steps %v, %v, want %v", list, failure, want)
		}
	}
	i := hold(t, a)
	if i.table != a.current() {
		t.Error("the instance has another table")
	}
	i.leave()
	end()
	nothingOpen(t, h, e)
}

// A request that began with the table before goes on with it; one of a table that is
// not known is the balancer's.
func TestRequestsKeepTheirTable(t *testing.T) {
	h, _ := house(t)
	a, end := loaded(t, h, router(t, "good/names"))
	defer end()
	reversed := tableOf(2, 0)
	reversed.Entries = slices.Clone(reversed.Entries)
	slices.Reverse(reversed.Entries)
	a.SetTable(reversed)
	for _, tt := range []struct {
		generation uint32
		want       []uint16 // server1, main/shop/server3
	}{{2, []uint16{2, 0}}, {1, []uint16{0, 2}}, {2, []uint16{2, 0}}, {7, nil}} {
		v := request("/")
		v.Generation = tt.generation
		if list, _, failure := a.Route(v, nil, everything{}, nil); failure != nil || !slices.Equal(list, tt.want) {
			t.Errorf("generation %d: %v, %v, want %v", tt.generation, list, failure, tt.want)
		}
	}
}

// A table that outgrows the buffer gets new instances, in the places of the old.
func TestTableOutgrowsTheBuffer(t *testing.T) {
	h, e := house(t)
	c := router(t, "good/buffer-grows")
	c.Limits.Instances = 1
	a, end := loaded(t, h, c)
	small := hold(t, a)
	if small.size != 65536 {
		t.Errorf("the buffer has %d bytes, want 65536", small.size)
	}
	small.leave()
	a.SetTable(tableOf(2, 2000))
	large := hold(t, a)
	if size := a.current().size; size <= 65536 || large.size != (size+4095)/4096*4096 {
		t.Errorf("the buffer has %d bytes, the table %d", large.size, size)
	}
	if got := e.Instances.Load(); got != 1 {
		t.Errorf("%d instances, want one", got)
	}
	large.leave()
	route(t, a, "/")
	end()
	nothingOpen(t, h, e)
}

// A table that the guest refuses is an init fault, and so is each rebuild.
func TestTableThatIsRefused(t *testing.T) {
	h, e := house(t)
	synctest.Test(t, func(t *testing.T) {
		a, end := loaded(t, h, router(t, "call/init-cluster"))
		route(t, a, "/")
		a.SetTable(tableOf(2, 0))
		_, _, failure := a.Route(request("/"), nil, everything{}, nil) // of the generation before: it has its table
		if failure != nil {
			t.Errorf("%v, want none", failure)
		}
		v := request("/")
		v.Generation = 2
		if _, _, failure = a.Route(v, nil, everything{}, nil); kindOf(failure) != InitFault || failure.Fault.Export != clusterExport {
			t.Errorf("%v, want an init fault in gw_on_cluster", failure)
		}
		time.Sleep(time.Second)
		if faults := a.plugin.Faults(); len(faults) != 5 || faults[0].Kind != InitFault {
			t.Errorf("%d faults, the last %v", len(faults), faults[0])
		}
		a.SetTable(tableOf(1, 0))
		time.Sleep(5 * time.Second)
		route(t, a, "/")
		end()
	})
	nothingOpen(t, h, e)
}

// An instance whose memory has grown beyond three quarters of its limit is replaced,
// which is no fault; it serves until its successor is ready.
func TestHoardersAreRetired(t *testing.T) {
	h, e := house(t)
	synctest.Test(t, func(t *testing.T) {
		c := router(t, "good/hoard")
		c.Limits = Limits{Instances: 1}
		a, end := loaded(t, h, c)
		for n := range 100 {
			route(t, a, "/")
			if n == 11 && a.plugin.counters.Retired.Load() != 0 { // 2 pages and 12 MiB
				t.Error("retired below three quarters")
			}
			if e.Instances.Load() > 2 {
				t.Fatalf("%d instances", e.Instances.Load())
			}
			synctest.Wait()
		}
		if got := a.plugin.counters.Retired.Load(); got < 5 || len(a.plugin.Faults()) > 0 {
			t.Errorf("%d retired, %d faults, want one in 12 calls and none", got, len(a.plugin.Faults()))
		}
		if s := a.Standing(); s.Instances != 1 {
			t.Errorf("%+v, want one", s)
		}
		end()
	})
	nothingOpen(t, h, e)
}

// While an instance that is to be retired serves, its successor does not: the pool of
// a collector is one instance.
func TestSuccessorWaitsForItsTurn(t *testing.T) {
	h, e := house(t)
	c := Config{Name: "p", Kind: Collector, Wasm: guestOf(t, "good/count"), Limits: Limits{Memory: 2 * pageBytes}}
	synctest.Test(t, func(t *testing.T) {
		a, end := loaded(t, h, c)
		old := hold(t, a)
		old.made = 0                                          // it has grown
		a.pool.retirements.next = time.Now().Add(time.Second) // no successor until it is held again
		old.leave()
		old = hold(t, a)
		time.Sleep(2 * time.Second) // the successor is ready
		if e.Instances.Load() != 2 {
			t.Errorf("%d instances, want two", e.Instances.Load())
		}
		if _, _, failure := a.Collect(&abi.CollectorView{}); kindOf(failure) != TimeoutWaiting {
			t.Errorf("%v, want nobody there", failure)
		}
		old.leave()
		if metric, _, failure := a.Collect(&abi.CollectorView{}); metric != 1 || failure != nil {
			t.Errorf("%d, %v, want the first call of a new instance", metric, failure)
		}
		if e.Instances.Load() != 1 {
			t.Errorf("%d instances, want one", e.Instances.Load())
		}
		end()
	})
	nothingOpen(t, h, e)
}
