package promises

import (
	"io"
	"net"
	"sync/atomic"
	"testing"
	"time"

	"weirkeep/gateway"
)

// G12: when a client has gone, the origin's connection ends within 500 ms,
// whether the client reset or closed, and whether the origin is silent or in
// the middle of an answer.
func TestGoneClientsFreeTheirOrigins(t *testing.T) {
	for _, tt := range []struct {
		name, begin, ask string
	}{
		{"before an answer", "", getX},
		{"in the middle of an answer", "HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\nhalf", getX},
		{"in the middle of a body", "", "POST /x HTTP/1.1\r\nHost: a.example\r\nContent-Length: 1000\r\n\r\nhalf"},
		{"behind a body", "", "POST /x HTTP/1.1\r\nHost: a.example\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nbody\r\n0\r\n\r\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			watchLeaks(t)
			var asked atomic.Int64
			o := startOrigin(t, func(c *net.TCPConn) {
				c.Read(make([]byte, 4*kib))
				io.WriteString(c, tt.begin)
				asked.Add(1)
				io.Copy(io.Discard, c) // until the gateway ends it
			})
			addr, g := start(t, configure(o.addr, "", ""), gateway.Options{})
			const n = 200
			var clients []*net.TCPConn
			for range n {
				c := dial(t, addr)
				io.WriteString(c, tt.ask)
				clients = append(clients, c)
			}
			if !within(10*time.Second, func() bool { return asked.Load() == n }) {
				t.Fatalf("%d of %d requests reached the origin", asked.Load(), n)
			}
			began := time.Now()
			for i, c := range clients {
				if i%2 == 0 {
					reset(c)
				} else {
					c.Close()
				}
			}
			all := within(10*time.Second, func() bool { return o.connections() == 0 })
			took := time.Since(began)
			t.Logf("%d gone clients: the last origin was free after %v", n, took.Round(time.Millisecond))
			if !all || took > 500*time.Millisecond {
				t.Errorf("%v after the clients had gone, %d origins still worked for them", took, o.connections())
			}
			if s := g.Status(); !within(5*time.Second, func() bool { s = g.Status(); return s.Connections == 0 && s.Exchanges == 0 }) {
				t.Errorf("%d connections are left", s.Connections)
			}
		})
	}
}
