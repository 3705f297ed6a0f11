package gateway

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"testing"
)

// halved is an origin that sends an answer in two pieces: the second when the first has come
// to the client.
type halved struct {
	framing string // fields
	halves  [2]string
	closes  bool
	came    chan struct{}
}

func (o *halved) serve(c net.Conn) {
	for r := bufio.NewReader(c); ; {
		if _, err := readRawHead(r); err != nil {
			return
		}
		io.WriteString(c, "HTTP/1.1 200 OK\r\n"+o.framing+"\r\n"+o.halves[0])
		if _, asked := <-o.came; !asked {
			return
		}
		io.WriteString(c, o.halves[1])
		if o.closes {
			return
		}
	}
}

// ask asks for a path on a connection, and reads all of the answer.
func (o *halved) ask(t *testing.T, c net.Conn, r *bufio.Reader, path string) (status int, body string) {
	t.Helper()
	io.WriteString(c, "GET "+path+" HTTP/1.1\r\nHost: a\r\n\r\n")
	answer, err := http.ReadResponse(r, nil)
	if err != nil {
		t.Fatal(err)
	}
	if answer.StatusCode != 200 {
		return answer.StatusCode, ""
	}
	var first [3]byte
	if _, err := io.ReadFull(answer.Body, first[:]); err != nil {
		t.Fatal(err)
	}
	o.came <- struct{}{}
	rest, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	return answer.StatusCode, string(first[:]) + string(rest)
}

// TestTheSlotIsFreeBeforeTheEnd: who has all of an answer may ask for the next one, also
// where an origin takes one request at a time and nobody waits in line. The end of an
// answer that is stored while it comes is no exception, however it is framed.
func TestTheSlotIsFreeBeforeTheEnd(t *testing.T) {
	for _, tt := range []struct {
		name string
		o    halved
	}{
		{"of known length", halved{framing: "Content-Length: 6\r\n" + stored60, halves: [2]string{"abc", "def"}}},
		{"in chunks", halved{framing: "Transfer-Encoding: chunked\r\n" + stored60, halves: [2]string{"3\r\nabc\r\n", "3\r\ndef\r\n0\r\n\r\n"}}},
		{"until the end of the connection", halved{framing: "Connection: close\r\n" + stored60, halves: [2]string{"abc", "def"}, closes: true}},
		{"not stored", halved{framing: "Content-Length: 6\r\nCache-Control: no-store\r\n", halves: [2]string{"abc", "def"}}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			o := tt.o
			o.came = make(chan struct{})
			origin := rawOrigin(t, o.serve)
			t.Cleanup(func() { close(o.came) })
			addr, g := start(t, plainListener+fmt.Sprintf("clusters: { a: { origins: [{ address: %q, capacity: 1 }], queue: { size: 0 } } }\ncache: { enabled: true }", origin.Addr()), Options{})
			c, err := net.Dial("tcp", addr)
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { c.Close() })
			slots, r := g.current.Load().clusters[0].members[0].state.slots, bufio.NewReader(c)
			for n := range 100 {
				status, body := o.ask(t, c, r, fmt.Sprint("/", n))
				if load := slots.Load(); status != 200 || body != "abcdef" || load != 0 {
					t.Fatalf("answer %d: %d %q, and %d slots are taken", n, status, body, load)
				}
			}
		})
	}
}
