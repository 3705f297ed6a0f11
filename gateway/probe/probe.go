// Package probe looks at a socket without reading from it: is it silent, are
// bytes waiting, has the other side ended its half, is it broken.
//
// A look takes no byte, does not wait and does not allocate. It works on the
// descriptor, so it can be asked of the socket below TLS, and while another
// goroutine reads. Connections without a descriptor have no probe.
package probe

import (
	"net"
	"syscall"
)

// Sight is what a look saw.
type Sight uint8

const (
	Silent   Sight = iota // open, nothing to read
	Readable              // bytes are waiting
	Finished              // the other side has ended its half
	Broken                // reset, or the descriptor is closed
)

// Probe looks at one socket. It serves one goroutine at a time.
type Probe struct {
	raw  syscall.RawConn
	peek func(fd uintptr) // made once: a closure per look would allocate
	one  [1]byte
	seen Sight
}

// New returns a probe of c's socket, or nil if c has no descriptor.
func New(c net.Conn) *Probe {
	sc, ok := c.(syscall.Conn)
	if !ok {
		return nil
	}
	raw, err := sc.SyscallConn()
	if err != nil {
		return nil
	}
	p := &Probe{raw: raw}
	p.peek = p.recv
	return p
}

// Look sees what the socket is like now.
func (p *Probe) Look() Sight {
	if p.raw.Control(p.peek) != nil {
		return Broken
	}
	return p.seen
}

func (p *Probe) recv(fd uintptr) {
	n, _, err := syscall.Recvfrom(int(fd), p.one[:], syscall.MSG_PEEK|syscall.MSG_DONTWAIT)
	switch {
	case n > 0:
		p.seen = Readable
	case err == nil:
		p.seen = Finished
	case err == syscall.EAGAIN || err == syscall.EINTR:
		p.seen = Silent
	default:
		p.seen = Broken
	}
}
