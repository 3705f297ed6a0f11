package socket

import (
	"io"
	"syscall"
	"unsafe"
)

// stretch is bytes of a file that are being sent.
type stretch struct {
	fd      int
	at, end int64
	errno   syscall.Errno
	short   bool // the file ends before them
	try     func(fd uintptr) bool
}

// mostAtOnce is how much of a file one call is asked to send: what the scheduler is not
// told of must not take long.
const mostAtOnce = 1 << 20

// SendFile sends n bytes of a file from one place on, and says how many it has. The
// file must be one that does not block, so one that is memory. Write must not be called
// meanwhile.
func (c *Conn) SendFile(fd int, at, n int64) (int64, error) {
	f := &c.file
	f.fd, f.at, f.end, f.errno, f.short = fd, at, at+n, 0, false
	err := c.raw.Write(f.try)
	switch {
	case err == nil && f.errno != 0:
		err = f.errno
	case err == nil && f.short:
		err = io.ErrUnexpectedEOF
	}
	if err != nil {
		err = c.failed("write", err)
	}
	return f.at - at, err
}

// send sends until all is out. It reports false where the socket takes no more now.
func (f *stretch) send(fd uintptr) bool {
	for f.at < f.end {
		n, _, errno := syscall.RawSyscall6(syscall.SYS_SENDFILE, fd, uintptr(f.fd), uintptr(unsafe.Pointer(&f.at)), uintptr(min(f.end-f.at, mostAtOnce)), 0, 0)
		switch {
		case errno == syscall.EAGAIN:
			return false
		case errno == syscall.EINTR:
		case errno != 0:
			f.errno = errno
			return true
		case n == 0:
			f.short = true
			return true
		}
	}
	return true
}
