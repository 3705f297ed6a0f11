package gateway

import (
	"bufio"
	"bytes"
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"weirkeep/gateway/config"
)

// switching is an origin that switches to whatever protocol is asked for, says
// early bytes along with its 101, and echoes until the other half ends; then it
// says goodbye.
func switching(tb testing.TB, heads chan<- string) net.Listener {
	return rawOrigin(tb, func(c net.Conn) {
		r := bufio.NewReader(c)
		head, err := readRawHead(r)
		if err != nil {
			return
		}
		heads <- head
		protocol := fieldIn(head, "Upgrade")
		if protocol == "" {
			io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nno")
			return
		}
		io.WriteString(c, "HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: "+protocol+"\r\nX-Key: k\r\n\r\nearly ")
		io.Copy(c, r)
		io.WriteString(c, "goodbye")
	})
}

// A tunnel passes on bytes both ways: those that came early, those that come
// later, and the end of either half.
func TestTunnels(t *testing.T) {
	t.Parallel()
	ca := newAuthority(t)
	cert := ca.issue(t, "gw.example")
	for _, secure := range []bool{false, true} {
		for _, protocol := range []string{"tcp", "websocket"} {
			t.Run(fmt.Sprintf("%s, TLS %v", protocol, secure), func(t *testing.T) {
				heads := make(chan string, 1)
				text := plainListener
				if secure {
					text = secureListener(cert)
				}
				o := switching(t, heads)
				addr, g := start(t, text+upgradeCluster(o, "tcp, websocket"), Options{})
				c := dialMaybeTLS(t, addr, secure, ca)
				io.WriteString(c, "GET /chat HTTP/1.1\r\nHost: a.example\r\nConnection: keep-alive, Upgrade\r\nUpgrade: "+protocol+"\r\nSec-WebSocket-Key: x\r\n\r\nfirst ")
				if head := <-heads; fieldIn(head, "Upgrade") != protocol || !strings.EqualFold(fieldIn(head, "Connection"), "upgrade") || fieldIn(head, "Sec-WebSocket-Key") != "x" {
					t.Errorf("the origin received %q", head)
				}
				r := bufio.NewReader(c)
				head, _ := readRawHead(r)
				if !strings.HasPrefix(head, "HTTP/1.1 101 ") || fieldIn(head, "Upgrade") != protocol || !strings.EqualFold(fieldIn(head, "Connection"), "upgrade") || fieldIn(head, "X-Key") != "k" || fieldIn(head, "Content-Length") != "" {
					t.Errorf("the client received %q", head)
				}
				expectBytes(t, r, "early first ")
				if n := g.Metrics().Process.Tunnels.Load(); n != 1 {
					t.Errorf("%d tunnels are counted, want 1", n)
				}
				apply(t, g, text+upgradeCluster(o, "tcp, websocket")+"limits: { body_bytes: 1MiB }\n")
				apply(t, g, text+"clusters: { other: { origins: [{ address: \"127.0.0.1:1\" }] } }\n")
				io.WriteString(c, "after a reload ")
				expectBytes(t, r, "after a reload ")
				c.(interface{ CloseWrite() error }).CloseWrite()
				rest, err := io.ReadAll(r)
				if string(rest) != "goodbye" || err != nil {
					t.Errorf("after its half had ended the client got %q, %v; want what the origin still says", rest, err)
				}
				c.Close()
				until(t, "the tunnel is gone", func() bool {
					return g.Metrics().Process.Tunnels.Load() == 0 && g.Status().Connections == 0
				})
			})
		}
	}
}

func upgradeCluster(o net.Listener, protocols string) string {
	return fmt.Sprintf("clusters: { app: { origins: [{ address: %q }], upgrades: [%s] } }\n", o.Addr(), protocols)
}

func dialMaybeTLS(tb testing.TB, addr string, secure bool, ca *authority) net.Conn {
	tb.Helper()
	var c net.Conn
	var err error
	if secure {
		c, err = tls.Dial("tcp", addr, &tls.Config{RootCAs: ca.pool(), ServerName: "gw.example"})
	} else {
		c, err = net.Dial("tcp", addr)
	}
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { c.Close() })
	c.SetDeadline(time.Now().Add(20 * time.Second))
	return c
}

func expectBytes(t *testing.T, r io.Reader, want string) {
	t.Helper()
	got := make([]byte, len(want))
	if n, err := io.ReadFull(r, got); err != nil || string(got) != want {
		t.Fatalf("got %q, %v; want %q", got[:n], err, want)
	}
}

// The origin may end its half first, and still hears the client.
func TestOriginEndsItsHalfOfATunnelFirst(t *testing.T) {
	t.Parallel()
	heard := make(chan string, 1)
	o := rawOrigin(t, func(c net.Conn) {
		r := bufio.NewReader(c)
		readRawHead(r)
		io.WriteString(c, "HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: tcp\r\n\r\nbye")
		c.(*net.TCPConn).CloseWrite()
		rest, _ := io.ReadAll(r)
		heard <- string(rest)
	})
	addr, _ := start(t, plainListener+upgradeCluster(o, "tcp"), Options{})
	c := dialMaybeTLS(t, addr, false, nil)
	io.WriteString(c, "GET / HTTP/1.1\r\nHost: a.example\r\nConnection: upgrade\r\nUpgrade: tcp\r\n\r\n")
	all, err := io.ReadAll(c)
	if err != nil || !bytes.HasSuffix(all, []byte("\r\n\r\nbye")) {
		t.Fatalf("the client got %q, %v", all, err)
	}
	io.WriteString(c, "still here")
	c.(*net.TCPConn).CloseWrite()
	if got := <-heard; got != "still here" {
		t.Errorf("the origin heard %q", got)
	}
}

// A tunnel whose one end breaks breaks at the other end too, and is gone, though
// that end says nothing.
func TestBrokenTunnelEnds(t *testing.T) {
	t.Parallel()
	origins := make(chan *net.TCPConn, 1)
	o := rawOrigin(t, func(c net.Conn) {
		r := bufio.NewReader(c)
		readRawHead(r)
		io.WriteString(c, "HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: tcp\r\n\r\n")
		origins <- c.(*net.TCPConn)
		io.Copy(io.Discard, r)
	})
	addr, g := start(t, plainListener+upgradeCluster(o, "tcp"), Options{})
	for _, end := range []string{"client", "origin"} {
		c := dialMaybeTLS(t, addr, false, nil)
		io.WriteString(c, "GET / HTTP/1.1\r\nHost: a.example\r\nConnection: upgrade\r\nUpgrade: tcp\r\n\r\n")
		if _, err := readRawHead(bufio.NewReader(c)); err != nil {
			t.Fatal(err)
		}
		broken := <-origins
		if end == "client" {
			broken = c.(*net.TCPConn)
		}
		broken.SetLinger(0)
		broken.Close()
		until(t, "the tunnel broken by its "+end+" is gone", func() bool { return g.Metrics().Process.Tunnels.Load() == 0 })
	}
}

// What a client asks to switch to and may not is not passed on; nor is h2c, ever.
func TestUpgradesThatAreNotAllowed(t *testing.T) {
	t.Parallel()
	heads := make(chan string, 1)
	addr, _ := start(t, plainListener+upgradeCluster(switching(t, heads), "websocket"), Options{})
	for _, tt := range []string{
		"GET / HTTP/1.1\r\nHost: a.example\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQAAP__\r\nConnection: Upgrade, HTTP2-Settings, close\r\n\r\n",
		"GET / HTTP/1.1\r\nHost: a.example\r\nUpgrade: websocket, h2c\r\nConnection: Upgrade, close\r\n\r\n",
		"GET / HTTP/1.1\r\nHost: a.example\r\nUpgrade: tcp\r\nConnection: Upgrade, close\r\n\r\n",
		"GET / HTTP/1.1\r\nHost: a.example\r\nUpgrade: websocket\r\nConnection: close\r\n\r\n",
		"GET / HTTP/1.0\r\nHost: a.example\r\nUpgrade: websocket\r\nConnection: Upgrade, close\r\n\r\n",
		"POST / HTTP/1.1\r\nHost: a.example\r\nUpgrade: websocket\r\nConnection: Upgrade, close\r\nContent-Length: 0\r\n\r\n",
	} {
		got := parseTold(t, tt, send(t, addr, tt))
		head := <-heads
		if got.status != 200 || fieldIn(head, "Upgrade")+fieldIn(head, "HTTP2-Settings")+fieldIn(head, "Connection") != "" {
			t.Errorf("%q: %d, and the origin received %q; want a plain request", tt, got.status, head)
		}
	}
	for _, protocol := range []string{"h2c", "H2C"} {
		if problems := loadProblems(t, plainListener+upgradeCluster(switching(t, heads), protocol)); problems.Errors() == 0 {
			t.Errorf("upgrades: [%s] is taken; it must be an error", protocol)
		}
	}
}

// An origin that switches protocols unasked is at fault.
func TestUnaskedSwitchIsABadAnswer(t *testing.T) {
	t.Parallel()
	o := rawOrigin(t, func(c net.Conn) {
		r := bufio.NewReader(c)
		for {
			if _, err := readRawHead(r); err != nil {
				return
			}
			io.WriteString(c, "HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: h2c\r\n\r\n")
		}
	})
	addr, _ := start(t, plainListener+upgradeCluster(o, "tcp"), Options{})
	for _, head := range []string{"GET / HTTP/1.1\r\nHost: a.example\r\nConnection: close\r\n\r\n", "GET / HTTP/1.1\r\nHost: a.example\r\nUpgrade: tcp\r\nConnection: upgrade, close\r\n\r\n"} {
		if got := parseTold(t, head, send(t, addr, head)); got.status != http.StatusBadGateway || !strings.Contains(got.body, "reason: bad_answer") {
			t.Errorf("%q: %d %q, want 502 bad_answer", head, got.status, got.body)
		}
	}
}

// loadProblems reads a configuration that may be bad.
func loadProblems(tb testing.TB, text string) config.Problems {
	tb.Helper()
	file := filepath.Join(tb.TempDir(), "weirkeep.yaml")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		tb.Fatal(err)
	}
	_, problems := config.Load(file)
	return problems
}
