package gateway

import (
	"errors"
	"io"
	"os"
	"time"

	"weirkeep/gateway/socket"
)

// A connection waits for its next head here, for as long as the configuration of the moment
// allows; a gateway that is ending waits for none that has not begun to come.

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
