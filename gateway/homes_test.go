package gateway

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"weirkeep/gateway/metrics"
)

// A home is an origin where sessions are at home. It answers with its name in
// X-Origin; what else it says is up to its script. A request for /hold waits in
// it until one is let go.
type home struct {
	name, addr string
	called     string                                  // its name in the configuration; empty: name
	settings   string                                  // further keys in the configuration, each behind a comma
	script     func(head string) (fields, body string) // nil: the body is the head
	status     func() string                           // of its answers; nil: 200
	letGo      chan struct{}
	down       atomic.Bool  // connections are refused
	heads      atomic.Int64 // requests, ever
	held       atomic.Int64 // requests that wait now

	mu    sync.Mutex
	conns map[net.Conn]bool
}

// homes are some of them, with the network that leads there.
type homes []*home

func newHomes(tb testing.TB, names ...string) (hs homes) {
	over := make(chan struct{})
	tb.Cleanup(func() { close(over) })
	for _, name := range names {
		h := &home{name: name, letGo: make(chan struct{}), conns: make(map[net.Conn]bool)}
		h.addr = rawOrigin(tb, func(c net.Conn) { h.serve(c, over) }).Addr().String()
		hs = append(hs, h)
	}
	return hs
}

func (h *home) serve(c net.Conn, over chan struct{}) {
	h.note(c, true)
	defer h.note(c, false)
	r := bufio.NewReader(c)
	for {
		head, err := readRawHead(r)
		if err != nil {
			return
		}
		readRawBody(r, head)
		h.heads.Add(1)
		if strings.HasPrefix(head, "GET /hold") {
			h.held.Add(1)
			select {
			case <-h.letGo:
			case <-over:
			}
			h.held.Add(-1)
		}
		text, cut := h.answer(head)
		if _, err := io.WriteString(c, text); err != nil || cut {
			return
		}
	}
}

// cutShort before the other fields of an answer makes it promise 100 bytes more than come. Nothing comes
// after it.
const cutShort = ":cut\r\n"

func (h *home) answer(head string) (text string, cut bool) {
	status, fields, body := "200 OK", "", head
	if h.status != nil {
		status = h.status()
	}
	if h.script != nil {
		fields, body = h.script(head)
	}
	if line, rest, ok := strings.Cut(fields, "\r\n"); ok && strings.HasPrefix(line, ":status ") { // of this answer
		status, fields = strings.TrimPrefix(line, ":status "), rest
	}
	length := len(body)
	if fields, cut = strings.CutPrefix(fields, cutShort); cut {
		length += 100
	}
	return fmt.Sprintf("HTTP/1.1 %s\r\nX-Origin: %s\r\n%sContent-Length: %d\r\n\r\n%s", status, h.name, fields, length, body), cut
}

func (h *home) note(c net.Conn, open bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if open {
		h.conns[c] = true
	} else {
		delete(h.conns, c)
	}
}

// kill cuts every connection and refuses new ones.
func (h *home) kill() {
	h.down.Store(true)
	h.cut()
}

// revive lets connections be made again, and has the gateway know.
func (h *home) revive(g *Gateway) {
	h.down.Store(false)
	g.registry.mu.Lock()
	o := g.registry.states["http://"+h.addr].thing.origin
	g.registry.mu.Unlock()
	o.Succeeded(true)
}

// cut resets every connection.
func (h *home) cut() {
	h.mu.Lock()
	defer h.mu.Unlock()
	for c := range h.conns {
		c.(*net.TCPConn).SetLinger(0)
		c.Close()
	}
}

// dial is [Options.Dial].
func (hs homes) dial(ctx context.Context, network, address string) (net.Conn, error) {
	for _, h := range hs {
		if h.addr == address && h.down.Load() {
			return nil, &net.OpError{Op: "dial", Net: network, Err: os.NewSyscallError("connect", syscall.ECONNREFUSED)}
		}
	}
	return dialTCP(ctx, network, address)
}

// countingDial counts what is dialled of some of them.
func (hs homes) countingDial(n *atomic.Int64) func(context.Context, string, string) (net.Conn, error) {
	return func(ctx context.Context, network, address string) (net.Conn, error) {
		for _, h := range hs {
			if h.addr == address {
				n.Add(1)
			}
		}
		return hs.dial(ctx, network, address)
	}
}

func (hs homes) options() Options { return Options{Dial: hs.dial} }

// named is the one with the name.
func (hs homes) named(tb testing.TB, name string) *home {
	tb.Helper()
	for _, h := range hs {
		if h.name == name {
			return h
		}
	}
	tb.Fatalf("no origin has the name %q", name)
	return nil
}

// except are all but the one with the name.
func (hs homes) except(name string) (others homes) {
	for _, h := range hs {
		if h.name != name {
			others = append(others, h)
		}
	}
	return others
}

// say gives all of them one script.
func (hs homes) say(script func(head string) (fields, body string)) {
	for _, h := range hs {
		h.script = script
	}
}

// count is how many requests came to all of them.
func (hs homes) count() (n int64) {
	for _, h := range hs {
		n += h.heads.Load()
	}
	return n
}

// text is a YAML list of origins.
func (hs homes) text() string {
	var list []string
	for _, h := range hs {
		list = append(list, fmt.Sprintf("{ name: %s, address: %q%s }", cmp.Or(h.called, h.name), h.addr, h.settings))
	}
	return "[" + strings.Join(list, ", ") + "]"
}

// boundText is the configuration of one cluster whose sessions are bound.
// Cluster and session are further keys, more are further lines.
func (hs homes) boundText(cluster, session, more string) string {
	return plainListener + fmt.Sprintf("clusters: { app: { origins: %s, session: s%s } }\nsessions: { s: { %s } }\n%s\n", hs.text(), cluster, session, more)
}

const byCookie = "cookie: SID, url_param: sid"

// atCookie is a script of an origin that begins a session for who asks for
// /in?id, in a cookie.
func atCookie(head string) (fields, body string) {
	if _, id, ok := strings.Cut(requestTarget(head), "/in?"); ok {
		return "Set-Cookie: SID=" + id + "; Path=/\r\n", "in"
	}
	return "", head
}

func requestTarget(head string) string {
	parts := strings.SplitN(head, " ", 3)
	return parts[min(1, len(parts)-1)]
}

// visitHead is the head of a request, with a cookie if it is not empty.
func visitHead(target, cookie string) string {
	head := "GET " + target + " HTTP/1.1\r\nHost: a.example"
	if cookie != "" {
		head += "\r\nCookie: " + cookie
	}
	return head
}

// visit asks for a target on a connection of its own.
func visit(tb testing.TB, addr, target, cookie string) told {
	tb.Helper()
	return ask(tb, addr, visitHead(target, cookie))
}

// visitLater is visit for an answer that takes its time; status 0: there was none.
func visitLater(tb testing.TB, addr, target, cookie string) <-chan told {
	tb.Helper()
	c := dialTo(tb, addr)
	c.SetDeadline(time.Now().Add(20 * time.Second))
	io.WriteString(c, visitHead(target, cookie)+"\r\nConnection: close\r\n\r\n")
	answer := make(chan told, 1)
	go func() {
		a, err := readTold(bufio.NewReader(c), "GET")
		if err != nil {
			a.status = 0
		}
		answer <- a
	}()
	return answer
}

// enter begins the session with the id and returns where it is at home.
func enter(tb testing.TB, addr, id string) string {
	tb.Helper()
	a := visit(tb, addr, "/in?"+id, "")
	if a.header.Get("Set-Cookie") == "" {
		tb.Fatalf("no session was begun: %d %q", a.status, a.body)
	}
	return a.origin()
}

// enterAt begins sessions until one is at home at the origin, and returns its
// cookie.
func enterAt(tb testing.TB, addr, origin string) (cookie string) {
	tb.Helper()
	for n := range 100 {
		id := fmt.Sprintf("%s-%d", origin, n)
		if enter(tb, addr, id) == origin {
			return "SID=" + id
		}
	}
	tb.Fatalf("no session came to %q", origin)
	return ""
}

// awaitWaiters waits until so many exchanges stand in all queues.
func awaitWaiters(tb testing.TB, g *Gateway, n int) {
	tb.Helper()
	until(tb, fmt.Sprintf("%d wait", n), func() bool {
		all := 0
		for _, c := range g.Status().Clusters {
			all += c.Waiting
		}
		return all == n
	})
}

// hold sends a request that stays at the origin until it is let go.
func (h *home) hold(tb testing.TB, addr, cookie string) <-chan told {
	tb.Helper()
	before := h.held.Load()
	answer := visitLater(tb, addr, "/hold", cookie)
	until(tb, "a request is held at "+h.name, func() bool { return h.held.Load() > before })
	return answer
}

// wantAnswerOf waits for an answer, which must be the origin's.
func wantAnswerOf(t *testing.T, what string, answer <-chan told, origin string) {
	t.Helper()
	if a, err := await(answer); err != nil || a.status != 200 || a.origin() != origin {
		t.Errorf("%s: %d from %q, %v; want one of %q", what, a.status, a.origin(), err, origin)
	}
}

func await(answer <-chan told) (told, error) {
	select {
	case a := <-answer:
		return a, nil
	case <-time.After(15 * time.Second):
		return told{}, errors.New("no answer for 15 s")
	}
}

// stays checks that a session's next requests all go to the origin.
func stays(t *testing.T, addr, cookie, origin string) {
	t.Helper()
	for range 6 {
		if a := visit(t, addr, "/", cookie); a.status != 200 || a.origin() != origin {
			t.Errorf("a request of %s: %d from %q, want it from %q", cookie, a.status, a.origin(), origin)
			return
		}
	}
}

// open is how many connections it has.
func (h *home) open() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return len(h.conns)
}

// sessionCounts are the counters of a session.
func sessionCounts(g *Gateway, name string) *metrics.Session {
	return g.Metrics().Current().Session(name)
}
