package gateway

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// What an Apply must not lose is the table of the design's section 6. Pools and
// listeners are in reload_test.go, series of metrics too.

// Load, health and its history belong to the address: other names of origin and
// cluster change nothing of them. The operator's word is the configuration's.
func TestApplyKeepsWhatIsKnownOfAnAddress(t *testing.T) {
	t.Parallel()
	hs := newHomes(t, "a", "b", "c")
	text := func(cluster string) string {
		return groupText(clusterLine(cluster, hs, ", failover: { threshold: 3 }"), "  - { site: w, cluster: "+cluster+" }\n")
	}
	addr, g := start(t, text("one"), hs.options())
	held := hs[0].hold(t, addr, "")
	hs[1].kill()
	answerers(t, addr, "/", 3)
	before := []OriginStatus{statusOf(t, g, "a"), statusOf(t, g, "b")}
	hs[0].called, hs[1].called = "x", "y"
	hs[2].settings = ", state: draining"
	apply(t, g, text("two"))
	a, b, c := statusOf(t, g, "x"), statusOf(t, g, "y"), statusOf(t, g, "c")
	if before[0].Load != 1 || a.Load != 1 {
		t.Errorf("load %d before and %d after, want 1", before[0].Load, a.Load)
	}
	if b.Health != "ejected" || !reflect.DeepEqual(b.Transitions, before[1].Transitions) || len(b.Transitions) != 1 || b.Since != before[1].Since || b.LastError == "" {
		t.Errorf("after Apply %+v, want the history of %+v", b, before[1])
	}
	if a.State != "serving" || c.State != "draining" {
		t.Errorf("states %s and %s, want serving and draining", a.State, c.State)
	}
	if got := answerers(t, addr, "/", 4); got != "aaaa" {
		t.Errorf("answered by %s, want the one that is neither out nor drains", got)
	}
	hs[0].letGo <- struct{}{}
	if a, err := await(held); err != nil || a.status != 200 {
		t.Errorf("the held request: %d, %v", a.status, err)
	}
	until(t, "its slot is free", func() bool { return statusOf(t, g, "x").Load == 0 })
}

// HF-03: dead origins stay out when one is added, and nobody notices the edit.
func TestDeadOriginsStayOutWhenOneIsAdded(t *testing.T) {
	t.Parallel()
	hs := newHomes(t, "a", "b", "c", "live", "new")
	text := func(n int) string { return hs[:n].boundText(", retry: { retries: 0 }", byCookie, "") }
	var dials atomic.Int64
	o := Options{Dial: hs[:3].countingDial(&dials)}
	addr, g := start(t, text(4), o)
	for _, h := range hs[:3] {
		h.kill()
	}
	until(t, "the dead ones are out", func() bool {
		visit(t, addr, "/", "")
		return statusOf(t, g, "a").Health+statusOf(t, g, "b").Health+statusOf(t, g, "c").Health == "ejectedejectedejected"
	})
	tried := dials.Load()
	stop, failures := askInBackground(addr)
	for n := range 6 {
		before := hs.count()
		apply(t, g, text(4+n%2))
		until(t, "requests come between two Applies", func() bool { return hs.count() > before+10 })
	}
	if stop(); failures.Load() != 0 || dials.Load() != tried {
		t.Errorf("%d requests failed and %d connects to dead origins were tried, want none", failures.Load(), dials.Load()-tried)
	}
}

// HF-06: while the list of origins changes again and again, a bad one stays out
// and all that are there are checked; HF-05: those that are not, are not.
func TestChecksFollowTheListOfOrigins(t *testing.T) {
	t.Parallel()
	const cluster = ", health: { path: /health, interval: 100ms, timeout: 5s, down_after: 1, up_after: 1, expect: \"200\" }"
	probes := make([]atomic.Int64, 3)
	var bad atomic.Bool
	hs := newHomes(t, "a", "b", "c")
	for n, h := range hs {
		h.script = func(head string) (string, string) {
			if requestTarget(head) == "/health" {
				probes[n].Add(1)
			}
			return "", head
		}
	}
	hs[0].status = func() string {
		if bad.Load() {
			return "500 Bad"
		}
		return "200 OK"
	}
	text := func(n int) string { return hs[:n].boundText(cluster, byCookie, "") }
	addr, g := start(t, text(3), hs.options())
	bad.Store(true)
	until(t, "the bad one is down", func() bool { return statusOf(t, g, "a").Health == "down" })
	for n := range 6 {
		apply(t, g, text(2+n%2))
		if got := answerers(t, addr, "/", 4); strings.Contains(got, "a") {
			t.Errorf("after edit %d answered by %s, want the bad one out", n+1, got)
		}
		for i := range 2 + n%2 {
			before := probes[i].Load()
			until(t, "it is checked", func() bool { return probes[i].Load() > before })
		}
	}
	apply(t, g, text(2))
	before := probes[1].Load()
	until(t, "a check that was under way has ended", func() bool { return probes[1].Load() > before+1 })
	gone, here := probes[2].Load(), probes[1].Load()
	until(t, "others are checked", func() bool { return probes[1].Load() > here+3 })
	if n := probes[2].Load() - gone; n != 0 {
		t.Errorf("the origin that was removed was checked %d times more", n)
	}
	bad.Store(false)
	until(t, "the bad one is back", func() bool { return statusOf(t, g, "a").Up })
}

// Waiters stand through an Apply, in the order in which they came. Limits are
// put in place for who comes next.
func TestApplyKeepsTheQueue(t *testing.T) {
	t.Parallel()
	hs := newHomes(t, "a")
	hs[0].settings = ", capacity: 1"
	text := func(size int) string {
		return hs.boundText(fmt.Sprintf(", queue: { size: %d, timeout: 1m }", size), byCookie, "")
	}
	addr, g := start(t, text(5), hs.options())
	held := hs[0].hold(t, addr, "")
	var waits []<-chan told
	for n := range 4 {
		waits = append(waits, visitLater(t, addr, fmt.Sprint("/hold/", n), ""))
		awaitWaiters(t, g, n+1)
	}
	apply(t, g, text(2))
	if c := g.Status().Clusters[0]; c.Waiting != 4 || c.QueueSize != 2 {
		t.Errorf("%d wait in %d places, want 4 in 2", c.Waiting, c.QueueSize)
	}
	if a := visit(t, addr, "/", ""); a.status != 503 {
		t.Errorf("one more: %d, want 503", a.status)
	}
	hs[0].letGo <- struct{}{}
	wantAnswerOf(t, "the held request", held, "a")
	for n, answer := range waits {
		hs[0].letGo <- struct{}{}
		a, err := await(answer)
		if err != nil || requestTarget(a.body) != fmt.Sprint("/hold/", n) {
			t.Errorf("waiter %d: %d %q, %v; want it served in its turn", n, a.status, a.body, err)
		}
	}
}

// Capacity that is raised serves who waits, at once. Capacity that is lowered
// cuts nobody; who comes waits until there is room by the new one.
func TestApplyChangesCapacityUnderLoad(t *testing.T) {
	t.Parallel()
	hs := newHomes(t, "a")
	text := func(n int) string {
		hs[0].settings = fmt.Sprintf(", capacity: %d", n)
		return hs.boundText(", queue: { timeout: 1m }", byCookie, "")
	}
	addr, g := start(t, text(1), hs.options())
	all := []<-chan told{hs[0].hold(t, addr, "")}
	for range 4 {
		all = append(all, visitLater(t, addr, "/hold", ""))
	}
	awaitWaiters(t, g, 4)
	apply(t, g, text(3))
	until(t, "three are held", func() bool { return hs[0].held.Load() == 3 })
	awaitWaiters(t, g, 2)
	apply(t, g, text(1))
	if o := statusOf(t, g, "a"); o.Load != 3 || o.Capacity != 1 || o.Waiting != 2 {
		t.Errorf("load %d of %d, %d wait; want 3 of 1 and 2", o.Load, o.Capacity, o.Waiting)
	}
	for range 2 {
		hs[0].letGo <- struct{}{}
	}
	until(t, "one is held", func() bool { return hs[0].held.Load() == 1 })
	awaitWaiters(t, g, 2)
	for range 3 {
		hs[0].letGo <- struct{}{}
	}
	for _, answer := range all {
		wantAnswerOf(t, "each of them", answer, "a")
	}
}

// Bindings belong to the session's name; their values are names of origins.
func TestApplyKeepsBindings(t *testing.T) {
	t.Parallel()
	hs := newHomes(t, "a", "b")
	hs.say(atCookie)
	addr, g := start(t, hs.boundText("", byCookie, ""), hs.options())
	atA, atB := enterAt(t, addr, "a"), enterAt(t, addr, "b")
	for _, text := range []string{
		hs.boundText(", retry: { retries: 2 }", byCookie, ""),
		homes{hs[1], hs[0]}.boundText("", byCookie, ""),
		hs.boundText("", byCookie+", idle_timeout: 20m, on_full: rebalance", ""),
		strings.ReplaceAll(hs.boundText("", byCookie, ""), "app:", "other:"),
	} {
		apply(t, g, text)
		stays(t, addr, atA, "a")
		stays(t, addr, atB, "b")
	}
	apply(t, g, hs.boundText("", byCookie+", entries: 1", ""))
	stays(t, addr, atB, "b")
	if n := statusOf(t, g, "a").Sessions + statusOf(t, g, "b").Sessions; n != 1 {
		t.Errorf("%d sessions are bound, want the one that there is room for", n)
	}
	hs[1].called = "renamed"
	apply(t, g, hs.boundText("", byCookie, ""))
	home := visit(t, addr, "/", atB).origin()
	stays(t, addr, atB, home)
}

// The turn goes on; another balancer begins its own.
func TestApplyKeepsTheTurn(t *testing.T) {
	t.Parallel()
	hs := newHomes(t, "a", "b", "c")
	text := func(more string) string { return hs.boundText(more, byCookie, "") }
	addr, g := start(t, text(""), hs.options())
	var got strings.Builder
	for n := range 5 {
		got.WriteString(answerers(t, addr, "/", 1))
		apply(t, g, text(fmt.Sprintf(", retry: { retries: %d }", n)))
	}
	apply(t, g, text(", balancer: round-robin"))
	got.WriteString(answerers(t, addr, "/", 2))
	if got.String() != "abcab"+"ab" {
		t.Errorf("answered by %s, want abcab and, by another balancer, ab", got.String())
	}
}

// A tunnel lives through Applies, keeps its slot, and keeps no snapshot; also
// when its origin is removed.
func TestApplyKeepsTunnels(t *testing.T) {
	t.Parallel()
	o, other := switching(t, make(chan string, 2)), newTeller(t, "other")
	text := func(n int) string {
		if n < 0 {
			return plainListener + fmt.Sprintf("clusters: { app: { origins: %s } }\n", inline(other))
		}
		return plainListener + fmt.Sprintf("clusters: { app: { origins: [{ name: o, address: %q, capacity: 1 }], queue: { size: %d, timeout: 1m } } }\n", o.Addr(), n)
	}
	addr, g := start(t, text(1), Options{})
	c := dialTo(t, addr)
	io.WriteString(c, "GET / HTTP/1.1\r\nHost: a.example\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n")
	r := bufio.NewReader(c)
	if head, err := readRawHead(r); err != nil || !strings.Contains(head, " 101 ") {
		t.Fatalf("%q, %v", head, err)
	}
	expectBytes(t, r, "early ")
	for n := range 5 {
		old := g.current.Load()
		apply(t, g, text(n+2))
		until(t, "the old snapshot is retired", func() bool { return old.users.Load() == 0 })
		io.WriteString(c, "ping")
		expectBytes(t, r, "ping")
	}
	if s := statusOf(t, g, "o"); s.Load != 1 || s.Tunnels != 1 {
		t.Errorf("load %d, tunnels %d; want 1 and 1", s.Load, s.Tunnels)
	}
	waits := visitLater(t, addr, "/", "")
	awaitWaiters(t, g, 1)
	apply(t, g, text(-1))
	io.WriteString(c, "ping")
	expectBytes(t, r, "ping")
	c.CloseWrite()
	expectBytes(t, r, "goodbye")
	if a, err := await(waits); err != nil || a.body != "no" {
		t.Errorf("who waited for the tunnel's slot: %d %q, %v", a.status, a.body, err)
	}
}

// An origin is removed under load: what it has it ends, who waits for it is
// served by it, and its sessions are bound anew.
func TestApplyRemovesAnOriginUnderLoad(t *testing.T) {
	t.Parallel()
	hs := newHomes(t, "a", "b")
	hs.say(atCookie)
	hs[0].settings = ", capacity: 1"
	addr, g := start(t, hs.boundText(", queue: { timeout: 1m }", byCookie, ""), hs.options())
	cookie := enterAt(t, addr, "a")
	held := hs[0].hold(t, addr, cookie)
	waits := visitLater(t, addr, "/", cookie)
	awaitWaiters(t, g, 1)
	stop, failures := askInBackground(addr)
	apply(t, g, hs[1:].boundText("", byCookie, ""))
	stays(t, addr, cookie, "b")
	hs[0].letGo <- struct{}{}
	wantAnswerOf(t, "the held request", held, "a")
	wantAnswerOf(t, "the one that waited", waits, "a")
	if stop(); failures.Load() != 0 {
		t.Errorf("%d requests failed", failures.Load())
	}
	until(t, "nothing of it is left", func() bool {
		g.registry.mu.Lock()
		defer g.registry.mu.Unlock()
		return g.registry.states["http://"+hs[0].addr] == nil && len(g.registry.pools) == 1
	})
}

// Two origins change places, the one that is out for the one that is not, again
// and again under load: at no moment is nobody in service, for who waits neither.
func TestApplySwapsOriginsUnderLoad(t *testing.T) {
	t.Parallel()
	for _, way := range []string{"ab", "ba"} {
		t.Run(way, func(t *testing.T) {
			t.Parallel()
			hs := newHomes(t, "a", "b")
			text := func(out int) string {
				hs[out].settings, hs[1-out].settings = ", capacity: 1, state: disabled", ", capacity: 1"
				list := hs
				if way == "ba" {
					list = homes{hs[1], hs[0]}
				}
				return list.boundText(", queue: { timeout: 1m }", byCookie, "")
			}
			addr, g := start(t, text(1), hs.options())
			held := hs[0].hold(t, addr, "")
			waits := visitLater(t, addr, "/", "")
			awaitWaiters(t, g, 1)
			apply(t, g, text(0))
			wantAnswerOf(t, "the one that waited", waits, "b")
			hs[0].letGo <- struct{}{}
			wantAnswerOf(t, "the held request", held, "a")
			stop, failures := askInBackground(addr)
			for n := range 40 {
				before := hs.count()
				apply(t, g, text(1-n%2))
				until(t, "a request comes between two Applies", func() bool { return hs.count() > before })
			}
			if stop(); failures.Load() != 0 {
				t.Errorf("%d of %d requests failed", failures.Load(), hs.count())
			}
		})
	}
}

// A configuration that is refused changes nothing of what outlives snapshots.
func TestRefusedConfigurationTouchesNothing(t *testing.T) {
	t.Parallel()
	nonsense := filepath.Join(t.TempDir(), "nonsense.pem")
	if err := os.WriteFile(nonsense, []byte("nonsense"), 0o600); err != nil {
		t.Fatal(err)
	}
	hs := newHomes(t, "a", "b", "c")
	hs.say(atCookie)
	hs[0].settings = ", capacity: 1"
	addr, g := start(t, hs[:2].boundText(", queue: { size: 5, timeout: 1m }", byCookie, ""), hs.options())
	cookies := []string{enterAt(t, addr, "a"), enterAt(t, addr, "b")}
	held := hs[0].hold(t, addr, cookies[0])
	waits := visitLater(t, addr, "/", cookies[0])
	awaitWaiters(t, g, 1)
	before, checks := g.Status(), checksOf(g)
	next := visit(t, addr, "/", "").origin()
	hs[0].settings, hs[1].settings = ", capacity: 7", ", state: disabled"
	problems := g.Apply(load(t, hs.boundText(", queue: { size: 1, timeout: 1s }, balancer: random, health: { path: / }, tls: { ca: \""+nonsense+"\" }", byCookie+", entries: 1", "")))
	if problems.Errors() == 0 {
		t.Fatal("it was not refused")
	}
	after := g.Status()
	for i := range after.Origins {
		o, was := after.Origins[i], before.Origins[i]
		if o.Capacity != was.Capacity || o.State != was.State || o.Load != was.Load || o.Waiting != was.Waiting || o.Sessions != was.Sessions || o.Checked {
			t.Errorf("%+v, was %+v", o, was)
		}
	}
	if !reflect.DeepEqual(after.Clusters, before.Clusters) || checksOf(g) != checks || pools(g) != 2 {
		t.Errorf("%+v with %d checks and %d pools, was %+v with %d and 2", after.Clusters, checksOf(g), pools(g), before.Clusters, checks)
	}
	if got := visit(t, addr, "/", "").origin(); next != "b" || got != "b" {
		t.Errorf("answered by %s and %s, want b, which is not full", next, got)
	}
	hs[0].letGo <- struct{}{}
	wantAnswerOf(t, "the held request", held, "a")
	wantAnswerOf(t, "the one that waited", waits, "a")
	stays(t, addr, cookies[0], "a")
	stays(t, addr, cookies[1], "b")
}

// checksOf is how many checks run.
func checksOf(g *Gateway) int {
	g.registry.mu.Lock()
	defer g.registry.mu.Unlock()
	return len(g.registry.checks)
}

// Drain serves those who wait in line, too.
func TestDrainServesWhoWaits(t *testing.T) {
	t.Parallel()
	hs := newHomes(t, "a")
	hs[0].settings = ", capacity: 1"
	addr, g := start(t, hs.boundText(", queue: { timeout: 1m }", byCookie, "drain: { delay: 0s, timeout: 1m }"), hs.options())
	all := []<-chan told{hs[0].hold(t, addr, "")}
	for n := range 3 {
		all = append(all, visitLater(t, addr, "/hold", ""))
		awaitWaiters(t, g, n+1)
	}
	done := drain(t.Context(), g)
	until(t, "nothing is accepted", func() bool {
		c, err := net.DialTimeout("tcp", addr, time.Second)
		if err == nil {
			c.Close()
		}
		return err != nil
	})
	for _, answer := range all {
		hs[0].letGo <- struct{}{}
		wantAnswerOf(t, "held or waiting", answer, "a")
	}
	if err := <-done; err != nil {
		t.Errorf("Drain: %v", err)
	}
}
