package gateway

import (
	"io"
	"net"
	"strings"
	"testing"
)

// A panic while an exchange is recorded costs that exchange and nothing else: its
// slot is given back, and the next is served.
func TestPanicWhileRecording(t *testing.T) {
	t.Parallel()
	o := newTeller(t, "o")
	_, g := start(t, plainListener+"clusters: { app: { origins: "+inline(o)+" } }\n", Options{})
	m := &g.current.Load().mappings[0]
	counters := m.metrics
	m.metrics = nil
	serveOne(t, g)
	if n := g.Metrics().Process.Panics.Load(); n != 1 {
		t.Errorf("%d panics are counted, want 1", n)
	}
	m.metrics = counters
	if got := serveOne(t, g); !strings.HasPrefix(got, "HTTP/1.1 200 ") {
		t.Errorf("the next request: %q", got)
	}
	if load := g.Status().Origins[0].Load; load != 0 {
		t.Errorf("%d slots are taken", load)
	}
}

// serveOne serves one request on a connection of its own, to its end, and returns
// what was answered.
func serveOne(t *testing.T, g *Gateway) string {
	t.Helper()
	ours, theirs := net.Pipe()
	ended := make(chan error, 1)
	go func() { ended <- g.ServeConn(theirs) }()
	go io.WriteString(ours, "GET / HTTP/1.1\r\nHost: a.example\r\nConnection: close\r\n\r\n")
	answer, _ := io.ReadAll(ours)
	<-ended
	return string(answer)
}

// A wait is counted once, with the cluster in whose line it was.
func TestWaitsAreCounted(t *testing.T) {
	t.Parallel()
	hs := newHomes(t, "a")
	hs[0].settings = ", capacity: 1"
	addr, g := start(t, hs.boundText("", byCookie, ""), hs.options())
	held := hs[0].hold(t, addr, "")
	waits := visitLater(t, addr, "/", "")
	awaitWaiters(t, g, 1)
	count := func() uint64 { return g.current.Load().clusters[0].metrics.Wait.Load().Count }
	if n := count(); n != 0 {
		t.Errorf("%d waits are counted before one has ended", n)
	}
	hs[0].letGo <- struct{}{}
	wantAnswerOf(t, "the held request", held, "a")
	wantAnswerOf(t, "the one that waited", waits, "a")
	if n := count(); n != 1 {
		t.Errorf("%d waits are counted, want 1", n)
	}
}

// Who is refused because all origins are out is told when the first of them is
// looked at again, in whichever of the mapping's groups that is.
func TestRetryAfterIsTheSoonest(t *testing.T) {
	t.Parallel()
	out := closedAddress(t)
	addr, _ := start(t, plainListener+`
clusters:
  app: { origins: [{ address: "`+out+`", state: disabled }], health: { path: /, interval: 20s, up_after: 3 } }
  soon: { origins: [{ address: "127.0.0.1:1", state: disabled }], failover: { ping: { path: /, interval: 7s } } }
  late: { origins: [{ address: "127.0.0.1:2", state: disabled }], failover: { ping: { path: /, interval: 30s } } }
sites: { all: { hosts: ["**"] } }
mappings: [{ site: all, cluster: app, failover: [soon, late] }]
`, Options{})
	if got := askFor(t, addr, "a.example", "/"); got.status != 503 || got.header.Get("Retry-After") != "7" {
		t.Errorf("%d, Retry-After %q; want 503 and 7", got.status, got.header.Get("Retry-After"))
	}
}
