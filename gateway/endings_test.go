package gateway

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"go.uber.org/goleak"
)

// A client that is refused while it sends gets its answer whole, if it does not
// send for ever: nothing of what it sends resets the connection before.
func TestRefusalsAreReadableWhileTheClientSends(t *testing.T) {
	t.Parallel()
	const sends = 200 << 10
	secured := secureListen(t)
	length := fmt.Sprintf("Content-Length: %d\r\n\r\n", sends)
	heads := []struct {
		name   string
		status int
		head   string
	}{
		{"announced over the limit", 413, "POST / HTTP/1.1\r\nHost: a\r\n" + length},
		{"chunked over the limit", 413, "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n32000\r\n"},
		{"bad head", 400, "POST / HTTP/1.1\r\nHost: a b\r\n" + length},
		{"head that nobody can parse", 400, "POST  / HTTP/1.1 x\r\nbad\r\n" + length},
		{"unclear length", 400, "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n" + length},
		{"method", 405, "TRACE / HTTP/1.1\r\nHost: a\r\n" + length},
		{"expectation", 417, "POST / HTTP/1.1\r\nHost: a\r\nExpect: more\r\n" + length},
		{"coding", 501, "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: gzip\r\n\r\n"},
		{"version", 505, "POST / HTTP/1.9\r\nHost: a\r\n" + length},
	}
	o := newEndOrigin(t, func(_ int, c *endConn) { io.Copy(io.Discard, c.in) })
	for _, listener := range []struct{ name, text, before string }{
		{"plain", "", ""}, {"TLS", secured, ""}, {"PROXY", ", proxy_protocol: require", endProxyV1},
	} {
		addr, _ := start(t, endText(o, listener.text, "", "limits: { body_bytes: 1KiB }\ntrusted_proxies: [127.0.0.1]\n"+endNoLog), Options{})
		for _, tt := range heads {
			for _, writes := range []int{1, 2, 20} {
				t.Run(fmt.Sprintf("%s/%s in %d writes", listener.name, tt.name, writes), func(t *testing.T) {
					t.Parallel()
					c := endDialMaybe(t, addr, listener.name == "TLS")
					if err := sendIn(c, listener.before+tt.head, sends, writes); err != nil {
						t.Errorf("sending: %v", err)
					}
					got, err := io.ReadAll(c)
					if !strings.HasPrefix(string(got), fmt.Sprintf("HTTP/1.1 %d ", tt.status)) || err != nil {
						t.Errorf("answered %q (%v), want %d and its end", got, err, tt.status)
					}
				})
			}
		}
	}
}

const endProxyV1 = "PROXY TCP4 192.0.2.7 192.0.2.8 1000 80\r\n"

// sendIn sends a head and n bytes behind it: all at once, or head and bytes
// apart, or the bytes in pieces.
func sendIn(c net.Conn, head string, n, writes int) error {
	body := strings.Repeat("x", n)
	if writes == 1 {
		_, err := io.WriteString(c, head+body)
		return err
	}
	_, err := io.WriteString(c, head)
	for piece := n / (writes - 1); len(body) > 0 && err == nil; body = body[min(piece, len(body)):] {
		_, err = io.WriteString(c, body[:min(piece, len(body))])
	}
	return err
}

// An answer that only the end of the connection ends must not look whole when
// it is cut, by TLS neither: its goodbye says that all is said.
func TestCutsAreSeenWhereTheEndIsTheEnd(t *testing.T) {
	t.Parallel()
	const chunked = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n"
	const endless = "HTTP/1.1 200 OK\r\n\r\nhello"
	fin := func(*endConn) {}
	secured := secureListen(t)
	for _, tt := range []struct {
		name   string
		answer string
		then   func(*endConn)
		whole  bool
	}{
		{"chunked, ended", chunked, fin, false},
		{"chunked, reset", chunked, (*endConn).die, false},
		{"chunked, then nonsense", chunked + "nonsense\r\n", fin, false},
		{"chunked, whole", chunked + "0\r\n\r\n", fin, true},
		{"without a length, reset", endless, (*endConn).die, false},
		{"without a length, ended", endless, fin, true},
	} {
		for _, listener := range []string{"", secured} {
			t.Run(fmt.Sprintf("%s/TLS %v", tt.name, listener != ""), func(t *testing.T) {
				t.Parallel()
				begun := make(chan bool)
				o := newEndOrigin(t, func(_ int, c *endConn) {
					c.head()
					c.say(tt.answer)
					<-begun
					tt.then(c)
				})
				addr, _ := start(t, endText(o, listener, "", endNoLog), Options{})
				c := endDialMaybe(t, addr, listener != "")
				io.WriteString(c, "GET / HTTP/1.0\r\nHost: a\r\n\r\n")
				one := make([]byte, 1)
				if _, err := c.Read(one); err != nil {
					t.Fatal(err)
				}
				close(begun)
				got, err := io.ReadAll(c)
				if (err == nil) != tt.whole {
					t.Errorf("read %q, error %v; want whole: %v", got, err, tt.whole)
				}
			})
		}
	}
}

// After Close nothing is served: not by ServeConn, not by a connection that was
// on its way in.
func TestNothingIsServedAfterClose(t *testing.T) {
	t.Parallel()
	o := newEndOrigin(t, func(_ int, c *endConn) { c.serve() })
	g := New(Options{})
	if err := g.ServeConn(nil); err == nil {
		t.Error("ServeConn serves before the first Apply")
	}
	apply(t, g, endText(o, "", "", endNoLog))
	client, server := net.Pipe()
	late := &lateConn{Conn: server, entered: make(chan bool), release: make(chan bool)}
	served := make(chan error)
	go func() { served <- g.ServeConn(late) }()
	<-late.entered
	for range 2 {
		if err := g.Close(); err != nil {
			t.Errorf("Close: %v", err)
		}
	}
	close(late.release)
	client.SetDeadline(time.Now().Add(endPatience))
	go io.WriteString(client, "GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
	if got, err := io.ReadAll(client); len(got) != 0 {
		t.Errorf("a connection that was on its way in got %q (%v)", got, err)
	}
	<-served
	if err := g.ServeConn(server); err == nil {
		t.Error("ServeConn serves after Close")
	}
	if n := len(o.seen()); n != 0 {
		t.Errorf("%d requests reached the origin", n)
	}
	if s := g.Status(); s.Ready || s.Connections != 0 {
		t.Errorf("after Close: %+v", s)
	}
}

// lateConn is held up where the gateway first looks at it.
type lateConn struct {
	net.Conn
	entered, release chan bool
}

func (c *lateConn) SyscallConn() (syscall.RawConn, error) {
	close(c.entered)
	<-c.release
	return nil, errEnding
}

// Connections that come while Close runs end, too.
func TestConnectionsThatComeDuringCloseEnd(t *testing.T) {
	t.Parallel()
	o := newEndOrigin(t, func(_ int, c *endConn) { c.serve() })
	for range 10 {
		addr, g := start(t, endText(o, "", "", endNoLog), Options{})
		var clients sync.WaitGroup
		var came atomic.Int64
		var ended atomic.Bool
		for range 4 {
			clients.Go(func() {
				for !ended.Load() {
					c, err := net.Dial("tcp", addr)
					if err != nil {
						return
					}
					came.Add(1)
					c.SetDeadline(time.Now().Add(endPatience))
					if _, err := io.Copy(io.Discard, c); errors.Is(err, os.ErrDeadlineExceeded) {
						t.Error("a connection was left open")
					}
					c.Close()
				}
			})
		}
		endUntil(t, "clients come", func() bool { return came.Load() >= 4 })
		g.Close()
		if n := g.Status().Connections; n != 0 {
			t.Errorf("%d connections are left", n)
		}
		ended.Store(true)
		clients.Wait()
	}
}

// After Close no goroutine is left, whatever was under way. It runs alone: it
// counts all goroutines there are.
func TestCloseLeavesNoGoroutine(t *testing.T) {
	var before goleak.Option
	secured := secureListen(t)
	for round := range 2 { // the first starts what libraries start once
		if round == 1 {
			before = goleak.IgnoreCurrent()
		}
		var conns sync.WaitGroup
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		o := &endOrigin{addr: l.Addr().String(), heads: make(chan string, 64)}
		conns.Go(func() {
			for {
				nc, err := l.Accept()
				if err != nil {
					return
				}
				conns.Go(func() { defer nc.Close(); closeScript(&endConn{Conn: nc, in: bufio.NewReader(nc), o: o}) })
			}
		})
		g := New(Options{Stderr: io.Discard})
		text := strings.Replace(endText(o, secured, "", ""), " }]\nclusters", " }, { address: \"localhost:0\", name: plain }]\nclusters", 1)
		apply(t, g, text)
		var open []net.Conn
		for name, addr := range g.Addresses() {
			for _, raw := range []string{"", "G", "GET /ok HTTP/1.1\r\nHost: a\r\n\r\n", "GET / HTTP/1.1\r\nHost: a\r\n\r\n", "PUT / HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\n", "GET /tunnel HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n"} {
				c := endDialMaybe(t, addr.String(), name != "plain")
				open = append(open, c)
				io.WriteString(c, raw)
				if len(raw) > 1 {
					endHead(t, o)
				}
			}
		}
		g.Close()
		for _, c := range open {
			c.Close()
		}
		l.Close()
		conns.Wait()
	}
	goleak.VerifyNone(t, before, goleak.IgnoreAnyFunction(sweeper))
}

// sweeper is the server library's: it looks every 10 s whether its server has
// ended, and then ends.
const sweeper = "github.com/valyala/fasthttp.(*workerPool).Start.func2"

// closeScript answers some requests and leaves the others where they are.
func closeScript(c *endConn) {
	for head := c.head(); head != ""; head = c.head() {
		switch {
		case strings.HasPrefix(head, "GET /ok"):
			c.say(endOK)
		case strings.HasPrefix(head, "GET /tunnel"):
			c.say("HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n")
		}
	}
}

// faults are what a test makes panic.
type faults struct{ now, dial, log, write atomic.Bool }

func (f *faults) meet(what *atomic.Bool) {
	if what.Load() {
		panic(errEnding)
	}
}

// options are those of a gateway whose seams have the faults.
func (f *faults) options(log io.Writer) Options {
	var d net.Dialer
	return Options{
		Stderr: log,
		Now:    func() time.Time { f.meet(&f.now); return time.Now() },
		Dial: func(ctx context.Context, network, addr string) (net.Conn, error) {
			f.meet(&f.dial)
			return d.DialContext(ctx, network, addr)
		},
		Logger: slog.New(faultyHandler{f}),
	}
}

// faultyHandler is a log that panics when it is told to.
type faultyHandler struct{ f *faults }

func (h faultyHandler) Enabled(context.Context, slog.Level) bool { return true }
func (h faultyHandler) WithAttrs([]slog.Attr) slog.Handler       { return h }
func (h faultyHandler) WithGroup(string) slog.Handler            { return h }
func (h faultyHandler) Handle(context.Context, slog.Record) error {
	h.f.meet(&h.f.log)
	return nil
}

// faultyConn is a client's connection whose writes panic.
type faultyConn struct {
	net.Conn
	f *faults
}

func (c faultyConn) Write(p []byte) (int, error) {
	c.f.meet(&c.f.write)
	return c.Conn.Write(p)
}

// A panic costs the exchange that meets it, also one that happens again while
// that exchange is answered. It is counted and recorded, and it keeps nothing.
func TestPanicsCostOneExchange(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name     string
		raw      string
		on       func(*faults)
		answered bool // with 500; otherwise the connection ends
	}{
		{"connecting", "GET / HTTP/1.1\r\nHost: a\r\n\r\n", func(f *faults) { f.dial.Store(true) }, true},
		{"connecting, with a body to come", "PUT / HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\n", func(f *faults) { f.dial.Store(true) }, true},
		{"connecting and logging", "GET / HTTP/1.1\r\nHost: a\r\n\r\n", func(f *faults) { f.dial.Store(true); f.log.Store(true) }, false},
		{"connecting and answering", "GET / HTTP/1.1\r\nHost: a\r\n\r\n", func(f *faults) { f.dial.Store(true); f.write.Store(true) }, false},
		{"answering", "GET / HTTP/1.1\r\nHost: a\r\n\r\n", func(f *faults) { f.write.Store(true) }, false},
		{"telling the time", "GET / HTTP/1.1\r\nHost: a\r\n\r\n", func(f *faults) { f.now.Store(true) }, true},
		{"telling the time for a bad head", "nonsense\r\n\r\n", func(f *faults) { f.now.Store(true) }, true},
		{"telling the time, and answering", "nonsense\r\n\r\n", func(f *faults) { f.now.Store(true); f.write.Store(true) }, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			f, log := new(faults), new(endLog)
			o := newEndOrigin(t, func(_ int, c *endConn) { c.serve() })
			_, g := start(t, endText(o, "", "", ""), f.options(log))
			tt.on(f)
			if got := servedBy(t, g, f, tt.raw); strings.HasPrefix(got, "HTTP/1.1 500 ") != tt.answered || !tt.answered && got != "" {
				t.Errorf("got %q, want an answer: %v", got, tt.answered)
			}
			if n := g.metrics.Process.Panics.Load(); n == 0 {
				t.Error("no panic is counted")
			}
			f.now.Store(false)
			f.dial.Store(false)
			f.log.Store(false)
			f.write.Store(false)
			if got := servedBy(t, g, f, "GET /after HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"); !strings.HasSuffix(got, "ok") {
				t.Errorf("the next client got %q", got)
			}
			if got := endGauges(g); got[1] != 0 {
				t.Errorf("%d attempts are still under way", got[1])
			}
			g.Close()
			if all := endLines(t, log); len(all) != 2 || all[0].Reason != "panic" || all[1].Reason != "" || all[1].Status != 200 {
				t.Errorf("the log tells %+v", all)
			}
		})
	}
}

// servedBy sends raw on a connection of its own and returns what comes until it
// ends.
func servedBy(t *testing.T, g *Gateway, f *faults, raw string) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	client := endDial(t, l.Addr().String())
	server, err := l.Accept()
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan any, 1)
	go func() {
		defer func() { done <- recover() }()
		g.ServeConn(faultyConn{server, f})
		server.Close()
	}()
	io.WriteString(client, raw)
	client.CloseWrite()
	got, err := io.ReadAll(client)
	if err != nil {
		t.Errorf("after %q: %v", got, err)
	}
	if fault := <-done; fault != nil {
		t.Errorf("the fault came through: %v", fault)
	}
	return string(got)
}

// Who only looks whether the port is open is nobody's client.
func TestHealthChecksOfTCPAreNoExchanges(t *testing.T) {
	t.Parallel()
	secured := secureListen(t)
	for _, listener := range []struct{ name, text string }{{"plain", ""}, {"TLS", secured}, {"PROXY", ", proxy_protocol: require"}} {
		for _, tt := range []struct {
			name     string
			leave    func(c *net.TCPConn)
			readable bool
		}{
			{"closes", func(c *net.TCPConn) { c.Close() }, false},
			{"resets", func(c *net.TCPConn) { rst(c) }, false},
			{"ends its half", func(c *net.TCPConn) { c.CloseWrite() }, true},
		} {
			t.Run(listener.name+"/"+tt.name, func(t *testing.T) {
				t.Parallel()
				log := new(endLog)
				o := newEndOrigin(t, func(_ int, c *endConn) { c.serve() })
				addr, g := start(t, endText(o, listener.text, "", "trusted_proxies: [127.0.0.1]"), Options{Stderr: log})
				c := endDial(t, addr)
				endUntil(t, "the connection is there", func() bool { return g.Status().Connections == 1 })
				tt.leave(c)
				if tt.readable {
					if got, err := io.ReadAll(c); len(got) != 0 || err != nil {
						t.Errorf("the check was answered %q (%v)", got, err)
					}
				}
				endUntil(t, "the connection is gone", func() bool { return g.Status().Connections == 0 })
				wantNothingTold(t, g, log)
			})
		}
	}
}

// wantNothingTold closes the gateway and looks for traces of an exchange.
func wantNothingTold(t *testing.T, g *Gateway, log *endLog) {
	t.Helper()
	g.Close()
	for r := range g.metrics.Refusals {
		if n := g.metrics.Refusals[r].Unrouted.Load() + g.metrics.Refusals[r].Routed.Load(); n != 0 {
			t.Errorf("%d refusals with %v are counted", n, Reason(r))
		}
	}
	if log.String() != "" {
		t.Errorf("the log tells %s", log)
	}
}

// Who leaves in the middle of a head has said something: an end is answered and
// recorded, a reset has nobody to answer.
func TestHalfAHeadIsAnswered(t *testing.T) {
	t.Parallel()
	for _, half := range []string{"G", "GET / HTTP/1.1\r\nHost: a\r\n", "GET / HTTP/1.1\r\nHost: a\r\n\r"} {
		t.Run(fmt.Sprintf("%q", half), func(t *testing.T) {
			t.Parallel()
			log := new(endLog)
			o := newEndOrigin(t, func(_ int, c *endConn) { c.serve() })
			addr, g := start(t, endText(o, "", "", ""), Options{Stderr: log})
			resets := endDial(t, addr)
			io.WriteString(resets, half)
			endUntil(t, "the connection is there", func() bool { return g.Status().Connections == 1 })
			rst(resets)
			endUntil(t, "the connection is gone", func() bool { return g.Status().Connections == 0 })
			ends := endDial(t, addr)
			io.WriteString(ends, half)
			ends.CloseWrite()
			if got, err := io.ReadAll(ends); !strings.HasPrefix(string(got), "HTTP/1.1 400 ") || err != nil {
				t.Errorf("answered %q (%v), want 400", got, err)
			}
			g.Close()
			if all := endLines(t, log); len(all) != 1 || all[0].Status != 400 || all[0].Reason != "bad_request" {
				t.Errorf("the log tells %+v, want one 400 bad_request", all)
			}
			if n := g.metrics.Refusals[BadRequest].Unrouted.Load(); n != 1 {
				t.Errorf("%d bad requests are counted, want 1", n)
			}
		})
	}
}
