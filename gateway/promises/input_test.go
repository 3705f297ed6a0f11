package promises

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"math/rand/v2"
	"net"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"weirkeep/gateway"
)

// messages are the byte strings that the corpus sends, as clients and as origins.
func messages(t *testing.T) (requests, answers [][]byte) {
	t.Helper()
	text, err := os.ReadFile("../corpus/testdata/http1-corpus.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	for line := range bytes.Lines(text) {
		var c struct {
			Req any
			Rep struct{ Steps any }
		}
		if err := json.Unmarshal(line, &c); err != nil {
			t.Fatal(err)
		}
		requests = append(requests, bytesOf(c.Req))
		if a := bytesOf(c.Rep.Steps); len(a) > 0 {
			answers = append(answers, a)
		}
	}
	if len(requests) < 400 || len(answers) < 50 {
		t.Fatalf("the corpus holds %d requests and %d answers", len(requests), len(answers))
	}
	return requests, answers
}

// bytesOf joins the strings in v; a character is a byte.
func bytesOf(v any) (b []byte) {
	switch v := v.(type) {
	case string:
		for _, r := range v {
			b = append(b, byte(r))
		}
	case []any:
		for _, part := range v {
			b = append(b, bytesOf(part)...)
		}
	case map[string]any:
		b = bytesOf(v["send"])
		n, _ := v["n"].(float64)
		b = append(b, bytes.Repeat(bytesOf(v["rep"]), int(n))...)
	}
	return b
}

// spice is what parsers trip over.
var spice = []string{
	"\r", "\n", "\r\n", "\r\n\r\n", "\x00", " ", "\t", ":", ";", ",", "\"", "%", "\xff", "\x80", "-1", "0", "ffffffffffffffff", "18446744073709551616",
	"Content-Length: 3\r\n", "Transfer-Encoding: chunked\r\n", "Connection: close\r\n", "Expect: 100-continue\r\n", "Upgrade: websocket\r\nConnection: upgrade\r\n",
	"HTTP/1.1", "HTTP/1.0", "0\r\n\r\n", "GET / HTTP/1.1\r\nHost: a.example\r\n\r\n", "HTTP/1.1 100 Continue\r\n\r\n",
}

// mutate returns m with one to four accidents.
func mutate(r *rand.Rand, m []byte) []byte {
	m = bytes.Clone(m)
	for range 1 + r.IntN(4) {
		if len(m) == 0 {
			return m
		}
		i := r.IntN(len(m))
		j := min(len(m), i+r.IntN(16))
		switch r.IntN(6) {
		case 0:
			m[i] ^= 1 << r.IntN(8)
		case 1:
			m = append(m[:i], m[j:]...)
		case 2:
			m = append(m[:j:j], m[i:]...)
		case 3:
			m = append(m[:i:i], append([]byte(spice[r.IntN(len(spice))]), m[i:]...)...)
		case 4:
			m = append(m[:i:i], append([]byte(spice[r.IntN(len(spice))]), m[j:]...)...)
		case 5:
			m = m[:i]
		}
	}
	return m
}

// G3: no bytes, from a client or from an origin, end in a panic, and none keeps
// the gateway from serving others.
func TestNoInputCrashes(t *testing.T) {
	watchLeaks(t)
	asked, answered := messages(t)
	o := startOrigin(t, func(c *net.TCPConn) { misbehave(c, answered) })
	addr, g := start(t, configure(o.addr, "    first_byte_timeout: 300ms\n    body_idle_timeout: 300ms",
		"timeouts: { head: 300ms, body_idle: 300ms }"), gateway.Options{})

	const clients = 16
	var wg sync.WaitGroup
	for i := range clients {
		r := rand.New(rand.NewPCG(uint64(i), 3))
		wg.Go(func() {
			for range either(8000, 400_000) / clients {
				throw(t, addr, mutate(r, asked[r.IntN(len(asked))]))
			}
		})
	}
	wg.Wait()
	if n := g.Metrics().Process.Panics.Load(); n != 0 {
		t.Errorf("%d panics", n)
	}
	if r, err := get(addr, "/sane"); err != nil || r.StatusCode != 200 {
		t.Errorf("afterwards a request was answered %v, %v", r, err)
	}
}

// throw sends raw, ends its half, and reads until the gateway closes.
func throw(t *testing.T, addr string, raw []byte) {
	c, err := dialed(addr)
	if err != nil {
		t.Error(err)
		return
	}
	defer c.Close()
	c.SetDeadline(time.Now().Add(20 * time.Second))
	c.Write(raw)
	c.CloseWrite()
	if _, err := io.Copy(io.Discard, c); errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("the gateway does not let go of a client that has sent %.200q", raw)
	}
}

// misbehave answers the first read of a connection with a mutation of what the
// corpus answers, unless the request is sane.
func misbehave(c *net.TCPConn, answers [][]byte) {
	buf := make([]byte, 4*kib)
	n, _ := c.Read(buf)
	if bytes.HasPrefix(buf[:n], []byte("GET /sane ")) {
		io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok")
		return
	}
	seed := nonces.Add(1)
	r := rand.New(rand.NewPCG(seed, 5))
	c.Write(mutate(r, answers[r.IntN(len(answers))]))
	if r.IntN(4) == 0 {
		reset(c)
	}
}

// faulty is a connection to an origin that panics: a fault of ours at a place
// of the test's choice.
type faulty struct {
	net.Conn
	writes, reads int // that go well
}

func (f *faulty) Write(p []byte) (int, error) {
	if f.writes--; f.writes < 0 {
		panic("a write")
	}
	return f.Conn.Write(p)
}

func (f *faulty) Read(p []byte) (int, error) {
	if f.reads--; f.reads < 0 {
		panic("a read")
	}
	return f.Conn.Read(p)
}

const getX = "GET /x HTTP/1.1\r\nHost: a.example\r\n\r\n"

// G3: a fault of the gateway itself costs the exchange in which it happens, and
// no other; it is counted and logged.
func TestPanicCostsItsOwnExchangeOnly(t *testing.T) {
	const all = 1 << 30
	for _, tt := range []struct {
		name   string
		fault  *faulty // nil: connecting panics
		ask    string
		status string // beginning of what the client sees
	}{
		{"connecting", nil, getX, "HTTP/1.1 500 "},
		{"sending the head", &faulty{writes: 0, reads: all}, getX, "HTTP/1.1 500 "},
		{"sending the body", &faulty{writes: 1, reads: all}, "POST /x HTTP/1.1\r\nHost: a.example\r\nContent-Length: 9\r\n\r\nhal", "HTTP/1.1 500 "},
		{"reading the head", &faulty{writes: all, reads: 0}, getX, "HTTP/1.1 500 "},
		{"reading the content", &faulty{writes: all, reads: 1}, getX, "HTTP/1.1 200 "},
		{"in a tunnel, upwards", &faulty{writes: 1, reads: all}, "GET /up HTTP/1.1\r\nHost: a.example\r\nConnection: upgrade\r\nUpgrade: websocket\r\n\r\nhello", "HTTP/1.1 101 "},
		{"in a tunnel, downwards", &faulty{writes: all, reads: 1}, "GET /up HTTP/1.1\r\nHost: a.example\r\nConnection: upgrade\r\nUpgrade: websocket\r\n\r\n", "HTTP/1.1 101 "},
	} {
		t.Run(tt.name, func(t *testing.T) {
			watchLeaks(t)
			held, freed := make(chan struct{}), make(chan struct{})
			o := startOrigin(t, func(c *net.TCPConn) { holdOrAnswer(c, held, freed) })
			var log bytes.Buffer
			var dials atomic.Int32
			addr, g := start(t, configure(o.addr, "", ""), gateway.Options{
				Logger: slog.New(slog.NewTextHandler(&log, nil)),
				Dial: func(_ context.Context, network, address string) (net.Conn, error) {
					c, err := net.Dial(network, address)
					if dials.Add(1) != 2 {
						return c, err
					}
					if tt.fault == nil {
						c.Close()
						panic("a dial")
					}
					tt.fault.Conn = c
					return tt.fault, err
				},
			})
			bystander := dial(t, addr)
			io.WriteString(bystander, "GET /hold HTTP/1.1\r\nHost: a.example\r\nConnection: close\r\n\r\n")
			<-held

			victim := dial(t, addr)
			io.WriteString(victim, tt.ask)
			if got, _ := io.ReadAll(victim); !strings.HasPrefix(string(got), tt.status) || strings.HasSuffix(string(got), "0\r\n\r\n") {
				t.Errorf("the exchange with the fault was answered %q, want %q and no clean end", got, tt.status)
			}
			close(freed)
			if got, err := io.ReadAll(bystander); err != nil || !strings.HasSuffix(string(got), "\r\n\r\nheld") {
				t.Errorf("the bystander got %q, %v", got, err)
			}
			if r, err := get(addr, "/after"); err != nil || r.StatusCode != 200 {
				t.Errorf("afterwards a request was answered %v, %v", r, err)
			}
			panics := &g.Metrics().Process.Panics
			if !within(5*time.Second, func() bool { return panics.Load() > 0 }) || panics.Load() != 1 {
				t.Errorf("%d panics were counted, want 1", panics.Load())
			}
			g.Close()
			if !strings.Contains(log.String(), "panic in an exchange") {
				t.Errorf("the log says %q", &log)
			}
		})
	}
}

// holdOrAnswer holds /hold back until freed, begins an answer to /x that it
// does not end, switches protocols for /up, and answers all else.
func holdOrAnswer(c *net.TCPConn, held chan<- struct{}, freed <-chan struct{}) {
	buf := make([]byte, 4*kib)
	n, _ := c.Read(buf)
	switch path, _, _ := strings.Cut(string(buf[:n]), " HTTP/"); path {
	case "GET /hold":
		close(held)
		<-freed
		io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Length: 4\r\nConnection: close\r\n\r\nheld")
	case "GET /x":
		io.WriteString(c, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n")
	case "GET /up":
		io.WriteString(c, "HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: websocket\r\n\r\n")
	case "GET /after":
		io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok")
	}
	io.Copy(io.Discard, c)
}
