package promises

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"weirkeep/gateway"
)

// A clock is a machine's wall clock, which somebody sets.
type clock struct{ off atomic.Int64 }

// now has no monotonic reading: it is what a clock on the wall shows.
func (c *clock) now() time.Time { return time.Now().Add(time.Duration(c.off.Load())).Round(0) }

func (c *clock) jump(d time.Duration) { c.off.Add(int64(d)) }

// G17: when the clock jumps an hour ahead, and two back, nothing that is under
// way runs out of time: neither who waits for an origin, in the queue, between
// two requests or within a head, nor a tunnel.
func TestClockJumpsEndNothing(t *testing.T) {
	watchLeaks(t)
	arrived, release := make(chan struct{}, 2), make(chan struct{})
	o := startOrigin(t, func(c *net.TCPConn) {
		requests(c, func(r *http.Request) bool {
			if r.URL.Path == "/slow" {
				arrived <- struct{}{}
				<-release
			}
			_, err := io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
			return err == nil
		})
	})
	echo := startOrigin(t, switchAndEcho)
	wall := new(clock)
	addr, g := start(t, fmt.Sprintf(`%s
clusters:
  app: { origins: [{ name: a, address: %q, capacity: 1 }], first_byte_timeout: 1m, queue: { timeout: 1m } }
  ws: { origins: [{ name: ws, address: %q }], body_idle_timeout: 1m }
mappings: [{ site: all, prefix: /ws, cluster: ws }, { site: all, cluster: app }]
timeouts: { head: 1m, body_idle: 1m, keep_alive: 1m }
`, everything, o.addr, echo.addr), gateway.Options{Now: wall.now})

	tunnel := openTunnel(t, addr, "/ws")
	idle, half := dial(t, addr), dial(t, addr)
	if _, err := ask(idle, getX); err != nil {
		t.Fatal(err)
	}
	io.WriteString(half, getX[:10])
	served := make(chan string, 2)
	for range 2 { // one is with the origin, one in the queue
		go func() { served <- statusFor(addr, "/slow") }()
	}
	<-arrived
	if !within(5*time.Second, func() bool { return statusOf(g, "a").Waiting == 1 }) {
		t.Fatal("nobody waits")
	}
	for _, d := range []time.Duration{time.Hour, -2 * time.Hour, time.Hour} {
		wall.jump(d)
		time.Sleep(250 * time.Millisecond) // waiting clients are looked at every 100 ms
		if err := tunnel.echo(); err != nil {
			t.Errorf("the tunnel, after %v: %v", d, err)
		}
	}
	close(release)
	for range 2 {
		if got := <-served; got != "200" {
			t.Errorf("who waited while the clock jumped got %s", got)
		}
	}
	if r, err := ask(idle, getX); err != nil || r.StatusCode != 200 {
		t.Errorf("the idle connection: %v, %v", r, err)
	}
	if r, err := ask(half, getX[10:]); err != nil || r.StatusCode != 200 {
		t.Errorf("the half head: %v, %v", r, err)
	}
	tunnel.c.Close()
	expectAtRest(t, g)
}

// statusFor asks on a connection of its own and returns the status as text.
func statusFor(addr, path string) string {
	r, err := get(addr, path)
	if err != nil {
		return err.Error()
	}
	return fmt.Sprint(r.StatusCode)
}

// G17: time-outs go by the machine's clock also when the wall clock was set back:
// they come when they should.
func TestClockSetBackDelaysNothing(t *testing.T) {
	watchLeaks(t)
	o := startOrigin(t, swallow)
	wall := new(clock)
	addr, g := start(t, spread([]string{o.addr}, 1, "    first_byte_timeout: 700ms\n    queue: { timeout: 300ms }\n    retry: { retries: 0 }\n    failover: { threshold: 100 }", ""), gateway.Options{Now: wall.now})
	began := time.Now()
	served := make(chan string, 2)
	go func() { served <- statusFor(addr, "/silent") }()
	if !within(5*time.Second, func() bool { return statusOf(g, "a").Load == 1 }) {
		t.Fatal("the request did not arrive")
	}
	go func() { served <- statusFor(addr, "/queued") }()
	if !within(5*time.Second, func() bool { return statusOf(g, "a").Waiting == 1 }) {
		t.Fatal("nobody waits")
	}
	wall.jump(-time.Hour)
	for _, want := range []string{"503", "504"} {
		got := <-served
		t.Logf("%s after %v", got, time.Since(began).Round(time.Millisecond))
		if got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
	if took := time.Since(began); took < 700*time.Millisecond || took > 2*time.Second {
		t.Errorf("the last time-out came after %v, want 700 ms", took)
	}
}

// G17: a binding ends by the wall clock and by nothing else: when it has been
// idle for 30 minutes of it.
func TestBindingsEndByTheWallClock(t *testing.T) {
	watchLeaks(t)
	var addresses []string
	for _, name := range []string{"a", "b", "c", "d"} {
		addresses = append(addresses, startOrigin(t, bindTo(name)).addr)
	}
	wall := new(clock)
	addr, g := start(t, spread(addresses, 100, "    session: JSESSIONID", ""), gateway.Options{Now: wall.now})
	homes := make(map[string]string) // of sessions
	for i := range 20 {
		session := fmt.Sprintf("s%d", i)
		homes[session] = answerer(t, addr, "/bind", session)
	}
	for _, tt := range []struct {
		jump  time.Duration
		bound bool
	}{
		{0, true},
		{29 * time.Minute, true},
		{29 * time.Minute, true}, // each request begins a new half hour
		{-time.Hour, true},       // what was used later than now was not used less
		{time.Hour, true},
		{31 * time.Minute, false},
	} {
		wall.jump(tt.jump)
		strays := 0
		for session, home := range homes {
			for range 4 {
				if answerer(t, addr, "/", session) != home {
					strays++
				}
			}
		}
		if tt.bound && strays > 0 || !tt.bound && strays < len(homes) {
			t.Errorf("after a jump of %v %d of %d requests went elsewhere, bound: %v", tt.jump, strays, 4*len(homes), tt.bound)
		}
	}
	expectAtRest(t, g)
}

// bindTo is an origin that begins the session it is told to.
func bindTo(name string) func(*net.TCPConn) {
	return func(c *net.TCPConn) {
		requests(c, func(r *http.Request) bool {
			fields := "X-Origin: " + name + "\r\n"
			if id, err := r.Cookie("JSESSIONID"); err == nil && strings.HasSuffix(r.URL.Path, "/bind") {
				fields += "Set-Cookie: JSESSIONID=" + id.Value + "\r\n"
			}
			_, err := io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n"+fields+"\r\n")
			return err == nil
		})
	}
}

// answerer is the origin that answers a request of a session.
func answerer(t *testing.T, addr, path, session string) string {
	t.Helper()
	c := dial(t, addr)
	defer c.Close()
	r, err := ask(c, "GET "+path+" HTTP/1.1\r\nHost: a.example\r\nCookie: JSESSIONID="+session+"\r\nConnection: close\r\n\r\n")
	if err != nil || r.StatusCode != 200 {
		t.Fatalf("session %s was answered %v, %v", session, r, err)
	}
	return r.Header.Get("X-Origin")
}

// G17: an origin that is out is tried, or asked, by the machine's clock: an hour
// that the wall clock jumps makes no trial due, and no ping; nor does an hour
// back delay one.
func TestClockJumpsTouchNoTrial(t *testing.T) {
	for _, tt := range []struct {
		name, cluster string
		most          int64 // connects to the origin that is out, in a second
		comes         bool  // back within the time below, once it is there again
		within        time.Duration
	}{
		{"trials", "", 1, false, 500 * time.Millisecond}, // the one that found out; the next is due after 10 s
		{"pings", pinged, 1 + 6 + 3, true, readmits},
		{"a health check", checked, 1 + 6 + 3, true, readmits},
	} {
		t.Run(tt.name, func(t *testing.T) {
			watchLeaks(t)
			out := newFlapper(t, ok("hello"))
			wall, dials := new(clock), &dialCount{address: out.addr}
			addresses := []string{startOrigin(t, ok("hello")).addr, out.addr}
			addr, g := start(t, spread(addresses, 100, tt.cluster, ""), gateway.Options{Now: wall.now, Dial: dials.dial})
			began := time.Now()
			for i := range either(20, 200) {
				if got := statusFor(addr, "/x"); got != "200" {
					t.Errorf("request %d: %s", i, got)
				}
				wall.jump([...]time.Duration{time.Hour, -2 * time.Hour, time.Hour}[i%3])
				time.Sleep(25 * time.Millisecond) // the interval of pings goes by a few times
			}
			most := tt.most * (1 + int64(time.Since(began)/time.Second))
			if n := dials.n.Load(); n > most || n == 0 || statusOf(g, "b").Up {
				t.Errorf("%d connects to the origin that is out, want up to %d", n, most)
			}
			wall.jump(-time.Hour)
			out.up()
			back := within(tt.within, func() bool { statusFor(addr, "/x"); return statusOf(g, "b").Up })
			if back != tt.comes {
				t.Errorf("the origin that is there again is in service: %v, want %v", back, tt.comes)
			}
		})
	}
}

// dialCount counts connects to one address.
type dialCount struct {
	address string
	n       atomic.Int64
}

func (d *dialCount) dial(ctx context.Context, network, address string) (net.Conn, error) {
	if address == d.address {
		d.n.Add(1)
	}
	return new(net.Dialer).DialContext(ctx, network, address)
}
