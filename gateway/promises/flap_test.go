package promises

import (
	"context"
	"log/slog"
	"net"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"weirkeep/gateway"
)

// A flapper is an origin that goes and comes back, always at the same address.
type flapper struct {
	*origin
	t      *testing.T
	serve  func(*net.TCPConn)
	listen net.Listener // nil: it is down
}

// newFlapper makes one that is down.
func newFlapper(t *testing.T, serve func(*net.TCPConn)) *flapper {
	t.Helper()
	f := &flapper{origin: &origin{addr: restartable, open: make(map[*net.TCPConn]bool)}, t: t, serve: serve}
	t.Cleanup(f.down)
	f.up()
	f.down()
	return f
}

// up lets it listen.
func (f *flapper) up() {
	f.t.Helper()
	l, err := net.Listen("tcp", f.addr)
	if err != nil {
		f.t.Fatal(err)
	}
	f.listen, f.addr = l, l.Addr().String()
	f.wg.Go(func() { f.accept(l, f.serve) })
}

// down closes everything: what is under way breaks off, connects are refused.
// When it returns nothing is at work any more.
func (f *flapper) down() {
	if f.listen != nil {
		f.listen.Close()
		f.listen = nil
	}
	f.closeAll()
	f.wg.Wait()
}

// flap goes down and comes up again and again, so long each, until stopped; then
// it is up.
func (f *flapper) flap(each time.Duration) (stop func()) {
	quit := make(chan struct{})
	var flapping sync.WaitGroup
	flapping.Go(func() {
		defer f.restore()
		for tick := time.NewTicker(each); ; {
			select {
			case <-quit:
				tick.Stop()
				return
			case <-tick.C:
				f.turn()
			}
		}
	})
	stop = sync.OnceFunc(func() { close(quit); flapping.Wait() })
	f.t.Cleanup(stop)
	return stop
}

func (f *flapper) turn() {
	if f.listen == nil {
		f.up()
	} else {
		f.down()
	}
}

func (f *flapper) restore() {
	if f.listen == nil {
		f.up()
	}
}

// lines count what a gateway logs.
type lines struct {
	slog.Handler
	said atomic.Int64
}

func newLines() *lines { return &lines{Handler: slog.DiscardHandler} }

func (l *lines) Enabled(context.Context, slog.Level) bool { return true }

func (l *lines) Handle(context.Context, slog.Record) error { l.said.Add(1); return nil }

// An origin that goes and comes back every 100 ms under load is not overrun when
// it comes back, starves nobody who waits, and does not fill the log.
func TestFlappingOriginIsBorne(t *testing.T) {
	watchLeaks(t)
	report := func(err error) { t.Error(err) }
	const capacity = 3
	steady, restless := newWorker("a", 10*time.Millisecond, report), newWorker("b", 10*time.Millisecond, report)
	f := newFlapper(t, restless.serve)
	f.up()
	log := newLines()
	o := startOrigin(t, steady.serve)
	addr, g := start(t, spread([]string{o.addr, f.addr}, capacity,
		"    failover: { ping: { path: /ping, interval: 100ms, timeout: 1s } }\n    queue: { timeout: 5s }", ""),
		gateway.Options{Logger: slog.New(log)})
	stop := f.flap(100 * time.Millisecond)
	w := startCrew(t, 4*capacity, to(addr), getsAndPosts)
	w.await(t, 100, either(2*time.Second, 20*time.Second))
	stop()
	if !within(readmits, func() bool { return statusOf(g, "b").Up }) {
		t.Error("it is up and was not readmitted")
	}
	calm := time.Now()
	w.await(t, 100, 0)
	all := w.end()

	w.expectNothingWrong(t)
	show(t, selected(all, func(o outcome) bool {
		broke := o.status == 502 && (o.method == "POST" || o.reason == "connect_refused") // twice: the other one was full
		return isNotRight(o) && (!broke || o.began.After(calm))
	}))
	t.Logf("%d errands, %d failed; the slowest took %v; %d changes of health, %d lines logged; at most %d at once of %d",
		len(all), len(selected(all, isNotRight)), slowest(all).Round(time.Millisecond), len(statusOf(g, "b").Transitions), log.said.Load(), restless.most.Load(), capacity)
	if n := restless.most.Load(); n > capacity {
		t.Errorf("%d errands at once, want at most %d", n, capacity)
	}
	if d := slowest(all); d > 2*time.Second {
		t.Errorf("somebody waited %v", d)
	}
	if n := log.said.Load(); n > 6*(1+either[int64](1, 2)) {
		t.Errorf("%d lines were logged", n)
	}
	if len(statusOf(g, "b").Transitions) < 4 {
		t.Error("it did not flap")
	}
	expectAtRest(t, g)
}

// SQ-05: ten times as many clients as there are slots, a queue for one, and
// origins that flap: the excess is answered 503 with its reason, and when the
// load is gone everything is as before.
func TestOverloadedFlappingOriginsRecover(t *testing.T) {
	watchLeaks(t)
	report := func(err error) { t.Error(err) }
	const capacity = 4
	var addresses []string
	var workers []*worker
	var stops []func()
	for _, name := range []string{"a", "b"} {
		w := newWorker(name, 10*time.Millisecond, report)
		f := newFlapper(t, w.serve)
		f.up()
		addresses, workers = append(addresses, f.addr), append(workers, w)
		stops = append(stops, f.flap(time.Duration(250+100*len(stops))*time.Millisecond))
	}
	addr, g := start(t, spread(addresses, capacity, "    queue: { size: 1, timeout: 1s }\n    failover: { ping: { path: /ping, interval: 100ms, timeout: 1s } }", ""), gateway.Options{})
	flood := startCrew(t, 10*2*capacity, to(addr), getsAndPosts)
	flood.await(t, 500, either(1500*time.Millisecond, time.Minute))
	for _, stop := range stops {
		stop()
	}
	all := flood.end()
	flood.expectNothingWrong(t)
	reasons := make(map[string]int)
	for _, o := range all {
		reasons[o.reason]++
		if o.status == 503 && (o.retryAfter == "" || !slices.Contains([]string{"queue_full", "queue_timeout", "no_origin"}, o.reason)) {
			t.Errorf("503 for %q, Retry-After %q", o.reason, o.retryAfter)
		}
	}
	t.Logf("%d errands: %v; at once %d and %d", len(all), reasons, workers[0].most.Load(), workers[1].most.Load())
	if workers[0].most.Load() > capacity || workers[1].most.Load() > capacity {
		t.Errorf("an origin had more at once than %d", capacity)
	}
	if reasons["queue_full"] == 0 || reasons[""] == 0 {
		t.Errorf("nobody was turned away, or nobody served: %v", reasons)
	}

	bothUp := func() bool { return statusOf(g, "a").Up && statusOf(g, "b").Up }
	if !within(readmits, bothUp) {
		t.Error("origins that are up were not readmitted")
	}
	few := startCrew(t, capacity, to(addr), getsAndPosts)
	few.await(t, 200, 0)
	show(t, selected(few.end(), isNotRight))
	expectAtRest(t, g)
}
