package socket

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// fileOf is a file with content.
func fileOf(tb testing.TB, content []byte) *os.File {
	tb.Helper()
	f, err := os.Create(filepath.Join(tb.TempDir(), "content"))
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { f.Close() })
	if _, err := f.Write(content); err != nil {
		tb.Fatal(err)
	}
	return f
}

// bareOf is a connection of ours even where the race detector wants the net package's.
func bareOf(tb testing.TB, tcp *net.TCPConn) *Conn {
	tb.Helper()
	c, err := newConn(tcp)
	if err != nil {
		tb.Fatal(err)
	}
	return c
}

// A stretch of a file arrives as it is, also where the socket does not take it at once.
func TestAStretchOfAFileArrivesWhole(t *testing.T) {
	t.Parallel()
	content := make([]byte, 5<<20)
	rand.NewChaCha8([32]byte{3}).Read(content)
	f := fileOf(t, content)
	for _, tt := range []struct{ at, n int }{{0, len(content)}, {0, 1}, {4097, 100_000}, {len(content) - 1, 1}, {7, 0}, {1, 3<<20 + 5}} {
		ours, peer := pair(t)
		go func() {
			c := bareOf(t, ours)
			c.Write([]byte("head "))
			if n, err := c.SendFile(int(f.Fd()), int64(tt.at), int64(tt.n)); n != int64(tt.n) || err != nil {
				t.Errorf("SendFile(%d, %d) = %d, %v", tt.at, tt.n, n, err)
			}
			c.Write([]byte(" end"))
			c.Close()
		}()
		want := "head " + string(content[tt.at:tt.at+tt.n]) + " end"
		if got, err := io.ReadAll(peer); err != nil || string(got) != want {
			t.Errorf("SendFile(%d, %d): %d other bytes, %v", tt.at, tt.n, len(got), err)
		}
	}
}

// sendOn sends a file until that fails.
func sendOn(c *Conn, f *os.File) string {
	for {
		if n, err := c.SendFile(int(f.Fd()), 0, 64<<10); err != nil {
			return fmt.Sprintf("whole: %v, %s", n == 64<<10, said(err))
		}
	}
}

// Sending a file fails as writing does.
func TestSendingAFileFailsLikeAWrite(t *testing.T) {
	t.Parallel()
	f := fileOf(t, make([]byte, 64<<10))
	for _, tt := range []struct {
		name string
		do   func(c net.Conn, peer *net.TCPConn)
	}{
		{"after our close", func(c net.Conn, peer *net.TCPConn) { c.Close() }},
		{"a deadline", func(c net.Conn, peer *net.TCPConn) { c.SetWriteDeadline(time.Now().Add(50 * time.Millisecond)) }},
		{"a deadline of the past", func(c net.Conn, peer *net.TCPConn) { c.SetWriteDeadline(time.Unix(1, 0)) }},
		{"after our half has ended", func(c net.Conn, peer *net.TCPConn) { c.(*Conn).CloseWrite() }},
		{"closed by us meanwhile", func(c net.Conn, peer *net.TCPConn) {
			time.AfterFunc(50*time.Millisecond, func() { c.Close() })
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			ours, peer := pair(t)
			c := bareOf(t, ours)
			tt.do(c, peer)
			want := writeOn(c)
			ours, peer = pair(t)
			c = bareOf(t, ours)
			tt.do(c, peer)
			if got := sendOn(c, f); got != want {
				t.Errorf("a file: %s\nbytes: %s", got, want)
			}
		})
	}
}

// A client that resets ends the sending.
func TestAResetEndsSendingAFile(t *testing.T) {
	t.Parallel()
	ours, peer := pair(t)
	time.AfterFunc(20*time.Millisecond, func() { peer.SetLinger(0); peer.Close() })
	if got := sendOn(bareOf(t, ours), fileOf(t, make([]byte, 64<<10))); !strings.Contains(got, "reset") && !strings.Contains(got, "broken pipe") {
		t.Errorf("SendFile: %s", got)
	}
}

// What is not in the file is not sent, and not waited for.
func TestAFileThatIsTooShortIsAnError(t *testing.T) {
	t.Parallel()
	ours, peer := pair(t)
	c := bareOf(t, ours)
	n, err := c.SendFile(int(fileOf(t, []byte("short")).Fd()), 2, 10)
	c.Close()
	got, _ := io.ReadAll(peer)
	if n != 3 || !errors.Is(err, io.ErrUnexpectedEOF) || !bytes.Equal(got, []byte("ort")) {
		t.Errorf("SendFile() = %d, %v, and %q arrived; want 3, %v", n, err, got, io.ErrUnexpectedEOF)
	}
}

// Budget: sending a file costs no allocation.
func TestSendFileAllocs(t *testing.T) {
	ours, peer := pair(t)
	c, p, fd := bareOf(t, ours), make([]byte, 64), int(fileOf(t, make([]byte, 64)).Fd())
	if n := testing.AllocsPerRun(100, func() { c.SendFile(fd, 0, 64); peer.Read(p) }); n != 0 {
		t.Errorf("sending a file allocates %v times, want 0", n)
	}
}
