package promises

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"weirkeep/gateway"
	"weirkeep/gateway/config"
)

// configure is a configuration with one cluster of one origin. more is what
// follows: whole top-level keys.
func configure(origin, cluster, more string) string {
	return fmt.Sprintf(`
listeners: [{ address: "127.0.0.1:0" }]
clusters:
  app:
    origins: [{ address: %q }]
%s
access_log: { format: off }
%s
`, origin, cluster, more)
}

// start runs a gateway in this process and returns its address.
func start(t testing.TB, text string, o gateway.Options) (addr string, g *gateway.Gateway) {
	t.Helper()
	g = gateway.New(o)
	t.Cleanup(func() { g.Close() })
	addr, err := apply(g, text)
	if err != nil {
		t.Fatal(err)
	}
	return addr, g
}

// apply makes text current and returns the address of its one listener.
func apply(g *gateway.Gateway, text string) (addr string, err error) {
	cfg, problems := config.Parse("promise.yaml", []byte(text))
	if problems.Errors() > 0 {
		return "", problems
	}
	if problems := g.Apply(cfg); problems.Errors() > 0 {
		return "", problems
	}
	for _, a := range g.Addresses() {
		addr = a.String()
	}
	return addr, nil
}

// dial opens a client's connection that no test waits on for over a minute.
func dial(t testing.TB, addr string) *net.TCPConn {
	t.Helper()
	c, err := dialed(addr)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c
}

func dialed(addr string) (*net.TCPConn, error) {
	c, err := net.Dial("tcp", addr)
	if err != nil {
		return nil, err
	}
	c.SetDeadline(time.Now().Add(time.Minute))
	return c.(*net.TCPConn), nil
}

// reset closes c so that the other side sees a reset.
func reset(c *net.TCPConn) {
	c.SetLinger(0)
	c.Close()
}

// An origin is a listener whose connections are each served by one function,
// which closes nothing: its connection is closed when it returns.
type origin struct {
	addr string

	mu   sync.Mutex
	open map[*net.TCPConn]bool
	all  int // connections accepted
	wg   sync.WaitGroup
}

// startOrigin serves until the test ends; then all connections are closed.
func startOrigin(t testing.TB, serve func(c *net.TCPConn)) *origin {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	o := &origin{addr: l.Addr().String(), open: make(map[*net.TCPConn]bool)}
	o.wg.Go(func() { o.accept(l, serve) })
	t.Cleanup(func() {
		l.Close()
		o.closeAll()
		o.wg.Wait()
	})
	return o
}

func (o *origin) accept(l net.Listener, serve func(*net.TCPConn)) {
	for {
		nc, err := l.Accept()
		if err != nil {
			return
		}
		c := nc.(*net.TCPConn)
		o.mu.Lock()
		o.open[c] = true
		o.all++
		o.mu.Unlock()
		o.wg.Go(func() {
			defer o.forget(c)
			serve(c)
		})
	}
}

func (o *origin) forget(c *net.TCPConn) {
	c.Close()
	o.mu.Lock()
	delete(o.open, c)
	o.mu.Unlock()
}

func (o *origin) closeAll() {
	o.mu.Lock()
	defer o.mu.Unlock()
	for c := range o.open {
		c.Close()
	}
}

// connections are how many are open now.
func (o *origin) connections() int {
	o.mu.Lock()
	defer o.mu.Unlock()
	return len(o.open)
}

// accepted is how many were opened so far.
func (o *origin) accepted() int {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.all
}

// requests calls answer for each request on c, until it returns false or the
// connection ends. What answer leaves of a body is read away.
func requests(c net.Conn, answer func(r *http.Request) bool) {
	in := bufio.NewReaderSize(c, 16<<10)
	for {
		r, err := http.ReadRequest(in)
		if err != nil || !answer(r) {
			return
		}
		if _, err := io.Copy(io.Discard, r.Body); err != nil {
			return
		}
	}
}

// ok answers every request on a connection with the same content.
func ok(content string) func(*net.TCPConn) {
	answer := fmt.Appendf(nil, "HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s", len(content), content)
	return func(c *net.TCPConn) {
		requests(c, func(r *http.Request) bool {
			io.Copy(io.Discard, r.Body)
			_, err := c.Write(answer)
			return err == nil
		})
	}
}

// get asks for a path on a connection of its own and returns the answer, which
// has been read to its end.
func get(addr, path string) (*http.Response, error) {
	c, err := dialed(addr)
	if err != nil {
		return nil, err
	}
	defer c.Close()
	return ask(c, "GET "+path+" HTTP/1.1\r\nHost: a.example\r\nConnection: close\r\n\r\n")
}

// ask sends raw and reads one answer to its end.
func ask(c net.Conn, raw string) (*http.Response, error) {
	if _, err := io.WriteString(c, raw); err != nil {
		return nil, err
	}
	method, _, _ := strings.Cut(raw, " ")
	r, err := http.ReadResponse(bufio.NewReader(c), &http.Request{Method: method})
	if err != nil {
		return nil, err
	}
	_, err = io.Copy(io.Discard, r.Body)
	return r, err
}
