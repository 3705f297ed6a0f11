package gateway

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"
	"time"
)

// surgeConfig is a gateway with pages of its own before the cluster app of h,
// with further settings, and whatever else a test wants.
func surgeConfig(tb testing.TB, h *holding, capacity int, settings, more string) string {
	tb.Helper()
	dir := tb.TempDir()
	for _, name := range []string{"busy", "network"} {
		if err := os.WriteFile(filepath.Join(dir, name+".html"), []byte("<p>page "+name), 0o600); err != nil {
			tb.Fatal(err)
		}
	}
	list := h.list(slices.Repeat([]int{capacity}, len(h.origins))...)
	return fmt.Sprintf(`
listeners: [{ address: "127.0.0.1:0" }]
access_log: { path: stderr }
clusters:
  app: { origins: %s%s }
  %s
sites: { all: { hosts: [a.example], pages: { busy: "%s/busy.html", network: "%[4]s/network.html" } } }
`, list, settings, more, dir)
}

const (
	surgeOne = "mappings: [{ site: all, cluster: app }]\n"
	surgeTwo = "mappings: [{ site: all, cluster: app, failover: [reserve] }]\n"
)

// startSurge runs a gateway whose access log can be read.
func startSurge(tb testing.TB, text string, o Options) *reportGateway {
	tb.Helper()
	log := new(reportLog)
	o.Stderr = log
	addr, g := start(tb, text, o)
	return &reportGateway{g, addr, log}
}

// wantBusy checks a refusal: 503 with the site's busy page.
func wantBusy(tb testing.TB, a told, retryAfter string) {
	tb.Helper()
	if a.status != 503 || a.body != "<p>page busy" || a.header.Get("Retry-After") != retryAfter {
		tb.Errorf("answered %d %q with Retry-After %q, want 503, the site's busy page and %s", a.status, a.body, a.header.Get("Retry-After"), retryAfter)
	}
}

// wantNetwork checks a refusal: 503 with the site's network page.
func wantNetwork(tb testing.TB, a told, retryAfter string) {
	tb.Helper()
	if a.status != 503 || a.body != "<p>page network" || a.header.Get("Retry-After") != retryAfter {
		tb.Errorf("answered %d %q with Retry-After %q, want 503, the site's network page and %s", a.status, a.body, a.header.Get("Retry-After"), retryAfter)
	}
}

// Five at once, where two may run and two may wait: two run, two wait, in the
// order they came, and the fifth is told that the site is busy.
func TestSurge(t *testing.T) {
	t.Parallel()
	h := newHolding(t, "s1")
	g := startSurge(t, surgeConfig(t, h, 2, ", queue: { size: 2, timeout: 20s }", "")+surgeOne, Options{})
	clients, held := h.hold(g.addr, 2)
	for i, target := range []string{"/3", "/4"} {
		clients = append(clients, goGET(t, g.addr, target))
		untilWaiting(t, g.Gateway, i+1)
	}
	h.none("M-SURGE-02: while two are in progress")
	if n := h.named("s1").accepts(); n != 2 {
		t.Errorf("M-SURGE-02: the origin has %d connections, want 2", n)
	}
	wantBusy(t, goGET(t, g.addr, "/5").told(), "20")
	if record := g.logged(t, "/5"); record["reason"] != "queue_full" || record["attempts"] != float64(0) ||
		record["cause"] != "all slots of s1 (2 of 2) are taken, clusters.app.queue.size is 2" {
		t.Errorf("M-SURGE-04: the log tells %v", record)
	}
	for _, want := range []string{"GET /3 HTTP/1.1", "GET /4 HTTP/1.1"} {
		close(held[0].answer)
		one := h.next()
		if one.line != want {
			t.Errorf("M-SURGE-03: %q came next, want %q", one.line, want)
		}
		h.none("M-SURGE-03: as one slot was free")
		held = append(held[1:], one)
	}
	release(clients, held)
	if record := g.logged(t, "/3"); record["waited_ms"] == float64(0) || record["status"] != float64(200) {
		t.Errorf("M-SURGE-03: the log tells of one that has waited: %v", record)
	}
	if record := g.logged(t, "/1"); record["waited_ms"] != float64(0) {
		t.Errorf("the log tells of one that has not waited: %v", record)
	}
	untilIdle(t, g.Gateway)
}

// The queue is for all origins together: one waits only when all are full, and
// takes the first slot that there is.
func TestQueueIsTheGroups(t *testing.T) {
	t.Parallel()
	h := newHolding(t, "s1", "s2")
	g := startSurge(t, surgeConfig(t, h, 1, ", queue: { size: 1 }", "")+surgeOne, Options{})
	clients, held := h.hold(g.addr, 2)
	if got := originsOf(held); !slices.Equal(got, []string{"s1", "s2"}) {
		t.Errorf("M-SURGE-06: two went to %v, want both", got)
	}
	clients = append(clients, goGET(t, g.addr, "/3"))
	untilWaiting(t, g.Gateway, 1)
	close(held[1].answer)
	if one := h.next(); one.origin != "s2" {
		t.Errorf("M-SURGE-06: the third went to %s, want the one that is free", one.origin)
	} else {
		held[1] = one
	}
	release(clients, held)
}

// A wait that was too long ends with the busy page; without a queue nobody waits.
func TestWaitsThatFail(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, queue, reason, cause string }{
		{"too long", "{ timeout: 60ms }", "queue_timeout", "all slots of s1 (1 of 1) were taken for clusters.app.queue.timeout, which is 60ms"},
		{"no queue", "{ size: 0, timeout: 1s }", "queue_full", "all slots of s1 (1 of 1) are taken, clusters.app.queue.size is 0"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			h := newHolding(t, "s1")
			g := startSurge(t, surgeConfig(t, h, 1, ", queue: "+tt.queue, "")+surgeOne, Options{})
			clients, held := h.hold(g.addr, 1)
			wantBusy(t, goGET(t, g.addr, "/late").told(), "1")
			record := g.logged(t, "/late")
			if waited := record["waited_ms"].(float64); record["reason"] != tt.reason || record["cause"] != tt.cause || (waited >= 60) != (tt.reason == "queue_timeout") {
				t.Errorf("the log tells %v", record)
			}
			h.none("of one that was refused")
			if n := waiting(g.Gateway, "app"); n != 0 {
				t.Errorf("%d wait still", n)
			}
			release(clients, held)
			untilIdle(t, g.Gateway)
		})
	}
}

// A client that goes away while it waits leaves the queue at once; another may
// have its place, and nothing of it reaches an origin.
func TestClientThatGoesLeavesTheQueue(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, rest string // of the request
		leave      func(c net.Conn)
	}{
		{"closes", "\r\n\r\n", func(c net.Conn) { c.Close() }},
		{"resets", "\r\n\r\n", rst},
		{"closes, with a body", "\r\nContent-Length: 4\r\n\r\nbody", func(c net.Conn) { c.Close() }},
		{"resets, with a body", "\r\nContent-Length: 4\r\n\r\nbody", rst},
		{"closes in its body", "\r\nContent-Length: 4\r\n\r\nbo", func(c net.Conn) { c.Close() }},
		{"closes, with a large body", "\r\nContent-Length: 40000\r\n\r\n" + strings.Repeat("b", 40_000), func(c net.Conn) { c.Close() }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			h := newHolding(t, "s1")
			g := startSurge(t, surgeConfig(t, h, 1, ", queue: { size: 1, timeout: 5m }", "")+surgeOne, Options{})
			clients, held := h.hold(g.addr, 1)
			gone := endDial(t, g.addr)
			io.WriteString(gone, "POST /gone HTTP/1.1\r\nHost: a.example"+tt.rest)
			untilWaiting(t, g.Gateway, 1)
			tt.leave(gone)
			untilWaiting(t, g.Gateway, 0)
			clients = append(clients, goGET(t, g.addr, "/next"))
			untilWaiting(t, g.Gateway, 1)
			close(held[0].answer)
			one := h.next()
			if one.line != "GET /next HTTP/1.1" {
				t.Errorf("%q reached the origin", one.line)
			}
			close(one.answer)
			for _, c := range clients {
				c.told()
			}
			if record := g.logged(t, "/gone"); record["reason"] != "client_gone" || record["status"] != float64(499) {
				t.Errorf("the log tells %v", record)
			}
			h.none("of one that has gone")
			untilIdle(t, g.Gateway)
		})
	}
}

// A client that only ends its half waits on, and is served.
func TestHalfClosedClientWaits(t *testing.T) {
	t.Parallel()
	h := newHolding(t, "s1")
	g := startSurge(t, surgeConfig(t, h, 1, ", queue: { size: 1, timeout: 5m }", "")+surgeOne, Options{})
	clients, held := h.hold(g.addr, 1)
	half := goGET(t, g.addr, "/half")
	half.c.(*net.TCPConn).CloseWrite()
	untilWaiting(t, g.Gateway, 1)
	// 102 says that the gateway has looked at it, and that it was let wait.
	if head, err := readRawHead(half.r); !strings.HasPrefix(head, "HTTP/1.1 102 ") {
		t.Errorf("it got %q, %v; want 102", head, err)
	}
	untilWaiting(t, g.Gateway, 1)
	close(held[0].answer)
	release([]*holdClient{clients[0], half}, []*heldRequest{h.next()})
}

// Full is not unavailable: who comes then waits, or is told that the site is
// busy, and goes to the failover group only if the cluster says so.
func TestFullIsNotUnavailable(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name     string
		overflow string
		third    string // the origin where the third goes; empty: busy
	}{
		{"X-25: busy", "busy", ""},
		{"X-25: overflow", "failover", "reserve"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			h, reserve := newHolding(t, "s1"), newHolding(t, "reserve")
			g := startSurge(t, surgeConfig(t, h, 1, ", queue: { size: 1, overflow: "+tt.overflow+" }", "reserve: { origins: "+reserve.list(1)+", queue: { size: 0 } }")+surgeTwo, Options{})
			clients, held := h.hold(g.addr, 1)
			clients = append(clients, goGET(t, g.addr, "/2"))
			untilWaiting(t, g.Gateway, 1)
			reserve.none("while there is a place in the queue")
			third := goGET(t, g.addr, "/3")
			if tt.third == "" {
				wantBusy(t, third.told(), "10")
				reserve.none("though full is not unavailable")
			} else {
				one := reserve.next()
				wantBusy(t, goGET(t, g.addr, "/4").told(), "10") // the reserve is full, too
				release([]*holdClient{third}, []*heldRequest{one})
			}
			close(held[0].answer)
			release(clients, []*heldRequest{h.next()})
			untilIdle(t, g.Gateway)
		})
	}
}

// A group of which no origin is in service is passed by; if no group is left, the
// answer says so at once.
func TestUnavailableGoesToTheFailoverGroup(t *testing.T) {
	t.Parallel()
	refused := Options{Dial: func(ctx context.Context, network, addr string) (net.Conn, error) { return nil, syscall.ECONNREFUSED }}
	for _, tt := range []struct {
		name     string
		settings [2]string // keys of the origin of app, and of reserve
		options  Options
		asked    int      // requests that find out about it first
		origin   string   // who answers in the end; empty: nobody
		cause    []string // why, in the log
	}{
		{"the primary serves", [2]string{"", ""}, Options{}, 0, "s1", nil},
		{"maintenance", [2]string{", state: maintenance", ""}, Options{}, 0, "reserve", nil},
		{"disabled", [2]string{", state: disabled", ""}, Options{}, 0, "reserve", nil},
		{"draining, and no session", [2]string{", state: draining", ""}, Options{}, 0, "reserve", nil},
		{"all out of service", [2]string{", state: maintenance", ", state: disabled"}, Options{}, 0, "", []string{"s1 is maintenance", "reserve is disabled"}},
		{"all refuse", [2]string{"", ""}, refused, 2, "", []string{"s1 is ejected", "reserve is ejected"}},
		{"one drains, one refuses", [2]string{", state: draining", ""}, refused, 1, "", []string{"s1 is draining", "reserve is ejected"}},
	} {
		t.Run("X-25, M-FO-07: "+tt.name, func(t *testing.T) {
			t.Parallel()
			s1, reserve := newTeller(t, "s1"), newTeller(t, "reserve")
			text := surgeConfig(t, newHolding(t), 1, "", "reserve: { origins: "+surgeOrigin(reserve, tt.settings[1])+" }") + surgeTwo
			text = strings.Replace(text, "origins: []", "origins: "+surgeOrigin(s1, tt.settings[0])+", retry: { retries: 0 }", 1)
			g := startSurge(t, text, tt.options)
			for range tt.asked {
				if a := goGET(t, g.addr, "/first").told(); a.status != 502 || a.body != "<p>page network" {
					t.Errorf("answered %d %q, want 502 and the network page", a.status, a.body)
				}
			}
			began := time.Now()
			a := goGET(t, g.addr, "/then").told()
			if took := time.Since(began); took > 2*time.Second {
				t.Errorf("the answer took %v", took)
			}
			if tt.origin != "" {
				if a.status != 200 || a.origin() != tt.origin {
					t.Errorf("answered %d by %q, want %s", a.status, a.origin(), tt.origin)
				}
				return
			}
			wantNetwork(t, a, "1")
			record := g.logged(t, "/then")
			for _, cause := range tt.cause {
				if text, _ := record["cause"].(string); record["reason"] != "no_origin" || !strings.Contains(text, cause) {
					t.Errorf("the log tells %v, want that %s", record, cause)
				}
			}
		})
	}
}

func surgeOrigin(o *teller, keys string) string {
	return fmt.Sprintf("[{ name: %s, address: %q%s }]", o.name, o.addr, keys)
}

// When no origin can be reached the client is told within the connect budget: as
// many time-outs as there may be attempts.
func TestUnreachableOriginsAreToldInTime(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name  string
		retry int
	}{
		{"M-FO-07: no retry", 0}, {"M-FO-07: one", 1}, {"M-FO-07: three", 3},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			const timeout = 100 * time.Millisecond
			h := newHolding(t, "s1", "s2", "s3", "s4", "s5")
			silent := Options{Dial: func(ctx context.Context, network, addr string) (net.Conn, error) {
				<-ctx.Done()
				return nil, ctx.Err()
			}}
			g := startSurge(t, surgeConfig(t, h, 1, fmt.Sprintf(", connect_timeout: %v, retry: { retries: %d }", timeout, tt.retry), "")+surgeOne, silent)
			a := goGET(t, g.addr, "/").told()
			record := g.logged(t, "/")
			budget := time.Duration(1+tt.retry) * timeout
			took := time.Duration(record["duration_ms"].(float64) * float64(time.Millisecond))
			if a.status != 504 || a.body != "<p>page network" || record["reason"] != "connect_timeout" || record["attempts"] != float64(1+tt.retry) {
				t.Errorf("answered %d %q; the log tells %v", a.status, a.body, record)
			}
			if took < budget-timeout/2 || took > budget+2*time.Second {
				t.Errorf("the answer took %v, want %v", took, budget)
			}
		})
	}
}

// surgeTimes is one origin of one slot, with times for all that may take time.
const surgeTimes = `
listeners: [{ address: "127.0.0.1:0" }]
clusters: { app: { origins: [{ address: "127.0.0.1:9001", capacity: 1 }], queue: { timeout: 100s }, first_byte_timeout: 21s, body_idle_timeout: 21s, keep_alive: 300s } }
timeouts: { body_idle: 25s, keep_alive: 60s, min_body_rate: 240B/s }
access_log: { format: off }
`

// What an exchange has waited in the queue is nobody's time but the queue's: the
// origin and the client have all of theirs afterwards.
func TestWaitTakesNobodysTime(t *testing.T) {
	const slow = 20 * time.Second
	answer := func(r *bufio.Reader, w net.Conn) {
		for {
			head := readHead(r)
			if head == "" {
				return
			}
			n, _ := strconv.ParseInt(fieldIn(head, "Content-Length"), 10, 64)
			io.CopyN(io.Discard, r, n)
			time.Sleep(slow)
			io.WriteString(w, bubbleOK)
		}
	}
	inBubbleOf(t, surgeTimes, Options{}, everywhere(answer), func(t *testing.T, b *bubble) {
		var running sync.WaitGroup
		for _, request := range []string{bubbleGET, post(4) + "body", post(24_000) + strings.Repeat("b", 24_000), bubbleGET} {
			c := b.client()
			running.Go(func() {
				io.WriteString(c, request)
				if head := readHead(bufio.NewReader(c)); !strings.HasPrefix(head, "HTTP/1.1 200 ") {
					t.Errorf("%.5q got %q after %v, want 200", request, head, b.took())
				}
			})
			synctest.Wait()
		}
		running.Wait()
		onTime(t, "the last was answered", b.took(), 4*slow)
	})
}

// A wait ends to the second, and says so.
func TestQueueTimeoutIsExact(t *testing.T) {
	never := func(r *bufio.Reader, w net.Conn) { readHead(r); readHead(r) }
	text := strings.Replace(surgeTimes, "timeout: 100s", "timeout: 7s", 1)
	inBubbleOf(t, text, Options{}, everywhere(never), func(t *testing.T, b *bubble) {
		io.WriteString(b.client(), bubbleGET)
		synctest.Wait()
		c := b.client()
		io.WriteString(c, bubbleGET)
		head := readHead(bufio.NewReader(c))
		onTime(t, "it was refused", b.took(), 7*time.Second)
		if !strings.HasPrefix(head, "HTTP/1.1 503 ") || fieldIn(head, "Retry-After") != "7" {
			t.Errorf("got %q, want 503 and Retry-After: 7", head)
		}
	})
}
