package origin

import (
	"context"
	"crypto/tls"
	"net"
	"strings"
	"sync"
	"time"

	"weirkeep/gateway/probe"
	"weirkeep/gateway/socket"
)

// dial makes a new connection for the trip.
func (p *Pool) dial(t *Trip) (*conn, error) {
	ctx, cancel := context.WithTimeout(t.connecting(), p.o.ConnectTimeout)
	defer cancel()
	c, err := p.connect(ctx)
	t.beyond = err == nil && p.o.Proxy
	if err == nil && p.tunnels.authority != "" {
		err = c.tunnel(ctx, p.tunnels.authority, p.o.ProxyTLS)
	}
	if err != nil {
		c.discard()
		return nil, err
	}
	t.Metrics.Opened.Inc()
	return c, nil
}

// connecting is what bounds the making of a connection.
func (t *Trip) connecting() context.Context {
	if t.Connecting != nil {
		return t.Connecting
	}
	return context.Background()
}

// connect opens a connection to the origin's address. With an error it may
// still return what was opened.
func (p *Pool) connect(ctx context.Context) (*conn, error) {
	nc, err := p.o.Dial(ctx, "tcp", p.origin.Address)
	if err != nil {
		return nil, err
	}
	nc = socket.New(nc)
	c := &conn{Conn: nc, home: p, probe: probe.New(nc)}
	c.plain, _ = nc.(*socket.Conn)
	if p.o.TLS != nil {
		err = c.secureWith(ctx, p.o.TLS)
	}
	return c, err
}

// discard closes c if there is one.
func (c *conn) discard() {
	if c != nil {
		c.Close()
	}
}

// secureWith puts TLS on the connection.
func (c *conn) secureWith(ctx context.Context, config *tls.Config) error {
	c.quiet = newQuietConn(c.Conn)
	c.secure = tls.Client(c.quiet, config)
	c.Conn, c.plain = c.secure, nil
	if err := c.secure.HandshakeContext(ctx); err != nil {
		return &HandshakeError{err}
	}
	return nil
}

// tunnel asks the proxy at the other end for a connection to authority and
// puts TLS on that (RFC 9110 9.3.6). The authority has passed the wire check.
func (c *conn) tunnel(ctx context.Context, authority string, config *tls.Config) error {
	host, port := splitAuthority(authority)
	target := net.JoinHostPort(host, port)
	deadline, _ := ctx.Deadline()
	c.SetDeadline(deadline)
	if _, err := c.Write([]byte("CONNECT " + target + " HTTP/1.1\r\nHost: " + target + "\r\n\r\n")); err != nil {
		return err
	}
	code, _, err := readHead(c)
	if err == nil && code/100 != 2 {
		err = ErrConnect
	}
	if err != nil {
		return err
	}
	c.SetDeadline(time.Time{})
	config = config.Clone()
	if config.ServerName == "" {
		config.ServerName = host
	}
	return c.secureWith(ctx, config)
}

// splitAuthority returns the host, without brackets, and the port, 443 where
// none is written.
func splitAuthority(authority string) (host, port string) {
	if host, port, err := net.SplitHostPort(authority); err == nil {
		return host, port
	}
	return strings.Trim(authority, "[]"), "443"
}

// maxTunnels bounds how many authorities a proxy's pool keeps connections to:
// their names come from clients.
const maxTunnels = 256

// tunnels are the pools of a proxy for what came by https, one an authority.
type tunnels struct {
	authority string // of the pool this stands in: not empty in a tunnel's own pool

	mu     sync.Mutex
	byName map[string]*Pool
}

// pool returns the pool of the tunnels to authority.
func (ts *tunnels) pool(parent *Pool, authority []byte) *Pool {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	if p := ts.byName[string(authority)]; p != nil {
		return p
	}
	if len(ts.byName) >= maxTunnels {
		ts.dropOne()
	}
	p := NewPool(parent.o)
	p.tunnels.authority = strings.ToLower(string(authority))
	if ts.byName == nil {
		ts.byName = make(map[string]*Pool)
	}
	ts.byName[string(authority)] = p
	return p
}

func (ts *tunnels) dropOne() {
	for name, p := range ts.byName {
		delete(ts.byName, name)
		go p.Close()
		return
	}
}

func (ts *tunnels) close() {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	for name, p := range ts.byName {
		delete(ts.byName, name)
		p.Close()
	}
}

func (ts *tunnels) closeIdle() {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	for _, p := range ts.byName {
		p.CloseIdle()
	}
}
