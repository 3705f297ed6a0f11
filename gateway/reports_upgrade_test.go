package gateway

import (
	"fmt"
	"io"
	"strings"
	"syscall"
	"testing"
)

const (
	reportUpgrade = "GET /ws HTTP/1.1\r\nHost: example.com\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n" +
		"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\nOrigin: http://example.com\r\n\r\n"
	reportSwitch = "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n"
)

// newReportTunnelOrigin switches to the protocol asked for and echoes until the
// client ends, or until it is told to hang up.
func newReportTunnelOrigin(tb testing.TB, answer string, hangUp chan bool) *reportOrigin {
	return newReportOrigin(tb, func(c *reportConn) {
		if head, _ := c.request(); head == "" {
			return
		}
		c.say(answer)
		if hangUp != nil {
			<-hangUp
			return
		}
		io.Copy(c.TCPConn, c.in)
	})
}

func TestReportUpgradeHeads(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, request, cluster string
		has, hasNot            []string // of the origin's head
	}{
		{"WS-01: nothing is added", reportUpgrade, "",
			[]string{"\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n", "\r\nSec-WebSocket-Version: 13\r\n", "\r\nUpgrade: websocket\r\n", "\r\nConnection: Upgrade\r\n"},
			[]string{"Sec-WebSocket-Protocol", "Sec-WebSocket-Extensions"}},
		{"WS-01: what was sent passes", strings.Replace(reportUpgrade, "Origin:", "Sec-WebSocket-Protocol: chat, superchat\r\nSec-WebSocket-Extensions: permessage-deflate\r\nOrigin:", 1), "",
			[]string{"\r\nSec-WebSocket-Protocol: chat, superchat\r\n", "\r\nSec-WebSocket-Extensions: permessage-deflate\r\n"}, nil},
		{"WS-06: without key and version, the origin decides", "GET /ws HTTP/1.1\r\nHost: example.com\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n", "",
			[]string{"\r\nUpgrade: websocket\r\n"}, []string{"Sec-WebSocket"}},
		{"WS-08: Host is the client's", reportUpgrade, "", []string{"\r\nHost: example.com\r\n", "\r\nOrigin: http://example.com\r\n"}, nil},
		{"WS-08: Host is the origin's", reportUpgrade, ", host_header: origin", []string{"\r\nHost: 127.0.0.1:", "\r\nOrigin: http://example.com\r\n"}, []string{"Host: example.com\r\nC"}},
		{"WS-08: Host is a name", reportUpgrade, ", host_header: app.internal", []string{"\r\nHost: app.internal\r\n", "\r\nOrigin: http://example.com\r\n"}, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			o := newReportTunnelOrigin(t, reportSwitch, nil)
			g := startReport(t, o, tt.cluster, "")
			c := g.client(t)
			c.say(tt.request)
			if a := c.answer("GET"); a.code != 101 {
				t.Fatalf("answered %q, want 101", a.head)
			}
			head := o.seen()[0]
			for _, line := range tt.has {
				if !strings.Contains(head, line) {
					t.Errorf("the origin got %q, want %q in it", head, line)
				}
			}
			for _, line := range tt.hasNot {
				if strings.Contains(head, line) {
					t.Errorf("the origin got %q, want no %q", head, line)
				}
			}
		})
	}
}

// The Host that an origin gets is the same, upgrade or not.
func TestReportHostOfUpgradesIsThatOfOthers(t *testing.T) {
	t.Parallel()
	for _, policy := range []string{"client", "origin", "app.internal"} {
		t.Run("WS-08: "+policy, func(t *testing.T) {
			t.Parallel()
			o := newReportOKOrigin(t)
			g := startReport(t, o, ", host_header: "+policy, "")
			g.do(t, reportUpgrade)
			g.do(t, reportGET("/"))
			hostLine := func(head string) string {
				_, rest, _ := strings.Cut(head, "\r\n")
				line, _, _ := strings.Cut(rest, "\r\n")
				return line
			}
			if seen := o.seen(); hostLine(seen[0]) != hostLine(seen[1]) || !strings.HasPrefix(hostLine(seen[0]), "Host: ") {
				t.Errorf("the origin got %q and %q", seen[0], seen[1])
			}
		})
	}
}

// Whichever side ends a tunnel, and however, both ends close.
func TestReportTunnelsEnd(t *testing.T) {
	t.Parallel()
	const sessions = 50
	for _, tt := range []struct {
		name string
		end  func(c *reportConn)
		hang bool // the origin ends
	}{
		{"WS-04: the client closes", func(c *reportConn) { c.Close() }, false},
		{"WS-04: the client ends its half", func(c *reportConn) { c.CloseWrite() }, false},
		{"WS-04: the client resets", func(c *reportConn) { c.SetLinger(0); c.Close() }, false},
		{"WS-04: the origin closes", func(*reportConn) {}, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var hangUp chan bool
			if tt.hang {
				hangUp = make(chan bool, sessions)
			}
			o := newReportTunnelOrigin(t, reportSwitch, hangUp)
			g := startReport(t, o, "", "")
			conns := make([]*reportConn, sessions)
			for i := range conns {
				conns[i] = g.client(t)
				conns[i].say(reportUpgrade)
				if a := conns[i].answer("GET"); a.code != 101 {
					t.Fatalf("answered %q", a.head)
				}
			}
			awaitReport(t, "all tunnels", func() bool { return g.Metrics().Process.Tunnels.Load() == sessions })
			for _, c := range conns {
				tt.end(c)
			}
			for range sessions {
				if tt.hang {
					hangUp <- true
				}
			}
			for _, c := range conns {
				if tt.hang && !c.ended() {
					t.Error("a client did not see the origin's end")
				}
				if tt.hang {
					c.Close()
				}
			}
			awaitReport(t, "the end of all connections", func() bool {
				open, _ := g.openConns()
				_, atOrigin := o.conns()
				return open == 0 && atOrigin == 0 && g.Metrics().Process.Tunnels.Load() == 0 && g.Status().Origins[0].Load == 0
			})
		})
	}
}

// Who vanishes without a word is found out by the kernel, on both sides.
func TestReportSocketsAreProbed(t *testing.T) {
	t.Parallel()
	t.Run("WS-04: a peer that vanished", func(t *testing.T) {
		t.Parallel()
		o := newReportTunnelOrigin(t, reportSwitch, nil)
		g := startReport(t, o, "", "")
		c := g.client(t)
		c.say(reportUpgrade)
		c.answer("GET")
		g.mu.Lock()
		var client syscall.Conn
		for held := range g.conns {
			client = socketOf(held.Conn).(syscall.Conn)
		}
		g.mu.Unlock()
		origin, err := dialTCP(t.Context(), "tcp", o.addr)
		if err != nil {
			t.Fatal(err)
		}
		defer origin.Close()
		for who, sc := range map[string]syscall.Conn{"client": client, "origin": origin.(syscall.Conn)} {
			on, after := reportKeepAlive(t, sc)
			if !on || after <= 0 || after > 60 {
				t.Errorf("the %s's socket is probed: %v, after %d s", who, on, after)
			}
		}
	})
}

// reportKeepAlive tells whether a socket is probed while it is idle, and from when.
func reportKeepAlive(t *testing.T, sc syscall.Conn) (on bool, seconds int) {
	raw, err := sc.SyscallConn()
	if err != nil {
		t.Fatal(err)
	}
	raw.Control(func(fd uintptr) {
		v, _ := syscall.GetsockoptInt(int(fd), syscall.SOL_SOCKET, syscall.SO_KEEPALIVE)
		on = v != 0
		seconds, _ = syscall.GetsockoptInt(int(fd), syscall.IPPROTO_TCP, syscall.TCP_KEEPIDLE)
	})
	return on, seconds
}

func TestReportNoRetryBehindASwitch(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, answer string }{
		{"WS-05: 101 and the end", reportSwitch},
		{"WS-05: half of a 101", reportSwitch[:40]},
		{"WS-05: a 101 for something else", strings.Replace(reportSwitch, "websocket", "tcp", 1)},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			serve := func(c *reportConn) {
				if head, _ := c.request(); head != "" {
					c.say(tt.answer)
				}
			}
			a, b := newReportOrigin(t, serve), newReportOrigin(t, serve)
			g := startReportYAML(t, fmt.Sprintf(`
listeners: [{ address: "127.0.0.1:0" }]
access_log: { path: stderr }
clusters: { app: { origins: [{ address: %q }, { address: %q }], retry: { retries: 3 } } }
`, a.addr, b.addr))
			c := g.client(t)
			c.say(reportUpgrade)
			if got := c.answer("GET"); got.code != 101 && got.code != 502 || got.code == 101 && !c.ended() {
				t.Errorf("answered %q", got.head)
			}
			c.Close()
			r := g.logged(t, "/ws")
			if n := len(a.seen()) + len(b.seen()); n != 1 || r["attempts"] != 1.0 || g.Metrics().Process.Panics.Load() != 0 {
				t.Errorf("the origins saw %d requests, the log has %v attempts", n, r["attempts"])
			}
		})
	}
}

// Protocols other than websocket switch where the configuration allows them;
// elsewhere the origin is not asked.
func TestReportOtherUpgrades(t *testing.T) {
	t.Parallel()
	const request = "POST /t HTTP/1.1\r\nHost: example.com\r\nConnection: Upgrade\r\nUpgrade: tcp\r\nContent-Length: 2\r\n\r\n{}"
	t.Run("WS-09: allowed, with a body and bytes at once", func(t *testing.T) {
		t.Parallel()
		bodies := make(chan string, 1)
		o := newReportOrigin(t, func(c *reportConn) {
			_, body := c.request()
			bodies <- body
			c.say("HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: tcp\r\n\r\nfrom the origin;")
			got := make([]byte, len("from the client;"))
			io.ReadFull(c.in, got)
			c.say("echo " + string(got))
			c.CloseWrite()
			io.Copy(io.Discard, c.in)
		})
		g := startReport(t, o, ", upgrades: [websocket, tcp]", "")
		c := g.client(t)
		c.say(request + "from the client;")
		if a := c.answer("POST"); a.code != 101 || !strings.Contains(strings.ToLower(a.head), "\r\nupgrade: tcp\r\n") {
			t.Fatalf("answered %q, want 101", a.head)
		}
		got, _ := io.ReadAll(c.in)
		if body := <-bodies; body != "{}" || string(got) != "from the origin;echo from the client;" {
			t.Errorf("the origin got %q, the client %q", body, got)
		}
	})
	t.Run("WS-09: not allowed", func(t *testing.T) {
		t.Parallel()
		o := newReportOKOrigin(t)
		g := startReport(t, o, "", "")
		if a := g.do(t, request); a.code != 200 || a.body != "ok" {
			t.Errorf("answered %q", a.head)
		}
		if head := o.seen()[0]; strings.Contains(head, "Upgrade") {
			t.Errorf("the origin was asked to upgrade: %q", head)
		}
	})
	t.Run("WS-09: an unasked switch is refused", func(t *testing.T) {
		t.Parallel()
		o := newReportTunnelOrigin(t, "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: tcp\r\n\r\n", nil)
		g := startReport(t, o, "", "")
		if a := g.do(t, request); a.code != 502 {
			t.Errorf("answered %q, want 502", a.head)
		}
	})
}
