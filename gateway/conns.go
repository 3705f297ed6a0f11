package gateway

import (
	"maps"
	"net/netip"
	"slices"
	"time"
)

// clientKey is what connections of one client are counted by: an IPv4 address,
// or the /64 of an IPv6 one, which is one customer's.
type clientKey netip.Prefix

func clientKeyOf(a netip.Addr) clientKey {
	bits := 32
	if a.Is6() {
		bits = 64
	}
	p, _ := a.Prefix(bits)
	return clientKey(p)
}

// remember files an open connection. One that was on its way in while the
// gateway ended is cut at once.
func (g *Gateway) remember(c *h1Conn) {
	g.mu.Lock()
	g.conns[c] = struct{}{}
	ended := g.ended
	g.mu.Unlock()
	if ended {
		socketOf(c.Conn).Close()
	}
}

// forget gives back what a connection held, once it has closed.
func (g *Gateway) forget(c *h1Conn) {
	g.mu.Lock()
	delete(g.conns, c)
	if c.counted {
		key := clientKeyOf(c.peer.Addr().Unmap())
		if g.perClient[key]--; g.perClient[key] <= 0 {
			delete(g.perClient, key)
		}
	}
	g.mu.Unlock()
	if c.placed {
		c.options.metrics.Open.Dec()
		g.places.giveBack()
	}
}

// count gives the connection a place among its client's, if there is one
// (limits.connections_per_client). Trusted proxies have as many as they like.
func (g *Gateway) count(c *h1Conn) bool {
	limit := int(g.clientMax.Load())
	addr := c.peer.Addr().Unmap()
	if limit == 0 || g.current.Load().trusts(addr) {
		return true
	}
	key := clientKeyOf(addr)
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.perClient[key] >= limit {
		return false
	}
	g.perClient[key]++
	c.counted = true
	return true
}

// openConns is how many connections are open, and how many of them have an
// exchange under way.
func (g *Gateway) openConns() (open, busy int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	for c := range g.conns {
		if c.busy.Load() {
			busy++
		}
	}
	return len(g.conns), busy
}

// wakeIdle ends the wait of every connection for its next head.
func (g *Gateway) wakeIdle() {
	g.mu.Lock()
	defer g.mu.Unlock()
	for c := range g.conns {
		if !c.busy.Load() {
			c.Conn.SetReadDeadline(time.Unix(1, 0))
		}
	}
}

// cutAll closes every socket, also of connections that are still to come.
func (g *Gateway) cutAll() {
	g.cut.Store(true)
	g.mu.Lock()
	g.ended = true
	g.mu.Unlock()
	for _, c := range g.allConns() {
		socketOf(c.Conn).Close()
	}
}

func (g *Gateway) allConns() []*h1Conn {
	g.mu.Lock()
	defer g.mu.Unlock()
	return slices.Collect(maps.Keys(g.conns))
}
