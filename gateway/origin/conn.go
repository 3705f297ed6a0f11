package origin

import (
	"bytes"
	"crypto/tls"
	"net"
	"sync"
	"time"

	"weirkeep/gateway/metrics"
	"weirkeep/gateway/probe"
	"weirkeep/gateway/socket"
	"weirkeep/gateway/wire"
)

const (
	bufferBytes  = 32 << 10  // a connection's buffer while it is in use
	maxHeadBytes = 128 << 10 // the longest answer head
	wake         = 100 * time.Millisecond
)

var (
	buffers  = sync.Pool{New: func() any { return new([bufferBytes]byte) }}
	past     = time.Unix(1, 0)
	headEnd  = []byte("\r\n\r\n")
	response = []byte("HTTP/1.")
)

// conn is a connection to an origin. It is the [wire.Source] of the answer's
// body: its window are the bytes read and not yet taken.
type conn struct {
	net.Conn              // what is spoken over: a socket, or TLS on it
	probe    *probe.Probe // nil where there is no descriptor (tests)
	plain    *socket.Conn // what can be asked; nil: TLS, or no socket of ours
	secure   *tls.Conn    // nil: plain
	quiet    *quietConn   // below secure

	fixed *[bufferBytes]byte // from the pool; nil while idle
	buf   []byte             // fixed, or a larger one for a long head
	r, w  int

	home      *Pool // where it rests
	trip      *Trip // who is waiting; nil while idle
	limit     time.Time
	idle      time.Duration // limit between two reads, once the head is there
	active    bool          // bytes came since the last look at the clock
	armed     time.Time     // read deadline that is set
	armedW    time.Time     // write deadline that is set
	idleSince time.Time
	reused    bool
	unseen    bool // it has rested, and whether it is stale turns out when it is asked
}

// Window returns the bytes read and not yet taken.
func (c *conn) Window() []byte { return c.buf[c.r:c.w] }

// Advance takes n bytes of the window.
func (c *conn) Advance(n int) { c.r += n }

// Fill reads at least one more byte. While the origin is silent it looks up
// every 50 to 100 ms: has the limit passed, is the client gone, has the
// upload failed.
func (c *conn) Fill() error {
	c.makeRoom()
	if c.trip.Caller.Flush() != nil {
		return ErrGone
	}
	for {
		n, err := c.Conn.Read(c.buf[c.w:])
		if n > 0 {
			c.w += n
			c.active = true
			return nil
		}
		if err == nil {
			continue
		}
		if !isTimeout(err) {
			return err
		}
		if err := c.lookUp(time.Now()); err != nil {
			return err
		}
	}
}

// ask sends p over a connection that is unseen and takes what comes back, like Fill,
// but for one wait. sent is how much of p the socket took at once.
func (c *conn) ask(p []byte, now time.Time) (sent int, err error) {
	c.armRead(now)
	for {
		sent, c.w, err = c.plain.Ask(p, c.buf)
		c.active = c.w > 0
		if !isTimeout(err) {
			return sent, err
		}
		if err := c.lookUp(time.Now()); err != nil || sent > 0 {
			return sent, err
		}
	}
}

func (c *conn) makeRoom() {
	switch {
	case c.r == c.w:
		c.r, c.w = 0, 0
	case c.w == len(c.buf):
		c.w = copy(c.buf, c.buf[c.r:c.w])
		c.r = 0
	}
	if c.w == len(c.buf) {
		c.buf = append(make([]byte, 0, 2*len(c.buf)), c.buf...)
		c.buf = c.buf[:cap(c.buf)]
	}
}

// lookUp is called when a read has come back without bytes.
func (c *conn) lookUp(now time.Time) error {
	if c.active && c.trip.phase == metrics.Read { // pieces of a head gain no time
		c.active = false
		c.limit = now.Add(c.idle)
	}
	if err := c.trip.lookUp(now); err != nil {
		return err
	}
	if !now.Before(c.limit) {
		if now.Sub(c.armed) < wake {
			return ErrTimeout
		}
		c.limit = now.Add(wake) // this process did not run: what came meanwhile is looked at first
	}
	c.armed = time.Time{} // the timer has fired, whatever it was set to
	c.armRead(now)
	return nil
}

// armRead sees to it that a read comes back within 100 ms, or at the limit if
// that is sooner. The socket's timer is set only when it stands too near or too
// far, so that under load most exchanges do not touch it.
func (c *conn) armRead(now time.Time) {
	if d := c.armed.Sub(now); d < wake/2 || d > wake {
		c.armed = now.Add(min(wake, c.limit.Sub(now)))
		c.SetReadDeadline(c.armed)
	}
}

// armWrite bounds a write by between one and two times the idle limit.
func (c *conn) armWrite(now time.Time, idle time.Duration) {
	if d := c.armedW.Sub(now); d < idle || d > 2*idle {
		c.armedW = now.Add(2 * idle)
		c.SetWriteDeadline(c.armedW)
	}
}

// readHead waits for one whole head of an answer and returns it, status line
// and fields, without the final blank line's end. The bytes are taken.
func (c *conn) readHead() ([]byte, error) {
	for from := 0; ; {
		win := c.Window()
		if k := min(len(win), len(response)); !bytes.Equal(win[:k], response[:k]) {
			return nil, wire.ErrStatusLine
		}
		if i := bytes.Index(win[from:], headEnd); i >= 0 {
			end := from + i + len(headEnd)
			c.Advance(end)
			return win[:end], nil
		}
		if len(win) >= maxHeadBytes {
			return nil, ErrHeadLarge
		}
		from = max(0, len(win)-len(headEnd)+1)
		if err := c.Fill(); err != nil {
			return nil, err
		}
	}
}

// begin readies the connection for a trip.
func (c *conn) begin(t *Trip) {
	c.trip = t
	c.fixed = buffers.Get().(*[bufferBytes]byte)
	c.buf = c.fixed[:]
	c.r, c.w = 0, 0
	c.idle = t.Timeouts.BodyIdle
	c.active = false
}

// rest gives the buffer back: an idle connection holds none.
func (c *conn) rest() {
	c.trip = nil
	if c.fixed != nil {
		buffers.Put(c.fixed)
		c.fixed, c.buf = nil, nil
		c.r, c.w = 0, 0
	}
}

// stale reports whether anything arrived on an idle connection, or it ended.
// TLS is asked itself: it reads ahead, and what it holds the socket does not
// show.
func (c *conn) stale() bool {
	switch {
	case c.probe == nil:
		return false
	case c.secure != nil:
		return c.quiet.spoken(c.secure)
	}
	return c.probe.Look() != probe.Silent
}

func isTimeout(err error) bool {
	ne, ok := err.(net.Error)
	return ok && ne.Timeout()
}

var _ wire.Source = (*conn)(nil)
