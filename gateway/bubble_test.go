package gateway

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// bubble is a gateway whose clients and origins are pipes.
type bubble struct {
	g       *Gateway
	begun   time.Time
	running sync.WaitGroup // all that must have ended before the bubble does
	clients []net.Conn
}

// inBubble runs a test in a bubble. The gateway is made outside of it, for its
// listener is real.
func inBubble(t *testing.T, settings string, script func(*bufio.Reader, net.Conn), test func(t *testing.T, b *bubble)) {
	t.Helper()
	b := new(bubble)
	b.g = New(Options{Dial: func(context.Context, string, string) (net.Conn, error) {
		ours, theirs := net.Pipe()
		b.running.Go(func() { defer theirs.Close(); script(bufio.NewReader(theirs), theirs) })
		return ours, nil
	}})
	apply(t, b.g, fmt.Sprintf(bubbleConfig, settings))
	b.g.ServeConn(&replay{}) // starts what the server library starts once, for good
	synctest.Test(t, func(t *testing.T) {
		defer b.end()
		b.begun = time.Now()
		test(t, b)
	})
}

const bubbleConfig = `
listeners: [{ address: "127.0.0.1:0" }]
clusters: { app: { origins: [{ address: "127.0.0.1:9001" }]%s } }
timeouts: { head: 10s, body_idle: 30s, keep_alive: 60s, min_body_rate: 240B/s }
access_log: { format: off }
`

// client opens a connection to the gateway.
func (b *bubble) client() net.Conn {
	ours, theirs := net.Pipe()
	b.running.Go(func() { b.g.ServeConn(theirs) })
	b.clients = append(b.clients, ours)
	return ours
}

// end closes everything and waits for it.
func (b *bubble) end() {
	for _, c := range b.clients {
		c.Close()
	}
	b.g.Close()
	b.running.Wait()
}

// took is how long the bubble has lasted.
func (b *bubble) took() time.Duration { return time.Since(b.begun) }

// onTime checks a duration, which may be up to a tenth longer than it is to be.
func onTime(t *testing.T, what string, took, want time.Duration) {
	t.Helper()
	if took < want || took > want+want/10 {
		t.Errorf("%s after %v, want %v", what, took, want)
	}
}

// drip writes s a piece at a time until that fails.
func drip(w io.Writer, s string, piece int, every time.Duration) {
	for len(s) > 0 {
		time.Sleep(every)
		n := min(piece, len(s))
		if _, err := io.WriteString(w, s[:n]); err != nil {
			return
		}
		s = s[n:]
	}
}

// readHead reads a head and returns it; empty: there was none.
func readHead(r *bufio.Reader) string {
	var head strings.Builder
	for !strings.HasSuffix(head.String(), "\r\n\r\n") {
		c, err := r.ReadByte()
		if err != nil {
			return ""
		}
		head.WriteByte(c)
	}
	return head.String()
}

const (
	bubbleGET = "GET / HTTP/1.1\r\nHost: a.example\r\n\r\n"
	bubbleOK  = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
)

// answerOK answers every request that has no body.
func answerOK(r *bufio.Reader, w net.Conn) {
	for readHead(r) != "" {
		io.WriteString(w, bubbleOK)
	}
}

// exchangeOK sends a request and reads its answer of 200 with "ok".
func exchangeOK(t *testing.T, c net.Conn, r *bufio.Reader) {
	t.Helper()
	io.WriteString(c, bubbleGET)
	head := readHead(r)
	content := make([]byte, 2)
	if _, err := io.ReadFull(r, content); !strings.HasPrefix(head, "HTTP/1.1 200 ") || string(content) != "ok" {
		t.Fatalf("got %q %q, %v", head, content, err)
	}
}
