package gateway

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
)

// A ping asks only while the origin is out; its first good answer brings it back,
// and then the next held request goes there.
func TestPingOnlyWhileDown(t *testing.T) {
	inWellBubble(t, 50, ", failover: { ping: { path: /check, interval: 10s, timeout: 2s } }", Options{}, func(t *testing.T, b *bubble, s1, s2 *wellness) {
		if bad := b.getFor(time.Minute, time.Second); bad != 0 {
			t.Errorf("%d requests failed while all was well", bad)
		}
		if _, checks, requests := s1.counts(); checks != 0 || requests != 30 {
			t.Errorf("M-FO-03: while up, %d pings and %d requests; want none and 30", checks, requests)
		}
		s1.with(func() { s1.refuses = true; s1.connects = 0 })
		if bad := b.getFor(26*time.Second, time.Second); bad != 0 {
			t.Errorf("M-FO-02: %d requests failed", bad)
		}
		if connects, _, requests := s1.counts(); connects != 3 || requests != 30 { // one request and two pings
			t.Errorf("M-FO-02, M-FO-03: in 26 s out, %d connects and %d requests; want 3, and none", connects, requests-30)
		}
		s1.with(func() { s1.refuses = false; s1.checked = 503 })
		b.getFor(10*time.Second, time.Second)
		if s := statusOf(t, b.g, "s1"); s.Up {
			t.Error("M-FO-03: a ping that was answered 503 has brought it back")
		}
		s1.with(func() { s1.checked = 404; s1.takes = time.Hour }) // any answer will do
		s2.with(func() { s2.takes = time.Hour })
		_, before, _ := s1.counts()
		for range 3 {
			io.WriteString(b.client(), bubbleGET)
		}
		time.Sleep(10 * time.Second)
		if s := statusOf(t, b.g, "s1"); !s.Up || s.Load != 0 || statusOf(t, b.g, "s2").Load != 3 {
			t.Errorf("M-FO-03: after a good ping, health is %s, load %d", s.Health, s.Load)
		}
		for range 3 {
			io.WriteString(b.client(), bubbleGET)
			time.Sleep(time.Second)
		}
		if s1, s2 := statusOf(t, b.g, "s1").Load, statusOf(t, b.g, "s2").Load; s1 != 3 || s2 != 3 {
			t.Errorf("M-FO-05: after its return the loads are %d and %d, want all three there", s1, s2)
		}
		time.Sleep(time.Minute)
		if _, after, _ := s1.counts(); after != before+1 {
			t.Errorf("M-FO-03: %d pings after its return", after-before-1)
		}
	})
}

// A health check says down after down_after bad answers and up after up_after
// good ones, whatever requests say, and takes no slot.
func TestHealthDecides(t *testing.T) {
	const settings = `, health: { path: /check, interval: 5s, timeout: 2s, down_after: 3, up_after: 2, expect: "200-299" }`
	inWellBubble(t, 1, settings, Options{}, func(t *testing.T, b *bubble, s1, s2 *wellness) {
		requests := func() int { _, _, n := s1.counts(); return n }
		checks := func() int { _, n, _ := s1.counts(); return n }
		awaitChecks := func(n int) {
			for want := checks() + n; checks() < want; {
				time.Sleep(10 * time.Millisecond)
			}
			time.Sleep(10 * time.Millisecond)
		}
		health := func(when, want string) {
			t.Helper()
			if got := statusOf(t, b.g, "s1").Health; got != want {
				t.Errorf("X-44: %s, health is %s, want %s", when, got, want)
			}
		}
		s1.with(func() { s1.checked = 302 }) // not expected
		awaitChecks(2)
		b.getFor(2*time.Second, 100*time.Millisecond) // successes
		health("after two bad answers", "up")
		awaitChecks(1)
		health("after three", "down")
		before := requests()
		if bad := b.getFor(time.Minute, time.Second); bad != 0 || requests() != before {
			t.Errorf("M-FO-02: while down, %d requests failed and %d reached it", bad, requests()-before)
		}
		s1.with(func() { s1.checked = 204 })
		awaitChecks(1)
		health("after one good answer", "down")
		awaitChecks(1)
		health("after two", "up")

		// Requests eject it. Its health is good all the time, so it comes back.
		s1.with(func() { s1.served = "" })
		b.getFor(2*time.Second, 100*time.Millisecond)
		health("after resets", "ejected")
		awaitChecks(1)
		health("one good answer later", "ejected")
		s1.with(func() { s1.served = "200" })
		awaitChecks(2)
		health("two later", "up")

		// A check of an origin whose slots are all taken.
		s1.with(func() { s1.takes = time.Minute })
		s2.with(func() { s2.takes = time.Minute })
		for range 2 {
			io.WriteString(b.client(), bubbleGET)
			time.Sleep(time.Millisecond)
		}
		awaitChecks(3)
		if s := statusOf(t, b.g, "s1"); s.Load != 1 || !s.Up {
			t.Errorf("X-39: load %d, health %s; want 1 and up", s.Load, s.Health)
		}
	})
}

// Where there are checks no request tries an origin out, however long it is out.
func TestNoTrialsBesideChecks(t *testing.T) {
	for _, settings := range []string{
		", health: { path: /check, interval: 1s }",
		", failover: { ping: { path: /check, interval: 1s } }",
	} {
		t.Run("X-44: "+settings[2:8], func(t *testing.T) {
			inWellBubble(t, 50, settings, Options{}, func(t *testing.T, b *bubble, s1, s2 *wellness) {
				s1.with(func() { s1.checked, s1.served = 503, "" })
				b.getFor(10*time.Second, 100*time.Millisecond)
				_, _, before := s1.counts()
				if bad := b.getFor(5*time.Minute, time.Second); bad != 0 {
					t.Errorf("%d requests failed", bad)
				}
				_, _, after := s1.counts()
				if after != before || statusOf(t, b.g, "s1").Up {
					t.Errorf("%d requests reached it", after-before)
				}
			})
		})
	}
}

// Where there are no checks one request in 10 s tries the origin out, and costs
// its client nothing but a further attempt.
func TestTrials(t *testing.T) {
	inWellBubble(t, 50, "", Options{}, func(t *testing.T, b *bubble, s1, s2 *wellness) {
		s1.with(func() { s1.refuses = true })
		b.get(bubbleGET)
		out := b.took()
		if s := statusOf(t, b.g, "s1"); s.Health != "ejected" {
			t.Fatalf("health is %s", s.Health)
		}
		s1.with(func() { s1.refuses, s1.served = false, "" }) // it accepts, and closes
		if bad := b.getFor(25*time.Second, 100*time.Millisecond); bad != 0 {
			t.Errorf("%d requests failed", bad)
		}
		s1.with(func() {
			if len(s1.at) != 2 {
				t.Fatalf("X-44: trials at %v, want two", s1.at)
			}
			onTime(t, "X-44: the first trial came", s1.at[0]-out, 10*time.Second)
			onTime(t, "X-44: the second trial came", s1.at[1]-s1.at[0], 10*time.Second)
			s1.served = "200"
		})
		if bad := b.getFor(6*time.Second, 100*time.Millisecond); bad != 0 {
			t.Errorf("%d requests failed", bad)
		}
		s1.with(func() {
			if s := statusOf(t, b.g, "s1"); !s.Up || len(s1.at) < 4 {
				t.Errorf("X-44: health is %s after %d requests", s.Health, len(s1.at))
			}
		})
	})
}

// Where all are out a trial costs nobody anything, and comes after half a second.
// Until then clients are refused without an attempt.
func TestTrialsWhereAllAreOut(t *testing.T) {
	inWellBubble(t, 50, "", Options{}, func(t *testing.T, b *bubble, s1, s2 *wellness) {
		for _, o := range []*wellness{s1, s2} {
			o.with(func() { o.refuses = true })
		}
		if status := b.get(bubbleGET); status != "502" {
			t.Errorf("the request that found out was answered %s, want 502", status)
		}
		before, _, _ := s1.counts()
		for range 4 {
			time.Sleep(100 * time.Millisecond)
			if status := b.get(bubbleGET); status != "503" {
				t.Errorf("M-FO-07: answered %s, want 503", status)
			}
		}
		after, _, _ := s1.counts()
		if after != before {
			t.Errorf("M-FO-02: %d connects within 400 ms", after-before)
		}
		for _, o := range []*wellness{s1, s2} {
			o.with(func() { o.refuses = false })
		}
		time.Sleep(100 * time.Millisecond)
		if bad := b.getFor(time.Second, 100*time.Millisecond); bad != 0 {
			t.Errorf("X-44: half a second after all went out, %d requests failed", bad)
		}
		if s := statusOf(t, b.g, "s1"); !s.Up {
			t.Errorf("X-44: s1 is %s", s.Health)
		}
	})
}

// what a rule lets into an origin in maintenance tries it out as well, as the
// requests of others do where it serves.
func TestTrialsInMaintenance(t *testing.T) {
	inWellBubbleOf(t, `
listeners: [{ address: "127.0.0.1:0" }]
clusters:
  app: { origins: [{ name: s1, address: "s1.example:80", state: maintenance }, { name: s2, address: "s2.example:80" }], keep_alive: 0s }
access_log: { format: off }
rules: [{ name: t, when: 'header("X-Tester") == "yes"', permit: { to: main/app/s1, allow_maintenance: true } }]
`, Options{}, func(t *testing.T, b *bubble, s1, s2 *wellness) {
		tester := strings.TrimSuffix(bubbleGET, "\r\n") + "X-Tester: yes\r\n\r\n"
		s1.with(func() { s1.refuses = true })
		for _, want := range []string{"502", "503"} {
			if got := b.get(tester); got != want {
				t.Errorf("answered %s while it is out, want %s", got, want)
			}
		}
		s1.with(func() { s1.refuses = false })
		time.Sleep(time.Second)
		if got := b.get(tester); got != "200" {
			t.Errorf("answered %s when it is back", got)
		}
		if _, _, requests := s2.counts(); requests != 0 {
			t.Errorf("%d requests went elsewhere", requests)
		}
	})
}

// where everything else has failed the request itself, an origin whose
// trial is due is tried before the client gets an error.
func TestTrialInsteadOfAnError(t *testing.T) {
	inWellBubbleOf(t, `
listeners: [{ address: "127.0.0.1:0" }]
clusters:
  app: { origins: [{ name: s1, address: "s1.example:80" }], keep_alive: 0s }
  spare: { origins: [{ name: s2, address: "s2.example:80" }], keep_alive: 0s }
access_log: { format: off }
sites: { s: { hosts: ["**"] } }
mappings: [{ site: s, prefix: /, cluster: app, failover: [spare] }]
`, Options{}, func(t *testing.T, b *bubble, s1, s2 *wellness) {
		for _, o := range []*wellness{s1, s2} {
			o.with(func() { o.refuses = true })
		}
		if got := b.get(bubbleGET); got != "502" {
			t.Fatalf("answered %s where both are out", got)
		}
		s1.with(func() { s1.refuses = false })
		time.Sleep(11 * time.Second)
		if got := b.get(bubbleGET); got != "200" { // the first is back; the other one gets no requests
			t.Fatalf("answered %s where one is back", got)
		}
		s1.with(func() { s1.refuses = true })
		s2.with(func() { s2.refuses = false })
		time.Sleep(20 * time.Second)
		if got := b.get(bubbleGET); got != "200" {
			t.Errorf("answered %s, want the answer of the origin whose trial was due", got)
		}
	})
}

// A trial tells its outcome once: when its long answer ends, that is no news of an
// origin which has gone out again meanwhile.
func TestEndOfATrialBringsNobodyBack(t *testing.T) {
	t.Parallel()
	var refuses atomic.Bool
	goOn := make(chan struct{})
	socket := rawOrigin(t, func(c net.Conn) {
		if _, err := readRawHead(bufio.NewReader(c)); err == nil {
			io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\no")
			<-goOn
			io.WriteString(c, "k")
		}
	})
	dial := func(ctx context.Context, network, address string) (net.Conn, error) {
		if refuses.Load() {
			return nil, syscall.ECONNREFUSED
		}
		return dialTCP(ctx, network, address)
	}
	addr, g := start(t, plainListener+fmt.Sprintf("clusters: { app: { origins: [{ name: a, address: %q }] } }\n", socket.Addr()), Options{Dial: dial})
	refuses.Store(true)
	ask(t, addr, "GET / HTTP/1.1\r\nHost: a.example")
	refuses.Store(false)
	awaitTrial(t, g, socket.Addr().String())
	trial := visitLater(t, addr, "/", "")
	until(t, "the trial has brought it back", func() bool { return statusOf(t, g, "a").Up })
	refuses.Store(true)
	ask(t, addr, "GET / HTTP/1.1\r\nHost: a.example")
	close(goOn)
	if a, err := await(trial); err != nil || a.body != "ok" {
		t.Errorf("the trial was answered %d %q, %v", a.status, a.body, err)
	}
	if s := statusOf(t, g, "a"); s.Up || len(s.Transitions) != 3 {
		t.Errorf("up: %v, transitions %v; want out, back, out", s.Up, s.Transitions)
	}
}

// awaitTrial waits until a request that can go nowhere else may try an origin.
func awaitTrial(tb testing.TB, g *Gateway, addr string) {
	tb.Helper()
	until(tb, "a trial is due", func() bool {
		g.registry.mu.Lock()
		defer g.registry.mu.Unlock()
		return g.registry.states["http://"+addr].thing.origin.Due(time.Now(), true)
	})
}

// An origin that is out is not tried out soon at the cost of requests which another
// cluster would serve.
func TestFailoverSparesRequestsTheTrial(t *testing.T) {
	t.Parallel()
	hs := newHomes(t, "a", "b")
	addr, g := start(t, groupText(clusterLine("main", hs[:1], "")+clusterLine("dr", hs[1:], ""), "  - { site: w, cluster: main, failover: [dr] }\n"), hs.options())
	hs[0].down.Store(true)
	answerers(t, addr, "/", 1)
	hs[0].down.Store(false)
	awaitTrial(t, g, hs[0].addr)
	if got := answerers(t, addr, "/", 4); got != "bbbb" {
		t.Errorf("X-44: half a second later answered by %q, want b alone for ten", got)
	}
}

// A session that may go nowhere else tries out its origin, also one that drains.
func TestStrictSessionTriesOutItsHome(t *testing.T) {
	t.Parallel()
	for _, state := range []string{"serving", "draining"} {
		t.Run(state, func(t *testing.T) {
			t.Parallel()
			hs := newHomes(t, "a", "b")
			hs.say(atCookie)
			text := func() string { return hs.boundText("", byCookie+", on_primary_down: fail", "") }
			addr, g := start(t, text(), hs.options())
			cookie := enterAt(t, addr, "a")
			hs[0].settings = ", state: " + state
			apply(t, g, text())
			hs[0].kill()
			visit(t, addr, "/", cookie)
			hs[0].down.Store(false)
			if statusOf(t, g, "a").Up {
				t.Fatal("a failed connect has not ejected it")
			}
			awaitTrial(t, g, hs[0].addr)
			stays(t, addr, cookie, "a")
		})
	}
}
