package gateway

import (
	"net"
	"time"
)

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
