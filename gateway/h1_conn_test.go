package gateway

import (
	"bytes"
	"io"
	"net"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// What the server library is given ends at the first blank line; what follows
// is not lost.
func TestHeadsEndAtTheBlankLine(t *testing.T) {
	t.Parallel()
	g := New(Options{})
	apply(t, g, replayConfig)
	defer g.Close()
	part := rapid.SampledFrom([]string{"\r", "\n", "\r\n", "\r\n\r\n", "G", "GET / HTTP/1.1", "\n\n", "body"})
	rapid.Check(t, func(rt *rapid.T) {
		stream := strings.Join(rapid.SliceOfN(part, 1, 12).Draw(rt, "stream"), "")
		cuts := rapid.SliceOfN(rapid.ByteRange(0, 6), 1, 5).Draw(rt, "cuts")
		size := rapid.IntRange(1, 64).Draw(rt, "buffer")

		c := g.dress(&cutConn{send: []byte(stream), cuts: cuts}, pipeOptions)
		defer c.Close()
		head := readOneHead(c, size)
		want, rest, whole := strings.Cut(stream, "\r\n\r\n")
		if whole {
			want += "\r\n\r\n"
		}
		if head != want {
			rt.Fatalf("the library was given %q, want %q", head, want)
		}
		left := string(c.Window())
		more, _ := io.ReadAll(c.Conn)
		if left+string(more) != rest {
			rt.Fatalf("%q is left, want %q", left+string(more), rest)
		}
	})
}

// readOneHead reads as the library does, with a buffer of a size, to the end of
// a head or of the stream.
func readOneHead(c *h1Conn, size int) string {
	var head bytes.Buffer
	p := make([]byte, size)
	for {
		n, err := c.Read(p)
		head.Write(p[:n])
		if err != nil || n > 0 && !c.head.begun {
			return head.String()
		}
	}
}

// A client that is refused before its body is read gets the answer: what it is
// still sending is read away first, for closing would reset the connection.
func TestRefusalsAreNotEatenByAReset(t *testing.T) {
	t.Parallel()
	addr, _ := start(t, replayConfig+"limits: { body_bytes: 1KiB }\n", Options{Dial: new(witness).dial})
	body := strings.Repeat("b", 200<<10)
	for _, tt := range []struct{ name, head, want string }{
		{"over the limit", "POST / HTTP/1.1\r\nHost: a.example\r\nContent-Length: 204800\r\n\r\n", "413"},
		{"over the limit, chunked", "POST / HTTP/1.1\r\nHost: a.example\r\nTransfer-Encoding: chunked\r\n\r\n32000\r\n", "413"},
		{"method", "TRACE / HTTP/1.1\r\nHost: a.example\r\nContent-Length: 204800\r\n\r\n", "405"},
		{"host", "POST / HTTP/1.1\r\nHost: a b\r\nContent-Length: 204800\r\n\r\n", "400"},
		{"target", "POST /%00 HTTP/1.1\r\nHost: a.example\r\nContent-Length: 204800\r\n\r\n", "400"},
		{"framing", "POST / HTTP/1.1\r\nHost: a.example\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n", "400"},
		{"no head at all", "nonsense\r\n\r\n", "400"},
		{"head too large", "POST / HTTP/1.1\r\nHost: a.example\r\nX: " + strings.Repeat("x", 40<<10) + "\r\n\r\n", "431"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			for range 5 {
				c, err := net.Dial("tcp", addr)
				if err != nil {
					t.Fatal(err)
				}
				io.WriteString(c, tt.head)
				_, sent := io.WriteString(c, body)
				got, err := io.ReadAll(c)
				c.Close()
				if sent != nil || err != nil || !strings.HasPrefix(string(got), "HTTP/1.1 "+tt.want+" ") {
					t.Fatalf("got %q, %v (sending: %v), want %s", got, err, sent, tt.want)
				}
			}
		})
	}
}

// A client that goes on sending for ever is not listened to for ever.
func TestLingeringIsBounded(t *testing.T) {
	t.Parallel()
	addr, _ := start(t, replayConfig, Options{})
	c, err := net.Dial("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	io.WriteString(c, "nonsense\r\n\r\n")
	c.SetWriteDeadline(time.Now().Add(30 * time.Second))
	for {
		if _, err = c.Write(make([]byte, 64<<10)); err != nil {
			break
		}
	}
	if ne, ok := err.(net.Error); ok && ne.Timeout() {
		t.Error("the gateway still listens after 30 s")
	}
}

// An idle connection holds no buffer of its own.
func TestIdleConnectionsHoldNoBuffer(t *testing.T) {
	t.Parallel()
	s := newSplitter(t)
	c := s.g.dress(&cutConn{send: []byte(frontPieces[1] + frontPieces[3])}, pipeOptions)
	readOneHead(c, 4096)
	if len(c.Window()) != len(frontPieces[3]) {
		t.Fatalf("%d bytes are aside, want %d", len(c.Window()), len(frontPieces[3]))
	}
	c.Advance(len(c.Window()))
	if readOneHead(c, 4096) != "" || c.side != nil || c.fixed != nil {
		t.Errorf("after the last head: %d bytes of buffer", cap(c.side))
	}
	c.Close()
	c.Close() // twice is as good as once
	if open, _ := s.g.openConns(); open != 0 {
		t.Errorf("%d connections are remembered", open)
	}
}
