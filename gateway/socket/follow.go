package socket

import (
	"errors"
	"io"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Then is what is to happen after some bytes were read.
type Then uint8

const (
	Wait Then = iota // they were taken; wait for more
	Stop             // they were taken; come back without any
	Keep             // they were not taken; come back with them
)

// errFollowed is a Read where Follow reads: it would wait for itself.
var errFollowed = errors.New("read while what comes is followed")

// Follow reads into p and shows take what came, again and again for as long as that says
// Wait. Otherwise it comes back: with as many bytes as a Read would bring if take wants
// them kept, with none and no error if it has stopped. The read deadline bounds each wait;
// take may set it, and do all else with the connection but read.
//
// It is a loop of Reads at the price of one system call less a round: the kernel says with
// the bytes whether more are there, or the end. If not, the read that would find nothing is
// not made, for the poller has listened since before these came.
func (c *Conn) Follow(p []byte, take func(p []byte) Then) (int, error) {
	f := &c.pursuit
	if !f.hinted {
		f.hinted = true
		c.raw.Control(askForHints)
	}
	f.take, f.then = take, Wait
	c.in.begin(p)
	c.followed.Store(true)
	n, err := c.in.end(c.raw.Read(f.step))
	c.followed.Store(false)
	switch {
	case err != nil:
		return 0, c.failed("read", err)
	case f.then == Stop:
		return 0, nil
	case n == 0:
		return 0, io.EOF
	}
	return n, nil
}

// pursuit is a Follow under way.
type pursuit struct {
	in     *half
	hinted bool // hints were asked for
	take   func(p []byte) Then
	then   Then
	step   func(fd uintptr) bool // made once

	message syscall.Msghdr
	vector  syscall.Iovec
	hint    hint
}

// hint is what comes with the bytes: how many are left, or one if none is and the
// other side has ended.
type hint struct {
	syscall.Cmsghdr
	left int32
}

// askForHints makes the kernel say what is left with each message that is read. One
// that cannot says nothing.
func askForHints(fd uintptr) { syscall.SetsockoptInt(int(fd), syscall.IPPROTO_TCP, unix.TCP_INQ, 1) }

// follow reads until nothing is there, and reports false then, or until what was read ends it.
func (f *pursuit) follow(fd uintptr) bool {
	for f.receive(fd) {
		if f.in.n == 0 {
			return true
		}
		if f.then = f.take(f.in.p[:f.in.n]); f.then != Wait {
			return true
		}
		if f.drained() {
			return false
		}
	}
	return false
}

// receive is [half.receive] with a hint.
func (f *pursuit) receive(fd uintptr) bool {
	h := f.in
	for {
		f.vector.Base = unsafe.SliceData(h.p)
		f.vector.SetLen(len(h.p))
		f.message.Iov, f.message.Iovlen = &f.vector, 1
		f.message.Control = (*byte)(unsafe.Pointer(&f.hint))
		f.message.SetControllen(int(unsafe.Sizeof(f.hint)))
		n, _, errno := syscall.RawSyscall(syscall.SYS_RECVMSG, fd, uintptr(unsafe.Pointer(&f.message)), 0)
		h.n = 0
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

// drained reports whether the kernel has said that nothing is left, not even the end.
func (f *pursuit) drained() bool {
	return f.message.Controllen > 0 && f.hint.Level == syscall.IPPROTO_TCP && f.hint.Type == unix.TCP_CM_INQ && f.hint.left == 0
}
