package gateway

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"
	"time"
)

// holding is a set of origins that hold every request until they are told to
// answer it.
type holding struct {
	tb      testing.TB
	origins []*holder
	came    chan *heldRequest
	over    chan bool // closed at the end of the test
}

// holder is one of them.
type holder struct {
	name, addr string
	socket     net.Listener

	mu       sync.Mutex
	accepted int // connections, ever
	conns    []net.Conn
}

// heldRequest has reached an origin and is not answered yet.
type heldRequest struct {
	origin string
	line   string
	answer chan string // takes an answer; closed: a plain one
}

func newHolding(tb testing.TB, names ...string) *holding {
	tb.Helper()
	h := &holding{tb: tb, came: make(chan *heldRequest, 1024), over: make(chan bool)}
	tb.Cleanup(func() { close(h.over) })
	for _, name := range names {
		o := &holder{name: name}
		o.socket = rawOrigin(tb, func(c net.Conn) { h.serve(o, c) })
		o.addr = o.socket.Addr().String()
		h.origins = append(h.origins, o)
	}
	return h
}

func (h *holding) serve(o *holder, c net.Conn) {
	o.mu.Lock()
	o.accepted++
	o.conns = append(o.conns, c)
	o.mu.Unlock()
	r := bufio.NewReader(c)
	for {
		head, err := readRawHead(r)
		if err != nil {
			return
		}
		readRawBody(r, head)
		line, _, _ := strings.Cut(head, "\r\n")
		held := &heldRequest{o.name, line, make(chan string, 1)}
		h.came <- held
		var answer string
		select {
		case answer = <-held.answer:
		case <-h.over:
		}
		if answer == "" {
			answer = "HTTP/1.1 200 OK\r\nX-Origin: " + o.name + "\r\nContent-Length: 2\r\n\r\nok"
		}
		if _, err := io.WriteString(c, answer); err != nil {
			return
		}
	}
}

// list is the YAML list of the origins with their capacities.
func (h *holding) list(capacities ...int) string {
	var list []string
	for i, o := range h.origins {
		list = append(list, fmt.Sprintf("{ name: %s, address: %q, capacity: %d }", o.name, o.addr, capacities[i]))
	}
	return "[" + strings.Join(list, ", ") + "]"
}

// named is the origin of that name.
func (h *holding) named(name string) *holder {
	return h.origins[slices.IndexFunc(h.origins, func(o *holder) bool { return o.name == name })]
}

// kill ends the origin as a process ends: it listens no more, and its
// connections are reset.
func (o *holder) kill() {
	o.socket.Close()
	o.reset()
}

// reset resets the origin's connections.
func (o *holder) reset() {
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, c := range o.conns {
		c.(*net.TCPConn).SetLinger(0)
		c.Close()
	}
}

// accepts is how many connections the origin has accepted.
func (o *holder) accepts() int {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.accepted
}

// next waits for the next request that reaches an origin.
func (h *holding) next() *heldRequest {
	h.tb.Helper()
	select {
	case held := <-h.came:
		return held
	case <-time.After(20 * time.Second):
		h.tb.Fatal("waited in vain until a request reached an origin")
		return nil
	}
}

// none checks that no request has reached an origin that was not asked for.
func (h *holding) none(when string) {
	h.tb.Helper()
	select {
	case held := <-h.came:
		h.tb.Errorf("%s: %q has reached %s", when, held.line, held.origin)
	default:
	}
}

// holdClient is a client that has sent a request.
type holdClient struct {
	tb testing.TB
	c  net.Conn
	r  *bufio.Reader
}

// goHold sends a request and leaves it at that. Head is the request's without
// blank line.
func goHold(tb testing.TB, addr, head string) *holdClient {
	tb.Helper()
	c, err := net.Dial("tcp", addr)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { c.Close() })
	c.SetDeadline(time.Now().Add(30 * time.Second))
	if _, err := io.WriteString(c, head+"\r\n\r\n"); err != nil {
		tb.Fatal(err)
	}
	return &holdClient{tb, c, bufio.NewReader(c)}
}

// goGET is goHold for a GET of a target at a.example.
func goGET(tb testing.TB, addr, target string) *holdClient {
	tb.Helper()
	return goHold(tb, addr, "GET "+target+" HTTP/1.1\r\nHost: a.example")
}

// told reads the answer.
func (c *holdClient) told() told {
	c.tb.Helper()
	a, err := readTold(c.r, "GET")
	if err != nil {
		c.tb.Fatalf("instead of an answer: %v", err)
	}
	return a
}

// hold sends requests, each once the one before has reached an origin, and
// returns the clients, and the requests as they are held.
func (h *holding) hold(addr string, n int) (clients []*holdClient, held []*heldRequest) {
	h.tb.Helper()
	for i := range n {
		clients = append(clients, goGET(h.tb, addr, fmt.Sprintf("/%d", i+1)))
		held = append(held, h.next())
	}
	return clients, held
}

// release lets the origins answer, and checks that the clients are served.
func release(clients []*holdClient, held []*heldRequest) {
	for _, one := range held {
		close(one.answer)
	}
	for i, c := range clients {
		if a := c.told(); a.status != 200 || a.body != "ok" {
			c.tb.Errorf("held request %d was answered %d %q", i+1, a.status, a.body)
		}
	}
}

// originsOf are the names of the origins that hold the requests, in order.
func originsOf(held []*heldRequest) (names []string) {
	for _, one := range held {
		names = append(names, one.origin)
	}
	return names
}

// countOf counts names, in the order of all.
func countOf(names []string, all ...string) []int {
	counts := make([]int, len(all))
	for _, name := range names {
		counts[slices.Index(all, name)]++
	}
	return counts
}

// statusOf is what the gateway says of an origin, as the first cluster that
// names it sees it.
func statusOf(tb testing.TB, g *Gateway, name string) OriginStatus {
	tb.Helper()
	for _, o := range g.Status().Origins {
		if o.Name == name {
			return o
		}
	}
	tb.Fatalf("no origin is called %s", name)
	return OriginStatus{}
}

// waiting is how many wait in a cluster's queue.
func waiting(g *Gateway, cluster string) int {
	for _, c := range g.Status().Clusters {
		if c.Name == cluster {
			return c.Waiting
		}
	}
	return -1
}

// untilWaiting waits until n wait in the queue of the cluster app.
func untilWaiting(tb testing.TB, g *Gateway, n int) {
	tb.Helper()
	until(tb, fmt.Sprintf("%d wait", n), func() bool { return waiting(g, "app") == n })
}

// untilIdle waits until no origin has a load.
func untilIdle(tb testing.TB, g *Gateway) {
	tb.Helper()
	until(tb, "no slot is taken", func() bool {
		for _, o := range g.Status().Origins {
			if o.Load != 0 || o.Waiting != 0 {
				return false
			}
		}
		return true
	})
}

// script is what an origin does with a connection.
type script func(*bufio.Reader, net.Conn)

// inBubbleOf runs a test in a bubble. Dial says what the origin at an address
// does with a connection; nil: it refuses. What begins with the configuration
// begins in the bubble, too.
func inBubbleOf(t *testing.T, text string, o Options, dial func(addr string) script, test func(t *testing.T, b *bubble)) {
	t.Helper()
	b := new(bubble)
	o.Dial = func(_ context.Context, _, addr string) (net.Conn, error) {
		script := dial(addr)
		if script == nil {
			return nil, syscall.ECONNREFUSED
		}
		ours, theirs := net.Pipe()
		b.running.Go(func() { defer theirs.Close(); script(bufio.NewReader(theirs), theirs) })
		return ours, nil
	}
	b.g = New(o)
	cfg := load(t, text)
	apply(t, b.g, plainListener+"clusters: { before: { origins: [{ address: \"127.0.0.1:1\" }] } }\n")
	b.g.ServeConn(&replay{}) // starts what the server library starts once, for good
	synctest.Test(t, func(t *testing.T) {
		defer b.end()
		if problems := b.g.Apply(cfg); problems.Errors() > 0 {
			t.Fatal(problems)
		}
		b.begun = time.Now()
		test(t, b)
	})
}

// everywhere makes every origin do the same.
func everywhere(s script) func(string) script { return func(string) script { return s } }
