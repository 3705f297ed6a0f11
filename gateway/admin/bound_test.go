package admin

import (
	"io"
	"net"
	"strings"
	"testing"
	"time"
)

// Clients of the admin API, with a token or without, hold so many connections
// at most: the descriptors are the gateway's. Who comes then waits.
func TestConnectionsAreBounded(t *testing.T) {
	addr := startTCP(t, options(running(), io.Discard))
	var idle []net.Conn
	for range maxConns {
		idle = append(idle, dialAdmin(t, addr))
	}
	for _, c := range idle {
		health(t, c, 10*time.Second) // it is served, and keeps its place
	}
	late := dialAdmin(t, addr)
	if got := health(t, late, 200*time.Millisecond); got != "" {
		t.Errorf("one more than %d connections was answered %q", maxConns, got)
	}
	idle[0].Close()
	if got := answer(late, 10*time.Second); !strings.HasPrefix(got, "HTTP/1.1 200 ") {
		t.Errorf("once one had left, the next was answered %q", got)
	}
}

func dialAdmin(t *testing.T, addr string) net.Conn {
	t.Helper()
	c, err := net.Dial("tcp", strings.TrimPrefix(addr, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c
}

// health asks on a connection and returns what is answered in time.
func health(t *testing.T, c net.Conn, patience time.Duration) string {
	t.Helper()
	if _, err := io.WriteString(c, "GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"); err != nil {
		t.Fatal(err)
	}
	return answer(c, patience)
}

func answer(c net.Conn, patience time.Duration) string {
	c.SetReadDeadline(time.Now().Add(patience))
	b := make([]byte, 4<<10)
	n, _ := c.Read(b)
	return string(b[:n])
}
