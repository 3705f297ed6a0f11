package promises

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"sync"
	"testing"
	"time"
)

const (
	kib = 1 << 10
	mib = 1 << 20
)

// profile writes the child's heap profile to where PROMISES_HEAP says.
func (c *child) profile(name string) {
	if dir := os.Getenv("PROMISES_HEAP"); dir != "" {
		c.tell("heap " + dir + "/" + name + ".pprof")
	}
}

// G6: an idle connection costs 24 KB, whether it has served a request or never
// said anything. One that once sent a long head may cost 8 KB more: the stack of
// its goroutine has doubled, and only a collection makes it small again.
func TestIdleConnectionsAreSmall(t *testing.T) {
	t.Parallel()
	o := startOrigin(t, ok("hello"))
	for _, tt := range []struct {
		name  string
		first string // what each connection asks before it rests
		most  int64  // bytes for each
	}{
		{"after a request", "GET / HTTP/1.1\r\nHost: a.example\r\n\r\n", 24 * kib},
		{"after a request with a large head", "GET / HTTP/1.1\r\nHost: a.example\r\n" + strings.Repeat("Cookie: "+strings.Repeat("c", 1000)+"\r\n", 28) + "\r\n", 32 * kib},
		{"that never spoke", "", 24 * kib},
	} {
		t.Run(tt.name, func(t *testing.T) {
			n := either(2000, 9900)
			c := startChild(t, configure(o.addr, "", "limits: { connections: 20000 }\ntimeouts: { head: 5m, keep_alive: 5m }"))
			ask(dial(t, c.addr), "GET / HTTP/1.1\r\nHost: a.example\r\n\r\n")
			c.tell("gc")
			base := c.rss()
			for range n {
				client := dial(t, c.addr)
				if tt.first != "" {
					if _, err := ask(client, tt.first); err != nil {
						t.Fatal(err)
					}
				}
			}
			c.await("all connections", func(k counts) bool { return k.connections == n+1 && k.exchanges == 0 })
			each := (c.rss() - base) / int64(n)
			c.tell("gc")
			settled := (c.rss() - base) / int64(n)
			c.profile("idle " + tt.name)
			t.Logf("%d idle connections: %.1f KiB each, %.1f after a collection; %d MiB in all; %+v", n, float64(each)/kib, float64(settled)/kib, c.rss()/mib, c.count())
			if each > tt.most && !raced {
				t.Errorf("an idle connection costs %d bytes, want at most %d", each, tt.most)
			}
			if c.rss() > 320*mib && !raced {
				t.Errorf("%d idle connections take %d bytes, want at most 320 MiB", n, c.rss())
			}
		})
	}
}

// G6: 64 connections at full speed fit in 40 MB.
func TestBusyGatewayFitsIn40MB(t *testing.T) {
	t.Parallel()
	o := startOrigin(t, ok(string(make([]byte, 1024))))
	c := startChild(t, configure(o.addr, "", ""))
	c.forgetPeak()
	var wg sync.WaitGroup
	for range 64 {
		client := dial(t, c.addr)
		client.SetDeadline(time.Now().Add(10 * time.Minute))
		wg.Go(func() {
			for range either(100, 5000) {
				if _, err := ask(client, "GET / HTTP/1.1\r\nHost: a.example\r\n\r\n"); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	wg.Wait()
	t.Logf("64 connections: %d KiB at most", c.peak()/kib)
	if c.peak() > 40*mib && !raced {
		t.Errorf("64 connections at work took %d bytes, want at most 40 MiB", c.peak())
	}
}

// G6: a busy exchange costs 96 KB, whoever is to blame that it does not end.
func TestBusyExchangesAreSmall(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name   string
		n      int
		origin func(*net.TCPConn)
		say    string
		hear   int // bytes that the client reads before it stops reading
		busy   bool
		most   int64 // bytes for each
	}{
		{"posts that announce 4 MB and send a byte", 300, swallow, "POST / HTTP/1.1\r\nHost: a.example\r\nContent-Length: 4194304\r\n\r\nx", 0, true, 96 * kib},
		{"downloads of 20 MB that nobody reads", 200, ok(string(make([]byte, 20*mib))), "GET / HTTP/1.1\r\nHost: a.example\r\n\r\n", 1, true, 96 * kib},
		{"heads that never end", 2000, swallow, "GET / HTTP/1.1\r\nHost: a.example\r\nX-A: ", 0, false, 24 * kib},
		{"requests that nobody answers", 300, swallow, "GET / HTTP/1.1\r\nHost: a.example\r\n\r\n", 0, true, 96 * kib},
	} {
		t.Run(tt.name, func(t *testing.T) {
			o := startOrigin(t, tt.origin)
			c := startChild(t, configure(o.addr, "    body_idle_timeout: 5m\n    first_byte_timeout: 5m",
				"limits: { connections: 20000 }\ntimeouts: { head: 5m, body_idle: 5m, min_body_rate: 0B/s }"))
			c.tell("gc")
			base := c.rss()
			for range tt.n {
				client := dial(t, c.addr)
				client.SetReadBuffer(4 * kib)
				if _, err := io.WriteString(client, tt.say); err != nil {
					t.Fatal(err)
				}
				if _, err := io.ReadFull(client, make([]byte, tt.hear)); err != nil {
					t.Fatal(err)
				}
			}
			c.await("all exchanges", func(k counts) bool {
				return k.connections == tt.n && (!tt.busy || k.exchanges == tt.n)
			})
			if tt.busy {
				within(30*time.Second, func() bool { return o.connections() == tt.n })
			}
			each := (c.rss() - base) / int64(tt.n)
			c.profile("busy " + tt.name)
			t.Logf("%d %s: %.1f KiB each; %+v", tt.n, tt.name, float64(each)/kib, c.count())
			if each > tt.most && !raced {
				t.Errorf("each costs %d bytes, want at most %d", each, tt.most)
			}
		})
	}
}

// swallow is an origin that reads and says nothing.
func swallow(c *net.TCPConn) { io.Copy(io.Discard, c) }

// G6: bodies pass through without being held: 1 GB up and down at once stays
// within 40 MB of the base.
func TestLargeBodiesPassThrough(t *testing.T) {
	t.Parallel()
	size := either[int64](64*mib, 1<<30)
	o := startOrigin(t, func(c *net.TCPConn) {
		requests(c, func(r *http.Request) bool {
			fmt.Fprintf(c, "HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n", r.ContentLength)
			n, err := io.Copy(c, r.Body)
			return err == nil && n == r.ContentLength
		})
	})
	c := startChild(t, configure(o.addr, "", ""))
	c.tell("gc")
	base := c.rss()
	c.forgetPeak()
	client := dial(t, c.addr)
	client.SetDeadline(time.Now().Add(5 * time.Minute))
	fmt.Fprintf(client, "POST / HTTP/1.1\r\nHost: a.example\r\nContent-Length: %d\r\nConnection: close\r\n\r\n", size)
	go io.CopyN(client, zeros{}, size)
	got, err := io.Copy(io.Discard, client)
	if err != nil || got < size {
		t.Fatalf("%d of %d bytes came back: %v", got, size, err)
	}
	grown := c.peak() - base
	t.Logf("%d MiB up and down: %.1f MiB over the base", size/mib, float64(grown)/mib)
	if grown > 40*mib && !raced {
		t.Errorf("memory grew by %d bytes, want at most 40 MiB", grown)
	}
}

// zeros never ends.
type zeros struct{}

func (zeros) Read(p []byte) (int, error) { clear(p); return len(p), nil }
