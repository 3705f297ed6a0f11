package main

import (
	"cmp"
	"errors"
	"log/slog"
	"net"
	"net/netip"
	"net/url"
	"os"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// inheritance are the sockets that this process was started with, to listen on:
// by a service manager (socket activation, sd_listen_fds(3)), or by the gateway
// whose place it takes (see upgrade.go). An inherited socket is used for the
// listener whose address it is bound to.
type inheritance struct {
	log     *slog.Logger
	sockets []inherited
}

// inherited is one socket with its name, which says no more than where it came
// from; of a predecessor it is the address as configured.
type inherited struct {
	name     string
	listener net.Listener
}

// firstInherited is the first descriptor of the protocol.
const firstInherited = 3

// inherit takes what the environment says there is, and takes that from the
// environment: it is not for processes that we start.
func inherit(log *slog.Logger) *inheritance {
	in := &inheritance{log: log}
	n, names := listenFDs()
	for i := range n {
		if !passedOn(firstInherited + i) {
			log.Warn("an inherited descriptor is not there", "descriptor", firstInherited+i, "name", names[i])
			continue
		}
		in.take(firstInherited+i, names[i])
	}
	for _, name := range []string{"LISTEN_PID", "LISTEN_FDS", "LISTEN_FDNAMES"} {
		os.Unsetenv(name)
	}
	return in
}

// passedOn reports whether a descriptor came with this process. Those that it has
// opened itself are closed on exec, and must not be touched, whatever the
// environment says.
func passedOn(fd int) bool {
	flags, err := unix.FcntlInt(uintptr(fd), unix.F_GETFD, 0)
	return fd >= firstInherited && err == nil && flags&unix.FD_CLOEXEC == 0
}

// listenFDs is how many sockets there are, and their names. They are ours if
// LISTEN_PID is; a predecessor does not know it in advance.
func listenFDs() (n int, names []string) {
	ours := os.Getenv("LISTEN_PID") == strconv.Itoa(os.Getpid()) || os.Getenv(readyFD) != ""
	n, err := strconv.Atoi(os.Getenv("LISTEN_FDS"))
	if !ours || err != nil || n < 0 || n > maxInherited {
		return 0, nil
	}
	names = strings.Split(os.Getenv("LISTEN_FDNAMES"), ":")
	return n, append(names, make([]string, n)...)
}

// maxInherited bounds what the environment can claim.
const maxInherited = 1024

// take keeps a socket if it can be listened on.
func (in *inheritance) take(fd int, name string) {
	l, err := listenOn(fd)
	unix.Close(fd)
	if plain, bad := url.PathUnescape(name); bad == nil {
		name = plain
	}
	if err != nil {
		in.log.Warn("an inherited descriptor is of no use", "descriptor", fd, "name", name, "because", err)
		return
	}
	in.sockets = append(in.sockets, inherited{name, l})
}

// listenOn makes a listener of a descriptor, which stays open. [net.FileListener]
// would make a non-blocking socket block for a moment, and with it the process
// that accepts on it still; it leaves a file alone that did not look
// non-blocking when it was opened.
func listenOn(fd int) (net.Listener, error) {
	if on, err := unix.GetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_ACCEPTCONN); err != nil || on == 0 {
		return nil, cmp.Or(err, errors.New("it is no socket that listens"))
	}
	f, err := os.Open(os.DevNull)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if err := unix.Dup3(fd, int(f.Fd()), unix.O_CLOEXEC); err != nil {
		return nil, err
	}
	return net.FileListener(f)
}

// listen gives the socket that was inherited for an address, else none: the
// gateway opens one.
func (in *inheritance) listen(address string) (net.Listener, error) {
	return in.claim("tcp", address), nil
}

// claim takes out the socket for an address: that of its name before one that
// is bound to the address, and that before one whose binding stands in its way.
// Without any it returns nil.
func (in *inheritance) claim(network, address string) net.Listener {
	for _, fits := range []func(inherited) bool{
		func(s inherited) bool { return s.name == address },
		func(s inherited) bool { return sameAddress(address, s.listener.Addr()) == exactly },
		func(s inherited) bool { return sameAddress(address, s.listener.Addr()) != differs },
	} {
		i := slices.IndexFunc(in.sockets, func(s inherited) bool { return s.listener.Addr().Network() == network && fits(s) })
		if i >= 0 {
			l := in.sockets[i].listener
			in.sockets = slices.Delete(in.sockets, i, i+1)
			return l
		}
	}
	return nil
}

// likeness is whether a socket is the one that an address asks for.
type likeness int

const (
	differs likeness = iota
	both             // both are every address of the machine, of IPv4 or IPv6
	exactly
)

// likePath is what the path of a unix socket comes to.
var likePath = map[bool]likeness{true: exactly}

// sameAddress compares an address as configured with one that is bound.
func sameAddress(configured string, bound net.Addr) likeness {
	got, ok := bound.(*net.TCPAddr)
	if !ok {
		return likePath[configured == bound.String()]
	}
	want, err := net.ResolveTCPAddr("tcp", configured)
	if err != nil || want.Port == 0 {
		return differs
	}
	a, _ := netip.AddrFromSlice(want.IP)
	b, _ := netip.AddrFromSlice(got.IP)
	a, b = a.Unmap(), b.Unmap()
	if !a.IsValid() {
		a = netip.IPv6Unspecified() // ":80" is both
	}
	switch {
	case want.Port != got.Port:
		return differs
	case a == b:
		return exactly
	case a.IsUnspecified() && b.IsUnspecified():
		return both
	}
	return differs
}

// closeRest closes what no listener asked for. Nobody would accept there.
func (in *inheritance) closeRest() {
	for _, s := range in.sockets {
		in.log.Warn("an inherited socket is closed: no listener of the configuration has its address",
			"address", s.listener.Addr().String(), "name", s.name)
		s.listener.Close()
	}
	in.sockets = nil
}
