package gateway

import (
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"time"
)

const reportPOST = "POST /p HTTP/1.1\r\nHost: example.com\r\nContent-Length: 2\r\n\r\n{}"

// An origin that closes idle connections costs no request.
func TestReportIdleConnectionsEnd(t *testing.T) {
	t.Parallel()
	t.Run("KA-01: the origin has closed", func(t *testing.T) {
		t.Parallel()
		closed := make(chan bool)
		o := newReportOrigin(t, func(c *reportConn) {
			if head, _ := c.request(); head != "" {
				c.say(reportOK)
			}
			c.Close()
			closed <- true
		})
		g := startReport(t, o, ", keep_alive: 10s", "")
		const posts = 200
		for i := range posts {
			if a := g.do(t, reportPOST); a.code != 200 || a.body != "ok" {
				t.Fatalf("POST %d was answered %q", i, a.head)
			}
			<-closed
		}
		if n := len(o.seen()); n != posts {
			t.Errorf("the origin saw %d requests, want %d", n, posts)
		}
	})
	t.Run("KA-01: the origin closes while clients post", func(t *testing.T) {
		t.Parallel()
		const posts, idle = 200, 20 * time.Millisecond
		o := newReportOrigin(t, func(c *reportConn) {
			for {
				c.SetReadDeadline(time.Now().Add(idle))
				if head, _ := c.request(); head == "" || c.say(reportOK) != nil {
					return
				}
			}
		})
		g := startReport(t, o, ", keep_alive: 10s", "")
		failed := 0
		pause := time.NewTimer(0)
		for range posts {
			<-pause.C
			if a := g.do(t, reportPOST); a.code != 200 {
				failed++
			}
			pause.Reset(rand.N(2 * idle))
		}
		// What is left is the time in which an origin has made up its mind and
		// nothing shows; the request was not read then, and is not sent again.
		if failed > posts/10 || len(o.seen()) > posts-failed {
			t.Errorf("%d of %d failed; the origin saw %d", failed, posts, len(o.seen()))
		}
	})
	t.Run("KA-01: the gateway closes first", func(t *testing.T) {
		t.Parallel()
		o := newReportOKOrigin(t)
		g := startReport(t, o, ", keep_alive: 100ms", "")
		g.do(t, reportPOST)
		awaitReport(t, "the end of the idle connection", func() bool { _, open := o.conns(); return open == 0 })
		if a := g.do(t, reportPOST); a.code != 200 {
			t.Errorf("answered %q", a.head)
		}
	})
	t.Run("KA-06: near its end, a connection is not used", func(t *testing.T) {
		t.Parallel()
		o := newReportOrigin(t, reportAnswering(func(string, string) string {
			<-time.After(5 * time.Millisecond)
			return reportOK
		}))
		g := startReport(t, o, ", keep_alive: 20ms, first_byte_timeout: 10s, retry: { retries: 0 }", "")
		pause := time.NewTimer(0)
		for i := range 100 {
			<-pause.C
			if a := g.do(t, reportPOST); a.code != 200 {
				t.Fatalf("request %d was answered %q", i, a.head)
			}
			pause.Reset(18*time.Millisecond + rand.N(4*time.Millisecond))
		}
		if n := len(o.seen()); n != 100 {
			t.Errorf("the origin saw %d requests, want 100", n)
		}
	})
}

// Nobody waits for a place that is free.
func TestReportPlacesAreHandedOn(t *testing.T) {
	t.Parallel()
	t.Run("KA-03: one place, several clients in tight loops", func(t *testing.T) {
		t.Parallel()
		const clients, each = 4, 150
		g := startReport(t, newReportOKOrigin(t), "", "limits: { connections: 1 }")
		var all sync.WaitGroup
		var mu sync.Mutex
		var longest time.Duration
		for range clients {
			all.Go(func() {
				for range each {
					begin := time.Now()
					a := g.do(t, "GET / HTTP/1.1\r\nHost: example.com\r\nConnection: close\r\n\r\n")
					mu.Lock()
					longest = max(longest, time.Since(begin))
					mu.Unlock()
					if a.code != 200 {
						t.Errorf("answered %q", a.head)
						return
					}
				}
			})
		}
		all.Wait()
		if longest > 10*time.Second {
			t.Errorf("a client waited %v for a place that was free", longest)
		}
	})
}

// How often a request is sent follows from the configuration alone.
func TestReportAttempts(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, method string
		retries      int
		attempts     int
	}{
		{"KA-07: PUT, none", "PUT", 0, 1},
		{"KA-07: GET, none", "GET", 0, 1},
		{"KA-07: POST, none", "POST", 0, 1},
		{"KA-07: DELETE, none", "DELETE", 0, 1},
		{"KA-07: PUT, one", "PUT", 1, 2},
		{"KA-07: GET, one", "GET", 1, 2},
		{"KA-07: GET, three", "GET", 3, 4},
		{"KA-07: POST, one", "POST", 1, 1},
		{"KA-07: PATCH, three", "PATCH", 3, 1},
	} {
		for _, reused := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, reused %v", tt.name, reused), func(t *testing.T) {
				t.Parallel()
				o := newReportOrigin(t, reportAnsweringOnly("/warm"))
				g := startReport(t, o, fmt.Sprintf(", retry: { retries: %d }", tt.retries), "")
				want := tt.attempts
				if reused {
					g.do(t, reportGET("/warm"))
					want++
				}
				body := "Content-Length: 0\r\n"
				if a := g.do(t, tt.method+" /once HTTP/1.1\r\nHost: example.com\r\n"+body+"\r\n"); a.code != 502 {
					t.Errorf("answered %q, want 502", a.head)
				}
				if r := g.logged(t, "/once"); r["attempts"] != float64(tt.attempts) || len(o.seen()) != want {
					t.Errorf("the origin saw %d, the log has %v attempts, want %d", len(o.seen()), r["attempts"], tt.attempts)
				}
			})
		}
	}
}

// reportAnsweringOnly answers one path and hangs up on all others.
func reportAnsweringOnly(path string) func(c *reportConn) {
	return func(c *reportConn) {
		for {
			head, _ := c.request()
			if !strings.HasPrefix(head, "GET "+path+" ") || c.say(reportOK) != nil {
				return
			}
		}
	}
}

// Bytes that nobody asked for are nobody's answer.
func TestReportUnaskedBytes(t *testing.T) {
	t.Parallel()
	const late = "HTTP/1.1 408 Request Timeout\r\nContent-Length: 4\r\n\r\nlate"
	for _, tt := range []struct {
		name, with, after string // sent with the answer, and once it has arrived
	}{
		{"KA-08: right behind the answer", late, ""},
		{"KA-08: a moment later", "", late},
		{"KA-08: a blank line later", "", "\r\n"},
		{"KA-08: a byte later", "", "H"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			arrived, sent := make(chan bool, 1), make(chan bool, 1)
			o := newReportOrigin(t, func(c *reportConn) {
				c.request()
				if c.number > 1 {
					c.say(reportOK)
					return
				}
				c.say("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nfirst" + tt.with)
				<-arrived
				c.say(tt.after)
				sent <- true
				c.request()
			})
			g := startReport(t, o, "", "")
			if a := g.do(t, reportGET("/")); a.body != "first" {
				t.Errorf("the first client got %q", a.body)
			}
			arrived <- true
			<-sent
			if a := g.do(t, reportPOST); a.code != 200 || a.body != "ok" {
				t.Errorf("the second client got %q %q", a.head, a.body)
			}
		})
	}
}

// reportByID answers /id/N with N, and /long with a body that takes a while.
func reportByID(long func(c *reportConn)) func(c *reportConn) {
	return func(c *reportConn) {
		for {
			head, _ := c.request()
			if head == "" {
				return
			}
			target := strings.Fields(head)[1]
			if id, ok := strings.CutPrefix(target, "/id/"); ok {
				c.say(fmt.Sprintf("HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s", len(id), id))
				continue
			}
			long(c)
		}
	}
}

// wantReportOwnAnswers: each client gets its own answer, whatever happened to the one before.
func wantReportOwnAnswers(t *testing.T, g *reportGateway, n int) {
	t.Helper()
	for i := range n {
		if a := g.do(t, reportGET(fmt.Sprintf("/id/%d", i))); a.body != fmt.Sprint(i) {
			t.Fatalf("GET %d got %q %q", i, a.head, a.body)
		}
	}
}

func TestReportHalfReadAnswers(t *testing.T) {
	t.Parallel()
	t.Run("ST-20: the client goes away", func(t *testing.T) {
		t.Parallel()
		over := make(chan error, 1)
		o := newReportOrigin(t, reportByID(func(c *reportConn) {
			err := c.say("HTTP/1.1 200 OK\r\nContent-Length: 10485760\r\n\r\n" + strings.Repeat("9", 10<<20))
			over <- err
		}))
		g := startReport(t, o, "", "")
		c := g.client(t)
		c.say(reportGET("/long"))
		io.CopyN(io.Discard, c.in, 1<<10)
		c.Close()
		wantReportOwnAnswers(t, g, 50)
		if err := <-over; err == nil {
			awaitReport(t, "the end of the half-read connection", func() bool { _, open := o.conns(); return open <= 1 })
		}
	})
	t.Run("KA-10: a time-out cuts it", func(t *testing.T) {
		t.Parallel()
		for range 3 {
			o := newReportOrigin(t, reportByID(func(c *reportConn) {
				c.say("HTTP/1.1 200 OK\r\nContent-Length: 1048576\r\n\r\n" + strings.Repeat("9", 1<<10))
				<-time.After(2 * time.Second) // over the limit: then the rest comes
				c.say(strings.Repeat("9", 1<<20-1<<10))
			}))
			g := startReport(t, o, ", body_idle_timeout: 200ms", "")
			if a := g.do(t, reportGET("/long")); a.err == nil {
				t.Errorf("the client saw no cut: %d bytes", len(a.body))
			}
			wantReportOwnAnswers(t, g, 100)
		}
	})
}

// Clients that leave at any point disturb nobody. To be run with -race.
func TestReportAbortingClients(t *testing.T) {
	t.Parallel()
	t.Run("ST-21: half of the downloads are aborted", func(t *testing.T) {
		t.Parallel()
		const downloads, size = 200, 256 << 10
		o := newReportOrigin(t, reportAnswering(func(head, _ string) string {
			id := strings.TrimPrefix(strings.Fields(head)[1], "/")
			body := strings.Repeat(id+";", size/(len(id)+1))
			return fmt.Sprintf("HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s", len(body), body)
		}))
		g := startReport(t, o, "", "")
		var all sync.WaitGroup
		for i := range downloads {
			all.Go(func() {
				c := g.client(t)
				defer c.Close()
				id := fmt.Sprint(1000 + i)
				c.say(reportGET("/" + id))
				if i%2 == 0 {
					io.CopyN(io.Discard, c.in, rand.N(int64(size)))
					c.SetLinger(0)
					return
				}
				a := c.answer("GET")
				if a.err != nil || strings.Trim(strings.ReplaceAll(a.body, id+";", ""), " ") != "" || len(a.body) < size-8 {
					t.Errorf("%s got %d bytes, %v, not all its own: %.80q", id, len(a.body), a.err, a.head)
				}
			})
		}
		all.Wait()
		awaitReport(t, "the end of all exchanges", func() bool { return g.Status().Origins[0].Load == 0 })
		if n := g.Metrics().Process.Panics.Load(); n != 0 {
			t.Errorf("%d panics", n)
		}
	})
}

// What a side says of the connection's end holds.
func TestReportConnectionClose(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, line, fields string
		ends               bool
	}{
		{"KA-11: close", "HTTP/1.1", "Connection: close\r\n", true},
		{"KA-11: in a list, whatever its case", "HTTP/1.1", "Connection: foo, Close\r\n", true},
		{"KA-11: in a second line", "HTTP/1.1", "Connection: foo\r\nConnection: CLOSE\r\n", true},
		{"KA-11: close and keep-alive", "HTTP/1.1", "Connection: keep-alive, close\r\n", true},
		{"KA-11: nothing", "HTTP/1.1", "", false},
		{"KA-11: HTTP/1.0", "HTTP/1.0", "", true},
		{"KA-11: HTTP/1.0 with keep-alive", "HTTP/1.0", "Connection: Keep-Alive\r\n", false},
		{"KA-11: HTTP/1.0 with close", "HTTP/1.0", "Connection: close\r\n", true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			g := startReport(t, newReportOKOrigin(t), "", "")
			c := g.client(t)
			c.say("GET / " + tt.line + "\r\nHost: example.com\r\n" + tt.fields + "\r\n")
			a := c.answer("GET")
			if said := strings.Contains(a.head, "\r\nConnection: close\r\n"); a.code != 200 || said != tt.ends {
				t.Errorf("answered %q", a.head)
			}
			if tt.ends {
				if !c.ended() {
					t.Error("the connection did not end")
				}
				return
			}
			c.say(reportGET("/again"))
			if a := c.answer("GET"); a.code != 200 {
				t.Error("the connection was not kept")
			}
		})
		t.Run(tt.name+", from the origin", func(t *testing.T) {
			t.Parallel()
			o := newReportOrigin(t, reportAnswering(func(string, string) string {
				return tt.line + " 200 OK\r\n" + tt.fields + "Content-Length: 2\r\n\r\nok"
			}))
			g := startReport(t, o, "", "")
			g.do(t, reportGET("/"))
			g.do(t, reportGET("/"))
			if opened, _ := o.conns(); tt.ends && opened != 2 {
				t.Errorf("two exchanges took %d connections, want 2", opened)
			}
		})
	}
}
