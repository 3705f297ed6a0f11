package promises

import (
	"bufio"
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

// G11: an origin that ends or resets in the middle of an answer is seen by the
// client as a cut, never as an end, whatever the framing on either side.
func TestCutAnswersAreSeenAsCut(t *testing.T) {
	watchLeaks(t)
	framings := []struct{ name, head string }{
		{"length", "Content-Length: 100000\r\n"},
		{"chunks", "Transfer-Encoding: chunked\r\n"},
		{"the connection's end", ""}, // only a reset is a cut
	}
	o := startOrigin(t, func(c *net.TCPConn) {
		requests(c, func(r *http.Request) bool {
			var framing, sent int
			var end string
			fmt.Sscanf(r.URL.Path, "/%d/%d/%s", &framing, &sent, &end)
			body := strings.Repeat("b", sent)
			if framing == 1 {
				body = fmt.Sprintf("%x\r\n%s", 100_000, body)
			}
			fmt.Fprintf(c, "HTTP/1.1 200 OK\r\n%s\r\n%s", framings[framing].head, body)
			if end == "reset" {
				c.Read(make([]byte, 1)) // until the client has what was sent
				reset(c)
			}
			return false
		})
	})
	addr, g := start(t, configure(o.addr, "", ""), gateway.Options{})
	for framing, f := range framings {
		for _, end := range []string{"fin", "reset"} {
			for _, sent := range []int{0, 1, 1000, 50_000} {
				for _, version := range []string{"1.0", "1.1"} {
					if framing == 2 && end == "fin" {
						continue // that is a clean end
					}
					t.Run(fmt.Sprintf("%s, %s after %d bytes, HTTP/%s", f.name, end, sent, version), func(t *testing.T) {
						c := dial(t, addr)
						fmt.Fprintf(c, "GET /%d/%d/%s HTTP/%s\r\nHost: a.example\r\n\r\n", framing, sent, end, version)
						expectCut(t, c, func() { cutOff(o, end) })
					})
				}
			}
		}
	}
	if !within(5*time.Second, func() bool { return o.connections() == 0 }) {
		t.Errorf("%d connections to the origin are left", o.connections())
	}
	if !within(5*time.Second, func() bool { return g.Status().Connections == 0 }) {
		t.Errorf("%d connections of clients are left", g.Status().Connections)
	}
}

// cutOff lets the origins go on that wait to reset.
func cutOff(o *origin, end string) {
	if end != "reset" {
		return
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	for c := range o.open {
		c.SetReadDeadline(time.Unix(1, 0))
	}
}

// expectCut reads an answer that must not look whole. once is called when its
// head is there.
func expectCut(t *testing.T, c *net.TCPConn, once func()) {
	t.Helper()
	r, err := http.ReadResponse(bufio.NewReader(c), &http.Request{Method: "GET"})
	if err != nil {
		once()
		return // not even a head: a cut if there ever was one
	}
	once()
	if r.StatusCode >= 500 {
		io.Copy(io.Discard, r.Body)
		return // the gateway's own words
	}
	if n, err := io.Copy(io.Discard, r.Body); err == nil {
		t.Errorf("an answer that was cut ended well after %d bytes: %v", n, r.Header)
	}
}

// G11: a client that ends or resets in the middle of its body leaves an origin
// that sees the request cut too: never a whole one, and no connection is kept.
func TestCutRequestsAreSeenAsCut(t *testing.T) {
	watchLeaks(t)
	var whole atomic.Int64
	o := startOrigin(t, func(c *net.TCPConn) {
		requests(c, func(r *http.Request) bool {
			if _, err := io.Copy(io.Discard, r.Body); err == nil {
				whole.Add(1)
			}
			io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
			return true
		})
	})
	addr, g := start(t, configure(o.addr, "", ""), gateway.Options{})
	const chunked = "Transfer-Encoding: chunked\r\n\r\n"
	for _, begun := range []string{
		"Content-Length: 100000\r\n\r\n",
		"Content-Length: 100000\r\n\r\nb",
		"Content-Length: 100000\r\n\r\n" + strings.Repeat("b", 50_000),
		chunked,
		chunked + "186a0",
		chunked + "186a0\r\n" + strings.Repeat("b", 50_000),
		chunked + "1\r\nb\r\n",
		chunked + "1\r\nb\r\n0\r\n",
		chunked + "1\r\nb\r\n0\r\nX-A: b\r\n",
	} {
		for _, end := range []string{"fin", "half", "reset"} {
			c := dial(t, addr)
			before := o.accepted()
			io.WriteString(c, "POST / HTTP/1.1\r\nHost: a.example\r\n"+begun)
			if !within(5*time.Second, func() bool { return o.accepted() > before }) {
				t.Fatalf("%.100q never reached the origin", begun)
			}
			endAs(t, c, end)
		}
	}
	if !within(5*time.Second, func() bool { return o.connections() == 0 && g.Status().Connections == 0 }) {
		t.Errorf("%d connections to the origin and %d of clients are left", o.connections(), g.Status().Connections)
	}
	if n := whole.Load(); n != 0 {
		t.Errorf("%d requests that were cut looked whole to the origin", n)
	}
}

// endAs ends a client's connection; one that only half-closes must be told.
func endAs(t *testing.T, c *net.TCPConn, end string) {
	t.Helper()
	switch end {
	case "fin":
		c.Close()
	case "reset":
		reset(c)
	case "half":
		c.CloseWrite()
		got, err := io.ReadAll(c)
		if err != nil || len(got) > 0 && !strings.HasPrefix(string(got), "HTTP/1.1 400 ") {
			t.Errorf("a client that ended in the middle of its body got %q, %v", got, err)
		}
	}
}
