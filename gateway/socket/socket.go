// Package socket reads and writes TCP sockets at the price of the system call
// alone.
//
// The net package tells the scheduler before and after each call that it may
// block, so that another thread can take over meanwhile. A socket that does not
// block never does: there the telling costs a third of a small read, and makes
// the runtime's monitor wake up every 20 µs to look who is late. A [Conn] makes
// the same calls without it. Whatever waits, waits as before: in the net
// package's poller, within the deadlines.
//
// [Conn.Ask] and [Conn.Follow] are for the two things that a gateway does most, asking
// an origin and waiting for the next request of a client. They spare the reads that
// find nothing. [Conn.SendFile] lets the kernel send a file, which must not block
// either.
//
// It knows nothing of what is read and written.
package socket

import (
	"net"
	"sync/atomic"
	"syscall"
)

// Conn is a TCP connection whose Read and Write cost less than those of the net
// package, and are like them in all else, but for this: one goroutine may read
// and one may write at a time.
type Conn struct {
	*net.TCPConn
	raw     syscall.RawConn
	in, out half
	file    stretch

	ask    func(fd uintptr) bool // askOn, made once
	asked  bool                  // p was sent, or some of it
	spoken bool                  // the peer had spoken before

	pursuit  pursuit
	followed atomic.Bool // a Follow is under way
}

// half is one direction of a connection.
type half struct {
	p     []byte
	n     int // bytes of p that are done
	errno syscall.Errno
	try   func(fd uintptr) bool // made once: a closure per call would allocate
}

// New returns c with cheaper calls if it is a TCP connection, and c itself if it
// is not.
func New(c net.Conn) net.Conn {
	tcp, ok := c.(*net.TCPConn)
	if !ok || !bare {
		return c
	}
	s, err := newConn(tcp)
	if err != nil {
		return c
	}
	return s
}

func newConn(tcp *net.TCPConn) (*Conn, error) {
	raw, err := tcp.SyscallConn()
	if err != nil {
		return nil, err
	}
	s := &Conn{TCPConn: tcp, raw: raw}
	s.in.try, s.out.try, s.ask, s.file.try = s.in.receive, s.out.send, s.askOn, s.file.send
	s.pursuit.in, s.pursuit.step = &s.in, s.pursuit.follow
	return s, nil
}
