package gateway

import (
	"io"
	"strings"
	"testing"

	"weirkeep/gateway/wire"
)

// The server library never sees plain heads, and sees all others.
func TestPlainHeads(t *testing.T) {
	t.Parallel()
	g := New(Options{Dial: new(splitter).w.dial})
	apply(t, g, splitConfig)
	defer g.Close()
	for _, tt := range []struct {
		head  string
		plain bool
	}{
		{"GET / HTTP/1.1\r\nHost: a.example\r\n\r\n", true},
		{"HEAD /a?b=c HTTP/1.1\r\nhost: a.example:8080\r\nAccept: */*\r\n\r\n", true},
		{"GET / HTTP/1.1\r\nHost: a.example\r\nConnection: close, x-a\r\nX-A: 1\r\nUpgrade: h2c\r\n\r\n", true},
		{"GET / HTTP/1.1\r\nHost: 10.0.0.1\r\nConnection: keep-alive\r\n\r\n", true},

		{"\r\nGET / HTTP/1.1\r\nHost: a.example\r\n\r\n", false},
		{"POST / HTTP/1.1\r\nHost: a.example\r\n\r\n", false},
		{"GET / HTTP/1.0\r\nHost: a.example\r\n\r\n", false},
		{"GET / http/1.1\r\nHost: a.example\r\n\r\n", false},
		{"GET /  HTTP/1.1\r\nHost: a.example\r\n\r\n", false},
		{"GET /\nHTTP/1.1\r\nHost: a.example\r\n\r\n", false},
		{"GET /\r\nHost: a.example\r\n\r\n", false},
		{"GET // HTTP/1.1\r\nHost: a.example\r\n\r\n", false},
		{"GET /../ HTTP/1.1\r\nHost: a.example\r\n\r\n", false},
		{"GET http://a.example/ HTTP/1.1\r\nHost: a.example\r\n\r\n", false},
		{"GET / HTTP/1.1\r\n\r\n", false},
		{"GET / HTTP/1.1\r\nHost:\r\n\r\n", false},
		{"GET / HTTP/1.1\r\nHost: [::1]\r\n\r\n", false},
		{"GET / HTTP/1.1\r\nHost: a.example\r\nHost: a.example\r\n\r\n", false},
		{"GET / HTTP/1.1\r\nHost: a.example\r\nContent-Length: 0\r\n\r\n", false},
		{"GET / HTTP/1.1\r\nHost: a.example\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", false},
		{"GET / HTTP/1.1\r\nHost: a.example\r\nTrailer: X-Sum\r\n\r\n", false},
		{"GET / HTTP/1.1\r\nHost: a.example\r\nExpect: 100-continue\r\n\r\n", false},
		{"GET / HTTP/1.1\r\nHost: a.example\r\nConnection: upgrade\r\nUpgrade: websocket\r\n\r\n", false},
		{"GET / HTTP/1.1\r\nHost: a.example\r\n folded: 1\r\n\r\n", false},
		{"GET / HTTP/1.1\r\nHost: a.example\nX: 1\r\n\r\n", false},
		{"GET / HTTP/1.1\r\nHost : a.example\r\n\r\n", false},
	} {
		c := g.dress(&cutConn{send: []byte(tt.head)}, pipeOptions)
		given := readOneHead(c, 4096)
		c.Close()
		if head, _, _ := strings.Cut(tt.head, "\r\n\r\n"); tt.plain && given != "" || !tt.plain && given != head+"\r\n\r\n" {
			t.Errorf("of %q the library was given %q", tt.head, given)
		}
	}
}

// A head that is no plain one after all gets nothing of the exchange before it.
func TestNoHeadGetsTheAnswerBefore(t *testing.T) {
	t.Parallel()
	s := newSplitter(t)
	good := "GET /good HTTP/1.1\r\nHost: a.example\r\n\r\n"
	for _, line := range []string{"GET /", "GET /\n HTTP/1.1", "GET / HTTP/1.1 ", "GET /a b HTTP/1.1", "GET / http/1.1", "HEAD / HTTP/1.1\r", "GET /% HTTP/1.1"} {
		got, seen := s.exchanges([]byte(good+line+"\r\nHost: a.example\r\n\r\n"), nil)
		if strings.Count(got, "HTTP/1.1 200 OK\r\n") != 1 || strings.Count(got, "HTTP/1.1 400 Bad Request\r\n") != 1 || len(seen) != 1 {
			t.Errorf("%q after a good request: %d requests at the origin, the client got %q", line, len(seen), got)
		}
	}
}

// A connection on which only plain heads came ends as quietly as one whose heads
// the library has seen.
func TestPlainConnectionsEndQuietly(t *testing.T) {
	t.Parallel()
	s := newSplitter(t)
	for _, end := range []error{io.EOF, io.ErrUnexpectedEOF, wire.ErrLine} {
		c := &cutConn{send: []byte("GET /good HTTP/1.1\r\nHost: a.example\r\n\r\n"), end: end}
		if err := s.g.ServeConn(c); err != nil {
			t.Errorf("ended by %v: ServeConn() = %v", end, err)
		}
		if got := c.got.String(); strings.Count(got, "HTTP/1.1 ") != 1 {
			t.Errorf("ended by %v: the client got %q", end, got)
		}
	}
}
