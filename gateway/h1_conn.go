package gateway

import (
	"errors"
	"io"
	"net"
	"net/netip"
	"os"
	"slices"
	"sync"
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

const sideBytes = 16 << 10

var sides = sync.Pool{New: func() any { return new([sideBytes]byte) }}

// errInterrupted ends reads of a body that nobody wants any more.
var errInterrupted = errors.New("interrupted")

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

// timeHead notes when a head has begun that is not whole: its time runs from
// its first byte.
func (c *h1Conn) timeHead() {
	if c.head.begun && c.headAt.IsZero() {
		c.headAt = time.Now()
	}
}

// readHead reads within the time that is left for the head: from its first
// byte, or, where none has come, from the end of the last exchange.
func (c *h1Conn) readHead(p []byte) (int, error) {
	c.timeHead()
	for {
		c.armHead()
		if !c.head.begun && c.gateway.draining.Load() {
			return c.lastHead(p)
		}
		n, err := c.receive(p)
		switch {
		case n > 0 || c.over:
			return n, err
		case err == nil: // exchanges were walked
		case !errors.Is(err, os.ErrDeadlineExceeded) || !time.Now().Before(c.headLimit()):
			return 0, err
		default:
			c.armed = time.Time{}
		}
	}
}

// armHead bounds the wait for the head.
func (c *h1Conn) armHead() {
	limit := c.headLimit()
	if c.armed.IsZero() || c.armed.After(limit) {
		c.arm(limit)
	}
}

// receive reads what comes next. Where it may, it walks the exchanges of plain heads
// that come one at a time without coming back: that costs one read less each.
func (c *h1Conn) receive(p []byte) (int, error) {
	if c.plain == nil || c.head.begun {
		return c.Conn.Read(p)
	}
	return c.plain.Follow(p, c.walkOn)
}

// walkNext walks the exchange of p if that is a plain head and nothing else.
func (c *h1Conn) walkNext(p []byte) socket.Then {
	if n, whole := c.head.end(p); !whole || n < len(p) {
		return socket.Keep
	}
	c.headAt, c.served = time.Time{}, true
	walked, last := c.gateway.walkPlain(c, p)
	switch {
	case !walked:
		return socket.Keep
	case last:
		c.over = true
		return socket.Stop
	case c.gateway.draining.Load():
		return socket.Stop
	}
	c.armHead()
	return socket.Wait
}

// lastHead reads what has arrived when the gateway is ending: a head that is
// here is served, nobody waits for another. Who has just connected could not
// know of the end, and has a moment to send one. A drain that wakes the read
// early does not shorten it.
func (c *h1Conn) lastHead(p []byte) (int, error) {
	limit := time.Now().Add(lastLook)
	if fresh := c.since.Add(firstLook); !c.served && fresh.After(limit) {
		limit = fresh
	}
	for {
		c.arm(limit)
		n, err := c.Conn.Read(p)
		switch {
		case n > 0:
			return n, nil
		case !errors.Is(err, os.ErrDeadlineExceeded) || !time.Now().Before(limit):
			return 0, io.EOF
		}
	}
}

const (
	// lastLook is how long the last look at a connection takes. TLS and PROXY
	// headers read ahead, so only a read tells what is there.
	lastLook = time.Millisecond

	// firstLook is how long a new connection has for its first byte when the
	// gateway is ending.
	firstLook = 500 * time.Millisecond
)

func (c *h1Conn) headLimit() time.Time {
	t := &c.gateway.current.Load().times
	switch {
	case !c.headAt.IsZero():
		return c.headAt.Add(t.head)
	case c.served:
		return c.since.Add(t.keepAlive)
	}
	return c.since.Add(t.head) // a fresh connection
}

func (c *h1Conn) arm(at time.Time) {
	c.armed = at
	c.Conn.SetReadDeadline(at)
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

// keep puts p, which is the library's, aside.
func (c *h1Conn) keep(p []byte) {
	c.reserve(len(p))
	c.side = append(c.side[:0], p...)
	c.r = 0
}

// reserve makes room for n bytes beyond those that are aside.
func (c *h1Conn) reserve(n int) {
	if c.side == nil {
		c.fixed = sides.Get().(*[sideBytes]byte)
		c.side = c.fixed[:0]
	}
	if cap(c.side)-len(c.side) < n {
		larger := append(make([]byte, 0, max(2*cap(c.side), len(c.side)+n)), c.side...)
		c.giveBack()
		c.side = larger
	}
}

// dropSide gives the buffer back: a connection that is idle holds none.
func (c *h1Conn) dropSide() {
	c.giveBack()
	c.side, c.r = nil, 0
}

func (c *h1Conn) giveBack() {
	if c.fixed != nil {
		sides.Put(c.fixed)
		c.fixed = nil
	}
}

// Window returns what was read and not yet taken.
func (c *h1Conn) Window() []byte { return c.side[c.r:] }

// Advance takes n bytes of the window.
func (c *h1Conn) Advance(n int) { c.r += n }

// Fill reads at least one more byte of the body, within its time.
func (c *h1Conn) Fill() error {
	c.makeRoom()
	for {
		now := time.Now()
		limit := c.rate.limit(now, c.idle)
		c.arm(limit)
		if c.interrupted.Load() { // after arming: the past must not be overwritten
			return errInterrupted
		}
		n, err := c.Conn.Read(c.side[len(c.side):cap(c.side)])
		c.side = c.side[:len(c.side)+n]
		if slow := c.rate.account(n, now, err); slow != nil {
			return slow
		}
		switch {
		case n > 0:
			return nil
		case c.interrupted.Load():
			return errInterrupted
		case errors.Is(err, os.ErrDeadlineExceeded) && c.rate.patient(c.idle):
			continue
		case err != nil:
			return err
		}
	}
}

func (c *h1Conn) makeRoom() {
	if c.r > 0 {
		c.side = c.side[:copy(c.side, c.side[c.r:])]
		c.r = 0
	}
	c.reserve(512)
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

// Close closes the socket, once, and gives the place at the listener back.
func (c *h1Conn) Close() error {
	if c.forgotten.Swap(true) {
		return nil
	}
	c.dropSide()
	c.head.drop()
	err := c.Conn.Close()
	c.gateway.forget(c)
	return err
}

// reset closes the socket so that the client sees a reset, not an end.
func (c *h1Conn) reset() {
	socket := socketOf(c.Conn) // TLS would say goodbye first
	if tcp, ok := socket.(interface{ SetLinger(sec int) error }); ok {
		tcp.SetLinger(0)
	}
	socket.Close()
}

// lingerTime and lingerBytes bound what is read away before a connection is
// closed with bytes of a request still under way: closing at once would reset
// it, and the reset would eat the answer (RFC 9112 9.6).
const (
	lingerTime  = time.Second
	lingerBytes = 256 << 10
)

// linger ends our half and reads away what the client is still sending.
func (c *h1Conn) linger() { c.lingerAt(c.Conn) }

// lingerAt is linger for what lies below TLS.
func (c *h1Conn) lingerAt(nc net.Conn) {
	if closeWrite(nc) != nil {
		return
	}
	c.arm(time.Now().Add(lingerTime))
	c.r, c.side = 0, c.side[:0]
	c.reserve(512)
	for n := 0; n < lingerBytes; {
		k, err := nc.Read(c.side[:cap(c.side)])
		if err != nil {
			return
		}
		n += k
	}
}
