package admin

import (
	"errors"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
)

// inherit starts a second server on the sockets of the first.
func inherit(t *testing.T, first *Server, o Options) *Server {
	t.Helper()
	files, err := first.Sockets()
	if err != nil {
		t.Fatal(err)
	}
	defer closeFiles(files)
	o.Inherited = func(_, address string) net.Listener {
		l, err := listenerOf(files[address])
		if err != nil {
			t.Fatal(err)
		}
		return l
	}
	second, err := Listen(o)
	if err != nil {
		t.Fatal(err)
	}
	go second.Serve()
	return second
}

// listenerOf is a listener on a socket's duplicate. [net.FileListener] of the file
// itself would make the socket block for a moment, and who accepts on it
// meanwhile would not wake up again.
func listenerOf(f *os.File) (net.Listener, error) {
	raw, err := f.SyscallConn()
	if err != nil {
		return nil, err
	}
	var fd int
	if err := errors.Join(raw.Control(func(of uintptr) { fd, err = syscall.Dup(int(of)) }), err); err != nil {
		return nil, err
	}
	own := os.NewFile(uintptr(fd), f.Name())
	defer own.Close()
	return net.FileListener(own)
}

// A second server on the same sockets goes on when the first has left; the file
// of the unix socket goes with the second.
func TestServerLeavesItsSocketsToAnother(t *testing.T) {
	path := filepath.Join(t.TempDir(), "admin.sock")
	o := options(running(), io.Discard)
	o.Address, o.Socket = "127.0.0.1:0", path
	first, err := Listen(o)
	if err != nil {
		t.Fatal(err)
	}
	go first.Serve()
	second := inherit(t, first, o)
	if err := first.Leave(t.Context()); err != nil {
		t.Errorf("the first leaves: %v", err)
	}
	if status, _, _ := ask(t, "GET", "http://"+second.Address().String()+"/v1/overview"); status != 200 {
		t.Errorf("the address answers %d", status)
	}
	if c, err := net.Dial("unix", path); err != nil {
		t.Errorf("the unix socket: %v", err)
	} else {
		c.Close()
	}
	if err := second.Close(t.Context()); err != nil {
		t.Errorf("close the second: %v", err)
	}
	if _, err := os.Lstat(path); !os.IsNotExist(err) {
		t.Errorf("the unix socket is still there: %v", err)
	}
}

// Of clients that connect anew each time, none goes without its answer.
func TestLeavingLosesNobody(t *testing.T) {
	o := options(running(), io.Discard)
	o.Address = "127.0.0.1:0"
	server, err := Listen(o)
	if err != nil {
		t.Fatal(err)
	}
	go server.Serve()
	stop, asked := make(chan struct{}), make(chan struct{})
	var clients sync.WaitGroup
	for range 2 {
		clients.Go(func() { askUntil(t, server.Address().String(), stop, asked) })
	}
	for range 10 {
		for range 50 {
			<-asked
		}
		next := inherit(t, server, o)
		if err := server.Leave(t.Context()); err != nil {
			t.Errorf("leave: %v", err)
		}
		server = next
	}
	close(stop)
	clients.Wait()
	server.Close(t.Context())
}

// askUntil asks, and tells of each answer, until it is to stop.
func askUntil(t *testing.T, address string, stop, asked chan struct{}) {
	for {
		c, err := net.Dial("tcp", address)
		if err != nil {
			t.Error(err)
			return
		}
		io.WriteString(c, "GET /readyz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
		if answer, err := io.ReadAll(c); err != nil || !strings.HasPrefix(string(answer), "HTTP/1.1 200 ") {
			t.Errorf("answered %q, %v", answer, err)
		}
		c.Close()
		select {
		case asked <- struct{}{}:
		case <-stop:
			return
		}
	}
}

func TestInheritedSocketWithoutItsFile(t *testing.T) {
	l, err := net.Listen("unix", filepath.Join(t.TempDir(), "s"))
	if err != nil {
		t.Fatal(err)
	}
	o := options(running(), io.Discard)
	o.Socket, o.Inherited = filepath.Join(t.TempDir(), "gone"), func(string, string) net.Listener { return l }
	if _, err := Listen(o); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("%v; want that the file is not there", err)
	}
}
