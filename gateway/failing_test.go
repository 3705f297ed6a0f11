package gateway

import (
	"context"
	"net"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
)

// absent is a shop whose origin can be taken from the network: attempts to connect to it are
// counted, and may be held.
type absent struct {
	*shop
	dials atomic.Int64
	hold  chan struct{} // closed: nothing is held
}

func newAbsent(t *testing.T, cache string) *absent {
	a := &absent{hold: make(chan struct{})}
	close(a.hold)
	a.shop = newShopOf(t, cache, Options{Dial: func(ctx context.Context, network, address string) (net.Conn, error) {
		a.dials.Add(1)
		<-a.hold
		if a.home.down.Load() {
			return nil, &net.OpError{Op: "dial", Net: network, Err: os.NewSyscallError("connect", syscall.ECONNREFUSED)}
		}
		return dialTCP(ctx, network, address)
	}})
	a.answer = func(string) (string, string) { return "", "up" }
	a.home.script = func(head string) (string, string) { // each request needs a connection of its own
		fields, body := a.answer(head)
		return "Connection: close\r\n" + fields, body
	}
	a.text = strings.Replace(a.text, "origins:", "retry: { retries: 0 }, failover: { connect_failures: 1000, threshold: 1000 }, origins:", 1)
	apply(t, a.g, a.text)
	return a
}

// says asks for a target, and returns the status and Cache-Status of the answer.
func (a *absent) says(t *testing.T, ask string) string {
	t.Helper()
	line, field, _ := strings.Cut(ask, "|")
	got := send(t, a.addr, line+" HTTP/1.1\r\nHost: shop.example\r\nContent-Length: 0\r\n"+field+map[bool]string{true: "\r\n"}[field != ""]+"Connection: close\r\n\r\n")
	_, status, _ := strings.Cut(got, "Cache-Status: edge; ")
	status, _, _ = strings.Cut(status, "\r\n")
	return got[len("HTTP/1.1 "):][:3] + " " + status
}

// TestUnreachableIsRemembered: for as long as ttl.unreachable says, a request that reached no
// origin is the answer to others for the same, and to no others.
func TestUnreachableIsRemembered(t *testing.T) {
	a := newAbsent(t, ", ttl: { unreachable: 2s }, stale: { disconnected: true }")
	for _, tt := range []struct {
		name  string
		at    int64
		up    bool
		ask   string
		want  string
		dials int64 // that this costs
	}{
		{"the first finds out", 0, false, "GET /a", "502 ", 1},
		{"the next is told", 0, false, "GET /a", "502 detail=connect_refused", 0},
		{"to HEAD too", 1, false, "HEAD /a", "502 detail=connect_refused", 0},
		{"and to a part", 1, false, "GET /a|Range: bytes=0-1", "502 detail=connect_refused", 0},
		{"not another target", 1, false, "GET /b", "502 ", 1},
		{"not an unsafe method", 1, false, "POST /a", "502 ", 1},
		{"not a client with credentials", 1, false, "GET /a|Authorization: x", "502 ", 1},
		{"whose failure is nobody else's", 1, false, "GET /c|Authorization: x", "502 ", 1},
		{"so the next finds out", 1, false, "GET /c", "502 ", 1},
		{"its time is over, and no longer than that", 2, true, "GET /a", "200 fwd=uri-miss; fwd-status=200; detail=\"no freshness\"", 1},
	} {
		a.clock.Store(tt.at)
		a.home.down.Store(!tt.up)
		before := a.dials.Load()
		if got, cost := a.says(t, tt.ask), a.dials.Load()-before; got != tt.want || cost != tt.dials {
			t.Errorf("%s: %q with %d attempts, want %q with %d", tt.name, got, cost, tt.want, tt.dials)
		}
	}
	stats, err := a.g.StoredStats()
	if err != nil || stats.Sites[0].Outcomes["unreachable"] != 3 || stats.Sites[0].Ratio != 0 {
		t.Errorf("%+v, %v", stats.Sites, err)
	}
}

// TestUnreachableIsOff: without a word of it each request finds out itself.
func TestUnreachableIsOff(t *testing.T) {
	a := newAbsent(t, "")
	a.home.down.Store(true)
	for range 2 {
		if got := a.says(t, "GET /a"); got != "502 " {
			t.Error(got)
		}
	}
	if n := a.dials.Load(); n != 2 {
		t.Errorf("%d attempts, want 2", n)
	}
}

// TestUnreachableAndStale: what has expired is better than the failure of the last request,
// and is sent without an attempt, unless it must not be used.
func TestUnreachableAndStale(t *testing.T) {
	for _, tt := range []struct{ control, first, next string }{
		{"max-age=10", "200 fwd=stale; ttl=-20; detail=connect_refused", "200 hit; ttl=-20; detail=connect_refused"},
		{"max-age=10, must-revalidate", "504 ", "504 detail=connect_refused"},
	} {
		a := newAbsent(t, ", ttl: { unreachable: 5s }")
		a.answer = func(string) (string, string) { return "Cache-Control: " + tt.control + "\r\nETag: \"v\"\r\n", "page" }
		a.says(t, "GET /a")
		a.clock.Store(30)
		a.home.down.Store(true)
		first := a.says(t, "GET /a")
		before := a.dials.Load()
		if next := a.says(t, "GET /a"); first != tt.first || next != tt.next || a.dials.Load() != before {
			t.Errorf("%s: %q, then %q with %d attempts", tt.control, first, next, a.dials.Load()-before)
		}
	}
}

// TestUnreachableTellsWhoWaits: those who have waited for a request that reaches no origin are
// answered like that one, and do not all try by themselves.
func TestUnreachableTellsWhoWaits(t *testing.T) {
	a := newAbsent(t, ", ttl: { unreachable: 5s }, collapse: { wait: 1h }")
	a.home.down.Store(true)
	a.hold = make(chan struct{})
	var asking sync.WaitGroup
	for range 5 {
		asking.Go(func() {
			if got := a.says(t, "GET /a"); got != "502 " && got != "502 detail=connect_refused" {
				t.Error(got)
			}
		})
	}
	until(t, "four wait for the fifth", func() bool { return a.g.cache.Stats().Waiting == 4 })
	close(a.hold)
	asking.Wait()
	if n := a.dials.Load(); n != 1 {
		t.Errorf("%d attempts, want 1", n)
	}
}

// TestUnreachableIsExplained: explain says what the next request would be told.
func TestUnreachableIsExplained(t *testing.T) {
	a := newAbsent(t, ", ttl: { unreachable: 5s }")
	a.home.down.Store(true)
	a.says(t, "GET /a")
	for ask, want := range map[string]string{
		"GET /a HTTP/1.1\r\nHost: shop.example\r\n\r\n":                     "unreachable: the last request for it reached no origin (connect_refused), less than 5s ago: the answer is the same",
		"GET /a HTTP/1.1\r\nHost: shop.example\r\nAuthorization: x\r\n\r\n": "miss: nothing is stored of the target",
	} {
		e, err := a.g.Explain(Question{Raw: []byte(ask)})
		if err != nil {
			t.Fatal(err)
		}
		if got := e.Cache.Does + ": " + e.Cache.Why; got != want {
			t.Errorf("%s, want %s", got, want)
		}
		if o, alike := e.Outcome, e.Cache.Does == "unreachable"; (o.Reason == "connect_refused" && o.Status == 502) != alike || (o.Address == "") != alike {
			t.Errorf("%s: outcome %+v", want, o)
		}
	}
}
