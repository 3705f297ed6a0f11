package gateway

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// inherit makes a gateway that listens on the sockets of another, as a process
// does that was given their descriptors.
func inherit(tb testing.TB, from *Gateway, text string) *Gateway {
	tb.Helper()
	files, err := from.Sockets()
	if err != nil {
		tb.Fatal(err)
	}
	defer closeFiles(files)
	g := New(Options{Listen: func(address string) (net.Listener, error) { return listenerOf(files[address]) }})
	tb.Cleanup(func() { g.Close() })
	apply(tb, g, text)
	return g
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

// Clients that come and go, and clients that stay, see nothing of it when one
// gateway follows another on the same socket.
func TestHandOverUnderLoad(t *testing.T) {
	t.Parallel()
	text := drainText(newTeller(t, "o").addr, "200ms", "20s")
	addr, g := start(t, text, Options{})
	var failed, served atomic.Int64
	var clients sync.WaitGroup
	stop := make(chan struct{})
	for i := range 8 {
		clients.Go(func() { restlessClient(addr, i%2 == 0, stop, &served, &failed) })
	}
	for range 3 {
		before := served.Load()
		until(t, "the load is there", func() bool { return served.Load() > before+100 })
		next := inherit(t, g, text)
		if err := g.HandOver(t.Context()); err != nil {
			t.Errorf("HandOver: %v", err)
		}
		g = next
	}
	close(stop)
	clients.Wait()
	if failed.Load() != 0 {
		t.Errorf("%d requests failed, %d were served", failed.Load(), served.Load())
	}
}

// restlessClient asks until it is stopped, on new connections or on one until
// an answer says that it ends.
func restlessClient(addr string, keeps bool, stop chan struct{}, served, failed *atomic.Int64) {
	for {
		c, err := net.Dial("tcp", addr)
		if err != nil {
			failed.Add(1)
			return
		}
		for again := true; again; {
			got, err := getOn(c)
			if err != nil || got.status != 200 {
				failed.Add(1)
			} else {
				served.Add(1)
			}
			again = keeps && err == nil && !got.close && !isClosed(stop)
		}
		c.Close()
		if isClosed(stop) {
			return
		}
	}
}

func isClosed(c chan struct{}) bool { return allClosed([]chan struct{}{c}) }

// From the hand-over on, whoever connects is the next one's; who was here stays
// until the delay is over.
func TestHandOverStopsAcceptingFirst(t *testing.T) {
	t.Parallel()
	o := newTeller(t, "o")
	addr, g := start(t, drainText(o.addr, "500ms", "20s"), Options{})
	kept, idle := dialTo(t, addr), dialTo(t, addr)
	for _, c := range []net.Conn{kept, idle} {
		if got, err := getOn(c); err != nil || got.close {
			t.Fatalf("before: %v, %v", got, err)
		}
	}
	next := inherit(t, g, drainText(o.addr, "0s", "1s"))
	done, begin := make(chan error, 1), time.Now()
	go func() { done <- g.HandOver(t.Context()) }()
	until(t, "it does not accept any more", func() bool { return len(g.Addresses()) == 0 })
	if got, err := getOn(dialTo(t, addr)); err != nil || got.close {
		t.Errorf("a new connection: %v, %v; want an answer of the next gateway, which stays", got, err)
	}
	if n := next.Status().Connections; n != 1 {
		t.Errorf("the next gateway has %d connections, want the new one", n)
	}
	if got, err := getOn(kept); err != nil || got.status != 200 || !got.close {
		t.Errorf("a kept connection: %v, %v; want an answer with Connection: close", got, err)
	}
	if n, err := idle.Read(make([]byte, 1)); n != 0 || err != io.EOF || time.Since(begin) < 500*time.Millisecond {
		t.Errorf("the idle connection: %d bytes, %v after %v; want its end after the delay", n, err, time.Since(begin))
	}
	if err := <-done; err != nil {
		t.Errorf("HandOver: %v", err)
	}
}

// An answer that is under way ends whole; one that lasts too long is cut, and
// HandOver says so.
func TestHandOverLetsAnswersEnd(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, timeout string
		release       bool
		want          string // of the error
		body          string
	}{
		{"in time", "20s", true, "", "halfhalf"},
		{"over drain.timeout", "200ms", false, "1 exchange", "half"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			origin, arrived, release := slowOrigin(t)
			addr, g := start(t, drainText(origin, "0s", tt.timeout), Options{})
			c, answer := dialTo(t, addr), make(chan told, 1)
			go func() {
				got, _ := getOn(c)
				answer <- got
			}()
			<-arrived
			inherit(t, g, drainText(origin, "0s", "1s"))
			done := make(chan error, 1)
			go func() { done <- g.HandOver(t.Context()) }()
			until(t, "it does not accept any more", func() bool { return len(g.Addresses()) == 0 })
			if tt.release {
				close(release)
			} else {
				defer close(release)
			}
			if err := <-done; err != nil && tt.want == "" || !strings.Contains(fmt.Sprint(err), tt.want) {
				t.Errorf("HandOver: %v, want %q", err, tt.want)
			}
			if got := <-answer; got.body != tt.body {
				t.Errorf("the answer that was under way is %q, want %q", got.body, tt.body)
			}
		})
	}
}

// A client that was accepted and waits for a place among limits.connections is
// served: the next gateway will not see it.
func TestHandOverServesWhoWaitsForAPlace(t *testing.T) {
	t.Parallel()
	text := drainText(newTeller(t, "o").addr, "0s", "20s") + "limits: { connections: 1 }\n"
	addr, g := start(t, text, Options{})
	if got, err := getOn(dialTo(t, addr)); err != nil || got.status != 200 {
		t.Fatalf("the first: %v, %v", got, err)
	}
	waiting := dialTo(t, addr)
	io.WriteString(waiting, "GET / HTTP/1.1\r\nHost: a.example\r\n\r\n")
	until(t, "the second was taken from the kernel's queue", func() bool { return queued(t, g) == 0 })
	next := inherit(t, g, text)
	done := make(chan error, 1)
	go func() { done <- g.HandOver(t.Context()) }()
	waiting.SetReadDeadline(time.Now().Add(20 * time.Second))
	if got, err := readTold(bufio.NewReader(waiting), "GET"); err != nil || got.status != 200 || !got.close {
		t.Errorf("the second: %v, %v; want an answer with Connection: close", got, err)
	}
	if err := <-done; err != nil {
		t.Errorf("HandOver: %v", err)
	}
	if n := next.Status().Connections; n != 0 {
		t.Errorf("the next gateway has %d connections, want none", n)
	}
}

// queued is how many clients wait in the kernel to be accepted.
func queued(tb testing.TB, g *Gateway) (n uint32) {
	tb.Helper()
	for _, l := range g.listeners {
		raw, err := l.socket.(*net.TCPListener).SyscallConn()
		if err != nil {
			tb.Fatal(err)
		}
		raw.Control(func(fd uintptr) {
			info, _ := unix.GetsockoptTCPInfo(int(fd), unix.IPPROTO_TCP, unix.TCP_INFO)
			n = info.Unacked // of a listening socket: its queue
		})
	}
	return n
}

func TestSocketsOfAGatewayThatEnds(t *testing.T) {
	_, g := start(t, drainText("127.0.0.1:1", "0s", "1s"), Options{})
	g.Close()
	if files, err := g.Sockets(); !errors.Is(err, errNotServing) || files != nil {
		t.Errorf("%v, %v; want none", files, err)
	}
}

// What Options.Listen says is told with the listener's key, and what is no
// socket cannot be handed over.
func TestListenersOfOthers(t *testing.T) {
	refusing := New(Options{Listen: func(string) (net.Listener, error) { return nil, errors.New("nothing was inherited") }})
	defer refusing.Close()
	problems := refusing.Apply(load(t, drainText("127.0.0.1:1", "0s", "1s")))
	if problems.Errors() != 1 || problems[0].Code != "E802" || !strings.Contains(problems[0].Message, "nothing was inherited") {
		t.Errorf("problems: %v", problems)
	}
	if _, err := duplicate(struct{ net.Listener }{}); err == nil {
		t.Error("a listener without a descriptor was duplicated")
	}
}

func TestHandOverWithoutAConfiguration(t *testing.T) {
	g := New(Options{})
	if err := g.HandOver(context.Background()); err != nil {
		t.Errorf("HandOver: %v", err)
	}
	if err := g.ReopenLogs(); err != nil {
		t.Errorf("ReopenLogs: %v", err)
	}
}

// After its file was moved away, the log goes on in a new one of the old name.
func TestReopenLogs(t *testing.T) {
	t.Parallel()
	log := filepath.Join(t.TempDir(), "access.log")
	text := strings.Replace(drainText(newTeller(t, "o").addr, "0s", "1s"), "access_log: { format: off }", fmt.Sprintf("access_log: { path: %q }", log), 1)
	addr, g := start(t, text, Options{})
	ask := func() {
		if got, err := getOn(dialTo(t, addr)); err != nil || got.status != 200 {
			t.Fatalf("%v, %v", got, err)
		}
	}
	ask()
	until(t, "the first line is there", func() bool { return lineCount(log) == 1 })
	if err := os.Rename(log, log+".1"); err != nil {
		t.Fatal(err)
	}
	if err := g.ReopenLogs(); err != nil {
		t.Fatal(err)
	}
	ask()
	until(t, "the second line is there", func() bool { return lineCount(log) == 1 })
	if n := lineCount(log + ".1"); n != 1 {
		t.Errorf("the old file has %d lines, want 1", n)
	}
	if err := os.RemoveAll(filepath.Dir(log)); err != nil {
		t.Fatal(err)
	}
	if err := g.ReopenLogs(); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("without the folder: %v", err)
	}
}

// lineCount is how many lines a file has; none if it is not there.
func lineCount(file string) int {
	text, _ := os.ReadFile(file)
	return strings.Count(string(text), "\n")
}
