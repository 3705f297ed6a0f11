package gateway

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"testing"
	"time"

	"weirkeep/gateway/wire"
)

// recorder is a client's connection that keeps what each write brought.
type recorder struct {
	replay
	writes [][]byte
	closed bool
	broken bool
}

func (r *recorder) Write(p []byte) (int, error) {
	if r.broken {
		return 0, net.ErrClosed
	}
	r.writes = append(r.writes, bytes.Clone(p))
	return len(p), nil
}

func (r *recorder) Close() error { r.closed = true; return nil }
func (r *recorder) all() string  { return string(bytes.Join(r.writes, nil)) }

// responderFor answers a request of a method and protocol; "keep" and "close"
// stand for what its Connection says.
func responderFor(method, protocol, connection string, secure bool) (*h1Responder, *recorder) {
	r := new(recorder)
	o := new(listenerOptions)
	if secure {
		o.tls = new(tls.Config)
	}
	x := &Exchange{Method: []byte(method), Protocol: []byte(protocol)}
	x.Head.KeepAlive, x.Head.Close = connection == "keep", connection == "close"
	w := new(h1Responder)
	w.reset(&h1Conn{Conn: r, gateway: New(Options{}), options: o, idle: time.Minute}, x)
	return w, r
}

// What an answer says of its length and of its connection (RFC 9112 6.3): never
// a coding or a length on 1xx and 204, and none invented on 304 (ST-25).
func TestFramingLines(t *testing.T) {
	const chunked, close = "Transfer-Encoding: chunked\r\n", "Connection: close\r\n"
	for _, tt := range []struct {
		method, protocol, connection string
		code                         int
		length                       int64
		want                         string // lines
		content                      string // for a Write of "ok"
		last                         bool   // the connection's last exchange
	}{
		{"GET", "HTTP/1.1", "", 200, 2, "Content-Length: 2\r\n", "ok", false},
		{"GET", "HTTP/1.1", "", 200, wire.UntilClose, chunked, "2\r\nok\r\n0\r\n\r\n", false},
		{"GET", "HTTP/1.1", "", 200, wire.Chunked, chunked, "2\r\nok\r\n0\r\n\r\n", false},
		{"GET", "HTTP/1.1", "close", 200, 2, "Content-Length: 2\r\n" + close, "ok", true},
		{"GET", "HTTP/1.1", "close", 200, wire.UntilClose, chunked + close, "2\r\nok\r\n0\r\n\r\n", true},
		{"HEAD", "HTTP/1.1", "", 200, 2, "Content-Length: 2\r\n", "", false},
		{"HEAD", "HTTP/1.1", "", 200, wire.NoLength, "", "", false},
		{"HEAD", "HTTP/1.1", "", 200, wire.UntilClose, "", "", false},
		{"GET", "HTTP/1.1", "", 204, wire.NoLength, "", "", false},
		{"GET", "HTTP/1.1", "", 204, 0, "", "", false},
		{"GET", "HTTP/1.1", "", 204, wire.UntilClose, "", "", false},
		{"GET", "HTTP/1.1", "", 304, wire.NoLength, "", "", false},
		{"GET", "HTTP/1.1", "", 304, 2, "Content-Length: 2\r\n", "", false},
		{"GET", "HTTP/1.1", "", 304, wire.UntilClose, "", "", false},
		{"GET", "HTTP/1.1", "", 101, wire.NoLength, "Connection: Upgrade\r\n", "", false},
		{"GET", "HTTP/1.0", "", 200, 2, "Content-Length: 2\r\n" + close, "ok", true},
		{"GET", "HTTP/1.0", "keep", 200, 2, "Content-Length: 2\r\nConnection: keep-alive\r\n", "ok", false},
		{"GET", "HTTP/1.0", "keep", 200, wire.UntilClose, close, "ok", true},
		{"GET", "HTTP/1.0", "keep", 304, wire.NoLength, "Connection: keep-alive\r\n", "", false},
		{"HEAD", "HTTP/1.0", "keep", 200, wire.UntilClose, "Connection: keep-alive\r\n", "", false},
	} {
		name := fmt.Sprintf("%s %s %s %d length %d", tt.method, tt.protocol, tt.connection, tt.code, tt.length)
		w, r := responderFor(tt.method, tt.protocol, tt.connection, false)
		w.Head(tt.code, []byte("Fine"), nil, tt.length)
		if tt.content != "" || w.silent {
			w.Write([]byte("ok"))
		}
		if err := w.End(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		want := fmt.Sprintf("HTTP/1.1 %d Fine\r\n%s\r\n%s", tt.code, tt.want, tt.content)
		if got := r.all(); got != want {
			t.Errorf("%s: got %q, want %q", name, got, want)
		}
		if w.close != tt.last {
			t.Errorf("%s: last exchange: %v, want %v", name, w.close, tt.last)
		}
	}
}

func field(class wire.Class, name, value string) wire.Field {
	return wire.Field{Class: class, Name: []byte(name), Value: []byte(value)}
}

// Framing and what ends at this hop is the responder's to say.
func TestOnlyItsOwnFraming(t *testing.T) {
	fields := []wire.Field{
		field(wire.Plain, "Server", "origin"), field(wire.Hop, "Connection", "x"), field(wire.Framing, "Content-Length", "99"),
		field(wire.Framing, "Transfer-Encoding", "chunked"), field(wire.Plain, "Set-Cookie", "a=1"), field(wire.Plain, "Set-Cookie", "b=2"),
	}
	w, r := responderFor("GET", "HTTP/1.1", "", false)
	w.Interim(103, fields)
	w.Head(200, nil, fields, 0)
	w.End()
	const want = "HTTP/1.1 103 Early Hints\r\nServer: origin\r\nSet-Cookie: a=1\r\nSet-Cookie: b=2\r\n\r\n" +
		"HTTP/1.1 200 OK\r\nServer: origin\r\nSet-Cookie: a=1\r\nSet-Cookie: b=2\r\nContent-Length: 0\r\n\r\n"
	if got := r.all(); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if len(r.writes) != 2 {
		t.Errorf("%d writes, want 2: an interim answer goes out at once", len(r.writes))
	}
}

// Interim answers come before the final one or not at all, and HTTP/1.0 does
// not know them.
func TestInterimIsSpared(t *testing.T) {
	old, r := responderFor("GET", "HTTP/1.0", "keep", false)
	if err := old.Interim(103, nil); err != nil || len(r.writes) != 0 {
		t.Errorf("an HTTP/1.0 client got %q, %v", r.all(), err)
	}
	w, r := responderFor("GET", "HTTP/1.1", "", false)
	w.Head(200, nil, nil, 0)
	w.Interim(103, nil)
	w.End()
	if strings.Contains(r.all(), "103") {
		t.Errorf("an interim answer came after the final one's head: %q", r.all())
	}
}

// What is small is joined; what is not goes out with what was held back, on TLS
// in one piece, for two would be two records.
func TestJoins(t *testing.T) {
	sizes := func(writes [][]byte) (n []int) {
		for _, w := range writes {
			n = append(n, len(w))
		}
		return n
	}
	head := len("HTTP/1.1 200 OK\r\nContent-Length: 99999\r\n\r\n")
	for _, tt := range []struct {
		name   string
		writes []int // of content
		plain  []int // what goes out
		secure []int
	}{
		{"head and small content", []int{100}, []int{head + 100}, []int{head + 100}},
		{"many small pieces", []int{100, 100, 100}, []int{head + 300}, []int{head + 300}},
		{"16 KiB together", []int{joinBytes - head}, []int{joinBytes}, []int{joinBytes}},
		{"a byte more", []int{joinBytes - head + 1}, []int{head, joinBytes - head + 1}, []int{joinBytes + 1}},
		{"large pieces", []int{20000, 20000}, []int{head, 20000, 20000}, []int{head + 20000, 20000}},
		{"a small piece, a large one, a small one", []int{10, 20000, 10}, []int{head + 10, 20000, 10}, []int{head + 20010, 10}},
	} {
		for _, secure := range []bool{false, true} {
			w, r := responderFor("GET", "HTTP/1.1", "", secure)
			w.Head(200, nil, nil, 99999)
			for _, n := range tt.writes {
				w.Write(make([]byte, n))
			}
			w.Flush()
			want := tt.plain
			if secure {
				want = tt.secure
			}
			if got := sizes(r.writes); fmt.Sprint(got) != fmt.Sprint(want) {
				t.Errorf("%s, TLS %v: wrote %v, want %v", tt.name, secure, got, want)
			}
			if _, content := w.Sent(); content != sum(tt.writes) {
				t.Errorf("%s: %d bytes of content, want %d", tt.name, content, sum(tt.writes))
			}
		}
	}
}

func sum(all []int) (n int64) {
	for _, k := range all {
		n += int64(k)
	}
	return n
}

// Trailers follow chunked content and nothing else.
func TestTrailers(t *testing.T) {
	for _, tt := range []struct {
		protocol string
		length   int64
		want     string
	}{
		{"HTTP/1.1", wire.UntilClose, "2\r\nok\r\n0\r\nX-Sum: 2\r\n\r\n"},
		{"HTTP/1.1", 2, "ok"},
		{"HTTP/1.0", wire.UntilClose, "ok"},
	} {
		w, r := responderFor("GET", tt.protocol, "", false)
		w.Head(200, nil, nil, tt.length)
		w.Write([]byte("ok"))
		w.Trailers([]byte("X-Sum: 2\r\n"))
		for range 3 { // the end is sent once
			w.End()
		}
		if _, content, _ := strings.Cut(r.all(), "\r\n\r\n"); content != tt.want {
			t.Errorf("%s, length %d: content is %q, want %q", tt.protocol, tt.length, content, tt.want)
		}
	}
}

// An answer that broke off never looks whole, and nothing follows it.
func TestAbort(t *testing.T) {
	for _, tt := range []struct {
		name, protocol string
		length         int64
		content        string // of what was sent
		reset          bool
	}{
		{"length", "HTTP/1.1", 9, "ok", false},
		{"chunked", "HTTP/1.1", wire.UntilClose, "2\r\nok\r\n", false},
		{"until close", "HTTP/1.0", wire.UntilClose, "ok", true},
	} {
		w, r := responderFor("GET", tt.protocol, "keep", false)
		w.Head(200, nil, nil, tt.length)
		w.Write([]byte("ok"))
		w.Flush()
		w.Abort()
		if err := w.Write([]byte("more")); !errors.Is(err, errAborted) {
			t.Errorf("%s: Write after Abort: %v", tt.name, err)
		}
		w.Trailers([]byte("X: 1\r\n"))
		if w.Flush() == nil || w.End() == nil || !w.close {
			t.Errorf("%s: the connection goes on", tt.name)
		}
		if _, content, _ := strings.Cut(r.all(), "\r\n\r\n"); content != tt.content {
			t.Errorf("%s: the client got %q, want %q", tt.name, content, tt.content)
		}
		if r.closed != tt.reset {
			t.Errorf("%s: closed at once: %v, want %v", tt.name, r.closed, tt.reset)
		}
	}
}

// Content that falls short of its length is a cut, whoever says that it ended.
func TestTooLittleContent(t *testing.T) {
	w, _ := responderFor("GET", "HTTP/1.1", "", false)
	w.Head(200, nil, nil, 9)
	w.Write([]byte("ok"))
	if err := w.End(); err == nil || !w.close {
		t.Errorf("End() = %v, and the connection goes on: %v", err, !w.close)
	}
}

// A client that is gone is noticed at the first write, and not asked again.
func TestBrokenClient(t *testing.T) {
	w, r := responderFor("GET", "HTTP/1.1", "", false)
	r.broken = true
	w.Head(200, nil, nil, 5)
	w.Write([]byte("hello"))
	if w.Flush() == nil || w.Write([]byte("x")) == nil || w.End() == nil {
		t.Error("a broken connection takes bytes")
	}
}

// A client whose answer only the end of the connection ends sees a cut as an
// error, also through TLS: there an orderly end would look whole.
func TestCutsAreVisible(t *testing.T) {
	t.Parallel()
	pair := newAuthority(t).issue(t, "a.example")
	cut := func(context.Context, string, string) (net.Conn, error) {
		ours, theirs := net.Pipe()
		go func() {
			defer theirs.Close()
			theirs.Read(make([]byte, 4096))
			io.WriteString(theirs, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n")
		}()
		return ours, nil
	}
	for _, tt := range []struct {
		name, settings string
		secure         bool
	}{
		{"plain", "", false},
		{"TLS", fmt.Sprintf(", tls: { certificates: [{ cert: %q, key: %q }] }", pair.cert, pair.key), true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			addr, _ := start(t, strings.Replace(replayConfig, `:0"`, `:0"`+tt.settings, 1), Options{Dial: cut})
			for range 10 {
				c, err := net.Dial("tcp", addr)
				if err != nil {
					t.Fatal(err)
				}
				if tt.secure {
					c = tls.Client(c, &tls.Config{InsecureSkipVerify: true})
				}
				io.WriteString(c, "GET / HTTP/1.0\r\nHost: a.example\r\n\r\n")
				got, err := io.ReadAll(c)
				c.Close()
				if err == nil {
					t.Fatalf("the answer looks whole: %q", got)
				}
			}
		})
	}
}
