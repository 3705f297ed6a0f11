package gateway

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
)

// statusHomes are origins that answer with a status each.
func statusHomes(tb testing.TB, statuses ...string) homes {
	hs := newHomes(tb, []string{"one", "two", "three"}[:len(statuses)]...)
	for i, h := range hs {
		h.status = func() string { return statuses[i] }
	}
	return hs
}

// inTurnText is a cluster whose origins are asked in turn, the first one first.
func inTurnText(listener string, hs homes, cluster string) string {
	return listener + "clusters:\n" + clusterLine("app", hs, ", balancer: round-robin, failover: { threshold: 1000 }"+cluster)
}

// counts are how many requests came to each.
func (hs homes) counts() (all []int64) {
	for _, h := range hs {
		all = append(all, h.heads.Load())
	}
	return all
}

// logged are the attempts that the access log has of each exchange.
func logged(tb testing.TB, log string) (attempts []int) {
	tb.Helper()
	for line := range strings.Lines(log) {
		var l struct{ Attempts int }
		if err := json.Unmarshal([]byte(line), &l); err != nil {
			tb.Fatalf("%s: %v", line, err)
		}
		attempts = append(attempts, l.Attempts)
	}
	return attempts
}

// An answer of a listed status makes the request be tried at another origin, where that
// is safe, as often as is allowed; the last answer stands.
func TestRetriesByStatus(t *testing.T) {
	t.Parallel()
	const (
		get    = "GET / HTTP/1.1\r\nHost: a.example"
		post   = "POST / HTTP/1.1\r\nHost: a.example\r\nContent-Length: 0"
		keyed  = post + "\r\nIdempotency-Key: 8e03978e"
		ill    = "503 Busy"
		well   = "200 OK"
		listed = "statuses: [502, 503]"
	)
	for _, tt := range []struct {
		name, retry, request string
		says                 []string
		status               int
		from                 string
		seen                 []int64
	}{
		{"none is listed", "retries: 1", get, []string{ill, well}, 503, "one", []int64{1, 0}},
		{"listed", listed, get, []string{ill, well}, 200, "two", []int64{1, 1}},
		{"not listed", listed, get, []string{"500 Oops", well}, 500, "one", []int64{1, 0}},
		{"of success", listed, get, []string{well, ill}, 200, "one", []int64{1, 0}},
		{"of a client's mistake", "statuses: [404]", get, []string{"404 Not Found", well}, 200, "two", []int64{1, 1}},
		{"all ill, one retry", listed, get, []string{ill, "502 Bad", well}, 502, "two", []int64{1, 1, 0}},
		{"all ill, two retries", listed + ", retries: 2", get, []string{ill, "502 Bad", ill}, 503, "three", []int64{1, 1, 1}},
		{"all ill, more retries than origins", listed + ", retries: 5", get, []string{ill, ill, "502 Bad"}, 502, "three", []int64{1, 1, 1}},
		{"the third is well", listed + ", retries: 2", get, []string{ill, ill, well}, 200, "three", []int64{1, 1, 1}},
		{"no retries", listed + ", retries: 0", get, []string{ill, well}, 503, "one", []int64{1, 0}},
		{"one origin", listed, get, []string{ill}, 503, "one", []int64{1}},
		{"HEAD", listed, "HEAD / HTTP/1.1\r\nHost: a.example", []string{ill, well}, 200, "two", []int64{1, 1}},
		{"DELETE", listed, "DELETE / HTTP/1.1\r\nHost: a.example", []string{ill, well}, 200, "two", []int64{1, 1}},
		{"POST", listed, post, []string{ill, well}, 503, "one", []int64{1, 0}},
		{"PATCH", listed, "PATCH / HTTP/1.1\r\nHost: a.example\r\nContent-Length: 0", []string{ill, well}, 503, "one", []int64{1, 0}},
		{"POST with a key that nobody goes by", listed, keyed, []string{ill, well}, 503, "one", []int64{1, 0}},
		{"POST with a key", listed + ", idempotency_key: true", keyed, []string{ill, well}, 200, "two", []int64{1, 1}},
		{"POST without a key", listed + ", idempotency_key: true", post, []string{ill, well}, 503, "one", []int64{1, 0}},
		{"POST with an empty key", listed + ", idempotency_key: true", post + "\r\nIdempotency-Key:", []string{ill, well}, 503, "one", []int64{1, 0}},
		{"POST with a key that no origin sees", listed + ", idempotency_key: true", keyed + "\r\nConnection: Idempotency-Key", []string{ill, well}, 503, "one", []int64{1, 0}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			hs, log := statusHomes(t, tt.says...), new(lockedBuffer)
			addr, g := start(t, inTurnText(causeListener, hs, ", retry: { "+tt.retry+" }"), Options{Stderr: log})
			a := ask(t, addr, tt.request)
			if a.status != tt.status || a.origin() != tt.from {
				t.Errorf("answered %d by %q, want %d by %q", a.status, a.origin(), tt.status, tt.from)
			}
			if got := hs.counts(); !slices.Equal(got, tt.seen) {
				t.Errorf("the origins saw %v requests, want %v", got, tt.seen)
			}
			for _, m := range g.current.Load().clusters[0].members {
				if n := m.state.slots.Load(); n != 0 {
					t.Errorf("%d slots of %s are still taken", n, m.name)
				}
			}
			g.Close()
			if got := logged(t, log.String()); len(got) != 1 || int64(got[0]) != hs.count() {
				t.Errorf("the log has %v attempts, want %d", got, hs.count())
			}
		})
	}
}

// A body goes to the next origin whole, or the answer stands.
func TestRetriesByStatusWithBodies(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, head, body string
		status           int
		seen             string
	}{
		{"here with its head", "PUT / HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n\r\n" + hundred, "", 200, "PUT " + hundred},
		{"chunked, here with its head", "PUT / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n64\r\n" + hundred + "\r\n0\r\n\r\n", "", 200, "PUT " + hundred},
		{"streamed", "PUT / HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n\r\n", hundred, 503, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			one := newEndOrigin(t, func(_ int, c *endConn) {
				c.request()
				c.say("HTTP/1.1 503 Busy\r\nContent-Length: 0\r\n\r\n")
				c.in.ReadByte()
			})
			two := newEndOrigin(t, func(_ int, c *endConn) { c.serve() })
			text := plainListener + fmt.Sprintf("clusters: { app: { balancer: round-robin, origins: [{ address: %q }, { address: %q }], retry: { statuses: [503] } } }\n", one.addr, two.addr)
			addr, _ := start(t, text, Options{})
			c := endDial(t, addr)
			io.WriteString(c, tt.head)
			endHead(t, one)
			io.WriteString(c, tt.body)
			if status, body, err := endAnswer(bufio.NewReader(c)); status != tt.status || err != nil {
				t.Errorf("answered %d %q (%v), want %d", status, body, err, tt.status)
			}
			if got := strings.Join(two.seen(), ", "); got != tt.seen {
				t.Errorf("the other origin saw %q, want %q", got, tt.seen)
			}
		})
	}
}

// Retries by status cost as much of the budget as others, and end with it.
func TestRetriesByStatusKeepTheBudget(t *testing.T) {
	t.Parallel()
	const exchanges = leastReserve + 20
	hs := statusHomes(t, "503 Busy", "503 Busy")
	for _, h := range hs {
		h.settings = ", capacity: 10"
	}
	addr, g := start(t, inTurnText(plainListener, hs, ", retry: { statuses: [503], budget: 0% }"), Options{})
	for range exchanges {
		if a := askFor(t, addr, "a.example", "/"); a.status != 503 || a.origin() == "" {
			t.Fatalf("answered %d by %q, want a 503 of an origin", a.status, a.origin())
		}
	}
	if got := hs.count(); got != exchanges+leastReserve || endRetries(g) != leastReserve {
		t.Errorf("the origins saw %d requests with %d retries, want %d with %d", got, endRetries(g), exchanges+leastReserve, leastReserve)
	}
}

// An answer that nobody could better costs nothing of the budget.
func TestRetriesThatAreNotMadeAreFree(t *testing.T) {
	t.Parallel()
	hs := statusHomes(t, "503 Busy")
	addr, g := start(t, inTurnText(plainListener, hs, ", retry: { statuses: [503], budget: 0% }"), Options{})
	for range 10 {
		askFor(t, addr, "a.example", "/")
	}
	if b := g.current.Load().clusters[0].budget; b.saved.Load() != b.reserve {
		t.Errorf("%d of %d is saved", b.saved.Load(), b.reserve)
	}
}

// A request waits for nobody because of a status: while all others are full, the
// answer stands.
func TestRetriesByStatusDoNotWait(t *testing.T) {
	t.Parallel()
	hs := newHomes(t, "one", "two")
	for _, h := range hs {
		h.settings = ", capacity: 1"
		h.status = func() string { return "503 Busy" }
	}
	addr, _ := start(t, inTurnText(plainListener, hs, ", queue: { timeout: 5m }, retry: { statuses: [503] }"), Options{})
	holds := visitLater(t, addr, "/hold", "")
	until(t, "one holds a request", func() bool { return hs[0].held.Load() == 1 })
	if a := askFor(t, addr, "a.example", "/"); a.status != 503 || a.origin() != "two" {
		t.Errorf("answered %d by %q, want 503 by two", a.status, a.origin())
	}
	hs[0].letGo <- struct{}{}
	hs[1].letGo <- struct{}{}
	if a, err := await(holds); err != nil || a.status != 503 || a.origin() != "two" || hs[1].heads.Load() != 2 {
		t.Errorf("held, then answered %d by %q (%v); want it tried at two", a.status, a.origin(), err)
	}
}

// An answer stands rather than a failure: the origin that gave it is asked again when
// the other one cannot be reached.
func TestRetriesByStatusPreferAnAnswer(t *testing.T) {
	t.Parallel()
	hs := statusHomes(t, "503 Busy", "200 OK")
	hs[1].down.Store(true)
	addr, _ := start(t, inTurnText(plainListener, hs, ", retry: { statuses: [503], retries: 2 }"), hs.options())
	if a := askFor(t, addr, "a.example", "/"); a.status != 503 || a.origin() != "one" {
		t.Errorf("answered %d by %q, want 503 by one", a.status, a.origin())
	}
}

// The connection of an answer that was passed over is used again if all of the answer
// was there, and closed if not; the client sees nothing of either.
func TestAnswersPassedOver(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, answer string
		opened       int
	}{
		{"without content", "Content-Length: 0\r\n\r\n", 1},
		{"with content", "Content-Length: 4\r\n\r\nbusy", 1},
		{"in chunks", "Transfer-Encoding: chunked\r\n\r\n4\r\nbusy\r\n0\r\n\r\n", 1},
		{"content that is still to come", "Content-Length: 100\r\n\r\nbusy", 3},
		{"until the connection ends", "\r\nbusy", 3},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var opened atomic.Int64
			one := newEndOrigin(t, func(_ int, c *endConn) {
				opened.Add(1)
				for head, _ := c.request(); head != ""; head, _ = c.request() {
					c.say("HTTP/1.1 503 Busy\r\nX-Secret: one\r\n" + tt.answer)
				}
			})
			two := newEndOrigin(t, func(_ int, c *endConn) { c.serve() })
			text := plainListener + fmt.Sprintf("clusters: { app: { balancer: round-robin, keep_alive: 1m, failover: { threshold: 1000 }, origins: [{ address: %q }, { address: %q }], retry: { statuses: [503] } } }\n", one.addr, two.addr)
			addr, _ := start(t, text, Options{})
			for n := 0; n < 3; {
				before := len(one.seen())
				if got := send(t, addr, "GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"); !strings.HasSuffix(got, "\r\n\r\nok") || strings.Contains(got, "Secret") {
					t.Fatalf("answered %q", got)
				}
				n += len(one.seen()) - before
			}
			if got := opened.Load(); got != int64(tt.opened) {
				t.Errorf("three answers took %d connections, want %d", got, tt.opened)
			}
		})
	}
}

// What is passed over counts against its origin as what is passed on.
func TestAnswersPassedOverAreFailures(t *testing.T) {
	t.Parallel()
	hs := statusHomes(t, "503 Busy", "200 OK")
	addr, _ := start(t, plainListener+"clusters:\n"+clusterLine("app", hs, ", balancer: round-robin, failover: { threshold: 3, ping: { path: /, interval: 1h } }, retry: { statuses: [503] }"), Options{})
	for range 20 {
		if a := askFor(t, addr, "a.example", "/"); a.status != 200 {
			t.Fatalf("answered %d", a.status)
		}
	}
	if got := hs[0].heads.Load(); got != 3 {
		t.Errorf("the origin that fails got %d requests, want the three that eject it", got)
	}
}

// What the origin of its session answers is the session's answer: nobody else knows it.
func TestSessionsAreNotMovedByStatus(t *testing.T) {
	t.Parallel()
	hs := newHomes(t, "one", "two")
	hs.say(atCookie)
	var ill atomic.Bool
	for _, h := range hs {
		h.status = func() string {
			if ill.Load() && h.name == "one" {
				return "503 Busy"
			}
			return "200 OK"
		}
	}
	addr, _ := start(t, hs.boundText(", failover: { threshold: 1000 }, retry: { statuses: [503] }", byCookie, ""), hs.options())
	cookie := enterAt(t, addr, "one")
	ill.Store(true)
	if a := visit(t, addr, "/", cookie); a.status != 503 || a.origin() != "one" {
		t.Errorf("answered %d by %q, want 503 by one", a.status, a.origin())
	}
	ill.Store(false)
	stays(t, addr, cookie, "one")
}

// Who is asked next is the router's to say, if there is one.
func TestRetriesByStatusFollowTheRouter(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, cluster string
		status        int
		from          string
	}{
		{"nobody else is listed", "", 503, "two"},
		{"then the balancer chooses", ", on_exhausted: default-balancer", 200, "one"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			hs := statusHomes(t, "200 OK", "503 Busy")
			addr, _ := start(t, routerText(hs, moody, "", ", retry: { statuses: [503] }"+tt.cluster), hs.options())
			if a := visit(t, addr, at("1"), ""); a.status != tt.status || a.origin() != tt.from {
				t.Errorf("answered %d by %q, want %d by %q", a.status, a.origin(), tt.status, tt.from)
			}
		})
	}
}

// Calls of plugins are repeated like requests of clients.
func TestErrandsAreRetriedByStatus(t *testing.T) {
	t.Parallel()
	hs := statusHomes(t, "503 Busy", "200 OK")
	_, g := start(t, outletText(hs, "", ", balancer: round-robin, retry: { statuses: [503] }"), hs.options())
	if a := errandOf(t, g, "cluster://app/", endPatience); a.Status != 200 || answeredBy(a) != "two" || loads(g) != "00" {
		t.Errorf("answered %d by %q, loads %s", a.Status, answeredBy(a), loads(g))
	}
}

// What came before an answer that is passed over has gone to the client: hints are of
// the request, not of the answer.
func TestHintsBeforeAnAnswerPassedOver(t *testing.T) {
	t.Parallel()
	one := newEndOrigin(t, func(_ int, c *endConn) {
		c.request()
		c.say("HTTP/1.1 103 Early Hints\r\nLink: </a.css>\r\n\r\nHTTP/1.1 503 Busy\r\nContent-Length: 0\r\n\r\n")
		c.in.ReadByte()
	})
	two := newEndOrigin(t, func(_ int, c *endConn) { c.serve() })
	text := fmt.Sprintf("clusters: { app: { balancer: round-robin, origins: [{ address: %q }, { address: %q }], retry: { statuses: [503] } } }\n", one.addr, two.addr)
	addr, _ := start(t, plainListener+text, Options{})
	got := send(t, addr, "GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
	if strings.Count(got, "HTTP/1.1 ") != 2 || !strings.HasPrefix(got, "HTTP/1.1 103 ") || !strings.HasSuffix(got, "\r\n\r\nok") {
		t.Errorf("answered %q, want the hints and the other origin's answer", got)
	}
}

// No client is sent away instead of an answer, nor while it might get one.
func TestRetriesByStatusSendNobodyAway(t *testing.T) {
	t.Parallel()
	hs := statusHomes(t, "503 Busy", "503 Busy")
	origins := strings.Replace(hs.text(), "[", `[{ name: west, address: "https://west.example", kind: redirect, state: %s }, `, 1)
	text := plainListener + "clusters: { app: { balancer: round-robin, failover: { threshold: 1000 }, origins: " + origins + ", retry: { retries: 5, statuses: [503], per_try_timeout: 50s } } }\n"
	addr, g := start(t, fmt.Sprintf(text, "draining"), hs.options())
	if a := askFor(t, addr, "a.example", "/"); a.status != 503 || hs.count() != 2 {
		t.Fatalf("answered %d after %d attempts, want 503 after 2", a.status, hs.count())
	}
	apply(t, g, fmt.Sprintf(text, "serving"))
	answers := map[int]int{}
	for range 6 {
		answers[askFor(t, addr, "a.example", "/").status]++
	}
	if got := hs.count() - 2; answers[503] == 0 || answers[503]+answers[302] != 6 || got != int64(2*answers[503]) {
		t.Errorf("answered %v with %d attempts, want each 503 after two", answers, got)
	}
}
