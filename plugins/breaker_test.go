package plugins

import (
	"runtime"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// Five faults in ten seconds that are at least half of all calls open the breaker.
func TestWhenTheBreakerOpens(t *testing.T) {
	for _, tt := range []struct {
		name  string
		calls string // g a good one, f a fault, . a second that passes
		want  BreakerState
	}{
		{"four faults", "ffff", BreakerClosed},
		{"five faults", "fffff", BreakerOpened},
		{"half", "gfgfgfgfgf", BreakerOpened},
		{"less than half", "ggfgfgfgfgf", BreakerClosed},
		{"good ones first", "ggggggffffff", BreakerOpened},
		{"good ones long ago", "gggggggg..........fffff", BreakerOpened},
		{"within ten seconds", "ff....ff.....f", BreakerOpened},
		{"longer than ten seconds", "ff.....ff.....f", BreakerClosed},
		{"one client's bad requests among good ones", "gggffgggffgggffgggff", BreakerClosed},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var b breaker
			now := 1_000_000 * time.Second
			for _, c := range tt.calls {
				if c == '.' {
					now += time.Second
					continue
				}
				b.note(now, c == 'f')
			}
			if got := b.state(); got != tt.want {
				t.Errorf("%s, want %s", got, tt.want)
			}
		})
	}
}

// While it is open nothing is called; after 1 s, doubling to 60 s, one call on a fresh
// instance closes it or does not.
func TestOneCallTriesAgain(t *testing.T) {
	h, e := house(t)
	synctest.Test(t, func(t *testing.T) {
		c := router(t, "call/moody")
		c.Limits.Wait = time.Second
		a, end := loaded(t, h, c)
		for range 5 {
			if _, _, f := a.Route(request("/t"), nil, everything{}, nil); kindOf(f) != TrapFault {
				t.Fatalf("%v, want a trap", f)
			}
		}
		for _, pause := range []time.Duration{1, 2, 4, 8, 16, 32, 60, 60} {
			time.Sleep(pause*time.Second - 1)
			if _, _, f := a.Route(request("/1"), nil, everything{}, nil); f == nil || f.NotCalled != BreakerOpen {
				t.Fatalf("%v before %d s, want it not called", f, pause)
			}
			time.Sleep(1)
			if _, _, f := a.Route(request("/t"), nil, everything{}, nil); kindOf(f) != TrapFault {
				t.Fatalf("%v after %d s, want the trial", f, pause)
			}
		}
		time.Sleep(time.Minute)
		fresh := a.plugin.counters.Built.Load()
		trial := hold(t, a)
		if !trial.trial || a.Standing().Breaker != BreakerHalfOpen || a.plugin.counters.Built.Load() != fresh+1 {
			t.Errorf("trial %v on %d new instances, breaker %s", trial.trial, a.plugin.counters.Built.Load()-fresh, a.Standing().Breaker)
		}
		if _, _, f := a.Route(request("/1"), nil, everything{}, nil); f == nil || f.NotCalled != BreakerOpen {
			t.Errorf("%v beside the trial, want it not called", f)
		}
		trial.leave()
		if a.Standing().Breaker != BreakerClosed {
			t.Error("a good trial did not close it")
		}
		route(t, a, "/1")
		for range 4 { // it has forgotten
			a.Route(request("/t"), nil, everything{}, nil)
		}
		if a.Standing().Breaker != BreakerClosed {
			t.Error("four faults opened it again")
		}
		end()
	})
	nothingOpen(t, h, e)
}

// A trial that does not get as far as a call is none, and the next call is.
func TestTrialThatIsNotMade(t *testing.T) {
	h, e := house(t)
	synctest.Test(t, func(t *testing.T) {
		a, end := loaded(t, h, router(t, "call/moody"))
		a.breaker.open(a.moment(), time.Second)
		time.Sleep(time.Second)
		large := request("/1")
		large.Query = make([]byte, 60_000)
		if _, _, f := a.Route(large, nil, everything{}, nil); f == nil || f.NotCalled != ViewTooLarge {
			t.Errorf("%v, want %s", f, ViewTooLarge)
		}
		if list := route(t, a, "/1"); len(list) != 1 || a.Standing().Breaker != BreakerClosed {
			t.Errorf("%v, %s, want the trial", list, a.Standing().Breaker)
		}
		end()
	})
	nothingOpen(t, h, e)
}

// A negative answer is no fault: the instance is kept, the code is counted.
func TestNegativeAnswers(t *testing.T) {
	h, e := house(t)
	a, end := loaded(t, h, router(t, "call/moody"))
	built := a.plugin.counters.Built.Load()
	for range 20 {
		if _, _, f := a.Route(request("/n"), nil, everything{}, nil); f == nil || f.Code != -4 {
			t.Errorf("%v, want -4", f)
		}
	}
	n := a.plugin.counters
	if n.Negative.Load() != 20 || n.Codes[3].Load() != 20 || n.Built.Load() != built || a.Standing().Breaker != BreakerClosed {
		t.Errorf("%d negative, %d of them -4, %d built, breaker %s", n.Negative.Load(), n.Codes[3].Load(), n.Built.Load()-built, a.Standing().Breaker)
	}
	end()
	nothingOpen(t, h, e)
}

// Many at a time: one of them is the trial.
func TestHammerBreaker(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(4))
	var b breaker
	var all sync.WaitGroup
	var trials sync.Map
	now := time.Hour
	for n := range 8 {
		all.Go(func() {
			for k := range 2000 {
				at := now + time.Duration(k)*time.Millisecond
				may, trial := b.allow(at)
				switch {
				case trial:
					if _, other := trials.LoadOrStore("trial", n); other {
						t.Error("two trials at once")
					}
					trials.Delete("trial")
					b.tried(at, k%3 == 0)
				case may:
					b.note(at, k%2 == 0)
				}
				b.state()
			}
		})
	}
	all.Wait()
}
