package promises

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"weirkeep/gateway"
)

// patiently connects to a gateway that restarts: who is refused tries again.
func patiently(addr string) func() (c *net.TCPConn, err error) {
	return func() (c *net.TCPConn, err error) {
		within(30*time.Second, func() bool {
			c, err = dialed(addr)
			return !errors.Is(err, syscall.ECONNREFUSED)
		})
		return c, err
	}
}

// terminate sends SIGTERM and waits until the gateway is not ready. From then on
// every answer has to say that its connection ends.
func (c *child) terminate() (told time.Time) {
	c.t.Helper()
	if err := syscall.Kill(c.pid, syscall.SIGTERM); err != nil {
		c.t.Fatal(err)
	}
	if !within(5*time.Second, func() bool { return c.tell("ready") == "false" }) {
		c.t.Fatal("the gateway is ready after SIGTERM")
	}
	return time.Now()
}

// G13: three restarts with SIGTERM, with 70 % of all slots in use, fail no
// request. Clients keep their connections, and connect anew when an answer says
// so (RD-06); while nobody is there they are refused, and try again.
func TestRestartsFailNoRequest(t *testing.T) {
	t.Parallel()
	arrived := new(arrivals)
	var addresses []string
	for _, name := range []string{"a", "b", "c"} {
		addresses = append(addresses, startProcess(t, name, arrived).addr)
	}
	text := spread(addresses, eachHas, "", "drain: { delay: 400ms, timeout: 5s }")
	text = strings.ReplaceAll(text, "127.0.0.1:0", restartable)
	c := startChild(t, text)
	text = strings.ReplaceAll(text, restartable, c.addr)
	w := startCrew(t, busy70, patiently(c.addr), getsAndPosts)
	type draining struct{ from, to time.Time }
	var drains []draining
	for range either(3, 20) {
		w.await(t, either(200, 3000), 0)
		from := c.terminate()
		if err := c.end(); err != nil {
			t.Errorf("the gateway ended with %v", err)
		}
		drains = append(drains, draining{from, time.Now()})
		c = startChild(t, text)
	}
	w.await(t, 200, 0)
	all := w.end()

	failed := selected(all, isNotRight)
	w.expectNothingWrong(t)
	show(t, failed)
	arrived.expectOnce(t, all)
	for _, d := range drains {
		during := selected(all, func(o outcome) bool { return o.began.After(d.from) && o.ended.Before(d.to) })
		for _, o := range selected(during, func(o outcome) bool { return !o.closing }) {
			t.Errorf("%s %016x, asked %v after the drain began: the answer keeps the connection", o.method, o.nonce, o.began.Sub(d.from))
		}
		if len(during) == 0 {
			t.Error("nothing was asked during a drain")
		}
	}
	t.Logf("%d restarts: %d of %d errands failed", len(drains), len(failed), len(all))
}

// G13: an exchange that is under way gets drain.timeout to end, and what lasts
// longer is cut, so that the process has ended a second later.
func TestDrainGivesStreamsTheirTime(t *testing.T) {
	t.Parallel()
	limit := either(time.Second, 5*time.Second)
	release := make(chan struct{})
	o := startOrigin(t, func(c *net.TCPConn) {
		requests(c, func(r *http.Request) bool {
			io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Length: 8\r\n\r\nhalf")
			if r.URL.Path == "/endless" {
				io.Copy(io.Discard, c)
				return false
			}
			<-release
			io.WriteString(c, "half")
			return true
		})
	})
	c := startChild(t, configure(o.addr, "", fmt.Sprintf("drain: { delay: 0s, timeout: %v }", limit)))
	ends, endless := dial(t, c.addr), dial(t, c.addr)
	in, endlessIn := begin(t, ends, "/ends"), begin(t, endless, "/endless")
	began := time.Now()
	if err := syscall.Kill(c.pid, syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	time.AfterFunc(limit/2, func() { close(release) })
	if rest, err := io.ReadAll(in.Body); err != nil || string(rest) != "half" {
		t.Errorf("the stream that ended in time was cut: %q, %v", rest, err)
	}
	rest, err := io.ReadAll(endlessIn.Body)
	cut := time.Since(began)
	if err == nil {
		t.Errorf("the stream that was cut ended well, after %q", rest)
	}
	if err := c.end(); err != nil {
		t.Errorf("the gateway ended with %v", err)
	}
	took := time.Since(began)
	t.Logf("drain.timeout %v: the endless stream was cut after %v, the process ended after %v", limit, cut.Round(time.Millisecond), took.Round(time.Millisecond))
	if cut < limit || took > limit+time.Second && !raced { // the race detector sleeps a second at the end
		t.Errorf("cut after %v, ended after %v: want %v and a second more at most", cut, took, limit)
	}
}

// begin asks for path and reads the head and the first 4 bytes of the answer.
func begin(t *testing.T, c net.Conn, path string) *http.Response {
	t.Helper()
	io.WriteString(c, "GET "+path+" HTTP/1.1\r\nHost: a.example\r\n\r\n")
	r, err := http.ReadResponse(bufio.NewReader(c), nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.ReadFull(r.Body, make([]byte, 4)); err != nil {
		t.Fatal(err)
	}
	return r
}

// RD-07: what is sent on an idle connection at the moment of the signal is
// answered, and so are new connections during drain.delay. Idle ones end after
// it, and not with a reset.
func TestRequestAtTheMomentOfADrainIsAnswered(t *testing.T) {
	watchLeaks(t)
	o := startOrigin(t, ok("hello"))
	r := rand.New(rand.NewPCG(1, 17))
	for turn := range either(10, 200) {
		addr, g := start(t, configure(o.addr, "", "drain: { delay: 150ms, timeout: 5s }"), gateway.Options{})
		var idle []*net.TCPConn
		for range 8 {
			c := dial(t, addr)
			if _, err := ask(c, getX); err != nil {
				t.Fatal(err)
			}
			idle = append(idle, c)
		}
		done := make(chan error, 1)
		go func() { done <- g.Drain(context.Background()) }()
		for i, c := range idle[1:] {
			time.Sleep(time.Duration(r.IntN(300)) * time.Microsecond) // around the drain's first steps
			if got, err := ask(c, getX); err != nil || got.StatusCode != 200 {
				t.Errorf("turn %d, connection %d: %v, %v", turn, i, got, err)
			}
		}
		if got, err := get(addr, "/x"); err != nil || got.StatusCode != 200 {
			t.Errorf("turn %d, a new connection during the delay: %v, %v", turn, got, err)
		}
		if n, err := idle[0].Read(make([]byte, 1)); n != 0 || err != io.EOF {
			t.Errorf("turn %d: the connection that stayed idle got %d bytes, %v, want its end", turn, n, err)
		}
		if err := <-done; err != nil {
			t.Errorf("turn %d: Drain: %v", turn, err)
		}
		for _, c := range idle {
			c.Close()
		}
	}
}

// RD-07: clients that connect anew for each request are served until the gateway
// closes, and then refused. At no moment is one let in and reset.
func TestClientsAreServedOrRefused(t *testing.T) {
	watchLeaks(t)
	o := startOrigin(t, ok("hello"))
	var served, refused atomic.Int64
	var drains, clients sync.WaitGroup
	for range either(3, 30) {
		addr, g := start(t, configure(o.addr, "", "drain: { delay: 50ms, timeout: 5s }"), gateway.Options{})
		for range 6 {
			clients.Go(func() {
				for askAnew(t, addr) {
					served.Add(1)
				}
				refused.Add(1)
			})
		}
		drains.Go(func() { g.Drain(context.Background()) })
	}
	drains.Wait()
	clients.Wait() // the last of them ask again a second later
	t.Logf("%d were served, until %d clients were refused", served.Load(), refused.Load())
}

// askAnew asks on a connection of its own. It reports false if that was refused.
func askAnew(t *testing.T, addr string) bool {
	c, err := dialed(addr)
	if errors.Is(err, syscall.ECONNREFUSED) {
		return false
	}
	if err != nil {
		t.Errorf("connecting: %v", err)
		return false
	}
	defer c.Close()
	r, err := ask(c, "GET /x HTTP/1.1\r\nHost: a.example\r\nConnection: close\r\n\r\n")
	if err != nil || r.StatusCode != 200 {
		t.Errorf("a client that was let in got %v, %v", r, err)
		return false
	}
	return true
}
