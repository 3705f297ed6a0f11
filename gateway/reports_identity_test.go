package gateway

import (
	"fmt"
	"io"
	"net"
	"net/netip"
	"strings"
	"testing"
)

// reportPipe is an end of a pipe that names another peer.
type reportPipe struct {
	net.Conn
	peer *net.TCPAddr
}

func (p reportPipe) RemoteAddr() net.Addr { return p.peer }

// from sends a request as if peer had connected, and reads what comes back.
func (g *reportGateway) from(peer, raw string) string {
	ours, theirs := net.Pipe()
	go g.ServeConn(reportPipe{theirs, net.TCPAddrFromAddrPort(netip.MustParseAddrPort(peer))})
	defer ours.Close()
	go io.WriteString(ours, raw)
	got, _ := io.ReadAll(ours)
	return string(got)
}

func TestReportWhoTheClientIs(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, peer, fields string
		forwarded          string // X-Forwarded-For at the origin
		client             string // in the log
	}{
		{"PH-01: nobody vouches for it", "198.51.100.7:1000", "X-Forwarded-For: 203.0.113.9\r\n", "198.51.100.7", "198.51.100.7"},
		{"PH-01: nor for its other names", "198.51.100.7:1000", "X-Real-IP: 203.0.113.9\r\nForwarded: for=203.0.113.9\r\nX-Forwarded_For: 203.0.113.9\r\n", "198.51.100.7", "198.51.100.7"},
		{"PH-02: the peer is added", "10.0.0.1:1000", "X-Forwarded-For: 192.0.2.1, 192.0.2.2\r\n", "192.0.2.1, 192.0.2.2, 10.0.0.1", "192.0.2.2"},
		{"PH-02: two lines become one", "10.0.0.1:1000", "X-Forwarded-For: 192.0.2.1\r\nX-Other: 1\r\nX-Forwarded-For: 192.0.2.2\r\n", "192.0.2.1, 192.0.2.2, 10.0.0.1", "192.0.2.2"},
		{"PH-02: none becomes one", "10.0.0.1:1000", "", "10.0.0.1", "10.0.0.1"},
		{"PH-04: the leftmost is anybody's word", "10.0.0.1:1000", "X-Forwarded-For: 192.0.2.66, 198.51.100.9, 10.0.0.2\r\n", "192.0.2.66, 198.51.100.9, 10.0.0.2, 10.0.0.1", "198.51.100.9"},
		{"PH-04: also in two lines", "10.0.0.1:1000", "X-Forwarded-For: 192.0.2.66\r\nX-Forwarded-For: 198.51.100.9, 10.0.0.2\r\n", "192.0.2.66, 198.51.100.9, 10.0.0.2, 10.0.0.1", "198.51.100.9"},
		{"PH-04: what is no address ends the search", "10.0.0.1:1000", "X-Forwarded-For: 192.0.2.66, unknown, 10.0.0.2\r\n", "192.0.2.66, unknown, 10.0.0.2, 10.0.0.1", "10.0.0.2"},
		{"PH-05: IPv4 in IPv6", "[::ffff:10.0.0.1]:1000", "X-Forwarded-For: 192.0.2.1\r\n", "192.0.2.1, 10.0.0.1", "192.0.2.1"},
		{"PH-05: IPv4 in IPv6, not trusted", "[::ffff:198.51.100.7]:1000", "X-Forwarded-For: 192.0.2.1\r\n", "198.51.100.7", "198.51.100.7"},
		{"PH-05: IPv4 in IPv6 in the list", "10.0.0.1:1000", "X-Forwarded-For: 192.0.2.1, ::ffff:10.0.0.2\r\n", "192.0.2.1, ::ffff:10.0.0.2, 10.0.0.1", "192.0.2.1"},
		{"PH-05: a port", "10.0.0.1:1000", "X-Forwarded-For: 192.0.2.1:1234\r\n", "192.0.2.1:1234, 10.0.0.1", "192.0.2.1"},
		{"PH-05: a port behind IPv6", "10.0.0.1:1000", "X-Forwarded-For: [2001:db8::1]:99\r\n", "[2001:db8::1]:99, 10.0.0.1", "2001:db8::1"},
		{"PH-05: a port of a trusted one", "10.0.0.1:1000", "X-Forwarded-For: 192.0.2.1:1234, 10.0.0.2:99\r\n", "192.0.2.1:1234, 10.0.0.2:99, 10.0.0.1", "192.0.2.1"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			o := newReportOKOrigin(t)
			g := startReport(t, o, "", "trusted_proxies: [10.0.0.1/32, 10.0.0.2]")
			got := g.from(tt.peer, "GET / HTTP/1.1\r\nHost: example.com\r\n"+tt.fields+"Connection: close\r\n\r\n")
			if !strings.HasPrefix(got, "HTTP/1.1 200") {
				t.Fatalf("answered %q", got)
			}
			head := o.seen()[0]
			if n := strings.Count(strings.ToLower(head), "\r\nx-forwarded-for:"); n != 1 || !strings.Contains(head, "\r\nX-Forwarded-For: "+tt.forwarded+"\r\n") {
				t.Errorf("the origin got %q, want one line with %q", head, tt.forwarded)
			}
			if strings.Contains(head, "203.0.113.9") {
				t.Errorf("the origin got a forged address: %q", head)
			}
			if r := g.logged(t, "/"); r["client"] != tt.client {
				t.Errorf("logged the client %v, want %s", r["client"], tt.client)
			}
		})
	}
}

// Limits go by who is connected, not by what a head says.
func TestReportLimitsGoByThePeer(t *testing.T) {
	t.Parallel()
	t.Run("PH-01: a forged address is no second client", func(t *testing.T) {
		t.Parallel()
		g := startReport(t, newReportOKOrigin(t), "", "limits: { connections_per_client: 2 }")
		for i := range 2 {
			c := g.client(t)
			c.say(fmt.Sprintf("GET / HTTP/1.1\r\nHost: example.com\r\nX-Forwarded-For: 203.0.113.%d\r\n\r\n", i))
			if a := c.answer("GET"); a.code != 200 {
				t.Fatalf("connection %d was answered %q", i, a.head)
			}
		}
		c := g.client(t)
		c.say("GET / HTTP/1.1\r\nHost: example.com\r\nX-Forwarded-For: 203.0.113.3\r\n\r\n")
		if a := c.answer("GET"); a.code != 0 {
			t.Errorf("the third connection was answered %q", a.head)
		}
	})
	t.Run("PH-05: a trusted peer in IPv6 form has no limit", func(t *testing.T) {
		t.Parallel()
		g := startReport(t, newReportOKOrigin(t), "", "trusted_proxies: [10.0.0.1]\nlimits: { connections_per_client: 1 }")
		for range 3 {
			ours, theirs := net.Pipe()
			defer ours.Close()
			go g.ServeConn(reportPipe{theirs, net.TCPAddrFromAddrPort(netip.MustParseAddrPort("[::ffff:10.0.0.1]:1000"))})
			go io.WriteString(ours, reportGET("/"))
			line := make([]byte, 12)
			if _, err := io.ReadFull(ours, line); err != nil || string(line) != "HTTP/1.1 200" {
				t.Fatalf("answered %q, %v", line, err)
			}
		}
	})
}
