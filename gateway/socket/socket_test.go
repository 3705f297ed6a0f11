package socket

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"
)

// pair are the two ends of a TCP connection.
func pair(tb testing.TB) (ours, theirs *net.TCPConn) {
	tb.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		tb.Fatal(err)
	}
	defer l.Close()
	a, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		tb.Fatal(err)
	}
	b, err := l.Accept()
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { a.Close(); b.Close() })
	return a.(*net.TCPConn), b.(*net.TCPConn)
}

var ports = regexp.MustCompile(`127\.0\.0\.1:\d+`)

// said is an error as people and the gateway see it.
func said(err error) string {
	if err == nil {
		return "no error"
	}
	var is []string
	for _, kind := range []error{io.EOF, os.ErrDeadlineExceeded, net.ErrClosed, syscall.ECONNRESET, syscall.EPIPE} {
		if errors.Is(err, kind) {
			is = append(is, kind.Error())
		}
	}
	ne, _ := err.(net.Error)
	return fmt.Sprintf("%s (is %q, times out: %v)", ports.ReplaceAllString(err.Error(), "ADDRESS"), is, ne != nil && ne.Timeout())
}

// readAll is what a connection brings, in reads of size, and how that ends.
func readAll(c net.Conn, size int) string {
	p, got := make([]byte, size), ""
	for {
		n, err := c.Read(p)
		if got += string(p[:n]); err != nil {
			return fmt.Sprintf("%q, %s", got, said(err))
		}
	}
}

// writeOn writes until that fails.
func writeOn(c net.Conn) string {
	for p := make([]byte, 64<<10); ; {
		if n, err := c.Write(p); err != nil {
			return fmt.Sprintf("whole: %v, %s", n == len(p), said(err))
		}
	}
}

// A connection of ours is like one of the net package in all that can be seen.
func TestItIsLikeTheNetPackage(t *testing.T) {
	t.Parallel()
	soon := func() time.Time { return time.Now().Add(50 * time.Millisecond) }
	for _, tt := range []struct {
		name string
		do   func(c net.Conn, peer *net.TCPConn) string
	}{
		{"bytes, then the end", func(c net.Conn, peer *net.TCPConn) string {
			io.WriteString(peer, "hello")
			peer.Close()
			return readAll(c, 3)
		}},
		{"the end alone", func(c net.Conn, peer *net.TCPConn) string { peer.CloseWrite(); return readAll(c, 3) }},
		{"a read of nothing", func(c net.Conn, peer *net.TCPConn) string {
			n, err := c.Read(nil)
			return fmt.Sprint(n, said(err))
		}},
		{"a read that waits", func(c net.Conn, peer *net.TCPConn) string {
			time.AfterFunc(20*time.Millisecond, func() { io.WriteString(peer, "late"); peer.Close() })
			return readAll(c, 64)
		}},
		{"a read deadline", func(c net.Conn, peer *net.TCPConn) string { c.SetReadDeadline(soon()); return readAll(c, 64) }},
		{"a read deadline of the past, with bytes waiting", func(c net.Conn, peer *net.TCPConn) string {
			io.WriteString(peer, "there")
			c.SetReadDeadline(time.Unix(1, 0))
			return readAll(c, 64)
		}},
		{"a deadline that is taken back", func(c net.Conn, peer *net.TCPConn) string {
			c.SetReadDeadline(time.Unix(1, 0))
			first := readAll(c, 64)
			c.SetReadDeadline(time.Time{})
			io.WriteString(peer, "after")
			peer.Close()
			return first + readAll(c, 64)
		}},
		{"reset while reading", func(c net.Conn, peer *net.TCPConn) string {
			time.AfterFunc(20*time.Millisecond, func() { peer.SetLinger(0); peer.Close() })
			return readAll(c, 64)
		}},
		{"closed by us while reading", func(c net.Conn, peer *net.TCPConn) string {
			time.AfterFunc(20*time.Millisecond, func() { c.Close() })
			return readAll(c, 64)
		}},
		{"a read after our close", func(c net.Conn, peer *net.TCPConn) string { c.Close(); return readAll(c, 64) }},
		{"a write after our close", func(c net.Conn, peer *net.TCPConn) string { c.Close(); return writeOn(c) }},
		{"a write of nothing", func(c net.Conn, peer *net.TCPConn) string {
			n, err := c.Write(nil)
			return fmt.Sprint(n, said(err))
		}},
		{"a write deadline", func(c net.Conn, peer *net.TCPConn) string { c.SetWriteDeadline(soon()); return writeOn(c) }},
		{"a write deadline of the past", func(c net.Conn, peer *net.TCPConn) string {
			c.SetWriteDeadline(time.Unix(1, 0))
			return writeOn(c)
		}},
		{"a write after our half has ended", func(c net.Conn, peer *net.TCPConn) string {
			c.(interface{ CloseWrite() error }).CloseWrite()
			return writeOn(c)
		}},
		{"closed by us while writing", func(c net.Conn, peer *net.TCPConn) string {
			time.AfterFunc(50*time.Millisecond, func() { c.Close() })
			return writeOn(c)
		}},
		{"several buffers in one call", func(c net.Conn, peer *net.TCPConn) string {
			n, err := (&net.Buffers{[]byte("one "), []byte("two")}).WriteTo(c)
			c.Close()
			return fmt.Sprint(n, said(err), readAll(peer, 64))
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			theirs, peer := pair(t)
			want := tt.do(theirs, peer)
			ours, peer := pair(t)
			if got := tt.do(New(ours), peer); got != want {
				t.Errorf("ours: %s\nnet's: %s", got, want)
			}
		})
	}
}

// A write that the socket does not take at once goes on when there is room, and
// loses nothing.
func TestALongWriteArrivesWhole(t *testing.T) {
	t.Parallel()
	ours, peer := pair(t)
	want := bytes.Repeat([]byte("0123456789abcdef"), 1<<19)
	go func() {
		c := New(ours)
		if n, err := c.Write(want); n != len(want) || err != nil {
			t.Errorf("Write() = %d, %v, want %d", n, err, len(want))
		}
		c.Close()
	}()
	if got, err := io.ReadAll(peer); err != nil || !bytes.Equal(got, want) {
		t.Errorf("%d bytes arrived, %v, want the %d that were sent", len(got), err, len(want))
	}
}

// Both directions at once do not meet.
func TestReadsAndWritesAtOnce(t *testing.T) {
	t.Parallel()
	ours, peer := pair(t)
	a, b := New(ours), New(peer)
	want := strings.Repeat("both ways ", 1<<17)
	go func() { io.Copy(b, b); peer.CloseWrite() }()
	go func() { io.WriteString(a, want); ours.CloseWrite() }()
	if got, err := io.ReadAll(a); err != nil || string(got) != want {
		t.Errorf("%d bytes came back, %v, want %d", len(got), err, len(want))
	}
}

// What is no TCP connection stays what it is.
func TestOthersStayAsTheyAre(t *testing.T) {
	c, _ := net.Pipe()
	if got := New(c); got != c {
		t.Errorf("New() = %T, want the pipe", got)
	}
}

// Budget: a read and a write cost no allocation.
func TestReadWriteAllocs(t *testing.T) {
	ours, peer := pair(t)
	a, b, p := New(ours), New(peer), make([]byte, 64)
	if n := testing.AllocsPerRun(100, func() { a.Write(p); b.Read(p) }); n != 0 {
		t.Errorf("a write and a read allocate %v times, want 0", n)
	}
}

// BenchmarkReadWrite has no budget: the two rows are for comparing, and the kernel's part
// is the larger one in both.
func BenchmarkReadWrite(b *testing.B) {
	for _, tt := range []struct {
		name string
		make func(net.Conn) net.Conn
	}{
		{"net", func(c net.Conn) net.Conn { return c }},
		{"ours", New},
	} {
		b.Run(tt.name, func(b *testing.B) {
			ours, peer := pair(b)
			a, z, p := tt.make(ours), tt.make(peer), make([]byte, 1200)
			b.ReportAllocs()
			for b.Loop() {
				a.Write(p)
				z.Read(p)
			}
		})
	}
}
