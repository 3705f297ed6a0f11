//go:build !race

package socket

import (
	"fmt"
	"io"
	"net"
	"runtime"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// followed is what Follow shows of a connection until it comes back: what it took, what
// it brings, and how that ends. Each piece is answered by a dot; what take does with it
// is then's matter.
func followed(c *Conn, size int, then func(got string) Then) string {
	p, took := make([]byte, size), ""
	n, err := c.Follow(p, func(p []byte) Then {
		io.WriteString(c, ".")
		what := then(string(p))
		if what != Keep {
			took += string(p)
		}
		return what
	})
	return fmt.Sprintf("took %q, brings %q, %s", took, p[:n], said(err))
}

// onAndOn waits for more, whatever comes.
func onAndOn(string) Then { return Wait }

// until comes back with then for a piece, and waits for more after all others.
func until(piece string, then Then) func(string) Then {
	return func(got string) Then {
		if strings.HasSuffix(got, piece) {
			return then
		}
		return Wait
	}
}

// dots reads as many answers.
func dots(peer *net.TCPConn, n int) { io.ReadFull(peer, make([]byte, n)) }

const atTheEnd = `EOF (is ["EOF"], times out: false)`

// What comes is shown as it comes, and its end is seen however it comes. Kernels that
// give no hints make no difference.
func TestFollow(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		peer func(peer *net.TCPConn, c *Conn)
		size int // of the buffer; zero: 64
		then func(got string) Then
		want string
	}{
		{name: "one after the other", peer: func(peer *net.TCPConn, _ *Conn) {
			for _, s := range []string{"a", "b", "c"} {
				io.WriteString(peer, s)
				dots(peer, 1)
			}
			peer.CloseWrite()
		}, want: `took "abc", brings "", ` + atTheEnd},
		{name: "an end that comes with the bytes", peer: func(peer *net.TCPConn, _ *Conn) {
			io.WriteString(peer, "a")
			peer.CloseWrite()
		}, want: `took "a", brings "", ` + atTheEnd},
		{name: "more than there is room for", size: 2, peer: func(peer *net.TCPConn, _ *Conn) {
			io.WriteString(peer, "abcdef")
			dots(peer, 3)
			peer.CloseWrite()
		}, want: `took "abcdef", brings "", ` + atTheEnd},
		{name: "an end alone", peer: func(peer *net.TCPConn, _ *Conn) { peer.CloseWrite() }, want: `took "", brings "", ` + atTheEnd},
		{name: "a reset between two", peer: func(peer *net.TCPConn, _ *Conn) {
			io.WriteString(peer, "a")
			dots(peer, 1)
			peer.SetLinger(0)
			peer.Close()
		}, want: `took "a", brings "", read tcp ADDRESS->ADDRESS: read: connection reset by peer (is ["connection reset by peer"], times out: false)`},

		{name: "kept", then: until("b", Keep), peer: func(peer *net.TCPConn, _ *Conn) {
			io.WriteString(peer, "a")
			dots(peer, 1)
			io.WriteString(peer, "b")
		}, want: `took "a", brings "b", no error`},
		{name: "stopped", then: until("b", Stop), peer: func(peer *net.TCPConn, _ *Conn) {
			io.WriteString(peer, "a")
			dots(peer, 1)
			io.WriteString(peer, "b")
		}, want: `took "ab", brings "", no error`},

		{name: "the deadline passes", peer: func(peer *net.TCPConn, c *Conn) {
			io.WriteString(peer, "a")
			dots(peer, 1)
			c.SetReadDeadline(time.Unix(1, 0))
		}, want: `took "a", brings "", read tcp ADDRESS->ADDRESS: i/o timeout (is ["i/o timeout"], times out: true)`},
		{name: "closed meanwhile", peer: func(peer *net.TCPConn, c *Conn) {
			io.WriteString(peer, "a")
			dots(peer, 1)
			c.Close()
		}, want: `took "a", brings "", read tcp ADDRESS->ADDRESS: use of closed network connection (is ["use of closed network connection"], times out: false)`},
	} {
		for _, hints := range []bool{true, false} {
			t.Run(fmt.Sprintf("%s, hints: %v", tt.name, hints), func(t *testing.T) {
				t.Parallel()
				c, peer := asker(t)
				c.SetDeadline(time.Now().Add(30 * time.Second))
				c.pursuit.hinted = !hints // then none are asked for
				if tt.size == 0 {
					tt.size = 64
				}
				if tt.then == nil {
					tt.then = onAndOn
				}
				go tt.peer(peer, c)
				if got := followed(c, tt.size, tt.then); got != tt.want {
					t.Errorf("Follow() %s\nwant %s", got, tt.want)
				}
			})
		}
	}
}

// Whether another read would find something is known, so it need not be made: this is
// what Follow is for.
func TestHints(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name    string
		do      func(c *Conn, peer *net.TCPConn)
		drained bool
	}{
		{"nothing more", func(_ *Conn, peer *net.TCPConn) { io.WriteString(peer, "ab") }, true},
		{"another byte", func(c *Conn, peer *net.TCPConn) {
			io.WriteString(peer, "abc")
			for queued(c) < 3 {
				runtime.Gosched()
			}
		}, false},
		{"the end", func(c *Conn, peer *net.TCPConn) {
			io.WriteString(peer, "ab")
			peer.CloseWrite()
			ended(c)
		}, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			c, peer := asker(t)
			tt.do(c, peer)
			c.Follow(make([]byte, 2), func([]byte) Then {
				if got := c.pursuit.drained(); got != tt.drained {
					t.Errorf("drained: %v, want %v", got, tt.drained)
				}
				return Stop
			})
		})
	}
}

// queued is how many bytes wait to be read.
func queued(c *Conn) (n int) {
	c.raw.Control(func(fd uintptr) { n, _ = unix.IoctlGetInt(int(fd), unix.TIOCINQ) })
	return n
}

// ended waits until the other side's end is here.
func ended(c *Conn) {
	c.raw.Control(func(fd uintptr) {
		unix.Poll([]unix.PollFd{{Fd: int32(fd), Events: unix.POLLRDHUP}}, 30_000)
	})
}

// Who takes may close the connection, and is not waited for by who closes it elsewhere.
func TestClosingWhileFollowed(t *testing.T) {
	t.Parallel()
	c, peer := asker(t)
	io.WriteString(peer, "a")
	got := followed(c, 64, func(string) Then {
		c.Close()
		return Wait
	})
	if want := `took "a", brings "", read tcp ADDRESS->ADDRESS: use of closed network connection (is ["use of closed network connection"], times out: false)`; got != want {
		t.Errorf("Follow() %s\nwant %s", got, want)
	}
	if got := readAll(peer, 64); !strings.HasPrefix(got, `"."`) {
		t.Errorf("the peer got %s", got)
	}
}

// Reading where what comes is followed already would wait for itself.
func TestReadingWhileFollowed(t *testing.T) {
	t.Parallel()
	c, peer := asker(t)
	io.WriteString(peer, "a")
	followed(c, 64, func(string) Then {
		if _, err := c.Read(make([]byte, 8)); err != errFollowed {
			t.Errorf("Read() = %v, want %v", err, errFollowed)
		}
		return Stop
	})
	io.WriteString(peer, "b")
	if n, err := c.Read(make([]byte, 8)); n != 1 || err != nil {
		t.Errorf("Read() after it = %d, %v, want a byte", n, err)
	}
}

// Many rounds at once, with bytes that come while others are taken: none is missed.
func TestNothingIsMissed(t *testing.T) {
	t.Parallel()
	c, peer := asker(t)
	c.SetReadDeadline(time.Now().Add(30 * time.Second))
	const rounds = 2000
	go func() {
		for range rounds {
			io.WriteString(peer, "x")
			dots(peer, 1)
		}
		peer.CloseWrite()
	}()
	got := 0
	_, err := c.Follow(make([]byte, 64), func(p []byte) Then {
		got += len(p)
		c.Write(p)
		return Wait
	})
	if got != rounds || err != io.EOF {
		t.Errorf("%d bytes came, %v, want %d and the end", got, err, rounds)
	}
}

// Budget: a round costs no allocation.
func TestFollowAllocs(t *testing.T) {
	c, peer := asker(t)
	p, n := make([]byte, 64), 0
	peer.Write(p[:1])
	take := func([]byte) Then {
		if n++; n == 1 {
			peer.Write(p[:1])
			return Wait
		}
		n = 0
		peer.Write(p[:1])
		return Stop
	}
	if n := testing.AllocsPerRun(100, func() { c.Follow(p, take) }); n != 0 {
		t.Errorf("Follow allocates %v times, want 0", n)
	}
}
