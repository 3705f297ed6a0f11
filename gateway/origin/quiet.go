package origin

import (
	"crypto/tls"
	"io"
	"net"
	"syscall"
)

// quietConn is the socket below a TLS connection. While hushed, a read takes
// what has arrived and never waits: so TLS can be asked whether what came on an
// idle connection is only for itself (a session ticket) or an answer nobody
// asked for.
type quietConn struct {
	net.Conn
	raw    syscall.RawConn
	hushed bool
	recv   func(fd uintptr)
	p      []byte
	n      int
	err    error
}

func newQuietConn(c net.Conn) *quietConn {
	q := &quietConn{Conn: c}
	if sc, ok := c.(syscall.Conn); ok {
		q.raw, _ = sc.SyscallConn()
	}
	q.recv = func(fd uintptr) {
		q.n, _, q.err = syscall.Recvfrom(int(fd), q.p, syscall.MSG_DONTWAIT)
	}
	return q
}

func (q *quietConn) Read(p []byte) (int, error) {
	if !q.hushed {
		return q.Conn.Read(p)
	}
	q.p = p
	err := q.raw.Control(q.recv)
	q.p = nil
	switch {
	case err != nil:
		return 0, err
	case q.n > 0:
		return q.n, nil
	case q.err == syscall.EAGAIN || q.err == syscall.EINTR:
		return 0, errNothing{}
	case q.err != nil:
		return 0, q.err
	}
	return 0, io.EOF
}

// spoken reports whether secure, above q, has more to say than TLS itself:
// application data, an alert, or its end.
func (q *quietConn) spoken(secure *tls.Conn) bool {
	if q.raw == nil {
		return true
	}
	q.hushed = true
	defer func() { q.hushed = false }()
	var one [1]byte
	n, err := secure.Read(one[:])
	_, nothing := err.(errNothing)
	return n > 0 || !nothing
}

// errNothing is a read that would have to wait. It is temporary, so TLS does
// not take it for the end of the connection.
type errNothing struct{}

func (errNothing) Error() string   { return "nothing to read" }
func (errNothing) Timeout() bool   { return true }
func (errNothing) Temporary() bool { return true }
