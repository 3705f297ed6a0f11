package gateway

import (
	"bufio"
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

// An access log that is to block and whose reader sleeps holds exchanges up.
// Another log in its place lets them go.
func TestAnotherLogFreesThoseThatWait(t *testing.T) {
	t.Parallel()
	o := newTeller(t, "o")
	fifo := filepath.Join(t.TempDir(), "log")
	if err := syscall.Mkfifo(fifo, 0o600); err != nil {
		t.Fatal(err)
	}
	sleeper, err := os.OpenFile(fifo, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer sleeper.Close()
	config := "listeners: [{ address: \"127.0.0.1:0\" }]\n" + fmt.Sprintf("clusters: { app: { origins: [{ address: %q }] } }\n", o.addr)
	addr, g := start(t, config+fmt.Sprintf("access_log: { path: %q, on_full: block }\n", fifo), Options{})
	freed, over := make(chan error, 1), make(chan struct{})
	go func() { freed <- askUntilOver(addr, over) }()
	log := g.access.Load()
	until(t, "an exchange waits for the log", func() bool { return log.waiting.count.Load() > 0 })
	if ps := g.Apply(load(t, config+"access_log: { format: off }\n")); ps.Errors() > 0 {
		t.Fatal(ps)
	}
	close(over)
	select {
	case err := <-freed:
		if err != nil {
			t.Error(err)
		}
	case <-time.After(30 * time.Second):
		t.Error("exchanges still wait for the log that was replaced")
	}
}

// askUntilOver sends requests over one connection, each when the one before is answered, until it is
// over; the last one is answered, too.
func askUntilOver(addr string, over chan struct{}) error {
	c, err := net.Dial("tcp", addr)
	if err != nil {
		return err
	}
	defer c.Close()
	in := bufio.NewReader(c)
	for n := 0; ; n++ {
		io.WriteString(c, "GET / HTTP/1.1\r\nHost: a.example\r\n\r\n")
		res, err := http.ReadResponse(in, nil)
		if err != nil {
			return fmt.Errorf("answer %d: %w", n, err)
		}
		io.Copy(io.Discard, res.Body)
		select {
		case <-over:
			return nil
		default:
		}
	}
}

// A certificate file that turns into something without an end is not read: the
// pair that was there stays, and the gateway can be reloaded and closed.
func TestCertificateThatTurnsIntoAPipe(t *testing.T) {
	t.Parallel()
	o, pair := newTeller(t, "o"), newAuthority(t).issue(t, "a.example")
	text := fmt.Sprintf("listeners: [{ address: \"127.0.0.1:0\", tls: { certificates: [{ cert: %q, key: %q }] } }]\nclusters: { app: { origins: [{ address: %q }] } }\n", pair.cert, pair.key, o.addr)
	addr, g := start(t, text, Options{})
	if err := os.Remove(pair.cert); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(pair.cert, 0o600); err != nil {
		t.Fatal(err)
	}
	g.watcher.reload()
	c, err := tls.Dial("tcp", addr, &tls.Config{InsecureSkipVerify: true})
	if err != nil {
		t.Fatal(err)
	}
	c.Close()
	closed := make(chan error, 1)
	go func() { closed <- g.Close() }()
	select {
	case <-closed:
	case <-time.After(10 * time.Second):
		t.Error("Close waits for a pipe that nobody writes to")
	}
}
