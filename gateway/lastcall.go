package gateway

import (
	"net"
	"syscall"
	"time"
)

// acceptTail is how long a listener that ends still accepts after the last who
// came: clients that the kernel has let in already would be reset.
const acceptTail = 20 * time.Millisecond

// lastCall begins the end of a listener: who is there already is accepted, and
// then it closes. Between the last accept and the close nobody may come in, or
// would be reset; so from here on the kernel lets nobody in. Who tries asks again
// a second later, as clients' kernels do, and is refused, or is the next
// process's. A socket that came from another process may be in use elsewhere, and
// is not touched.
func (l *listener) lastCall() {
	l.ending.Store(true)
	if l.own {
		letNobodyIn(l.socket)
	}
	l.linger()
}

// linger goes on accepting for a while.
func (l *listener) linger() {
	l.socket.(*net.TCPListener).SetDeadline(time.Now().Add(acceptTail))
}

// letNobodyIn makes the kernel drop what begins a connection to a listener:
// packets with SYN and no ACK. Handshakes that are under way end well. Where it
// cannot be done, who comes at the last moment may be reset.
func letNobodyIn(l net.Listener) {
	raw, err := l.(*net.TCPListener).SyscallConn()
	if err != nil {
		return
	}
	const (
		flags    = 13 // where they stand in a TCP header
		syn, ack = 0x02, 0x10
		all      = 1 << 16 // bytes of a packet to keep
	)
	raw.Control(func(fd uintptr) {
		syscall.AttachLsf(int(fd), []syscall.SockFilter{
			*syscall.LsfStmt(syscall.BPF_LD|syscall.BPF_B|syscall.BPF_ABS, flags),
			*syscall.LsfStmt(syscall.BPF_ALU|syscall.BPF_AND|syscall.BPF_K, syn|ack),
			*syscall.LsfJump(syscall.BPF_JMP|syscall.BPF_JEQ|syscall.BPF_K, syn, 0, 1),
			*syscall.LsfStmt(syscall.BPF_RET|syscall.BPF_K, 0),
			*syscall.LsfStmt(syscall.BPF_RET|syscall.BPF_K, all),
		})
	})
}
