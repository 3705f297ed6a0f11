package socket

import (
	"errors"
	"io"
)

// ErrSpoken means that the peer had spoken, or ended, before it was asked.
var ErrSpoken = errors.New("the peer has spoken unasked")

// Ask sends p to a peer that has nothing to say until then, and reads what it says,
// for which it waits until the read deadline. A peer that has spoken already, or has
// ended, is [ErrSpoken]: nothing is sent. answer must have room.
//
// It is a look, a Write and a Read, at the price of two system calls less: the read
// that finds nothing before the wait is the look, and p goes out behind it. What
// comes from then on ends the wait, for the poller was told to listen before the look.
//
// Where the socket does not take all of p at once, sent is less than len(p): nothing
// was waited for, and the rest is to be written. The write deadline is not minded.
func (c *Conn) Ask(p, answer []byte) (sent, n int, err error) {
	c.out.begin(p)
	c.in.begin(answer)
	c.asked, c.spoken = false, false
	n, err = c.in.end(c.raw.Read(c.ask))
	sent, unsent := c.out.end(nil)
	switch {
	case c.spoken:
		return 0, 0, ErrSpoken
	case unsent != nil:
		return sent, 0, c.failed("write", unsent)
	case err != nil:
		return sent, 0, c.failed("read", err)
	case n == 0 && sent == len(p):
		return sent, 0, io.EOF
	}
	return sent, n, nil
}

// askOn is called when the poller listens, and again when something has come. It
// reports false where that is to be waited for.
func (c *Conn) askOn(fd uintptr) bool {
	if c.asked {
		return c.in.receive(fd)
	}
	c.asked = true
	if c.spoken = c.in.receive(fd); c.spoken {
		return true
	}
	return !c.out.send(fd) || c.out.errno != 0
}
