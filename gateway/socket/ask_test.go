//go:build !race

package socket

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// asker is an end that asks, and its peer.
func asker(tb testing.TB) (*Conn, *net.TCPConn) {
	ours, theirs := pair(tb)
	return New(ours).(*Conn), theirs
}

// heard waits until the socket has something to tell, and takes nothing of it.
func heard(c *Conn) {
	c.raw.Control(func(fd uintptr) {
		unix.Poll([]unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN | unix.POLLRDHUP}}, 30_000)
	})
}

// asked is how asking "question" goes.
func asked(c *Conn) string {
	answer := make([]byte, 64)
	sent, n, err := c.Ask([]byte("question"), answer)
	if errors.Is(err, ErrSpoken) {
		return fmt.Sprintf("spoken: %d sent, %q", sent, answer[:n])
	}
	return fmt.Sprintf("%d sent, %q, %s", sent, answer[:n], said(err))
}

// Who is asked answers, and who has spoken before is not asked.
func TestAsk(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name   string
		before func(c *Conn, peer *net.TCPConn) // until c hears of it
		after  func(c *Conn, peer *net.TCPConn) // once the question is there
		want   string
		unsent bool
	}{
		{name: "an answer", after: func(_ *Conn, peer *net.TCPConn) { io.WriteString(peer, "answer") }, want: `8 sent, "answer", no error`},
		{name: "an end", after: func(_ *Conn, peer *net.TCPConn) { peer.Close() }, want: `8 sent, "", EOF (is ["EOF"], times out: false)`},
		{name: "a reset", after: func(_ *Conn, peer *net.TCPConn) { peer.SetLinger(0); peer.Close() },
			want: `8 sent, "", read tcp ADDRESS->ADDRESS: read: connection reset by peer (is ["connection reset by peer"], times out: false)`},
		{name: "closed meanwhile", after: func(c *Conn, _ *net.TCPConn) { c.Close() },
			want: `8 sent, "", read tcp ADDRESS->ADDRESS: use of closed network connection (is ["use of closed network connection"], times out: false)`},
		{name: "the deadline passes", after: func(c *Conn, _ *net.TCPConn) { c.SetReadDeadline(time.Unix(1, 0)) },
			want: `8 sent, "", read tcp ADDRESS->ADDRESS: i/o timeout (is ["i/o timeout"], times out: true)`},

		{name: "the deadline has passed", before: func(c *Conn, _ *net.TCPConn) { c.SetReadDeadline(time.Unix(1, 0)) }, unsent: true,
			want: `0 sent, "", read tcp ADDRESS->ADDRESS: i/o timeout (is ["i/o timeout"], times out: true)`},
		{name: "a byte before", before: func(c *Conn, peer *net.TCPConn) { io.WriteString(peer, "x"); heard(c) }, want: `spoken: 0 sent, ""`, unsent: true},
		{name: "an end before", before: func(c *Conn, peer *net.TCPConn) { peer.CloseWrite(); heard(c) }, want: `spoken: 0 sent, ""`, unsent: true},
		{name: "a reset before", before: func(c *Conn, peer *net.TCPConn) { peer.SetLinger(0); peer.Close(); heard(c) }, want: `spoken: 0 sent, ""`, unsent: true},
		{name: "our half has ended", before: func(c *Conn, _ *net.TCPConn) { c.CloseWrite() }, unsent: true,
			want: `0 sent, "", write tcp ADDRESS->ADDRESS: write: broken pipe (is ["broken pipe"], times out: false)`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			c, peer := asker(t)
			if tt.before != nil {
				tt.before(c, peer)
			}
			question := make(chan string, 1)
			go func() {
				p := make([]byte, len("question"))
				n, _ := io.ReadFull(peer, p)
				if question <- string(p[:n]); tt.after != nil {
					tt.after(c, peer)
				}
			}()
			if got := asked(c); got != tt.want {
				t.Errorf("Ask() = %s, want %s", got, tt.want)
			}
			c.Close()
			if got := <-question; (got == "") != tt.unsent {
				t.Errorf("the peer was asked %q", got)
			}
		})
	}
}

// What the socket does not take at once is the caller's to write, and nothing is waited
// for: not even for an answer that is there.
func TestAskOfALongQuestion(t *testing.T) {
	t.Parallel()
	c, peer := asker(t)
	question := bytes.Repeat([]byte("0123456789abcdef"), 1<<19) // more than sockets take
	answer := make([]byte, 64)
	sent, n, err := c.Ask(question, answer)
	if sent == 0 || sent == len(question) || n != 0 || err != nil {
		t.Fatalf("Ask() = %d, %d, %v, want some of %d bytes sent and no answer", sent, n, err, len(question))
	}
	go func() {
		c.Write(question[sent:])
		c.CloseWrite()
	}()
	if got, err := io.ReadAll(peer); err != nil || !bytes.Equal(got, question) {
		t.Errorf("%d bytes arrived, %v, want the %d that were sent", len(got), err, len(question))
	}
}

// A connection is asked again and again, by questions that are read in between.
func TestAskAgain(t *testing.T) {
	t.Parallel()
	c, peer := asker(t)
	go io.Copy(peer, peer)
	for i := range 1000 {
		question, answer := strings.Repeat("q", i%50+1), make([]byte, 64)
		sent, n, err := c.Ask([]byte(question), answer)
		for err == nil && n < sent {
			var more int
			more, err = c.Read(answer[n:])
			n += more
		}
		if err != nil || string(answer[:n]) != question {
			t.Fatalf("question %d: %q came back, %v", i, answer[:n], err)
		}
	}
}

// Budget: asking costs no allocation.
func TestAskAllocs(t *testing.T) {
	c, peer := asker(t)
	go io.Copy(peer, peer)
	p, answer := []byte("x"), make([]byte, 64)
	if n := testing.AllocsPerRun(100, func() { c.Ask(p, answer) }); n != 0 {
		t.Errorf("Ask allocates %v times, want 0", n)
	}
}
