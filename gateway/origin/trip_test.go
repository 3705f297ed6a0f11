package origin

import (
	"context"
	"errors"
	"io"
	"net"
	"slices"
	"strings"
	"testing"
	"time"

	"weirkeep/gateway/metrics"
	"weirkeep/gateway/wire"
)

// A head of 128 KiB is read; a larger one fails as what it is (H1-12). The
// origin is not blamed for it.
func TestHeadLimit(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name   string
		fields string
		want   error
	}{
		{"one field of 9 KiB", "X-Policy: " + strings.Repeat("p", 9<<10) + "\r\n", nil},
		{"70 fields of 1 KiB", strings.Repeat("X-Policy: "+strings.Repeat("p", 1<<10)+"\r\n", 70), nil},
		{"120 KiB", strings.Repeat("X-Policy: "+strings.Repeat("p", 20<<10)+"\r\n", 6), nil},
		{"1 MiB", strings.Repeat("X-Policy: "+strings.Repeat("p", 1<<10)+"\r\n", 1<<10), ErrHeadLarge},
		{"1 MiB in one field", "X-Policy: " + strings.Repeat("p", 1<<20) + "\r\n", ErrHeadLarge},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			p := newPool(t, listen(t, always("HTTP/1.1 200 OK\r\n"+tt.fields+"Content-Length: 2\r\n\r\nok")))
			trip := newTrip(newClient())
			code, content, err := get(p, trip)
			if !errors.Is(err, tt.want) || err == nil && (code != 200 || content != "ok") {
				t.Errorf("got %d %q %v, want %v", code, content, err, tt.want)
			}
		})
	}
}

// What is no answer fails at once: not when the time for the first byte is over.
func TestBadAnswersFailAtOnce(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, answer string
		want         error // nil: any
	}{
		{"garbage", "SSH-2.0-OpenSSH_9.2\r\n", wire.ErrStatusLine},
		{"garbage without a line end", "x", wire.ErrStatusLine},
		{"HTTP/0.9", "<html>hello</html>", wire.ErrStatusLine},
		{"HTTP/2 preface", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", wire.ErrStatusLine},
		{"HTTP/2.0", "HTTP/2.0 200 OK\r\n\r\n", wire.ErrStatusLine},
		{"bad version", "HTTP/1.7x 200 OK\r\n\r\n", nil},
		{"no number", "HTTP/1.1 2x0 OK\r\n\r\n", nil},
		{"status 099", "HTTP/1.1 099 Odd\r\n\r\n", nil},
		{"line end without CR", "HTTP/1.1 200 OK\nContent-Length: 2\r\n\r\nok", nil},
		{"two lengths", "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\nok", nil},
		{"negative length", "HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\nok", nil},
		{"length past all counting", "HTTP/1.1 200 OK\r\nContent-Length: 99999999999999999999\r\n\r\nok", nil},
		{"unknown coding", "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip\r\n\r\nok", nil},
		{"space in a name", "HTTP/1.1 200 OK\r\nX Y: 1\r\nContent-Length: 2\r\n\r\nok", nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			p := newPool(t, listen(t, func(_ int, p *peer) {
				p.head()
				p.say(tt.answer)
				p.head() // stays open
			}))
			trip := newTrip(newClient())
			trip.Timeouts.FirstByte = time.Hour
			_, _, err := get(p, trip)
			e, ok := errors.AsType[*Error](err)
			if !ok || tt.want != nil && !errors.Is(err, tt.want) || errors.Is(err, ErrTimeout) {
				t.Fatalf("got %v, want %v", err, tt.want)
			}
			if !e.Answered || e.Retryable(true) {
				t.Errorf("%+v: bytes of an answer came, so it is not repeated", e)
			}
		})
	}
}

func TestInterimAnswers(t *testing.T) {
	t.Parallel()
	hints := "HTTP/1.1 103 Early Hints\r\nLink: </a.css>\r\n\r\n"
	for _, tt := range []struct {
		name, before string
		want         error
		passed       int
	}{
		{"none", "", nil, 0},
		{"103", hints, nil, 1},
		{"100 unasked is not passed on", "HTTP/1.1 100 Continue\r\n\r\n", nil, 0},
		{"16", strings.Repeat(hints, 16), nil, 16},
		{"17", strings.Repeat(hints, 17), ErrInterims, 17},
		{"17, 100 too", strings.Repeat("HTTP/1.1 100 Continue\r\n\r\n", 17), ErrInterims, 0},
		{"101 unasked", "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n", ErrUpgrade, 0},
		{"101 after a 103", hints + "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n", ErrUpgrade, 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			p := newPool(t, listen(t, always(tt.before+okAnswer)))
			c := newClient()
			code, content, err := get(p, newTrip(c))
			if !errors.Is(err, tt.want) || err == nil && (code != 200 || content != "ok") {
				t.Errorf("got %d %q %v, want %v", code, content, err, tt.want)
			}
			if len(c.interims) != tt.passed {
				t.Errorf("the client was told %v, want %d interim answers", c.interims, tt.passed)
			}
		})
	}
}

// A protocol is switched only to one that was asked for, and the connection
// never serves HTTP again.
func TestSwitchingProtocols(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		asked, got string
		want       error
	}{
		{"websocket", "websocket", nil},
		{"websocket", "WebSocket", nil},
		{"h2c, websocket", "websocket", nil},
		{"websocket", "h2c", ErrUpgrade},
		{"websocket", "", ErrUpgrade},
		{"websocket", "websocket, h2c", ErrUpgrade},
		{"websocket", "web", ErrUpgrade},
	} {
		t.Run(tt.asked+" to "+tt.got, func(t *testing.T) {
			t.Parallel()
			upgrade := "Upgrade: " + tt.got + "\r\n"
			if tt.got == "" {
				upgrade = ""
			}
			p := newPool(t, listen(t, func(_ int, p *peer) {
				p.head()
				p.say("HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\n" + upgrade + "\r\nearly")
				p.say(strings.ToUpper(p.body(4)))
			}))
			trip := newTrip(newClient())
			trip.Upgrade = []byte(tt.asked)
			err := p.Begin(trip, time.Now())
			if !errors.Is(err, tt.want) {
				t.Fatalf("got %v, want %v", err, tt.want)
			}
			if err != nil {
				return
			}
			up, early := trip.Hijack()
			io.WriteString(up, "ping")
			said, err := io.ReadAll(up)
			if got := string(early) + string(said); got != "earlyPING" || err != nil {
				t.Errorf("the tunnel brought %q, %v", got, err)
			}
			trip.End(true)
			if n := p.Idle(); n != 0 {
				t.Errorf("%d connections are idle, want none", n)
			}
		})
	}
}

// A switch that is refused is an ordinary answer.
func TestUpgradeRefused(t *testing.T) {
	t.Parallel()
	p := newPool(t, listen(t, always(okAnswer)))
	trip := newTrip(newClient())
	trip.Upgrade = []byte("websocket")
	mustGet(t, p, trip)
	if n := p.Idle(); n != 1 {
		t.Errorf("%d connections are idle, want 1", n)
	}
}

// Where an attempt failed, and what may be told of it.
func TestFailures(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name     string
		script   func(*peer)
		phase    Phase
		answered bool
	}{
		{"closed before the answer", func(p *peer) { p.head() }, metrics.Wait, false},
		{"reset before the answer", func(p *peer) { p.head(); p.Conn.(*net.TCPConn).SetLinger(0) }, metrics.Wait, false},
		{"closed in the status line", func(p *peer) { p.head(); p.say("HTTP/1.1 20") }, metrics.Wait, true},
		{"closed in the head", func(p *peer) { p.head(); p.say("HTTP/1.1 200 OK\r\nX: 1\r\n") }, metrics.Wait, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			p := newPool(t, listen(t, func(_ int, c *peer) { tt.script(c) }))
			trip := newTrip(newClient())
			_, _, err := get(p, trip)
			e, ok := errors.AsType[*Error](err)
			if !ok || e.Phase != tt.phase || e.Answered != tt.answered || e.Written != int64(len(trip.Head)) || e.Reused {
				t.Errorf("got %+v", e)
			}
			if n := trip.Metrics.Failures[tt.phase].Load(); n != 1 {
				t.Errorf("%d failures are counted, want 1", n)
			}
		})
	}
}

// Content that breaks off is never taken for whole.
func TestCutContent(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, answer string }{
		{"length", "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhello"},
		{"chunked, between chunks", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n"},
		{"chunked, in a chunk", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n9\r\nhello"},
		{"chunked, in the trailer", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\nX: 1"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			p := newPool(t, listen(t, func(_ int, p *peer) { p.head(); p.say(tt.answer) }))
			_, content, err := get(p, newTrip(newClient()))
			if content != "hello" || err == nil {
				t.Errorf("got %q, %v, want hello and an error", content, err)
			}
		})
	}
}

// A client that has gone ends the wait for the origin.
func TestClientGone(t *testing.T) {
	t.Parallel()
	p := newPool(t, listen(t, func(_ int, p *peer) { p.head(); p.head() }))
	c := newClient()
	c.gone.Store(true)
	trip := newTrip(c)
	trip.Timeouts.FirstByte = time.Hour
	_, _, err := get(p, trip)
	if !errors.Is(err, ErrGone) {
		t.Errorf("got %v, want %v", err, ErrGone)
	}
	if n := trip.Metrics.Failures[metrics.Wait].Load(); n != 0 {
		t.Error("a client that left counts as a failure of the origin")
	}
}

// A trip that is abandoned gives back what it held, and may be abandoned again.
func TestAbandon(t *testing.T) {
	t.Parallel()
	p := newPool(t, listen(t, always(okAnswer)))
	trip := newTrip(newClient())
	trip.Abandon()
	if err := p.Begin(trip, time.Now()); err != nil {
		t.Fatal(err)
	}
	trip.Abandon()
	trip.Abandon()
	if n := p.Idle(); n != 0 {
		t.Errorf("%d connections are idle, want none", n)
	}
}

// canned is an origin's connection that answers each write, which must be a
// whole request.
type canned struct {
	net.Conn
	answer string
	unread string
}

func (c *canned) Write(p []byte) (int, error) { c.unread = c.answer; return len(p), nil }
func (c *canned) Read(p []byte) (int, error) {
	n := copy(p, c.unread)
	c.unread = c.unread[n:]
	return n, nil
}
func (c *canned) Close() error                     { return nil }
func (c *canned) SetDeadline(time.Time) error      { return nil }
func (c *canned) SetReadDeadline(time.Time) error  { return nil }
func (c *canned) SetWriteDeadline(time.Time) error { return nil }

func cannedPool(tb testing.TB) (*Pool, *Trip) {
	c := &canned{answer: "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 1024\r\n\r\n" + strings.Repeat("a", 1024)}
	return poolOf(tb, "a.example:80", dialTo(c)), newTrip(newClient())
}

func roundTrip(tb testing.TB, p *Pool, t *Trip, now time.Time) {
	if err := p.Begin(t, now); err != nil {
		tb.Fatal(err)
	}
	view, err := t.Body.Next()
	if len(view) != 1024 || err != nil {
		tb.Fatalf("content of %d bytes, %v", len(view), err)
	}
	t.Body.Consume(len(view))
	t.End(true)
}

// Budget: a trip on a connection that was used before costs no allocation.
func TestTripAllocs(t *testing.T) {
	p, trip := cannedPool(t)
	roundTrip(t, p, trip, time.Now())
	if n := testing.AllocsPerRun(200, func() { roundTrip(t, p, trip, time.Now()) }); n != 0 {
		t.Errorf("a trip allocates %v times, want 0", n)
	}
	if n := trip.Metrics.Opened.Load(); n != 1 {
		t.Errorf("%d connections were opened, want 1", n)
	}
}

// BenchmarkTrip has a budget of 1 µs/op and 0 allocs/op: a trip's own cost,
// without sockets.
func BenchmarkTrip(b *testing.B) {
	p, trip := cannedPool(b)
	b.ReportAllocs()
	for b.Loop() {
		roundTrip(b, p, trip, time.Now())
	}
}

// TestDialAddress: a pool dials its origin's address and no other.
func TestDialAddress(t *testing.T) {
	var dialed []string
	p := poolOf(t, "shop.internal:8080", func(o *PoolOptions) {
		o.Dial = func(_ context.Context, network, address string) (net.Conn, error) {
			dialed = append(dialed, network+" "+address)
			return nil, refusedErr
		}
	})
	get(p, newTrip(newClient()))
	if !slices.Equal(dialed, []string{"tcp shop.internal:8080"}) {
		t.Errorf("dialed %v", dialed)
	}
}
