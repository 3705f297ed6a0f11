package gateway

import (
	"io"
	"net"
	"net/netip"
	"slices"
	"sync/atomic"
	"time"

	"weirkeep/gateway/probe"
	"weirkeep/gateway/socket"
	"weirkeep/rules"
)

// h1Conn is a client's HTTP/1 connection. To the server library it is a
// connection that brings one request head at a time and takes whatever is
// written to it for nothing: bodies, tunnels and answers pass between the walk
// and the socket directly, so that one writer orders all bytes.
//
// It is the [wire.Source] of a request's body: its window are the bytes that
// were read with or after a head and that nobody has taken yet.
type h1Conn struct {
	net.Conn                            // a socket, or TLS on it
	plain    *socket.Conn               // the same, where it can be followed; nil: it cannot
	walkOn   func(p []byte) socket.Then // made once
	probe    *probe.Probe               // of the socket; nil in tests without one
	gateway  *Gateway
	options  *listenerOptions // of the listener when it was accepted
	hello    func() error     // what comes before the first head; nil: nothing

	peer    netip.AddrPort
	secured *rules.TLS // what the handshake agreed on; nil: there was none
	begun   bool       // the peer is known and admitted
	counted bool       // it has a place in its client's count
	placed  bool       // it has a place among limits.connections
	head    h1Head
	served  bool   // a head has ended: the wait for the next is keep_alive
	last    bool   // the next exchange is the last
	over    bool   // the last exchange was
	side    []byte // read, not yet wanted
	r       int
	fixed   *[sideBytes]byte // what side lies in; nil: in a larger one, or nowhere

	since  time.Time // when the wait for this head began: accept, or the last exchange
	headAt time.Time // when a head began that is not whole yet
	armed  time.Time // read deadline that is set; zero: none
	armedW time.Time
	idle   time.Duration // longest wait for a piece of the body; zero: none
	rate   paceLimit

	interrupted atomic.Bool
	busy        atomic.Bool // an exchange is being walked
	forgotten   atomic.Bool // closed
}

// Write takes what the server library writes and sends nothing.
func (c *h1Conn) Write(p []byte) (int, error) { return len(p), nil }

// SetReadDeadline ignores the server library: deadlines are the connection's own.
func (c *h1Conn) SetReadDeadline(time.Time) error { return nil }

// SetWriteDeadline ignores the server library.
func (c *h1Conn) SetWriteDeadline(time.Time) error { return nil }

// SetDeadline ignores the server library.
func (c *h1Conn) SetDeadline(time.Time) error { return nil }

// Read gives the server library bytes up to the end of one head. Plain heads are
// walked without it.
func (c *h1Conn) Read(p []byte) (int, error) {
	for {
		c.head.forget()
		n, err := c.readPart(p)
		if n == 0 {
			return 0, err
		}
		if c.head.begun || c.head.bytes > 0 {
			c.head.keep(p[:n]) // a part of it
			return n, nil
		}
		walked, last := c.gateway.walkPlain(c, p[:n])
		if !walked {
			c.head.keep(p[:n])
			return n, nil
		}
		if last {
			return 0, io.EOF
		}
	}
}

// readPart reads a head, or what comes first of it.
func (c *h1Conn) readPart(p []byte) (int, error) {
	if c.r < len(c.side) {
		return c.fromSide(p), nil
	}
	c.dropSide()
	if !c.begun {
		if c.begin() != nil {
			return 0, io.EOF // an answer would go to nobody that is known
		}
	}
	n, err := c.readHead(p)
	if n == 0 {
		if c.served && !c.head.begun {
			err = io.EOF // between two requests every end is one
		}
		return 0, err
	}
	k := c.give(p[:n])
	if k < n {
		c.keep(p[k:n])
	}
	return k, nil
}

// give is how much of p the library gets: up to the end of a head.
func (c *h1Conn) give(p []byte) int {
	k, whole := c.head.take(p)
	if whole {
		c.headAt, c.served = time.Time{}, true
	}
	return k
}

// rewind puts the part of a head that the library got back in front of what
// follows it, for a server that can take more. The head's time runs on.
func (c *h1Conn) rewind() *h1Conn {
	head := slices.Concat(c.head.kept, c.Window())
	c.giveBack()
	c.side, c.r = head, 0
	c.head.drop()
	c.head = h1Head{}
	return c
}

// fromSide gives the library of what was read already.
func (c *h1Conn) fromSide(p []byte) int {
	n := copy(p, c.side[c.r:])
	k := c.give(p[:n])
	c.Advance(k)
	if c.r == len(c.side) {
		c.dropSide()
	}
	return k
}

// begin learns who the peer is, admits it, and shakes hands, all within the
// time for a head. It runs in the connection's goroutine: a slow client keeps
// nobody else waiting.
func (c *h1Conn) begin() error {
	c.begun = true
	c.busy.Store(true) // a drain lets it end
	defer c.busy.Store(false)
	c.arm(c.since.Add(c.gateway.current.Load().times.head))
	if err := c.admit(); err != nil {
		c.options.metrics.Refused.Inc()
		return err
	}
	if c.hello == nil {
		return nil
	}
	return c.handshake()
}

// beginExchange readies the connection for an exchange's body.
func (c *h1Conn) beginExchange(t times) {
	c.idle = t.bodyIdle
	c.rate.reset(t.minBodyRate)
	c.interrupted.Store(false)
}

// Look implements ClientConn.
func (c *h1Conn) Look() probe.Sight {
	if c.probe == nil {
		return probe.Silent
	}
	return c.probe.Look()
}

// Interrupt implements ClientConn.
func (c *h1Conn) Interrupt() {
	c.interrupted.Store(true)
	c.Conn.SetReadDeadline(time.Unix(1, 0))
}

// Resume implements ClientConn.
func (c *h1Conn) Resume() { c.interrupted.Store(false) }

// armWrite bounds a write to the client by between one and two times the idle
// limit; the timer is set again only when it stands too near.
func (c *h1Conn) armWrite(now time.Time) {
	idle := c.idle
	if d := c.armedW.Sub(now); d < idle || d > 2*idle {
		c.armedW = now.Add(2 * idle)
		c.Conn.SetWriteDeadline(c.armedW)
	}
}
