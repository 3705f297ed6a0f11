package promises

import (
	"net"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"weirkeep/gateway"
)

// A relay passes bytes on between the gateway and an origin, until it is frozen:
// then it reads nothing and passes nothing on, and no connection ends.
type relay struct {
	*origin
	target string
	moving sync.RWMutex // locked while frozen
}

func startRelay(t *testing.T, target string) *relay {
	r := &relay{target: target}
	r.origin = startOrigin(t, r.pass)
	return r
}

func (r *relay) pass(c *net.TCPConn) {
	r.wait()
	up, err := dialed(r.target)
	if err != nil {
		return
	}
	defer up.Close()
	done := make(chan struct{})
	go func() {
		defer close(done)
		r.copy(up, c)
		up.CloseWrite()
	}()
	r.copy(c, up)
	c.Close()
	<-done
}

func (r *relay) copy(to, from *net.TCPConn) {
	buf := make([]byte, 16<<10)
	for {
		n, err := from.Read(buf)
		r.wait()
		if n > 0 {
			if _, err := to.Write(buf[:n]); err != nil {
				return
			}
		}
		if err != nil {
			return
		}
	}
}

// wait returns when it is not frozen.
func (r *relay) wait() {
	r.moving.RLock()
	r.moving.RUnlock()
}

// A stall is a way for an origin to answer no more without being gone. Its
// address may be another's: begin returns how to start and how to end it.
type stall struct {
	name    string
	cluster string
	relayed bool
	begin   func(*process, *relay)
	end     func(*process, *relay)
}

var stalls = []stall{
	{
		name: "a frozen process", cluster: pinged,
		begin: func(p *process, _ *relay) { p.signal(syscall.SIGSTOP) },
		end:   func(p *process, _ *relay) { p.signal(syscall.SIGCONT) },
	},
	{
		name: "a connection that is half open", cluster: checked, relayed: true,
		begin: func(_ *process, r *relay) { r.moving.Lock() },
		end:   func(_ *process, r *relay) { r.moving.Unlock() },
	},
	{
		name: "a slow origin", cluster: pinged,
		begin: func(p *process, _ *relay) { p.toils(time.Minute) },
		end:   func(p *process, _ *relay) { p.toils(usual) },
	},
}

const (
	patience = 800 * time.Millisecond // for the first byte
	slack    = 300 * time.Millisecond // that a busy machine adds
)

// G10: an origin that falls silent costs those it was asked by their deadline,
// and nobody else anything: what others answer takes as long as before. It never
// holds more slots than it has, they come back at the deadline, and so does the
// origin once it answers again.
func TestSilentOriginCostsOthersNothing(t *testing.T) {
	for _, tt := range stalls {
		t.Run(tt.name, func(t *testing.T) {
			watchLeaks(t)
			arrived := new(arrivals)
			victim := startProcess(t, "b", arrived)
			addresses := []string{startProcess(t, "a", arrived).addr, victim.addr, startProcess(t, "c", arrived).addr}
			var r *relay
			if tt.relayed {
				r = startRelay(t, victim.addr)
				addresses[1] = r.addr
			}
			addr, g := start(t, spread(addresses, eachHas, tt.cluster+"    first_byte_timeout: 800ms\n    retry: { retries: 0 }", ""), gateway.Options{})
			w := startCrew(t, busy70, to(addr), getsAndPosts)
			w.await(t, either(500, 5000), 0)

			most := watchLoad(t, g, "b")
			began := time.Now()
			tt.begin(victim, r)
			thaw := sync.OnceFunc(func() { tt.end(victim, r) })
			t.Cleanup(thaw)
			w.await(t, 300, patience+slack)
			drained := within(5*time.Second, func() bool { s := statusOf(g, "b"); return s.Load == 0 && !s.Up })
			emptied := time.Since(began)
			w.await(t, either(200, 5000), 0)
			ended := time.Now()
			thaw()
			up := within(10*time.Second, func() bool { return statusOf(g, "b").Up })
			back := time.Since(ended)
			w.await(t, 200, 0)
			all := w.end()

			w.expectNothingWrong(t)
			expectOthersAsBefore(t, all, began, ended)
			expectDeadlines(t, selected(all, isNotRight))
			if n := most(); n > eachHas {
				t.Errorf("it held %d slots, want at most %d", n, eachHas)
			}
			if !drained || emptied > 2*patience+2*slack {
				t.Errorf("its slots were free after %v, want %v", emptied, 2*patience)
			}
			t.Logf("its slots were free after %v; back %v after its end", emptied.Round(time.Millisecond), back.Round(time.Millisecond))
			if !up || back > readmits {
				t.Errorf("it was in service %v after it answered again, want %v", back, readmits)
			}
			if len(selected(all, func(o outcome) bool { return o.origin == "b" && o.began.After(ended) })) == 0 {
				t.Error("the origin that is back gets nothing to do")
			}
			expectAtRest(t, g)
		})
	}
}

// watchLoad looks at an origin's load again and again, until the test ends or
// the most that was seen is asked for.
func watchLoad(t *testing.T, g *gateway.Gateway, name string) (most func() int64) {
	var seen atomic.Int64
	var watching sync.WaitGroup
	quit := make(chan struct{})
	watching.Go(func() {
		for tick := time.NewTicker(5 * time.Millisecond); ; {
			select {
			case <-quit:
				tick.Stop()
				return
			case <-tick.C:
				seen.Store(max(seen.Load(), statusOf(g, name).Load))
			}
		}
	})
	stop := sync.OnceFunc(func() { close(quit); watching.Wait() })
	t.Cleanup(stop)
	return func() int64 { stop(); return seen.Load() }
}

// expectOthersAsBefore compares what the other origins answered before and
// during the stall. Below the floor times are the machine's, not ours; who had
// to wait for the silent one would wait longer.
func expectOthersAsBefore(t *testing.T, all []outcome, began, ended time.Time) {
	t.Helper()
	base := ninetyNinthOf(selected(all, func(o outcome) bool { return isRight(o) && o.origin != "b" && o.ended.Before(began) }))
	during := selected(all, func(o outcome) bool {
		return isRight(o) && o.origin != "b" && o.began.After(began) && o.ended.Before(ended)
	})
	t.Logf("99th percentile of the others: %v before, %v during; %d errands", base, ninetyNinthOf(during), len(during))
	if got, most := ninetyNinthOf(during), max(2*base, patience/2); got > most && !raced {
		t.Errorf("the 99th percentile of the others was %v, want %v", got, most)
	}
	if len(during) < 100 {
		t.Errorf("the others answered %d errands", len(during))
	}
}

// expectDeadlines fails the test unless all that failed did so with a 504, at
// the deadline.
func expectDeadlines(t *testing.T, failed []outcome) {
	t.Helper()
	bad := selected(failed, func(o outcome) bool {
		return o.status != 504 || o.took() < patience*9/10 || o.took() > patience*11/10+slack
	})
	show(t, bad)
	t.Logf("%d errands failed, the slowest after %v", len(failed), slowest(failed).Round(time.Millisecond))
	if len(failed) == 0 || len(failed) > 2*eachHas {
		t.Errorf("%d errands met the silent origin, want up to %d", len(failed), eachHas)
	}
}

func slowest(all []outcome) (d time.Duration) {
	for _, o := range all {
		d = max(d, o.took())
	}
	return d
}
