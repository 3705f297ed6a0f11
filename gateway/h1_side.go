package gateway

import (
	"errors"
	"os"
	"sync"
	"time"
)

// What a connection has read and nobody has taken yet lies in its side buffer: bytes behind a
// head, and of a body, whose [wire.Source] the connection is by that.

const sideBytes = 16 << 10

var sides = sync.Pool{New: func() any { return new([sideBytes]byte) }}

// errInterrupted ends reads of a body that nobody wants any more.
var errInterrupted = errors.New("interrupted")

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
