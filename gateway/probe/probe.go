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
	"unsafe"

	"golang.org/x/sys/unix"
)

// Sight is what a look saw. Where several are true the later one counts: what
// has arrived before an end can still be read.
type Sight uint8

const (
	Silent   Sight = iota // open, nothing to read
	Readable              // bytes are waiting
	Finished              // the other side has ended its half, whatever it said before
	Broken                // reset, ended both ways, or the descriptor is closed
)

// Probe looks at one socket. It serves one goroutine at a time.
type Probe struct {
	raw  syscall.RawConn
	poll func(fd uintptr) // made once: a closure per look would allocate
	fds  [1]unix.PollFd
	none unix.Timespec // how long a look waits
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
	p.poll = p.ask
	return p
}

// Look sees what the socket is like now.
func (p *Probe) Look() Sight {
	if p.raw.Control(p.poll) != nil {
		return Broken
	}
	return p.seen
}

// ask asks the kernel, without waiting; so the scheduler need not be told of the
// call. Reading would show an end only behind the bytes before it.
func (p *Probe) ask(fd uintptr) {
	p.fds[0] = unix.PollFd{Fd: int32(fd), Events: unix.POLLIN | unix.POLLRDHUP}
	p.none = unix.Timespec{}
	_, _, errno := syscall.RawSyscall6(unix.SYS_PPOLL, uintptr(unsafe.Pointer(&p.fds)), uintptr(len(p.fds)), uintptr(unsafe.Pointer(&p.none)), 0, 0, 0)
	if errno != 0 && errno != unix.EINTR {
		p.seen = Broken
		return
	}
	p.seen = sightOf(p.fds[0].Revents)
}

func sightOf(events int16) Sight {
	switch {
	case events&(unix.POLLERR|unix.POLLHUP|unix.POLLNVAL) != 0:
		return Broken
	case events&unix.POLLRDHUP != 0:
		return Finished
	case events&unix.POLLIN != 0:
		return Readable
	}
	return Silent
}
