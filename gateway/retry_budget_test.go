package gateway

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"

	"pgregory.net/rapid"

	"weirkeep/gateway/unit"
)

const percent = unit.Percent(oneAttempt / 100)

// What a budget grants after a number of exchanges that all want one more try.
func TestRetryBudget(t *testing.T) {
	for _, tt := range []struct {
		name            string
		share           unit.Percent
		quiet, troubled int // exchanges that need no retry, then exchanges that do
		granted         int
	}{
		{"none is wanted", 20 * percent, 1000, 0, 0},
		{"the reserve", 20 * percent, 0, 100, 100},
		{"a share beyond the reserve", 20 * percent, 0, 600, 100 + 599/5},
		{"the reserve does not grow", 20 * percent, 100000, 600, 100 + 599/5},
		{"nothing beyond the reserve", 0, 1000, 600, 100},
		{"all", 100 * percent, 0, 600, 600},
		{"a small share", percent / 2, 0, 1000, 100 + 999/200},
	} {
		t.Run(tt.name, func(t *testing.T) {
			b := newRetryBudget(tt.share, 0)
			for range tt.quiet {
				b.earn()
			}
			granted := 0
			for range tt.troubled {
				b.earn()
				if b.spend() {
					granted++
				}
			}
			if granted != tt.granted {
				t.Errorf("%d further attempts were granted, want %d", granted, tt.granted)
			}
		})
	}
}

// In any order of earning and spending: never more than the reserve and the
// share, and not refused while one whole attempt is saved.
func TestRetryBudgetHolds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		share := unit.Percent(rapid.IntRange(0, oneAttempt).Draw(t, "share"))
		b := newRetryBudget(share, 0)
		saved := int64(leastReserve * oneAttempt)
		for _, earns := range rapid.SliceOf(rapid.Bool()).Draw(t, "earns") {
			if earns {
				b.earn()
				if saved < leastReserve*oneAttempt {
					saved += int64(share)
				}
				continue
			}
			for range rapid.IntRange(1, 60).Draw(t, "spends") {
				want := saved >= oneAttempt
				if want {
					saved -= oneAttempt
				}
				if got := b.spend(); got != want {
					t.Fatalf("spend() = %v with %d saved", got, saved)
				}
			}
		}
	})
}

// Many at once get no more than one after the other.
func TestHammerRetryBudget(t *testing.T) {
	const each = 5000
	workers := 2 * runtime.GOMAXPROCS(0)
	b := newRetryBudget(20*percent, 0)
	var granted atomic.Int64
	var all sync.WaitGroup
	for range workers {
		all.Go(func() {
			for range each {
				b.earn()
				if b.spend() {
					granted.Add(1)
				}
			}
		})
	}
	all.Wait()
	if most := int64(100 + workers*each/5); granted.Load() > most {
		t.Errorf("%d further attempts were granted, want at most %d", granted.Load(), most)
	}
	if saved := b.saved.Load(); saved < 0 || saved > leastReserve*oneAttempt+int64(workers)*int64(20*percent) {
		t.Errorf("%d is saved in the end", saved)
	}
}

// When every origin of a cluster dies on every request, the origins see the
// requests, the reserve and the share, and no more.
func TestDyingClusterIsNotFlooded(t *testing.T) {
	t.Parallel()
	const exchanges = 400
	for _, tt := range []struct {
		name     string
		capacity int // of the first origin; the other has 100
		retry    string
		attempts int
	}{
		{"default", 100, "", exchanges + 100 + (exchanges-1)/5},
		{"half", 100, ", retry: { budget: 50% }", exchanges + 100 + (exchanges-1)/2},
		{"only the reserve", 100, ", retry: { budget: 0% }", exchanges + 100},
		{"the reserve of a large origin", 250, ", retry: { budget: 0% }", exchanges + 250},
		{"the reserve of a small one", 1, ", retry: { budget: 0% }", exchanges + 100},
		{"several tries each", 100, ", retry: { retries: 3, budget: 0% }", exchanges + 100},
		{"no retries", 100, ", retry: { retries: 0 }", exchanges},
		{"no retries, whatever is saved", 100, ", retry: { retries: 0, budget: 100% }", exchanges},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			dies := func(_ int, c *endConn) { c.head() }
			one, other := newEndOrigin(t, dies), newEndOrigin(t, dies)
			both := fmt.Sprintf(`%s" }, { capacity: 100, address: "%s`, one.addr, other.addr)
			text := "listeners: [{ address: \"127.0.0.1:0\" }]\nclusters: { app: { origins: [{ capacity: " + fmt.Sprint(tt.capacity) + ", address: \"" + both + "\" }], failover: { threshold: 1000 }" + tt.retry + " } }\n" + endNoLog
			addr, g := start(t, text, Options{})
			c := endDial(t, addr)
			r := bufio.NewReader(c)
			for range exchanges {
				io.WriteString(c, "GET / HTTP/1.1\r\nHost: a\r\n\r\n")
				if status, body, err := endAnswer(r); status != 502 || err != nil {
					t.Fatalf("answered %d %q (%v)", status, body, err)
				}
			}
			if got := len(one.seen()) + len(other.seen()); got != tt.attempts {
				t.Errorf("the origins saw %d requests, want %d", got, tt.attempts)
			}
			if got := endRetries(g); got != tt.attempts-exchanges {
				t.Errorf("%d retries are counted, want %d", got, tt.attempts-exchanges)
			}
		})
	}
}

func endRetries(g *Gateway) (n int) {
	for _, m := range g.current.Load().clusters[0].members {
		n += int(m.metrics.Retries.Load())
	}
	return n
}

// endGauges are what a scrape shows of the first origin.
func endGauges(g *Gateway) [3]int64 {
	g.Metrics().Gauge()
	m := g.current.Load().clusters[0].members[0].metrics
	return [3]int64{m.Up.Load(), m.Load.Load(), m.Idle.Load()}
}

// The gauges of an origin are right whenever they are read, though nobody keeps
// them in between. An origin that is down does not make the gateway unready:
// its clients would be worse off anywhere but here.
func TestGaugesAreRightAtEachScrape(t *testing.T) {
	t.Parallel()
	arrived, release := make(chan bool), make(chan bool)
	serve := func(_ int, c *endConn) {
		for head := c.head(); head != ""; head = c.head() {
			arrived <- true
			<-release
			c.say(endOK)
		}
	}
	o := newEndOrigin(t, serve)
	var refuses atomic.Bool
	addr, g := start(t, endText(o, "", "", endNoLog), Options{Dial: func(ctx context.Context, network, addr string) (net.Conn, error) {
		if refuses.Load() {
			return nil, syscall.ECONNREFUSED
		}
		return dialTCP(ctx, network, addr)
	}})
	want := func(when string, up, inFlight, idle int64) {
		t.Helper()
		var got [3]int64
		endUntil(t, when, func() bool {
			got = endGauges(g)
			return slices.Equal(got[:], []int64{up, inFlight, idle})
		})
		if !g.Status().Ready {
			t.Errorf("%s: not ready: %s", when, g.Status().NotReady)
		}
	}
	want("before the first request", 1, 0, 0)
	c := endDial(t, addr)
	r := bufio.NewReader(c)
	ask := func() { io.WriteString(c, "GET / HTTP/1.1\r\nHost: a\r\n\r\n") }
	ask()
	<-arrived
	want("during a request", 1, 1, 0)
	release <- true
	endAnswer(r)
	want("after it", 1, 0, 1)
	apply(t, g, endText(o, "", ", keep_alive: 0s", endNoLog)) // other connections, the same origin
	refuses.Store(true)
	want("nobody has asked yet", 1, 0, 0)
	ask()
	if status, _, err := endAnswer(r); status != 502 || err != nil {
		t.Errorf("answered %d, %v", status, err)
	}
	want("it refused", 0, 0, 0)
	refuses.Store(false)
	want("nobody has asked again", 0, 0, 0)
	go func() { <-arrived; release <- true }()
	endUntil(t, "it is asked again", func() bool {
		ask()
		status, _, _ := endAnswer(r)
		return status == 200
	})
	want("it is back", 1, 0, 0)
}

// An attempt that reached nobody costs nothing of the budget: however many there
// are, every request is answered by the other origin.
func TestFailedConnectsAreFree(t *testing.T) {
	t.Parallel()
	const exchanges = 400 // half of them meet the origin that refuses: more than the reserve
	other := newTeller(t, "other")
	addr, g := start(t, plainListener+fmt.Sprintf("clusters: { app: { balancer: round-robin, retry: { budget: 0%% }, failover: { connect_failures: same, threshold: 1000 }, "+
		"origins: [{ address: %q, capacity: 10 }, { address: %q, capacity: 10 }] } }\n", closedAddress(t), other.addr), Options{})
	for n := range exchanges {
		if got := askFor(t, addr, "a.example", "/"); got.status != 200 {
			t.Fatalf("request %d: %d %q", n, got.status, got.body)
		}
	}
	if got := endRetries(g); got < 150 {
		t.Errorf("%d requests were repeated, so the budget was never asked for", got)
	}
}

// A refusal for want of budget says so in the log.
func TestSpentBudgetIsTold(t *testing.T) {
	t.Parallel()
	dies := func(_ int, c *endConn) { c.head() }
	one := newEndOrigin(t, dies)
	log := new(lockedBuffer)
	addr, g := start(t, causeListener+fmt.Sprintf("clusters: { app: { retry: { budget: 0%% }, failover: { threshold: 1000 }, origins: [{ address: %q, capacity: 1 }] } }\n", one.addr), Options{Stderr: log})
	for range leastReserve + 1 {
		askFor(t, addr, "a.example", "/")
	}
	g.Close()
	all := causeLines(t, log.String())
	for i, l := range all {
		if told := strings.HasSuffix(l.Cause, "not repeated: clusters.app.retry.budget is used up"); told != (i == leastReserve) {
			t.Errorf("request %d: %s, %q", i, l.Reason, l.Cause)
		}
	}
}
