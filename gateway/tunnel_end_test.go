package gateway

import (
	"bufio"
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"strings"
	"testing"
	"time"
)

const endSwitch = "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n"

// endTunnel is a tunnel with both its ends.
type endTunnel struct {
	client, origin     net.Conn
	atClient, atOrigin *bufio.Reader // readers
	g                  *Gateway
}

// openTunnel switches protocols through a gateway whose listener has a kind.
func openTunnel(t *testing.T, kind listenerKind, cluster string) *endTunnel {
	t.Helper()
	ends, over := make(chan *endConn), make(chan bool)
	t.Cleanup(func() { close(over) })
	o := newEndOrigin(t, func(_ int, c *endConn) {
		c.head()
		c.say(endSwitch)
		ends <- c
		<-over
	})
	addr, g := start(t, endText(o, kind.text(t), cluster, "trusted_proxies: [127.0.0.1]\n"+endNoLog), Options{})
	c := kind.dial(t, addr)
	io.WriteString(c, "GET / HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n")
	up := <-ends
	r := bufio.NewReader(c)
	for line := ""; line != "\r\n"; {
		var err error
		if line, err = r.ReadString('\n'); err != nil {
			t.Fatal(err)
		}
	}
	return &endTunnel{c, up.Conn, r, up.in, g}
}

// listenerKind is what comes before HTTP at a listener.
type listenerKind struct{ proxied, secure bool }

var listenerKinds = []listenerKind{{false, false}, {false, true}, {true, false}, {true, true}}

func (k listenerKind) String() string { return fmt.Sprintf("PROXY %v, TLS %v", k.proxied, k.secure) }

func (k listenerKind) text(tb testing.TB) (text string) {
	if k.proxied {
		text = ", proxy_protocol: require"
	}
	if k.secure {
		text += secureListen(tb)
	}
	return text
}

func (k listenerKind) dial(tb testing.TB, addr string) net.Conn {
	c := endDial(tb, addr)
	if k.proxied {
		io.WriteString(c, endProxyV1)
	}
	if !k.secure {
		return c
	}
	secure := tls.Client(c, &tls.Config{InsecureSkipVerify: true})
	if err := secure.Handshake(); err != nil {
		tb.Fatal(err)
	}
	return secure
}

// passes sends a text from one end and wants it at the other.
func passes(t *testing.T, from net.Conn, to io.Reader, text string) {
	t.Helper()
	if _, err := io.WriteString(from, text); err != nil {
		t.Fatalf("sending %q: %v", text, err)
	}
	got := make([]byte, len(text))
	if n, err := io.ReadFull(to, got); err != nil || string(got) != text {
		t.Fatalf("received %q (%v), want %q", got[:n], err, text)
	}
}

// One way of a tunnel ends; the other goes on, whatever the listener puts
// before HTTP.
func TestTunnelsEndOneWayAtATime(t *testing.T) {
	t.Parallel()
	for _, kind := range listenerKinds {
		for _, first := range []string{"client", "origin"} {
			t.Run(fmt.Sprintf("%v/%s first", kind, first), func(t *testing.T) {
				t.Parallel()
				tn := openTunnel(t, kind, "")
				passes(t, tn.client, tn.atOrigin, "up")
				passes(t, tn.origin, tn.atClient, "down")
				from, to, back, rest := tn.client, tn.atOrigin, tn.origin, tn.atClient
				if first == "origin" {
					from, to, back, rest = tn.origin, tn.atClient, tn.client, tn.atOrigin
				}
				closeWrite(from)
				if b, err := to.ReadByte(); err != io.EOF {
					t.Fatalf("the other side sees %q, %v; want the end", b, err)
				}
				for range 20 {
					passes(t, back, rest, "still here")
				}
				closeWrite(back)
				if b, err := rest.ReadByte(); err != io.EOF {
					t.Errorf("the end of the second way: %q, %v", b, err)
				}
				endUntil(t, "the tunnel has ended", func() bool { return tn.g.metrics.Process.Tunnels.Load() == 0 })
			})
		}
	}
}

// Once one side has said goodbye, the other has body_idle_timeout between two
// pieces; before that both may be silent for as long as they like.
func TestHalfATunnelHasAnIdleLimit(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		secure bool
		first  string
		pieces int // more often than the limit, longer than the limit
	}{
		{false, "client", 0}, {false, "client", 30}, {false, "origin", 0}, {false, "origin", 30},
		{true, "client", 0}, {true, "client", 30}, {true, "origin", 0}, {true, "origin", 30},
	} {
		t.Run(fmt.Sprintf("TLS %v/%s ends first, then %d pieces", tt.secure, tt.first, tt.pieces), func(t *testing.T) {
			t.Parallel()
			tn := openTunnel(t, listenerKind{secure: tt.secure}, ", body_idle_timeout: 500ms")
			silent := time.NewTimer(3 * halfLimit)
			<-silent.C // nothing happens to a tunnel in which nobody speaks
			passes(t, tn.client, tn.atOrigin, "up")
			passes(t, tn.origin, tn.atClient, "down")
			from, back, rest := tn.client, tn.origin, tn.atClient
			if tt.first == "origin" {
				from, back, rest = tn.origin, tn.client, tn.atOrigin
			}
			ended := time.Now()
			closeWrite(from)
			last := passesOften(t, back, rest, tt.pieces, ended)
			rest.ReadByte() // its end, clean or not
			if took := time.Since(last); took < halfLimit*9/10 {
				t.Errorf("cut %v after the last piece, want %v", took, halfLimit)
			}
			endUntil(t, "the tunnel has ended", func() bool { return tn.g.metrics.Process.Tunnels.Load() == 0 })
		})
	}
}

// halfLimit is the body_idle_timeout of the tunnels that are timed.
const halfLimit = 500 * time.Millisecond

// passesOften sends pieces, ten within the limit, and returns when it began with the
// last, or last if there are none: the gateway cannot have seen it before.
func passesOften(t *testing.T, from net.Conn, to io.Reader, pieces int, last time.Time) time.Time {
	t.Helper()
	often := time.NewTicker(halfLimit / 10)
	defer often.Stop()
	for range pieces {
		<-often.C
		last = time.Now()
		passes(t, from, to, "piece")
	}
	return last
}

// A side that breaks takes the other with it at once, also one that would not
// end by itself.
func TestBrokenSideEndsTheTunnel(t *testing.T) {
	t.Parallel()
	for _, secure := range []bool{false, true} {
		for _, first := range []string{"client", "origin"} {
			t.Run(fmt.Sprintf("TLS %v/%s breaks", secure, first), func(t *testing.T) {
				t.Parallel()
				tn := openTunnel(t, listenerKind{secure: secure}, ", body_idle_timeout: 1m")
				passes(t, tn.client, tn.atOrigin, "up")
				passes(t, tn.origin, tn.atClient, "down")
				if first == "client" {
					rst(tn.client)
				} else {
					rst(tn.origin)
				}
				endUntil(t, "the tunnel has ended", func() bool { return tn.g.metrics.Process.Tunnels.Load() == 0 })
			})
		}
	}
}

// Connections that a proxy tells something else about than a TCP client.
func TestProxyHeadersWithoutATCPClient(t *testing.T) {
	t.Parallel()
	const signature = "\r\n\r\n\x00\r\nQUIT\n"
	ipv4 := "\xc0\x00\x02\x07\xc0\x00\x02\x08\x03\xe8\x00\x50"
	for _, tt := range []struct {
		name, header string
		client       string // who the origin is told of; empty: nobody is served
	}{
		{"v1", endProxyV1, "192.0.2.7"},
		{"v2", signature + "\x21\x11\x00\x0c" + ipv4, "192.0.2.7"},
		{"v2, the proxy itself", signature + "\x20\x00\x00\x00", "127.0.0.1"},
		{"v2, the proxy itself, with an address", signature + "\x20\x11\x00\x0c" + ipv4, "127.0.0.1"},
		{"v2, a Unix socket", signature + "\x21\x31\x00\xd8" + strings.Repeat("u", 216), ""},
		{"v2, UDP", signature + "\x21\x12\x00\x0c" + ipv4, ""},
		{"none", "", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			o := newEndOrigin(t, func(_ int, c *endConn) { c.serve() })
			addr, g := start(t, endText(o, ", proxy_protocol: require", "", "trusted_proxies: [127.0.0.1]\n"+endNoLog), Options{})
			c := endDial(t, addr)
			io.WriteString(c, tt.header+"GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
			got, _ := io.ReadAll(c) // a refusal may reset what was not read
			if tt.client == "" {
				if len(got) != 0 || len(o.seen()) != 0 {
					t.Errorf("answered %q", got)
				}
				endUntil(t, "it is counted", func() bool { return refusedConns(g) == 1 })
				return
			}
			if !strings.HasSuffix(string(got), "ok") || refusedConns(g) != 0 {
				t.Errorf("answered %q", got)
			}
			if head := endHead(t, o); !strings.Contains(head, "\r\nX-Forwarded-For: "+tt.client+"\r\n") {
				t.Errorf("the origin was told\n%s", head)
			}
		})
	}
}

func refusedConns(g *Gateway) (n uint64) {
	for _, l := range g.listeners {
		n += l.options.Load().metrics.Refused.Load()
	}
	return n
}

// beginDrain begins a drain and waits until idle connections end.
func beginDrain(t *testing.T, g *Gateway) <-chan error {
	t.Helper()
	done := make(chan error, 1)
	go func() { done <- g.Drain(context.Background()) }()
	endUntil(t, "the drain has begun", func() bool { return g.draining.Load() })
	return done
}

const endDrain = "drain: { delay: 0s, timeout: 20s }\ntrusted_proxies: [127.0.0.1]\n" + endNoLog

// endProxyV2 is what endProxyV1 says; it may come in pieces.
const endProxyV2 = "\r\n\r\n\x00\r\nQUIT\n\x21\x11\x00\x0c\xc0\x00\x02\x07\xc0\x00\x02\x08\x03\xe8\x00\x50"

// What comes before the first head is not broken by a drain, and a head that
// came in one packet with its end is served.
func TestDrainLetsConnectionsBegin(t *testing.T) {
	t.Parallel()
	for _, kind := range listenerKinds[1:] {
		listener := kind.text(t)
		for round := range 10 {
			t.Run(fmt.Sprintf("%v/%d", kind, round), func(t *testing.T) {
				t.Parallel()
				o := newEndOrigin(t, func(_ int, c *endConn) { c.serve() })
				addr, g := start(t, endText(o, listener, "", endDrain), Options{})
				client := &lateBeginner{endJoined: endJoined{Conn: endDial(t, addr)}, begin: make(chan bool)}
				answer := make(chan error, 1)
				go func() { answer <- client.ask(kind) }()
				endUntil(t, "the connection has begun", func() bool { return g.Status().Exchanges > 0 })
				done := beginDrain(t, g)
				close(client.begin)
				if err := <-answer; err != nil {
					t.Error(err)
				}
				if err := <-done; err != nil {
					t.Errorf("Drain: %v", err)
				}
			})
		}
	}
}

// lateBeginner sends half of its first bytes at once and the rest when it may
// begin; what it sends next goes with what comes after that.
type lateBeginner struct {
	endJoined
	before string // a PROXY header
	begin  chan bool
	begun  bool
}

func (c *lateBeginner) Write(p []byte) (int, error) {
	if c.begun {
		return c.endJoined.Write(p)
	}
	c.begun = true
	all := c.before + string(p)
	io.WriteString(c.Conn, all[:8])
	<-c.begin
	io.WriteString(c.Conn, all[8:])
	c.hold()
	return len(p), nil
}

// ask sends a request and wants it answered. With TLS it goes in one packet with
// the end of the handshake.
func (c *lateBeginner) ask(kind listenerKind) error {
	const get = "GET / HTTP/1.1\r\nHost: a\r\n\r\n"
	if kind.proxied {
		c.before = endProxyV2
	}
	if !kind.secure {
		io.WriteString(c, get)
		return wantAnswer(bufio.NewReader(c))
	}
	secure := tls.Client(c, &tls.Config{InsecureSkipVerify: true})
	if err := secure.Handshake(); err != nil {
		return fmt.Errorf("the handshake broke: %w", err)
	}
	io.WriteString(secure, get)
	if err := c.letGo(); err != nil {
		return err
	}
	return wantAnswer(bufio.NewReader(secure))
}

func wantAnswer(r *bufio.Reader) error {
	status, body, err := endAnswer(r)
	if status != 200 || body != "ok" || err != nil {
		return fmt.Errorf("answered %d %q, error %v", status, body, err)
	}
	return nil
}

// A request that had arrived behind another is answered when a drain begins
// while that one's answer is under way, wherever its bytes lie by then.
func TestDrainServesWhatWasReadAhead(t *testing.T) {
	t.Parallel()
	for _, kind := range listenerKinds {
		listener := kind.text(t)
		for round := range 10 {
			t.Run(fmt.Sprintf("%v/%d", kind, round), func(t *testing.T) {
				t.Parallel()
				release := make(chan bool)
				o := newEndOrigin(t, func(_ int, c *endConn) {
					for c.head() != "" {
						c.say(endOK[:len(endOK)-1])
						<-release
						c.say(endOK[len(endOK)-1:])
					}
				})
				addr, g := start(t, endText(o, listener, "", endDrain), Options{})
				r := pipelined(t, kind, addr)
				if _, err := r.Peek(1); err != nil { // its head did not say that the connection ends
					t.Fatal(err)
				}
				done := beginDrain(t, g)
				close(release)
				for n := range 2 {
					if err := wantAnswer(r); err != nil {
						t.Fatalf("request %d: %v", n+1, err)
					}
				}
				if err := <-done; err != nil {
					t.Errorf("Drain: %v", err)
				}
			})
		}
	}
}

// pipelined sends two requests in one packet, with TLS in two records.
func pipelined(t *testing.T, kind listenerKind, addr string) *bufio.Reader {
	t.Helper()
	held := &endJoined{Conn: endDial(t, addr)}
	var c net.Conn = held
	if kind.proxied {
		held.hold()
		io.WriteString(held, endProxyV2)
	}
	if kind.secure {
		held.letGo()
		c = tls.Client(held, &tls.Config{InsecureSkipVerify: true})
		if err := c.(*tls.Conn).Handshake(); err != nil {
			t.Fatal(err)
		}
		held.hold()
	}
	io.WriteString(c, "GET /1 HTTP/1.1\r\nHost: a\r\n\r\n")
	io.WriteString(c, "GET /2 HTTP/1.1\r\nHost: a\r\n\r\n")
	held.letGo()
	return bufio.NewReader(c)
}

// Names with an underscore in a trailer follow the same rule as those in a
// head, whether the body came with it or after it.
func TestUnderscoresInTrailers(t *testing.T) {
	t.Parallel()
	const head = "PUT / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"
	const body = "2\r\nhi\r\n0\r\nX_Under: 1\r\nX-Plain: 2\r\n\r\n"
	for _, tt := range []struct {
		names  string
		status int
		seen   string
	}{
		{"drop", 200, "PUT hiX-Plain: 2"},
		{"refuse", 400, ""},
		{"pass", 200, "PUT hiX_Under: 1\r\nX-Plain: 2"},
	} {
		for _, streamed := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s/streamed %v", tt.names, streamed), func(t *testing.T) {
				t.Parallel()
				o := newEndOrigin(t, func(_ int, c *endConn) { c.serve() })
				addr, _ := start(t, endText(o, "", "", "limits: { underscore_names: "+tt.names+" }\n"+endNoLog), Options{})
				c := endDial(t, addr)
				if streamed {
					io.WriteString(c, head)
					endHead(t, o)
					io.WriteString(c, body)
				} else {
					io.WriteString(c, head+body)
				}
				if status, text, err := endAnswer(bufio.NewReader(c)); status != tt.status || err != nil {
					t.Errorf("answered %d %q (%v), want %d", status, text, err, tt.status)
				}
				if got := strings.Join(o.seen(), "|"); tt.seen != "" && got != tt.seen {
					t.Errorf("the origin saw %q, want %q", got, tt.seen)
				}
			})
		}
	}
}
