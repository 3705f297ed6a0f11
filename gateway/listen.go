package gateway

import (
	"crypto/tls"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/netip"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"github.com/pires/go-proxyproto"

	"weirkeep/gateway/metrics"
	"weirkeep/gateway/probe"
	"weirkeep/gateway/socket"
)

// listener is an address that clients connect to. It lives as long as some
// configuration names the address; what else is said of it may change.
type listener struct {
	address string
	socket  net.Listener
	own     bool // no other process has the socket; applying's
	gateway *Gateway
	options atomic.Pointer[listenerOptions]
	server  atomic.Pointer[serverH1] // of the term
	term    atomic.Int64             // of the server that may accept now
	ended   chan struct{}            // closed: that server's term is over; applying's
	ending  atomic.Bool              // it closes when nobody is left to be accepted
	closed  atomic.Bool
	failed  atomic.Int64 // accepts that failed and were not told of
	told    atomic.Int64 // unix nanoseconds, when one was
}

// listenerOptions are what a configuration says of a listener.
type listenerOptions struct {
	name        string
	tls         *tls.Config // nil: plain
	certs       *certificates
	redirect    bool // to https
	proxied     bool // a PROXY header comes first
	headerBytes int
	metrics     *metrics.Listener
}

func (o *listenerOptions) secure() bool { return o.tls != nil }

// term is the time in which one server accepts at a listener. It is what the
// server library sees of the listener; when the term ends, so does its Serve.
type term struct {
	*listener
	number int64
}

// Accept waits for a connection. Errors that pass (no descriptors) are waited
// out.
func (t term) Accept() (net.Conn, error) {
	pause := acceptPause
	nobody := false // was there at the last look, when nobody could come any more
	for !t.over() {
		nc, err := t.socket.Accept()
		switch {
		case err == nil && t.listener.term.Load() != t.number:
			t.handOver(nc)
		case err == nil:
			if t.ending.Load() {
				t.linger() // there may be more
			}
			return t.admitted(nc)
		case t.ending.Load() && nobody:
			t.listener.close()
		case t.ending.Load():
			nobody = true // if the next look, which begins now, finds nobody
			t.linger()
		case !t.over() && !errors.Is(err, os.ErrDeadlineExceeded):
			pause = t.waitOut(err, pause)
		}
	}
	return nil, io.EOF
}

// handOver gives the server that came after this one a connection which this
// one's last Accept still took.
func (t term) handOver(nc net.Conn) {
	go func() {
		if c, err := t.admitted(nc); err == nil {
			t.server.Load().serveConn(c.(*h1Conn))
		}
	}()
}

// admitted waits for a place among limits.connections. A listener waits with
// one connection in hand: a place that was taken before it came could be what
// another listener's clients wait for.
func (t term) admitted(nc net.Conn) (net.Conn, error) {
	if !t.gateway.places.take() {
		nc.Close()
		return nil, io.EOF
	}
	return t.accepted(nc), nil
}

// Close does nothing: the listener outlives its servers.
func (t term) Close() error { return nil }

func (t term) Addr() net.Addr { return t.socket.Addr() }

func (t term) over() bool { return t.closed.Load() || t.listener.term.Load() != t.number }

// acceptPause and acceptPauseMax bound how long nothing is accepted after an
// error.
const (
	acceptPause    = 5 * time.Millisecond
	acceptPauseMax = 500 * time.Millisecond
)

func (t term) waitOut(err error, pause time.Duration) time.Duration {
	if n := t.failed.Add(1); time.Since(time.Unix(0, t.told.Load())) >= time.Second {
		t.told.Store(time.Now().UnixNano())
		t.failed.Add(-n)
		t.gateway.log.Warn("cannot accept a connection; trying again", slog.String("listener", t.options.Load().name), slog.Any("error", err), slog.Int64("times", n))
	}
	time.Sleep(pause)
	return min(2*pause, acceptPauseMax)
}

// accepted dresses a new connection.
func (l *listener) accepted(nc net.Conn) net.Conn {
	o := l.options.Load()
	o.metrics.Accepted.Inc()
	o.metrics.Open.Inc()
	c := l.gateway.dress(nc, o)
	c.placed = true
	return c
}

// dress makes the connection that the server library sees.
func (g *Gateway) dress(nc net.Conn, o *listenerOptions) *h1Conn {
	setKeepAlive(nc)
	nc = socket.New(nc)
	c := &h1Conn{Conn: nc, gateway: g, options: o, probe: probe.New(nc), since: time.Now()}
	if o.proxied {
		c.Conn = proxyproto.NewConn(nc, proxyproto.WithPolicy(proxyproto.REQUIRE), proxyproto.SetReadHeaderTimeout(0))
	}
	if o.secure() {
		secure := tls.Server(c.Conn, o.tls)
		c.Conn, c.hello = secure, secure.Handshake
	}
	c.plain, _ = c.Conn.(*socket.Conn)
	c.walkOn = c.walkNext
	g.remember(c)
	return c
}

// setKeepAlive finds out within half a minute that the other side is gone for
// good, also where nothing is sent: in a tunnel.
func setKeepAlive(c net.Conn) {
	if tcp, ok := c.(*net.TCPConn); ok {
		tcp.SetKeepAliveConfig(net.KeepAliveConfig{Enable: true, Idle: 15 * time.Second, Interval: 5 * time.Second, Count: 3})
	}
}

var (
	errProxyHeader = errors.New("no PROXY header from a trusted proxy")
	errTooMany     = errors.New("too many connections from one client")
)

// admit finds out who the peer is and whether it may have one more connection.
func (c *h1Conn) admit() error {
	nc := c.Conn
	if secure, ok := nc.(*tls.Conn); ok {
		nc = secure.NetConn()
	}
	if proxied, ok := nc.(*proxyproto.Conn); ok {
		if !c.gateway.current.Load().trusts(addrPort(proxied.Raw().RemoteAddr()).Addr().Unmap()) || proxied.ProxyHeader() == nil {
			return errProxyHeader
		}
		if _, ok := proxied.RemoteAddr().(*net.TCPAddr); !ok {
			return errProxyHeader // a client without an address is nobody's
		}
	}
	c.peer = addrPort(nc.RemoteAddr())
	if !c.gateway.count(c) {
		return errTooMany
	}
	return nil
}

// addrPort is the address of a peer. One that has none (a pipe) is on this
// machine.
func addrPort(a net.Addr) netip.AddrPort {
	if tcp, ok := a.(*net.TCPAddr); ok {
		return tcp.AddrPort()
	}
	return netip.AddrPortFrom(netip.AddrFrom4([4]byte{127, 0, 0, 1}), 0)
}

// socketOf is the socket below TLS and PROXY headers.
func socketOf(c net.Conn) net.Conn {
	for {
		switch above := c.(type) {
		case *tls.Conn:
			c = above.NetConn()
		case *proxyproto.Conn:
			c = above.Raw()
		default:
			return c
		}
	}
}

// plainSocket is the client's socket; nil: what is sent to it must pass through TLS, or it
// does not take files.
func (c *h1Conn) plainSocket() *socket.Conn {
	if c.options.secure() {
		return nil
	}
	s, _ := socketOf(c.Conn).(*socket.Conn)
	return s
}

// places bounds how many connections are open: who accepts waits for one to
// close, and clients wait in the kernel's queue.
type places struct {
	mu     sync.Mutex
	freed  sync.Cond
	open   int
	limit  int
	closed bool
}

func newPlaces() *places {
	p := new(places)
	p.freed.L = &p.mu
	return p
}

// take waits for a place. It reports false once the gateway is closed.
func (p *places) take() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	for p.open >= p.limit && !p.closed {
		p.freed.Wait()
	}
	p.open++
	return !p.closed
}

func (p *places) giveBack() {
	p.mu.Lock()
	p.open--
	p.mu.Unlock()
	p.freed.Signal()
}

func (p *places) setLimit(n int) {
	p.mu.Lock()
	p.limit = n
	p.mu.Unlock()
	p.freed.Broadcast()
}

func (p *places) close() {
	p.mu.Lock()
	p.closed = true
	p.mu.Unlock()
	p.freed.Broadcast()
}
