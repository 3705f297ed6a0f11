package main

import (
	"fmt"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// manager is a service manager's end of the notification protocol.
type manager struct {
	t      *testing.T
	socket *net.UnixConn
}

func newManager(t *testing.T, name string) *manager {
	t.Helper()
	c, err := net.ListenUnixgram("unixgram", &net.UnixAddr{Name: name, Net: "unixgram"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return &manager{t, c}
}

// told waits for the next datagrams, which must match the patterns, in any order:
// two processes may have sent them.
func (m *manager) told(patterns ...string) {
	m.t.Helper()
	m.socket.SetReadDeadline(time.Now().Add(patience))
	text := make([]byte, 4096)
	for len(patterns) > 0 {
		n, err := m.socket.Read(text)
		i := slices.IndexFunc(patterns, func(p string) bool { return regexp.MustCompile(`\A` + p + `\z`).Match(text[:n]) })
		if err != nil || i < 0 {
			m.t.Fatalf("told %q, %v; want %q", text[:n], err, patterns)
		}
		patterns = slices.Delete(patterns, i, i+1)
	}
}

// A service manager is told of every turn, in the order in which it happens.
func TestServiceManagerIsTold(t *testing.T) {
	t.Parallel()
	p := newProcess(t, echo(t), "drain: { delay: 0s, timeout: 10s }\n")
	m := newManager(t, p.file("notify"))
	p.start("", nil, "NOTIFY_SOCKET="+p.file("notify"))
	m.told("READY=1\nSTATUS=serving revision 1 of weirkeep.yaml")

	p.signal(syscall.SIGHUP)
	m.told(`RELOADING=1\nMONOTONIC_USEC=[1-9]\d*`)
	m.told("READY=1\nSTATUS=serving revision 2 of weirkeep.yaml")

	good, err := os.ReadFile(p.file("weirkeep.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	p.configure("listners: []\n")
	m.told(`RELOADING=1\nMONOTONIC_USEC=[1-9]\d*`)
	m.told("READY=1\nSTATUS=serving revision 2 of weirkeep.yaml; the last change was refused: 2 errors")
	p.configure(string(good))
	m.told(`RELOADING=1\nMONOTONIC_USEC=[1-9]\d*`)
	m.told("READY=1\nSTATUS=serving revision 3 of weirkeep.yaml")

	p.signal(syscall.SIGUSR2)
	m.told("READY=1\nSTATUS=serving revision 1 of weirkeep.yaml", `MAINPID=\d+`)
	p.follow(1)

	p.signal(syscall.SIGTERM)
	m.told("STOPPING=1\nSTATUS=draining")
	p.ends()
}

func TestManagerOfAnAbstractSocket(t *testing.T) {
	name := fmt.Sprintf("@weirkeep-test-%d", os.Getpid())
	m := newManager(t, name)
	notifier{name, slog.New(slog.DiscardHandler)}.ready("fine")
	m.told("READY=1\nSTATUS=fine")
}

// A manager that has gone costs a line of the log.
func TestManagerThatHasGone(t *testing.T) {
	var log strings.Builder
	notifier{filepath.Join(t.TempDir(), "none"), slog.New(slog.NewTextHandler(&log, nil))}.stopping()
	if want := "the service manager was not told"; !strings.Contains(log.String(), want) {
		t.Errorf("the log is %q, want %q", &log, want)
	}
}

// listening is a socket as a service manager opens it.
func listening(t *testing.T, address string) *os.File {
	t.Helper()
	l, err := net.Listen("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	f, err := l.(*net.TCPListener).File()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return f
}

// Sockets that a service manager opened are used for the listener with their
// address; who connected before the start is served.
func TestSocketActivation(t *testing.T) {
	t.Parallel()
	p := newProcess(t, echo(t), "drain: { delay: 0s, timeout: 10s }\n")
	other := freeAddresses(t, 1)[0]
	pipe, end, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer pipe.Close()
	defer end.Close()
	files := []*os.File{listening(t, other), listening(t, p.gateway), pipe}

	early := make(chan error, 1)
	go func() { early <- p.get() }()
	p.start("LISTEN_PID=$$", files, "LISTEN_FDS=3", "LISTEN_FDNAMES=other:weirkeep.socket:pipe")
	if err := <-early; err != nil {
		t.Errorf("a client from before the start: %v", err)
	}
	p.await(`"an inherited socket is closed: no listener of the configuration has its address","address":"`+other+`","name":"other"`, 1)
	p.await(`"an inherited descriptor is of no use","descriptor":5,"name":"pipe"`, 1)

	files[0].Close()
	if c, err := net.Dial("tcp", other); err == nil {
		c.Close()
		t.Errorf("somebody listens on %s still", other)
	}
	p.signal(syscall.SIGUSR2) // the variables are not for the next program
	p.follow(1)
	if err := p.get(); err != nil {
		t.Errorf("after an upgrade: %v", err)
	}
	p.signal(syscall.SIGTERM)
	p.ends()
}

// Sockets of another process are left alone.
func TestSocketsOfOthers(t *testing.T) {
	t.Parallel()
	p := newProcess(t, echo(t), "drain: { delay: 0s, timeout: 10s }\n")
	other := freeAddresses(t, 1)[0]
	p.start("LISTEN_PID="+strconv.Itoa(os.Getpid()), []*os.File{listening(t, other)}, "LISTEN_FDS=1")
	if err := p.get(); err != nil {
		t.Error(err)
	}
	c, err := net.Dial("tcp", other)
	if err != nil {
		t.Fatalf("the socket was closed: %v", err)
	}
	c.Close()
}

func TestWhichSocketAPathMeans(t *testing.T) {
	bound := &net.UnixAddr{Name: "/run/weirkeep/admin.sock", Net: "unix"}
	for path, want := range map[string]likeness{"/run/weirkeep/admin.sock": exactly, "/run/weirkeep/other.sock": differs} {
		if got := sameAddress(path, bound); got != want {
			t.Errorf("%s: %d, want %d", path, got, want)
		}
	}
}

func TestWhichSocketAnAddressMeans(t *testing.T) {
	tcp := func(s string) net.Addr {
		a, err := net.ResolveTCPAddr("tcp", s)
		if err != nil {
			t.Fatal(err)
		}
		return a
	}
	for _, tt := range []struct {
		configured, bound string
		want              likeness
	}{
		{"127.0.0.1:80", "127.0.0.1:80", exactly},
		{":80", "[::]:80", exactly},
		{"[::]:80", "[::]:80", exactly},
		{"0.0.0.0:80", "0.0.0.0:80", exactly},
		{":80", "0.0.0.0:80", both},
		{"0.0.0.0:80", "[::]:80", both},
		{"[::1]:80", "[::1]:80", exactly},
		{"127.0.0.1:80", "[::]:80", differs},
		{":80", "127.0.0.1:80", differs},
		{":80", "[::]:81", differs},
		{"127.0.0.1:0", "127.0.0.1:80", differs},
		{"no address", "127.0.0.1:80", differs},
	} {
		if got := sameAddress(tt.configured, tcp(tt.bound)); got != tt.want {
			t.Errorf("%s and a socket at %s: %d, want %d", tt.configured, tt.bound, got, tt.want)
		}
	}
}

// Log rotation moves the file away and says so.
func TestLogsAreReopened(t *testing.T) {
	t.Parallel()
	p := newProcess(t, echo(t), "access_log: { path: access.log }\ndrain: { delay: 0s, timeout: 10s }\n")
	p.start("", nil)
	for n, name := range []string{"access.log.2", "access.log.1"} {
		if err := p.get(); err != nil {
			t.Fatal(err)
		}
		if err := eventually(func() error { return oneLine(p.file("access.log")) }); err != nil {
			t.Fatal(err)
		}
		if err := os.Rename(p.file("access.log"), p.file(name)); err != nil {
			t.Fatal(err)
		}
		p.signal(syscall.SIGUSR1)
		p.await(`"logs reopened"`, n+1)
		if err := oneLine(p.file(name)); err != nil {
			t.Error(err)
		}
	}
	p.signal(syscall.SIGTERM)
	p.ends()
}

func oneLine(file string) error {
	text, err := os.ReadFile(file)
	if n := strings.Count(string(text), "\n"); err == nil && n != 1 {
		err = fmt.Errorf("%s has %d lines, want 1", file, n)
	}
	return err
}

// A gateway that has gone leaves its place to nobody: somebody ended it.
func TestPredecessorThatHasGone(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	r.Close()
	if err := (predecessor{pipe: w}).ready(); err == nil || !strings.Contains(err.Error(), "has gone") {
		t.Errorf("ready: %v, want it to say that nobody waits", err)
	}
	if err := (predecessor{}).ready(); err != nil {
		t.Errorf("without a predecessor: %v", err)
	}
}
