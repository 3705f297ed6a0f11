package gateway

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"
)

// a bound request whose origin is full waits for it, while others idle;
// who has no session does not wait.
func TestBoundRequestWaitsForItsOrigin(t *testing.T) {
	t.Parallel()
	hs := newHomes(t, "a", "b")
	hs.say(atCookie)
	hs[0].settings, hs[1].settings = ", capacity: 1", ", capacity: 1"
	addr, g := start(t, hs.boundText("", byCookie, ""), hs.options())
	cookie := enterAt(t, addr, "a")
	held := hs[0].hold(t, addr, cookie)
	waits := visitLater(t, addr, "/", cookie)
	awaitWaiters(t, g, 1)
	for range 3 {
		if a := visit(t, addr, "/", ""); a.origin() != "b" {
			t.Errorf("a request without a session: %d from %q, want it from b at once", a.status, a.origin())
		}
	}
	if o := statusOf(t, g, "a"); o.Waiting != 1 || o.Load != 1 {
		t.Errorf("load %d, waiting %d at a; want 1 and 1", o.Load, o.Waiting)
	}
	hs[0].letGo <- struct{}{}
	wantAnswerOf(t, "the held request", held, "a")
	wantAnswerOf(t, "the request that waited", waits, "a")
}

// the wait ends at queue.timeout with the busy page; the binding stays. A
// queue without places turns the request away at once.
func TestBoundRequestIsTurnedAwayWhenItsOriginIsFull(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, queue, reason string }{
		{"the wait is over", "{ timeout: 150ms }", "queue_timeout"},
		{"nobody may wait", "{ size: 0 }", "queue_full"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			hs := newHomes(t, "a", "b")
			hs.say(atCookie)
			hs[0].settings = ", capacity: 1"
			addr, g := start(t, hs.boundText(", queue: "+tt.queue, byCookie, ""), hs.options())
			cookie := enterAt(t, addr, "a")
			held := hs[0].hold(t, addr, cookie)
			a := visit(t, addr, "/", cookie)
			if a.status != 503 || !strings.Contains(a.body, tt.reason) || a.header.Get("Retry-After") == "" {
				t.Errorf("%d %q, Retry-After %q; want 503, %s and one", a.status, a.body, a.header.Get("Retry-After"), tt.reason)
			}
			hs[0].letGo <- struct{}{}
			wantAnswerOf(t, "the held request", held, "a")
			stays(t, addr, cookie, "a")
			if o := statusOf(t, g, "a"); o.Load != 0 || o.Waiting != 0 {
				t.Errorf("load %d, waiting %d at a in the end", o.Load, o.Waiting)
			}
		})
	}
}

// with on_full: rebalance the request goes elsewhere at once and the
// binding stays, whatever the other origin says of the session.
func TestRebalancedRequestIsNotBoundAnew(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, fields, body string }{
		{"nothing is said", "", ""},
		{"the cookie is sent again", "Set-Cookie: SID=%s; Path=/\r\n", ""},
		{"the id stands in a redirect", "Location: /x;sid=%s\r\n", ""},
		{"the id stands in links", "Content-Type: text/html\r\n", `<a href="/x;sid=%s">`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			hs := newHomes(t, "a", "b")
			hs.say(atCookie)
			hs[0].settings = ", capacity: 1"
			addr, _ := start(t, hs.boundText("", byCookie+", on_full: rebalance, learn_from_links: true", ""), hs.options())
			cookie := enterAt(t, addr, "a")
			id := strings.TrimPrefix(cookie, "SID=")
			hs[1].script = func(string) (string, string) {
				return strings.Replace(tt.fields, "%s", id, 1), strings.Replace(tt.body, "%s", id, 1)
			}
			held := hs[0].hold(t, addr, cookie)
			for range 3 {
				if a := visit(t, addr, "/", cookie); a.origin() != "b" {
					t.Errorf("with a full: %d from %q, want it from b at once", a.status, a.origin())
				}
			}
			hs[0].letGo <- struct{}{}
			wantAnswerOf(t, "the held request", held, "a")
			stays(t, addr, cookie, "a")
		})
	}
}

// M-BIND-09: when the bound origin is killed the session is balanced anew and
// bound to whom it came, where it stays when the first is back.
func TestSessionOfAKilledOriginIsBoundAnew(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, cluster, session string
		first                  int // status of the request that finds out
	}{
		{"repeated in the same request", "", "", 200},
		{"on_primary_down: any", "", ", on_primary_down: any", 200},
		{"not repeated", ", retry: { retries: 0 }", "", 502},
		{"checked", ", health: { path: /, interval: 1h, down_after: 1 }", "", 200},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			hs := newHomes(t, "a", "b", "c")
			hs.say(atCookie)
			addr, g := start(t, hs.boundText(tt.cluster, byCookie+tt.session, ""), hs.options())
			cookie := enterAt(t, addr, "a")
			stays(t, addr, cookie, "a")
			hs[0].kill()
			until(t, "its connections are gone", func() bool { return hs[0].open() == 0 })
			first := visit(t, addr, "/", cookie)
			if first.status != tt.first {
				t.Errorf("the request that finds out: %d, want %d", first.status, tt.first)
			}
			second := visit(t, addr, "/", cookie)
			if second.status != 200 || first.status == 200 && second.origin() != first.origin() {
				t.Errorf("%d from %q after %d from %q, want the session bound anew at once", second.status, second.origin(), first.status, first.origin())
			}
			hs[0].revive(g)
			stays(t, addr, cookie, second.origin())
			if n := sessionCounts(g, "s").Lost.Load(); n != 1 {
				t.Errorf("%d sessions are counted as lost, want 1", n)
			}
		})
	}
}

// A reset does not put an origin out: the request is repeated elsewhere, and the
// session stays where it is at home.
func TestSessionSurvivesAReset(t *testing.T) {
	t.Parallel()
	hs := newHomes(t, "a", "b")
	hs.say(atCookie)
	addr, _ := start(t, hs.boundText("", byCookie, ""), hs.options())
	cookie := enterAt(t, addr, "a")
	held := hs[0].hold(t, addr, cookie)
	hs[0].cut()
	wantAnswerOf(t, "the request that was cut", whenHeldAgain(t, hs[1], held), "b")
	stays(t, addr, cookie, "a")
}

// whenHeldAgain lets a request go that is held at another origin, too.
func whenHeldAgain(t *testing.T, h *home, answer <-chan told) <-chan told {
	t.Helper()
	until(t, "it is held at "+h.name, func() bool { return h.held.Load() > 0 })
	h.letGo <- struct{}{}
	return answer
}

// on_primary_down: fail. The session's requests are refused while its origin is
// out; others are served. When it is back its own requests find out, if nobody
// else comes.
func TestStrictSessionFailsWithItsOrigin(t *testing.T) {
	t.Parallel()
	hs := newHomes(t, "a", "b")
	hs.say(atCookie)
	page := pageFiles(t, map[string][2]string{"network": {"network.txt", "the network page"}})
	addr, g := start(t, hs.boundText("", byCookie+", on_primary_down: fail", `
sites: { w: { hosts: ["**"], pages: `+page+` } }
mappings: [{ site: w, cluster: app }]`), hs.options())
	cookie := enterAt(t, addr, "a")
	hs[0].kill()
	if a := visit(t, addr, "/", cookie); a.status != 502 && a.status != 503 {
		t.Errorf("the request that finds out: %d, want its failure", a.status)
	}
	a := visit(t, addr, "/", cookie)
	if a.status != 503 || a.body != "the network page" || a.header.Get("Retry-After") == "" {
		t.Errorf("%d %q, Retry-After %q; want 503 with the network page", a.status, a.body, a.header.Get("Retry-After"))
	}
	if n := g.Metrics().Refusals[SessionOriginOut].Routed.Load(); n == 0 {
		t.Error("no refusal is counted as session_origin_out")
	}
	if a := visit(t, addr, "/", ""); a.origin() != "b" {
		t.Errorf("a request without a session: %d from %q, want it from b", a.status, a.origin())
	}
	hs[0].down.Store(false)
	back := time.Now()
	until(t, "the session is at home again", func() bool { return visit(t, addr, "/", cookie).origin() == "a" })
	if took := time.Since(back); took > 5*time.Second {
		t.Errorf("its origin was tried after %v, as if requests could go elsewhere", took)
	}
	stays(t, addr, cookie, "a")
}

// an origin that drains keeps its sessions and gets no new ones; one that
// is in maintenance or disabled has none any more. Who was bound anew stays there.
func TestSessionsByStateOfTheirOrigin(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		state, home string // where the session is from then on
	}{
		{"draining", "a"},
		{"maintenance", "b"},
		{"disabled", "b"},
	} {
		t.Run(tt.state, func(t *testing.T) {
			t.Parallel()
			hs := newHomes(t, "a", "b")
			hs.say(atCookie)
			addr, g := start(t, hs.boundText("", byCookie, ""), hs.options())
			cookie := enterAt(t, addr, "a")
			hs[0].settings = ", state: " + tt.state
			apply(t, g, hs.boundText("", byCookie, ""))
			for n := range 6 {
				if home := enter(t, addr, fmt.Sprint("new", n)); home != "b" {
					t.Errorf("a new session is at home at %q", home)
				}
			}
			stays(t, addr, cookie, tt.home)
			hs[0].settings = ""
			apply(t, g, hs.boundText("", byCookie, ""))
			stays(t, addr, cookie, tt.home)
		})
	}
}

// A session that began in a failover group stays there when the primary is back.
func TestSessionStaysInTheFailoverGroup(t *testing.T) {
	t.Parallel()
	hs := newHomes(t, "a", "b", "c")
	hs.say(atCookie)
	text := func() string {
		return plainListener + fmt.Sprintf(`
clusters: { main: { origins: %s, session: s }, dr: { origins: %s } }
sessions: { s: { cookie: SID } }
sites: { w: { hosts: ["**"] } }
mappings: [{ site: w, cluster: main, failover: [dr] }]
`, hs[:1].text(), hs[1:].text())
	}
	hs[0].settings = ", state: disabled"
	addr, g := start(t, text(), hs.options())
	cookie := enterAt(t, addr, "b")
	stays(t, addr, cookie, "b")
	hs[0].settings = ""
	apply(t, g, text())
	stays(t, addr, cookie, "b")
	if home := enter(t, addr, "new"); home != "a" {
		t.Errorf("a new session is at home at %q, want the primary that is back", home)
	}
}

// A bound request that waits goes elsewhere at once when its origin goes out,
// and is bound there.
func TestWaitingBoundRequestLeavesAnOriginThatDies(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		dies func(t *testing.T, g *Gateway, hs homes)
	}{
		{"it is ejected", func(_ *testing.T, _ *Gateway, hs homes) { hs[0].kill() }},
		{"it is disabled", func(t *testing.T, g *Gateway, hs homes) {
			hs[0].settings = ", capacity: 1, state: disabled"
			apply(t, g, hs.boundText(dyingCluster, byCookie, ""))
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			hs := newHomes(t, "a", "b")
			hs.say(atCookie)
			hs[0].settings = ", capacity: 1"
			addr, g := start(t, hs.boundText(dyingCluster, byCookie, ""), hs.options())
			cookie := enterAt(t, addr, "a")
			hs[0].hold(t, addr, cookie)
			var waits []<-chan told
			for range 3 {
				waits = append(waits, visitLater(t, addr, "/", cookie))
			}
			awaitWaiters(t, g, 3)
			tt.dies(t, g, hs)
			for _, answer := range waits {
				wantAnswerOf(t, "a request that waited", answer, "b")
			}
			stays(t, addr, cookie, "b")
		})
	}
}

// dyingCluster has an origin that goes out at its first failure, whose connections
// are all new (a used one that breaks says nothing), and a queue in which a test
// would notice any wait.
const dyingCluster = ", keep_alive: 0s, retry: { retries: 0 }, failover: { threshold: 1 }, queue: { timeout: 1m }"

// M-BIND-09 and idle_timeout: by Options.Now, a session is forgotten when it was
// not used for that long, and no sooner.
func TestIdleSessionIsForgotten(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	now := time.Now()
	pass := func(d time.Duration) {
		mu.Lock()
		defer mu.Unlock()
		now = now.Add(d)
	}
	hs := newHomes(t, "a", "b", "c")
	hs.say(atCookie)
	o := hs.options()
	o.Now = func() time.Time { mu.Lock(); defer mu.Unlock(); return now }
	addr, _ := start(t, hs.boundText("", byCookie+", idle_timeout: 10m", ""), o)
	cookie := enterAt(t, addr, "a")
	for range 3 {
		pass(9 * time.Minute)
		stays(t, addr, cookie, "a")
	}
	pass(10 * time.Minute)
	balanced(t, addr, cookie, 3)
}

// balanced checks that a session's requests are spread over so many origins.
func balanced(t *testing.T, addr, cookie string, origins int) {
	t.Helper()
	answerers := map[string]bool{}
	for range 2 * origins {
		answerers[visit(t, addr, "/", cookie).origin()] = true
	}
	if len(answerers) != origins {
		t.Errorf("requests of %s were answered by %v, want %d origins", cookie, answerers, origins)
	}
}

// Bindings are bounded: when there are too many, the one that was not used for
// the longest time goes, and is counted.
func TestBindingsAreBounded(t *testing.T) {
	t.Parallel()
	hs := newHomes(t, "a", "b")
	hs.say(atCookie)
	addr, g := start(t, hs.boundText("", byCookie+", entries: 3", ""), hs.options())
	homes := map[string]string{}
	for _, id := range []string{"one", "two", "three"} {
		homes[id] = enter(t, addr, id)
	}
	stays(t, addr, "SID=one", homes["one"])
	homes["four"] = enter(t, addr, "four")
	for _, id := range []string{"one", "three", "four"} {
		stays(t, addr, "SID="+id, homes[id])
	}
	balanced(t, addr, "SID=two", 2)
	g.gauge()
	if s := sessionCounts(g, "s"); s.Entries.Load() != 3 || s.Evicted.Load() != 1 {
		t.Errorf("%d entries, %d evicted; want 3 and 1", s.Entries.Load(), s.Evicted.Load())
	}
}

// M-BIND-04: an id that the gateway does not know, as after a restart, is
// balanced until an origin sets it.
func TestUnknownSessionIsBoundWhenAnOriginSetsIt(t *testing.T) {
	t.Parallel()
	hs := newHomes(t, "a", "b", "c")
	hs.say(atCookie)
	before, _ := start(t, hs.boundText("", byCookie, ""), hs.options())
	enter(t, before, "old")
	addr, g := start(t, hs.boundText("", byCookie, ""), hs.options())
	balanced(t, addr, "SID=old", 3)
	if s := sessionCounts(g, "s"); s.Unknown.Load() != 6 || s.Learned.Load() != 0 {
		t.Errorf("%d unknown, %d learned; want 6 and 0", s.Unknown.Load(), s.Learned.Load())
	}
	home := visit(t, addr, "/in?old", "SID=old").origin()
	stays(t, addr, "SID=old", home)
}

// A request whose session has lost its origin is repeated like any other: not at
// the one that has just failed it, however free that is.
func TestRepeatedRequestWithoutAHomeGoesElsewhere(t *testing.T) {
	t.Parallel()
	a, hs := newPlanned(t, "a", "reset reset"), newHomes(t, "b", "c")
	hs.say(atCookie)
	text := func(stateA, stateB, stateC string) string {
		hs[0].settings, hs[1].settings = ", capacity: 2, state: "+stateB, ", state: "+stateC
		first := fmt.Sprintf("[{ name: a, address: %q, capacity: 2, state: %s }, %s", a.addr, stateA, hs[:1].text()[1:])
		return plainListener + fmt.Sprintf(`
clusters:
  main: { origins: %s, session: s, balancer_options: { tie: weighted }, failover: { threshold: 100 } }
  dr: { origins: %s }
sessions: { s: { cookie: SID } }
sites: { w: { hosts: ["**"] } }
mappings: [{ site: w, cluster: main, failover: [dr] }]
`, first, hs[1:].text())
	}
	addr, g := start(t, text("disabled", "disabled", "serving"), hs.options())
	cookie := enterAt(t, addr, "c")
	apply(t, g, text("disabled", "serving", "disabled"))
	held := hs[0].hold(t, addr, "")
	apply(t, g, text("serving", "serving", "disabled"))
	if got := visit(t, addr, "/", cookie); got.status != 200 || got.origin() != "b" {
		t.Errorf("answered %d by %q, want b's answer", got.status, got.origin())
	}
	hs[0].letGo <- struct{}{}
	wantAnswerOf(t, "the held request", held, "b")
}
