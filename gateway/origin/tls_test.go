package origin

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"strings"
	"sync"
	"testing"
	"time"

	"weirkeep/gateway/metrics"
	"weirkeep/gateway/probe"
)

// joined holds back what is written until it is let go, so that several TLS
// records arrive as one.
type joined struct {
	net.Conn
	holding bool
	held    bytes.Buffer
}

func (j *joined) Write(p []byte) (int, error) {
	if j.holding {
		return j.held.Write(p)
	}
	return j.Conn.Write(p)
}

func (j *joined) letGo() {
	j.holding = false
	j.Conn.Write(j.held.Bytes())
}

// What has come on an idle TLS connection is asked of TLS: a session ticket is
// its own business, anything else is an answer nobody asked for, or the end.
func TestIdleTLS(t *testing.T) {
	t.Parallel()
	poison := "HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\npoison"
	for _, tt := range []struct {
		name   string
		then   func(*peer)
		sight  probe.Sight
		reused bool
	}{
		{"left alone", nil, probe.Silent, true},
		{"application data", func(p *peer) { p.say(poison) }, probe.Readable, false},
		{"close_notify", func(p *peer) { p.Conn.(*tls.Conn).CloseWrite() }, probe.Readable, false},
		{"close_notify and the end", func(p *peer) { p.Conn.(*tls.Conn).Close() }, probe.Finished, false},
		{"the end without a word", func(p *peer) { p.Conn.(*tls.Conn).NetConn().Close() }, probe.Finished, false},
		{"noise below TLS", func(p *peer) { io.WriteString(p.Conn.(*tls.Conn).NetConn(), "HTTP/1.1 200 OK\r\n") }, probe.Readable, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			answered := make(chan struct{})
			p := newPool(t, listen(t, secure(nil, func(n int, p *peer) {
				for p.head() != "" {
					p.say(okAnswer)
					if n == 0 && tt.then != nil {
						<-answered
						tt.then(p)
					}
				}
			})), withTLS)
			trip := newTrip(newClient())
			mustGet(t, p, trip)
			idle := p.free[0]
			close(answered)
			await(t, "the idle connection shows what happened to it", func() bool { return idle.probe.Look() == tt.sight })
			mustGet(t, p, trip)
			if got := trip.Metrics.Reused.Load() == 1; got != tt.reused {
				t.Errorf("reused: %v, want %v", got, tt.reused)
			}
		})
	}
}

// TLS reads ahead: what an origin says unasked may lie above the socket, where
// a look at the socket does not see it.
func TestSurplusRecordsReadAhead(t *testing.T) {
	t.Parallel()
	dress := func(c net.Conn) net.Conn { return &joined{Conn: c} }
	p := newPool(t, listen(t, secure(dress, func(n int, p *peer) {
		for p.head() != "" {
			j := p.Conn.(*tls.Conn).NetConn().(*joined)
			j.holding = n == 0
			p.say(okAnswer)
			if n == 0 {
				p.say("HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\npoison")
				j.letGo()
			}
		}
	})), withTLS)
	for range 3 {
		mustGet(t, p, newTrip(newClient()))
	}
}

// A session ticket that comes while the connection is idle does not cost it. A
// server that asks for a certificate sends its tickets when it has the client's.
func TestSessionTicketOnAnIdleConnection(t *testing.T) {
	t.Parallel()
	server, _ := secrets()
	server = server.Clone()
	server.ClientAuth = tls.RequestClientCert
	p := newPool(t, listen(t, func(n int, p *peer) { always(okAnswer)(n, newPeer(tls.Server(p.Conn, server))) }), withTLS, func(o *PoolOptions) {
		o.TLS = o.TLS.Clone()
		o.TLS.ClientSessionCache = tls.NewLRUClientSessionCache(1)
	})
	c, err := p.connect(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	await(t, "the ticket has come", func() bool { return c.probe.Look() == probe.Readable })
	if c.stale() {
		t.Error("a session ticket makes the connection stale")
	}
	if !p.push(c) {
		t.Fatal("the pool does not take it")
	}
	trip := newTrip(newClient())
	mustGet(t, p, trip)
	if trip.Metrics.Reused.Load() != 1 {
		t.Error("the connection was not used")
	}
}

// An origin whose certificate is not believed gets no request.
func TestUnbelievedCertificate(t *testing.T) {
	t.Parallel()
	var heard sync.Map
	addr := listen(t, secure(nil, func(_ int, p *peer) { heard.Store(p.head(), true) }))
	p := newPool(t, addr, func(o *PoolOptions) { o.TLS = &tls.Config{ServerName: "example.com"} })
	_, _, err := get(p, newTrip(newClient()))
	e, ok := errors.AsType[*Error](err)
	if !ok || e.Phase != metrics.Connect || e.Written != 0 {
		t.Errorf("got %v, want a failed connect", err)
	}
	heard.Range(func(k, _ any) bool {
		if k != "" {
			t.Errorf("the origin heard %q", k)
		}
		return true
	})
}

// proxy is a forward proxy: it answers CONNECT and then knows nothing of what
// passes; other requests it answers itself.
type proxy struct {
	mu    sync.Mutex
	asked []string // request lines
	to    string   // where tunnels lead
}

func (x *proxy) script(_ int, p *peer) {
	for h := p.head(); h != ""; h = p.head() {
		line, _, _ := strings.Cut(h, "\r\n")
		x.mu.Lock()
		x.asked = append(x.asked, line)
		x.mu.Unlock()
		if strings.HasPrefix(line, "CONNECT ") {
			x.tunnel(p)
			return
		}
		p.say("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nplain")
	}
}

func (x *proxy) tunnel(p *peer) {
	if x.to == "" {
		p.say("HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n")
		return
	}
	c, err := net.Dial("tcp", x.to)
	if err != nil {
		p.say("HTTP/1.1 502 Bad Gateway\r\n\r\n")
		return
	}
	defer c.Close()
	p.say("HTTP/1.1 200 Connection Established\r\nX-Proxy: 1\r\n\r\n")
	done := make(chan struct{})
	go func() { defer close(done); io.Copy(c, p.in); c.Close() }()
	io.Copy(p, c)
	p.Close()
	<-done
}

func (x *proxy) requests() []string {
	x.mu.Lock()
	defer x.mu.Unlock()
	return append([]string(nil), x.asked...)
}

func viaProxy(o *PoolOptions) {
	o.Proxy = true
	_, o.ProxyTLS = secrets()
}

func secureTrip(authority string) *Trip {
	t := newTrip(newClient())
	t.Secure, t.Authority = true, []byte(authority)
	return t
}

// What came by https goes through a proxy in a tunnel of its own to the
// authority asked for; what came by http goes to the proxy itself.
func TestTunnelsThroughAProxy(t *testing.T) {
	t.Parallel()
	x := &proxy{to: listen(t, secure(nil, always(okAnswer)))}
	p := newPool(t, listen(t, x.script), viaProxy)
	trip := secureTrip("example.com")
	mustGet(t, p, trip)
	mustGet(t, p, trip) // the tunnel is kept
	mustGet(t, p, secureTrip("example.com:8443"))
	if _, content, err := get(p, newTrip(newClient())); err != nil || content != "plain" {
		t.Errorf("by http: %q, %v", content, err)
	}
	want := []string{"CONNECT example.com:443 HTTP/1.1", "CONNECT example.com:8443 HTTP/1.1", "GET / HTTP/1.1"}
	if got := x.requests(); strings.Join(got, "|") != strings.Join(want, "|") {
		t.Errorf("the proxy was asked %q, want %q", got, want)
	}
	if trip.Metrics.Reused.Load() != 1 {
		t.Error("the tunnel was not used again")
	}
}

// A tunnel leads to who was asked for, or nowhere.
func TestTunnelToSomebodyElse(t *testing.T) {
	t.Parallel()
	x := &proxy{to: listen(t, secure(nil, always(okAnswer)))}
	p := newPool(t, listen(t, x.script), func(o *PoolOptions) {
		viaProxy(o)
		o.ProxyTLS = o.ProxyTLS.Clone()
		o.ProxyTLS.ServerName = ""
	})
	mustGet(t, p, secureTrip("example.com"))
	if _, _, err := get(p, secureTrip("bank.example")); err == nil {
		t.Error("the certificate of example.com was taken for bank.example's")
	}
}

func TestProxyThatRefuses(t *testing.T) {
	t.Parallel()
	p := newPool(t, listen(t, new(proxy).script), viaProxy)
	_, _, err := get(p, secureTrip("example.com"))
	e, ok := errors.AsType[*Error](err)
	if !ok || !errors.Is(err, ErrConnect) || e.Phase != metrics.Connect {
		t.Errorf("got %v, want %v", err, ErrConnect)
	}
	if f, counts := e.Fault(); counts {
		t.Errorf("that it refuses to connect counts against it: %v", f)
	}
}

// A proxy that never ends its answer is given up after the time to connect.
func TestProxyThatDribbles(t *testing.T) {
	t.Parallel()
	p := newPool(t, listen(t, func(_ int, p *peer) {
		p.head()
		for _, err := io.WriteString(p, "HTTP/1.1 200 OK\r\n"); err == nil; _, err = io.WriteString(p, "X: 1\r\n") {
			time.Sleep(time.Millisecond)
		}
	}), viaProxy, func(o *PoolOptions) { o.ConnectTimeout = 100 * time.Millisecond })
	begun := time.Now()
	_, _, err := get(p, secureTrip("example.com"))
	if ne, ok := errors.AsType[net.Error](err); !ok || !ne.Timeout() {
		t.Errorf("got %v, want a time-out", err)
	}
	if took := time.Since(begun); took > 5*time.Second {
		t.Errorf("it took %v", took)
	}
}

// The names that tunnels are kept for come from clients: they are bounded.
func TestTunnelsAreBounded(t *testing.T) {
	t.Parallel()
	p := poolOf(t, "proxy.example:3128", viaProxy)
	for i := range 3 * maxTunnels {
		p.tunnels.pool(p, []byte(strings.Repeat("a", i+1)))
	}
	if n := len(p.tunnels.byName); n != maxTunnels {
		t.Errorf("tunnels for %d names are kept, want %d", n, maxTunnels)
	}
}
