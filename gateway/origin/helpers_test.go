package origin

import (
	"bufio"
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"io"
	"net"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"

	"weirkeep/gateway/metrics"
	"weirkeep/gateway/wire"
)

// No test may leave a goroutine behind: an upload, a sweeper, a scripted origin.
func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// peer is an origin's end of a connection.
type peer struct {
	net.Conn
	in *bufio.Reader
}

func newPeer(c net.Conn) *peer { return &peer{c, bufio.NewReader(c)} }

// head reads up to a blank line; empty: there was none.
func (p *peer) head() string {
	var head []byte
	for !bytes.HasSuffix(head, headEnd) {
		b, err := p.in.ReadByte()
		if err != nil {
			return ""
		}
		head = append(head, b)
	}
	return string(head)
}

// body reads n bytes.
func (p *peer) body(n int) string {
	b := make([]byte, n)
	k, _ := io.ReadFull(p.in, b)
	return string(b[:k])
}

func (p *peer) say(s string) { io.WriteString(p, s) }

// listen runs an origin: script is called for each connection, with its number.
func listen(tb testing.TB, script func(n int, p *peer)) (addr string) {
	tb.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		tb.Fatal(err)
	}
	var (
		all  sync.WaitGroup
		mu   sync.Mutex
		open []net.Conn
	)
	all.Go(func() {
		for n := 0; ; n++ {
			c, err := l.Accept()
			if err != nil {
				return
			}
			mu.Lock()
			open = append(open, c)
			mu.Unlock()
			all.Go(func() { defer c.Close(); script(n, newPeer(c)) })
		}
	})
	tb.Cleanup(func() {
		l.Close()
		mu.Lock()
		for _, c := range open {
			c.Close()
		}
		mu.Unlock()
		all.Wait()
	})
	return l.Addr().String()
}

// always answers every request of a connection in the same way.
func always(answer string) func(int, *peer) {
	return func(_ int, p *peer) {
		for p.head() != "" {
			p.say(answer)
		}
	}
}

const okAnswer = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"

// newPool is a pool of real sockets to addr.
func newPool(tb testing.TB, addr string, change ...func(*PoolOptions)) *Pool {
	var d net.Dialer
	return poolOf(tb, addr, append([]func(*PoolOptions){func(o *PoolOptions) { o.Dial = d.DialContext }}, change...)...)
}

// poolOf is a pool that changes the usual options.
func poolOf(tb testing.TB, addr string, change ...func(*PoolOptions)) *Pool {
	o := PoolOptions{Origin: &Origin{Address: addr}, ConnectTimeout: 5 * time.Second, KeepAlive: time.Minute}
	for _, c := range change {
		c(&o)
	}
	p := NewPool(o)
	tb.Cleanup(p.Close)
	return p
}

func dialTo(c net.Conn) func(*PoolOptions) {
	return func(o *PoolOptions) {
		o.Dial = func(context.Context, string, string) (net.Conn, error) { return c, nil }
	}
}

// client is who a trip is made for.
type client struct {
	gone        atomic.Bool
	interims    []int
	continued   atomic.Int32
	interrupted chan struct{} // closed once nobody wants the body any more
	once        sync.Once
}

func newClient() *client { return &client{interrupted: make(chan struct{})} }

func (c *client) Interim(code int, _ []wire.Field) error {
	c.interims = append(c.interims, code)
	return nil
}
func (c *client) Flush() error    { return nil }
func (c *client) Gone() bool      { return c.gone.Load() }
func (c *client) Continue() error { c.continued.Add(1); return nil }
func (c *client) Interrupt()      { c.once.Do(func() { close(c.interrupted) }) }

// feed is the source of a request's body: pieces come through a channel; its
// end ends the body with err.
type feed struct {
	c      *client
	pieces chan string
	err    error
	window []byte
}

func (f *feed) Window() []byte { return f.window }
func (f *feed) Advance(n int)  { f.window = f.window[n:] }

func (f *feed) Fill() error {
	select {
	case p, ok := <-f.pieces:
		if !ok {
			return f.err
		}
		f.window = append(f.window, p...)
		return nil
	case <-f.c.interrupted:
		return io.ErrClosedPipe
	}
}

// newTrip is a trip of a GET without a body.
func newTrip(c *client) *Trip {
	return &Trip{
		Head: []byte("GET / HTTP/1.1\r\nHost: a.example\r\n\r\n"), Method: []byte("GET"), Authority: []byte("a.example"),
		Content: new(wire.Body), Caller: c, Sender: c, Metrics: new(metrics.Origin),
		Timeouts: Timeouts{FirstByte: 10 * time.Second, BodyIdle: 10 * time.Second},
	}
}

// newUpload is a trip of a POST whose body of n bytes comes through the feed.
func newUpload(c *client, n int64) (*Trip, *feed) {
	t, f := newTrip(c), &feed{c: c, pieces: make(chan string), err: io.EOF}
	t.Method = []byte("POST")
	t.Head = append(wire.AppendLength([]byte("POST / HTTP/1.1\r\nHost: a.example\r\n"), n), "\r\n"...)
	if n == wire.Chunked {
		t.Head = []byte("POST / HTTP/1.1\r\nHost: a.example\r\nTransfer-Encoding: chunked\r\n\r\n")
	}
	t.Content.Reset(f, n)
	return t, f
}

// rest reads the answer's content to its end and ends the trip.
func rest(t *Trip) (content string, early bool, err error) {
	var b strings.Builder
	for {
		p, err := t.Body.Next()
		if err == io.EOF {
			return b.String(), t.End(true), nil
		}
		if err != nil {
			t.End(false)
			return b.String(), false, err
		}
		b.Write(p)
		t.Body.Consume(len(p))
	}
}

// get makes a whole trip and returns the status with the content.
func get(p *Pool, t *Trip) (int, string, error) {
	if err := p.Begin(t, time.Now()); err != nil {
		return 0, "", err
	}
	content, _, err := rest(t)
	return t.Status.Code, content, err
}

// mustGet makes a trip that must be answered with 200 and ok.
func mustGet(tb testing.TB, p *Pool, t *Trip) {
	tb.Helper()
	if code, content, err := get(p, t); err != nil || code != 200 || content != "ok" {
		tb.Fatalf("got %d %q %v, want 200 \"ok\"", code, content, err)
	}
}

// await waits for a fact of another process or goroutine.
func await(tb testing.TB, what string, fact func() bool) {
	tb.Helper()
	for end := time.Now().Add(10 * time.Second); !fact(); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			tb.Fatalf("in vain: %s", what)
		}
	}
}

// secrets is a certificate for 127.0.0.1 and example.com, and who believes it.
var secrets = sync.OnceValues(func() (server, client *tls.Config) {
	s := httptest.NewUnstartedServer(nil)
	s.StartTLS()
	defer s.Close()
	roots := x509.NewCertPool()
	roots.AddCert(s.Certificate())
	return &tls.Config{Certificates: s.TLS.Certificates}, &tls.Config{RootCAs: roots, ServerName: "example.com"}
})

// secure makes a script one that speaks TLS, over what dress makes of the socket.
func secure(dress func(net.Conn) net.Conn, script func(int, *peer)) func(int, *peer) {
	server, _ := secrets()
	return func(n int, p *peer) {
		var below net.Conn = p.Conn
		if dress != nil {
			below = dress(below)
		}
		c := tls.Server(below, server)
		defer c.Close()
		script(n, newPeer(c))
	}
}

func withTLS(o *PoolOptions) { _, o.TLS = secrets() }
