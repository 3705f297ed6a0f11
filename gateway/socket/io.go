package socket

import (
	"errors"
	"io"
	"net"
	"os"
	"syscall"
	"unsafe"
)

// Read implements net.Conn.
func (c *Conn) Read(p []byte) (int, error) {
	if len(p) == 0 {
		return 0, nil
	}
	if c.followed.Load() {
		return 0, errFollowed
	}
	c.in.begin(p)
	n, err := c.in.end(c.raw.Read(c.in.try))
	if err != nil {
		return 0, c.failed("read", err)
	}
	if n == 0 {
		return 0, io.EOF
	}
	return n, nil
}

// Write implements net.Conn.
func (c *Conn) Write(p []byte) (int, error) {
	c.out.begin(p)
	n, err := c.out.end(c.raw.Write(c.out.try))
	if err != nil {
		err = c.failed("write", err)
	}
	return n, err
}

// Close implements net.Conn. It does not wait for a Follow under way: that may be
// where it is called.
func (c *Conn) Close() error {
	if c.followed.Load() {
		go c.TCPConn.Close()
		return nil
	}
	return c.TCPConn.Close()
}

// begin readies for calls on p.
func (h *half) begin(p []byte) { h.p, h.n, h.errno = p, 0, 0 }

// end is how far the calls got. err is what ended the wait for them.
func (h *half) end(err error) (int, error) {
	h.p = nil
	if err == nil && h.errno != 0 {
		err = h.errno
	}
	return h.n, err
}

// receive reads once. It reports false where nothing has arrived.
func (h *half) receive(fd uintptr) bool {
	for {
		n, _, errno := syscall.RawSyscall6(syscall.SYS_RECVFROM, fd, uintptr(unsafe.Pointer(unsafe.SliceData(h.p))), uintptr(len(h.p)), 0, 0, 0)
		switch errno {
		case 0:
			h.n = int(n)
		case syscall.EINTR:
			continue
		case syscall.EAGAIN:
			return false
		default:
			h.errno = errno
		}
		return true
	}
}

// send writes until all is out. It reports false where the socket takes no more
// now.
func (h *half) send(fd uintptr) bool {
	for h.n < len(h.p) {
		rest := h.p[h.n:]
		n, _, errno := syscall.RawSyscall6(syscall.SYS_SENDTO, fd, uintptr(unsafe.Pointer(unsafe.SliceData(rest))), uintptr(len(rest)), syscall.MSG_NOSIGNAL, 0, 0)
		switch errno {
		case 0:
			h.n += int(n)
		case syscall.EINTR:
		case syscall.EAGAIN:
			return false
		default:
			h.errno = errno
			return true
		}
	}
	return true
}

// failed says what went wrong in the words of the net package.
func (c *Conn) failed(call string, err error) error {
	if errno, ok := err.(syscall.Errno); ok {
		return &net.OpError{Op: call, Net: "tcp", Source: c.LocalAddr(), Addr: c.RemoteAddr(), Err: os.NewSyscallError(call, errno)}
	}
	if told, ok := errors.AsType[*net.OpError](err); ok {
		told.Op = call // it says raw-read
		told.Source, told.Addr = c.LocalAddr(), c.RemoteAddr()
	}
	return err
}
