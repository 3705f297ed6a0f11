package origin

import (
	"context"
	"crypto/tls"
	"net"
	"sync"
	"time"
)

// PoolOptions shape the connections of a pool.
type PoolOptions struct {
	// Origin is who is connected to.
	Origin *Origin

	// TLS makes the connections speak TLS; nil: plain. It is not changed.
	TLS *tls.Config

	// Proxy says that the origin is a forward proxy: what came by https is
	// tunnelled to its authority with CONNECT and TLS of ProxyTLS.
	Proxy bool

	// ProxyTLS is used inside a proxy's tunnels; nil: the system's authorities.
	ProxyTLS *tls.Config

	// ConnectTimeout bounds connecting, with TLS and CONNECT. It must be positive.
	ConnectTimeout time.Duration

	// KeepAlive is the longest idle time of a connection. Zero: none is kept.
	KeepAlive time.Duration

	// Dial opens a connection.
	Dial func(ctx context.Context, network, address string) (net.Conn, error)
}

// Pool holds the idle connections to one origin, the one used last on top. All
// connections of a pool were made in the same way. It is safe for use by many
// goroutines; its lock is held for a push or a pop only.
type Pool struct {
	o      PoolOptions
	origin *Origin

	mu      sync.Mutex
	free    []*conn
	closed  bool
	sweeper *time.Timer // runs while there are idle connections

	tunnels tunnels // of a proxy
}

// NewPool returns an empty pool.
func NewPool(o PoolOptions) *Pool {
	return &Pool{o: o, origin: o.Origin}
}

// Origin returns whose pool it is.
func (p *Pool) Origin() *Origin { return p.origin }

// Idle is how many connections wait to be used again.
func (p *Pool) Idle() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.free)
}

// Close closes the idle connections; those in use close when their trip ends.
func (p *Pool) Close() {
	p.mu.Lock()
	p.closed = true
	p.mu.Unlock()
	p.dropIdle()
	p.tunnels.close()
}

// CloseIdle closes the idle connections. Those in use are kept as before when
// their trip ends.
func (p *Pool) CloseIdle() {
	p.dropIdle()
	p.tunnels.closeIdle()
}

func (p *Pool) dropIdle() {
	p.mu.Lock()
	free := p.free
	p.free = nil
	if p.sweeper != nil {
		p.sweeper.Stop()
	}
	p.mu.Unlock()
	for _, c := range free {
		c.Close()
	}
}

// get returns a connection that is fit to be used: an idle one on which
// nothing has arrived, or a new one. Where the whole request goes out in one write, an
// idle one that is plain is returned unseen: asking it looks first.
func (p *Pool) get(t *Trip, now time.Time) (*conn, error) {
	if p.o.Proxy && t.Secure {
		p = p.tunnels.pool(p, t.Authority)
	}
	return p.getDirect(t, now)
}

func (p *Pool) getDirect(t *Trip, now time.Time) (*conn, error) {
	for {
		c := p.pop()
		if c == nil {
			return p.dial(t)
		}
		c.unseen = c.plain != nil && t.Content.Done()
		if now.Sub(c.idleSince) < p.o.KeepAlive && (c.unseen || !c.stale()) {
			c.reused = true
			t.beyond = p.o.Proxy
			return c, nil
		}
		c.Close()
	}
}

func (p *Pool) pop() *conn {
	p.mu.Lock()
	defer p.mu.Unlock()
	n := len(p.free)
	if n == 0 {
		return nil
	}
	c := p.free[n-1]
	p.free[n-1] = nil
	p.free = p.free[:n-1]
	return c
}

// put keeps c for another trip, or closes it.
func (p *Pool) put(c *conn, keep bool) {
	if !keep || !c.home.push(c) {
		c.Close()
	}
}

func (p *Pool) push(c *conn) bool {
	if p.o.KeepAlive <= 0 {
		return false
	}
	c.idleSince = time.Now()
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return false
	}
	p.free = append(p.free, c)
	if len(p.free) == 1 {
		p.startSweeper()
	}
	return true
}

func (p *Pool) startSweeper() {
	if p.sweeper == nil {
		p.sweeper = time.AfterFunc(p.o.KeepAlive, p.sweep)
		return
	}
	p.sweeper.Reset(p.o.KeepAlive)
}

// sweep closes the connections that have been idle too long: the oldest are at
// the bottom.
func (p *Pool) sweep() {
	p.mu.Lock()
	now, n := time.Now(), 0
	for n < len(p.free) && now.Sub(p.free[n].idleSince) >= p.o.KeepAlive {
		n++
	}
	old := append([]*conn(nil), p.free[:n]...)
	p.free = append(p.free[:0], p.free[n:]...)
	if len(p.free) > 0 && !p.closed {
		p.sweeper.Reset(p.o.KeepAlive - now.Sub(p.free[0].idleSince))
	}
	p.mu.Unlock()
	for _, c := range old {
		c.Close()
	}
}
