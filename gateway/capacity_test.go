package gateway

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// goldenConfig is a gateway before one cluster of origins that hold.
func goldenConfig(h *holding, capacities ...int) string {
	return plainListener + "clusters: { app: { origins: " + h.list(capacities...) + " } }\n"
}

// What requests that are held do to origins, as the requirements' golden numbers
// say: where each goes, how many each origin has, and that one more waits.
func TestGoldenNumbersOfHeldRequests(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name       string
		capacities []int
		first      string        // where the first ones go
		counts     map[int][]int // by the number of held requests
	}{
		{"M-CAP-04: 50/50", []int{50, 50}, "s1 s2 s1 s2 s1 s2", map[int][]int{100: {50, 50}}},
		{"M-CAP-05, M-CAP-06, M-CAP-09: 150/50/50", []int{150, 50, 50}, "s1 s2 s3 s1 s1 s2 s3 s1 s1 s1 s2 s3", map[int][]int{
			10: {6, 2, 2}, 25: {15, 5, 5}, 50: {30, 10, 10}, 100: {60, 20, 20}, 125: {75, 25, 25}, 200: {120, 40, 40}, 250: {150, 50, 50},
		}},
		{"150/50", []int{150, 50}, "s1 s2 s1", map[int][]int{
			4: {3, 1}, 8: {6, 2}, 40: {30, 10}, 100: {75, 25}, 200: {150, 50},
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			names := []string{"s1", "s2", "s3"}[:len(tt.capacities)]
			h := newHolding(t, names...)
			addr, g := start(t, goldenConfig(h, tt.capacities...), Options{})
			full := 0
			for _, c := range tt.capacities {
				full += c
			}
			clients, held := h.hold(addr, full)
			got := originsOf(held)
			if first := strings.Fields(tt.first); !slices.Equal(got[:len(first)], first) {
				t.Errorf("the first went to %v, want %v", got[:len(first)], first)
			}
			for n, want := range tt.counts {
				if counts := countOf(got[:n], names...); !slices.Equal(counts, want) {
					t.Errorf("%d held: %v, want %v", n, counts, want)
				}
			}
			clients, held = oneMoreWaits(t, h, g, addr, clients, held)
			release(clients, held)
			untilIdle(t, g)
		})
	}
}

// oneMoreWaits sends one more request, which must wait until one that is held
// has ended.
func oneMoreWaits(t *testing.T, h *holding, g *Gateway, addr string, clients []*holdClient, held []*heldRequest) ([]*holdClient, []*heldRequest) {
	t.Helper()
	more := goGET(t, addr, "/more")
	untilWaiting(t, g, 1)
	h.none("while all are full")
	release(clients[:1], held[:1])
	if one := h.next(); one.line != "GET /more HTTP/1.1" || one.origin != held[0].origin {
		t.Errorf("after one had left %s, %q reached %s", held[0].origin, one.line, one.origin)
	} else {
		held = append(held, one)
	}
	return append(clients[1:], more), held[1:]
}

// Equal loads are a tie whatever the capacities, unless the balancer's options
// say that the formula alone decides.
func TestTieRule(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ tie, want string }{{"equal-load", "s2"}, {"weighted", "s1"}} {
		t.Run("M-CAP-07, X-23: "+tt.tie, func(t *testing.T) {
			t.Parallel()
			h := newHolding(t, "s1", "s2", "s3")
			addr, _ := start(t, plainListener+"clusters: { app: { balancer_options: { tie: "+tt.tie+" }, origins: "+h.list(150, 50, 50)+" } }\n", Options{})
			clients, held := h.hold(addr, 4) // s1 s2 s3 s1
			release(clients[:1], held[:1])   // loads 1, 1, 1, and s1 was chosen last
			more, next := h.hold(addr, 1)
			if next[0].origin != tt.want {
				t.Errorf("the next went to %s, want %s", next[0].origin, tt.want)
			}
			release(append(clients[1:], more...), append(held[1:], next...))
		})
	}
}

// Of 150/50/50 the third is killed: the other two get three quarters and one.
func TestHeldRequestsAfterAFailure(t *testing.T) {
	t.Parallel()
	h := newHolding(t, "s1", "s2", "s3")
	addr, g := start(t, goldenConfig(h, 150, 50, 50), Options{})
	h.named("s3").kill()
	for found := false; !found; { // the turn goes by s3, and stands before s1 in the end
		clients, held := h.hold(addr, 1)
		release(clients, held)
		found = !statusOf(t, g, "s3").Up && held[0].origin == "s2"
	}
	clients, held := h.hold(addr, 200)
	for n, want := range map[int][]int{4: {3, 1}, 100: {75, 25}, 200: {150, 50}} {
		if counts := countOf(originsOf(held[:n]), "s1", "s2", "s3"); !slices.Equal(counts, append(want, 0)) {
			t.Errorf("M-FO-06: %d held: %v, want %v", n, counts, want)
		}
	}
	clients, held = oneMoreWaits(t, h, g, addr, clients, held)
	release(clients, held)
	untilIdle(t, g)
}

// Requests that end before the next one comes are spread evenly, whatever the
// capacities.
func TestSequentialRequestsGoInTurn(t *testing.T) {
	t.Parallel()
	tellers := []*teller{newTeller(t, "s1"), newTeller(t, "s2"), newTeller(t, "s3")}
	var list []string
	for i, o := range tellers {
		list = append(list, fmt.Sprintf("{ name: %s, address: %q, capacity: %d }", o.name, o.addr, []int{150, 50, 50}[i]))
	}
	addr, _ := start(t, plainListener+"clusters: { app: { origins: ["+strings.Join(list, ", ")+"] } }\n", Options{})
	var got []string
	for range 300 {
		got = append(got, askFor(t, addr, "a.example", "/").origin())
	}
	if counts := countOf(got, "s1", "s2", "s3"); !slices.Equal(counts, []int{100, 100, 100}) {
		t.Errorf("M-CAP-08: %v, want 100 each", counts)
	}
	if first := got[:6]; !slices.Equal(first, []string{"s1", "s2", "s3", "s1", "s2", "s3"}) {
		t.Errorf("M-CAP-03: the first went to %v, want each in turn", first)
	}
}

// The shares hold when requests come all at once, too: give or take those that
// are under way at the same moment.
func TestSharesUnderConcurrency(t *testing.T) {
	t.Parallel()
	h := newHolding(t, "s1", "s2")
	addr, g := start(t, goldenConfig(h, 150, 50), Options{})
	const n, slack = 100, 6
	var clients []*holdClient
	for range n {
		clients = append(clients, goGET(t, addr, "/"))
	}
	var held []*heldRequest
	for range n {
		held = append(held, h.next())
	}
	counts := countOf(originsOf(held), "s1", "s2")
	if counts[0] < 75-slack || counts[0] > 75+slack {
		t.Errorf("M-CAP-05: %d at once: %v, want about 75 and 25", n, counts)
	}
	if load := [2]int64{statusOf(t, g, "s1").Load, statusOf(t, g, "s2").Load}; load != [2]int64{int64(counts[0]), int64(counts[1])} {
		t.Errorf("the loads are %v, the origins hold %v", load, counts)
	}
	release(clients, held)
	untilIdle(t, g)
}

// slotOrigin does to each request what its path says.
func slotOrigin(tb testing.TB, name string) net.Listener {
	return rawOrigin(tb, func(c net.Conn) {
		c.SetDeadline(time.Now().Add(30 * time.Second))
		r := bufio.NewReader(c)
		for {
			head, err := readRawHead(r)
			if err != nil {
				return
			}
			_, path, _ := strings.Cut(head, " ")
			path, _, _ = strings.Cut(path, " ")
			if path != "/early" {
				readRawBody(r, head)
			}
			if !slotAnswer(c, r, path) {
				return
			}
		}
	})
}

// slotAnswer answers one request and reports whether the connection goes on.
func slotAnswer(c net.Conn, r *bufio.Reader, path string) bool {
	switch path {
	case "/reset":
		c.(*net.TCPConn).SetLinger(0)
		return false
	case "/close":
		return false
	case "/cut":
		io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf")
		return false
	case "/nonsense":
		io.WriteString(c, "nonsense\r\n\r\n")
		return false
	case "/busy":
		io.WriteString(c, "HTTP/1.1 503 Busy\r\nContent-Length: 0\r\n\r\n")
	case "/silent", "/silent-body":
		if path == "/silent-body" {
			io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf")
		}
		r.ReadByte() // until the gateway gives up
		return false
	case "/early":
		io.WriteString(c, "HTTP/1.1 403 Forbidden\r\nContent-Length: 2\r\n\r\nno")
		io.Copy(io.Discard, r)
		return false
	case "/tunnel":
		io.WriteString(c, "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n")
		io.Copy(c, r)
		return false
	default:
		io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
	}
	return true
}

// slotKinds are the ways in which an exchange may end: each sends a request and
// returns when the client has what it gets.
var slotKinds = []struct {
	name string
	head string // without its blank line, which follows
	do   func(c net.Conn)
}{
	{"served", "GET /ok HTTP/1.1\r\nHost: a", slotRead},
	{"served, by a POST", "POST /ok HTTP/1.1\r\nHost: a\r\nContent-Length: 2", func(c net.Conn) { io.WriteString(c, "hi"); slotRead(c) }},
	{"HEAD", "HEAD /ok HTTP/1.1\r\nHost: a", slotRead},
	{"the origin closes, and again at the retry", "GET /close HTTP/1.1\r\nHost: a", slotRead},
	{"the origin resets, no retry", "POST /reset HTTP/1.1\r\nHost: a\r\nContent-Length: 0", slotRead},
	{"the origin answers nonsense", "GET /nonsense HTTP/1.1\r\nHost: a", slotRead},
	{"the origin is busy", "GET /busy HTTP/1.1\r\nHost: a", slotRead},
	{"the answer breaks off", "GET /cut HTTP/1.1\r\nHost: a", slotRead},
	{"time runs out", "GET /silent HTTP/1.1\r\nHost: a", slotRead},
	{"time runs out in the answer", "GET /silent-body HTTP/1.1\r\nHost: a", slotRead},
	{"the client goes before the answer", "GET /silent HTTP/1.1\r\nHost: a", rst},
	{"the client goes in the answer", "GET /silent-body HTTP/1.1\r\nHost: a", func(c net.Conn) { c.Read(make([]byte, 1)); rst(c) }},
	{"the client goes in its body", "POST /ok HTTP/1.1\r\nHost: a\r\nContent-Length: 9", func(c net.Conn) { io.WriteString(c, "hi"); rst(c) }},
	{"the client ends in its body", "POST /ok HTTP/1.1\r\nHost: a\r\nContent-Length: 9", func(c net.Conn) { io.WriteString(c, "hi"); slotRead(c) }},
	{"the body is malformed", "POST /ok HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked", func(c net.Conn) { io.WriteString(c, "nonsense\r\n"); slotRead(c) }},
	{"an early answer", "POST /early HTTP/1.1\r\nHost: a\r\nContent-Length: 100000", func(c net.Conn) { io.WriteString(c, "hi"); slotRead(c) }},
	{"a tunnel that the client ends", "GET /tunnel HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket", func(c net.Conn) {
		io.WriteString(c, "ping")
		slotRead(c)
	}},
	{"a tunnel that breaks", "GET /tunnel HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket", func(c net.Conn) {
		io.WriteString(c, "ping")
		c.Read(make([]byte, 1))
		rst(c)
	}},
	{"a fault of ours", "GET /panic HTTP/1.1\r\nHost: a", slotRead},
}

// slotRead ends the client's half and reads all there is.
func slotRead(c net.Conn) {
	c.(*net.TCPConn).CloseWrite()
	io.Copy(io.Discard, c)
}

// slotDial opens connections, and panics as often as it is told to.
type slotDial struct{ panics atomic.Int32 }

var errSlotDial = errors.New("the dial panics")

func (d *slotDial) dial(ctx context.Context, network, addr string) (net.Conn, error) {
	if d.panics.Add(-1) >= 0 {
		panic(errSlotDial)
	}
	return dialTCP(ctx, network, addr)
}

// startSlots runs a gateway with two origins of a capacity that stay in service
// whatever happens.
func startSlots(t *testing.T, capacity int, d *slotDial) (string, *Gateway) {
	const text = `clusters: { app: {
  origins: [{ name: s1, address: %q, capacity: %d }, { name: s2, address: %q, capacity: %d }],
  upgrades: [websocket], keep_alive: 0s, first_byte_timeout: 100ms, body_idle_timeout: 100ms, connect_timeout: 5s,
  failover: { connect_failures: same, threshold: 1000 }, queue: { timeout: 30s } } }
`
	one, other := slotOrigin(t, "s1"), slotOrigin(t, "s2")
	return start(t, plainListener+fmt.Sprintf(text, one.Addr(), capacity, other.Addr(), capacity), Options{Dial: d.dial})
}

// However an exchange ends, its slot is free then.
func TestEveryEndFreesTheSlot(t *testing.T) {
	t.Parallel()
	for _, kind := range slotKinds {
		t.Run("M-CAP-02: "+kind.name, func(t *testing.T) {
			t.Parallel()
			d := new(slotDial)
			addr, g := startSlots(t, 1, d)
			for range 3 { // more than there are slots
				slotExchange(t, addr, d, kind.head, kind.do)
			}
			untilIdle(t, g)
			slotServed(t, addr)
			untilIdle(t, g)
		})
	}
}

// slotExchange runs one exchange of a kind.
func slotExchange(t testing.TB, addr string, d *slotDial, head string, do func(net.Conn)) {
	c := endDial(t, addr)
	defer c.Close()
	if strings.HasPrefix(head, "GET /panic ") {
		d.panics.Store(1)
	}
	io.WriteString(c, head+"\r\n\r\n")
	do(c)
}

func slotServed(t *testing.T, addr string) {
	t.Helper()
	for range 4 {
		until(t, "a request is served", func() bool { // its time may run out as well
			return strings.HasSuffix(send(t, addr, "GET /ok HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"), "\r\n\r\nok")
		})
	}
}

// At any time an origin's load lies between nothing and its capacity, and when
// all is over it is nothing, whatever went on at once.
func TestLoadReturnsToNothing(t *testing.T) {
	t.Parallel()
	const capacity, clients, each = 3, 12, 25
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	d := new(slotDial)
	addr, g := startSlots(t, capacity, d)
	var all sync.WaitGroup
	for i := range clients {
		random := rand.New(rand.NewPCG(seed, uint64(i)))
		all.Go(func() {
			for range each {
				kind := slotKinds[random.IntN(len(slotKinds))]
				slotExchange(t, addr, d, kind.head, kind.do)
			}
		})
	}
	done := make(chan bool)
	go func() { all.Wait(); close(done) }()
	for over := false; !over; {
		select {
		case <-done:
			over = true
		case <-time.After(time.Millisecond):
		}
		for _, o := range g.Status().Origins {
			if o.Load < 0 || o.Load > capacity {
				t.Fatalf("M-CAP-02: the load of %s is %d, its capacity %d", o.Name, o.Load, capacity)
			}
		}
	}
	d.panics.Store(0)
	untilIdle(t, g)
	slotServed(t, addr)
	untilIdle(t, g)
	if n := waiting(g, "app"); n != 0 {
		t.Errorf("%d wait in the end", n)
	}
}

// An origin that two clusters name has one load: what comes by one is seen by
// the other.
func TestSharedOriginHasOneLoad(t *testing.T) {
	t.Parallel()
	h := newHolding(t, "h1", "h2", "h3")
	text := plainListener + "origins:\n"
	for _, o := range h.origins {
		text += fmt.Sprintf("  %s: { address: %q, capacity: 2 }\n", o.name, o.addr)
	}
	text += `clusters: { one: { origins: [h1, h2] }, two: { origins: [h2, h3] }, middle: { origins: [h2] } }
sites: { one: { hosts: [one.example] }, two: { hosts: [two.example] }, middle: { hosts: [middle.example] } }
mappings: [{ site: one, cluster: one }, { site: two, cluster: two }, { site: middle, cluster: middle }]
`
	addr, g := start(t, text, Options{})
	var clients []*holdClient
	var held []*heldRequest
	for _, step := range []struct{ site, origin string }{
		{"middle", "h2"},
		{"two", "h3"}, // in turn it were h2, which has a load
		{"one", "h1"},
		{"one", "h2"}, // equal loads: in turn
		{"one", "h1"},
		{"two", "h3"}, // h2 is full, though not by those of this site
	} {
		clients = append(clients, goHold(t, addr, "GET / HTTP/1.1\r\nHost: "+step.site+".example"))
		one := h.next()
		held = append(held, one)
		if one.origin != step.origin {
			t.Errorf("X-36, M-MAP-01: after %v, one of %s went to %s, want %s", originsOf(held[:len(held)-1]), step.site, one.origin, step.origin)
		}
	}
	for _, o := range g.Status().Origins {
		if o.Load != 2 {
			t.Errorf("X-36: %s in %s has load %d, want 2", o.Name, o.Cluster, o.Load)
		}
	}
	clients = append(clients, goHold(t, addr, "GET /late HTTP/1.1\r\nHost: middle.example"))
	until(t, "the late one waits", func() bool { return waiting(g, "middle") == 1 })
	h.none("while the shared origin is full")
	release(clients[3:4], held[3:4]) // that of another site
	if one := h.next(); one.line != "GET /late HTTP/1.1" {
		t.Errorf("%q came instead of the one that waits", one.line)
	} else {
		held = append(held, one)
	}
	release(slices.Delete(clients, 3, 4), slices.Delete(held, 3, 4))
	untilIdle(t, g)
}

// A tunnel keeps its slot unless the cluster says that tunnels do not count. Its
// snapshot it gives back either way.
func TestTunnelsAndSlots(t *testing.T) {
	t.Parallel()
	for _, counts := range []bool{true, false} {
		t.Run(fmt.Sprintf("X-38: count_tunnels %v", counts), func(t *testing.T) {
			t.Parallel()
			o := slotOrigin(t, "s1")
			text := plainListener + fmt.Sprintf("clusters: { app: { origins: [{ name: s1, address: %q, capacity: 1 }], upgrades: [websocket], queue: { size: 0 }, count_tunnels: %v } }\n", o.Addr(), counts)
			addr, g := start(t, text, Options{})
			before := g.current.Load()
			c := endDial(t, addr)
			io.WriteString(c, "GET /tunnel HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\nping")
			r := bufio.NewReader(c)
			readRawHead(r)
			expectBytes(t, r, "ping")
			load, status := int64(0), 200
			if counts {
				load, status = 1, 503
			}
			if s := statusOf(t, g, "s1"); s.Load != load || s.Tunnels != 1 {
				t.Errorf("load %d, tunnels %d; want %d and 1", s.Load, s.Tunnels, load)
			}
			if a := askFor(t, addr, "a", "/ok"); a.status != status {
				t.Errorf("another request was answered %d, want %d", a.status, status)
			}
			apply(t, g, text+"limits: { body_bytes: 1MiB }\n")
			until(t, "the tunnel's snapshot is retired", func() bool { return before.users.Load() == 0 })
			io.WriteString(c, "pong")
			expectBytes(t, r, "pong")
			c.Close()
			until(t, "the tunnel is gone", func() bool { s := statusOf(t, g, "s1"); return s.Load == 0 && s.Tunnels == 0 })
			if a := askFor(t, addr, "a", "/ok"); a.status != 200 {
				t.Errorf("after the tunnel: %d", a.status)
			}
		})
	}
}
