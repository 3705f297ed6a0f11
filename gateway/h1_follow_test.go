package gateway

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// A client that ends its half is told the end once it has its answers, however its end
// comes: nobody waits for another head until the time for that is over.
func TestClientsThatEndTheirHalfAreNotWaitedFor(t *testing.T) {
	t.Parallel()
	o := newTeller(t, "o")
	addr, _ := start(t, fmt.Sprintf("listeners: [{ address: \"127.0.0.1:0\" }]\nclusters: { app: { origins: [{ address: %q }] } }\n", o.addr)+
		"timeouts: { head: 10m, keep_alive: 10m }\naccess_log: { format: off }\n", Options{})
	const get = "GET / HTTP/1.1\r\nHost: a.example\r\n\r\n"
	for _, tt := range []struct {
		name    string
		sends   []string // one after the other, each when what came before was answered
		answers int
	}{
		{"with its only head", []string{get}, 1},
		{"with a later head", []string{get, get, get}, 3},
		{"with heads that came together", []string{get, get + get}, 3},
		{"with half a head", []string{get, get[:20]}, 1},
		{"with a body", []string{get, "POST / HTTP/1.1\r\nHost: a.example\r\nContent-Length: 1\r\n\r\nx"}, 2},
		{"with a head behind a body", []string{"POST / HTTP/1.1\r\nHost: a.example\r\nContent-Length: 1\r\n\r\nx", get}, 2},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			c := dialTo(t, addr)
			defer c.Close()
			c.SetDeadline(time.Now().Add(time.Minute))
			in := bufio.NewReader(c)
			for _, s := range tt.sends[:len(tt.sends)-1] {
				io.WriteString(c, s)
				if err := skipAnswer(in); err != nil {
					t.Fatal(err)
				}
			}
			cork(c)
			io.WriteString(c, tt.sends[len(tt.sends)-1])
			c.CloseWrite() // in one segment with what was sent
			for range tt.answers - len(tt.sends) + 1 {
				if err := skipAnswer(in); err != nil {
					t.Fatal(err)
				}
			}
			if rest, err := io.ReadAll(in); err != nil || len(rest) > 0 && !strings.Contains(string(rest), " 400 ") {
				t.Errorf("behind its answers the client got %q, %v", rest, err)
			}
		})
	}
}

// cork holds back what is sent until the half ends.
func cork(c *net.TCPConn) {
	raw, _ := c.SyscallConn()
	raw.Control(func(fd uintptr) { unix.SetsockoptInt(int(fd), unix.IPPROTO_TCP, unix.TCP_CORK, 1) })
}

// skipAnswer reads an answer that must be a good one.
func skipAnswer(in *bufio.Reader) error {
	res, err := http.ReadResponse(in, nil)
	if err != nil {
		return err
	}
	if res.StatusCode != 200 {
		return errors.New(res.Status)
	}
	_, err = io.Copy(io.Discard, res.Body)
	return err
}
