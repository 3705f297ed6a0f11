package gateway

import (
	"bufio"
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
)

// newSecureTeller is a teller that speaks TLS.
func newSecureTeller(tb testing.TB, name string, p pair) *teller {
	o := &teller{name: name}
	config := &tls.Config{Certificates: []tls.Certificate{p.tls}}
	o.socket = rawOrigin(tb, func(c net.Conn) {
		o.conns.Add(1)
		secure := tls.Server(c, config)
		if secure.Handshake() == nil {
			o.serve(secure)
		}
	})
	o.addr = o.socket.Addr().String()
	return o
}

// secureListener is a listener with TLS and its certificate's authority.
func secureListener(p pair) string {
	return fmt.Sprintf("listeners: [{ address: \"127.0.0.1:0\", tls: { certificates: [{ cert: %q, key: %q }] } }]\naccess_log: { format: off }\n", p.cert, p.key)
}

// askTLS is ask over TLS.
func askTLS(tb testing.TB, addr string, config *tls.Config, head string) told {
	tb.Helper()
	c, err := tls.Dial("tcp", addr, config)
	if err != nil {
		tb.Fatal(err)
	}
	defer c.Close()
	io.WriteString(c, head+"\r\nConnection: close\r\n\r\n")
	raw, err := io.ReadAll(c)
	if err != nil {
		tb.Fatalf("after %q: %v", raw, err)
	}
	return parseTold(tb, head, string(raw))
}

// forwardProxy is a forward proxy that answers absolute-form itself and tunnels
// CONNECT to another address, whatever name was asked for.
type forwardProxy struct {
	*teller
	to       string // where tunnels lead; empty: they are refused
	mu       sync.Mutex
	connects []string // heads of CONNECT
}

func newForwardProxy(tb testing.TB, to string) *forwardProxy {
	p := &forwardProxy{teller: &teller{name: "proxy"}, to: to}
	p.socket = rawOrigin(tb, func(c net.Conn) {
		p.conns.Add(1)
		r := bufio.NewReader(c)
		if start, _ := r.Peek(7); string(start) == "CONNECT" {
			p.tunnel(c, r)
			return
		}
		p.serve(readsFrom{c, r})
	})
	p.addr = p.socket.Addr().String()
	return p
}

// readsFrom is a connection of which some bytes were read already.
type readsFrom struct {
	net.Conn
	io.Reader
}

func (c readsFrom) Read(p []byte) (int, error) { return c.Reader.Read(p) }

func (p *forwardProxy) tunnel(c net.Conn, r *bufio.Reader) {
	head, _ := readRawHead(r)
	p.mu.Lock()
	p.connects = append(p.connects, head)
	p.mu.Unlock()
	if p.to == "" {
		io.WriteString(c, "HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n")
		return
	}
	up, err := net.Dial("tcp", p.to)
	if err != nil {
		return
	}
	defer up.Close()
	io.WriteString(c, "HTTP/1.1 200 Connected\r\nX-Filler: y\r\n\r\n")
	go io.Copy(up, r)
	io.Copy(c, up)
}

// asked are the heads of CONNECT so far.
func (p *forwardProxy) asked() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.connects)
}

func proxyCluster(p *forwardProxy, more string) string {
	return fmt.Sprintf("clusters: { out: { origins: [{ address: %q, kind: proxy }]%s } }\n", p.addr, more)
}

// M-SITE-08: a proxy gets http requests in absolute form.
func TestProxyGetsAbsoluteForm(t *testing.T) {
	t.Parallel()
	p := newForwardProxy(t, "")
	for _, tt := range []struct{ more, head, line, host string }{
		{"", "GET /a?b=c HTTP/1.1\r\nHost: out.example", "GET http://out.example/a?b=c HTTP/1.1", "out.example"},
		{"", "GET /a HTTP/1.1\r\nHost: out.example:8080", "GET http://out.example:8080/a HTTP/1.1", "out.example:8080"},
		{"", "POST http://out.example HTTP/1.1\r\nHost: x\r\nContent-Length: 0", "POST http://out.example/ HTTP/1.1", "out.example"},
		{", host_header: inner.example", "GET /a HTTP/1.1\r\nHost: out.example", "GET http://inner.example/a HTTP/1.1", "inner.example"},
	} {
		addr, _ := start(t, plainListener+proxyCluster(p, tt.more), Options{})
		got := ask(t, addr, tt.head)
		if got.line() != tt.line || fieldIn(got.body, "Host") != tt.host {
			t.Errorf("%q, %s: the proxy received %q, want %q and Host %q", tt.head, tt.more, got.body, tt.line, tt.host)
		}
	}
}

// M-SITE-08: what came by https goes through a tunnel of the proxy, with TLS to
// the site in it; the tunnel is kept and is nobody else's.
func TestProxyTunnelsHTTPS(t *testing.T) {
	t.Parallel()
	ca := newAuthority(t)
	inner := newSecureTeller(t, "inner", ca.issue(t, "out.example", "other.example"))
	p := newForwardProxy(t, inner.addr)
	addr, _ := start(t, secureListener(ca.issue(t, "gw.example"))+proxyCluster(p, fmt.Sprintf(", tls: { ca: %q }", ca.file)), Options{})
	client := &tls.Config{RootCAs: ca.pool(), ServerName: "gw.example"}
	for _, host := range []string{"out.example", "out.example", "other.example", "out.example:443"} {
		got := askTLS(t, addr, client, "GET /a?b HTTP/1.1\r\nHost: "+host)
		if got.origin() != "inner" || got.line() != "GET /a?b HTTP/1.1" || fieldIn(got.body, "Host") != host {
			t.Errorf("%s: %d, origin %q received %q", host, got.status, got.origin(), got.body)
		}
	}
	for i, want := range []string{"out.example:443", "other.example:443", "out.example:443"} {
		if heads := p.asked(); i >= len(heads) || !strings.HasPrefix(heads[i], "CONNECT "+want+" HTTP/1.1\r\nHost: "+want+"\r\n") {
			t.Errorf("tunnels %q, want number %d to %s", heads, i+1, want)
		}
	}
	if got := askTLSStatus(t, addr, client, "evil.example"); got != 502 {
		t.Errorf("a site whose certificate does not fit was answered %d, want 502", got)
	}
}

func askTLSStatus(tb testing.TB, addr string, config *tls.Config, host string) int {
	tb.Helper()
	return askTLS(tb, addr, config, "GET / HTTP/1.1\r\nHost: "+host).status
}

// A proxy that refuses to connect is a failed connect; it is not taken for down.
func TestProxyThatRefusesToConnect(t *testing.T) {
	t.Parallel()
	ca := newAuthority(t)
	p := newForwardProxy(t, "")
	addr, g := start(t, secureListener(ca.issue(t, "gw.example"))+proxyCluster(p, fmt.Sprintf(", tls: { ca: %q }", ca.file)), Options{})
	got := askTLS(t, addr, &tls.Config{RootCAs: ca.pool(), ServerName: "gw.example"}, "GET / HTTP/1.1\r\nHost: out.example")
	if got.status != 502 || !strings.Contains(got.body, "reason: connect_failed") {
		t.Errorf("%d %q, want 502 connect_failed", got.status, got.body)
	}
	if !g.Status().Origins[0].Up {
		t.Error("the proxy, which answers, is shown as down")
	}
}

// An https origin must show a certificate of the configured authority for the
// configured name, unless verify is false.
func TestHTTPSOrigins(t *testing.T) {
	t.Parallel()
	ca, other := newAuthority(t), newAuthority(t)
	named := newSecureTeller(t, "named", ca.issue(t, "shop.internal"))
	byIP := newSecureTeller(t, "byip", ca.issue(t, "127.0.0.1"))
	plain := &teller{addr: rawOrigin(t, func(c net.Conn) { io.WriteString(c, "HTTP/1.1 400 Bad Request\r\n\r\n") }).Addr().String()}
	for _, tt := range []struct {
		name   string
		origin *teller
		tls    string
		want   int
	}{
		{"authority and name fit", named, fmt.Sprintf("ca: %q, server_name: shop.internal", ca.file), 200},
		{"the origin's own host is the name", byIP, fmt.Sprintf("ca: %q", ca.file), 200},
		{"another name", named, fmt.Sprintf("ca: %q, server_name: other.internal", ca.file), 502},
		{"host is not in the certificate", named, fmt.Sprintf("ca: %q", ca.file), 502},
		{"another authority", named, fmt.Sprintf("ca: %q, server_name: shop.internal", other.file), 502},
		{"the system's authorities", named, "server_name: shop.internal", 502},
		{"not verified", named, "verify: false", 200},
		{"no TLS at the other end", plain, "verify: false", 502},
	} {
		t.Run(tt.name, func(t *testing.T) {
			addr, _ := start(t, plainListener+fmt.Sprintf("clusters: { app: { origins: [{ address: \"https://%s\" }], tls: { %s }, connect_timeout: 5s } }\n", tt.origin.addr, tt.tls), Options{})
			got := askFor(t, addr, "a.example", "/x")
			if got.status != tt.want || tt.want == 502 && !strings.Contains(got.body, "reason: tls_failed") {
				t.Errorf("%d %q, want %d", got.status, got.body, tt.want)
			}
			if tt.want == 200 && (got.line() != "GET /x HTTP/1.1" || fieldIn(got.body, "Host") != "a.example") {
				t.Errorf("the origin received %q", got.body)
			}
		})
	}
}

// What host_header says, also for an attempt at another origin.
func TestHostHeader(t *testing.T) {
	t.Parallel()
	a := newTeller(t, "a")
	port := a.addr[strings.LastIndexByte(a.addr, ':'):]
	for _, tt := range []struct{ cluster, want string }{
		{fmt.Sprintf("origins: [{ address: %q }]", a.addr), "client.example:81"},
		{fmt.Sprintf("origins: [{ address: %q }], host_header: client", a.addr), "client.example:81"},
		{fmt.Sprintf("origins: [{ address: \"localhost%s\" }], host_header: origin", port), "localhost" + port},
		{fmt.Sprintf("origins: [{ address: %q }], host_header: inner.example", a.addr), "inner.example"},
		{fmt.Sprintf("origins: [{ address: %q }], host_header: \"inner.example:8443\"", a.addr), "inner.example:8443"},
	} {
		addr, _ := start(t, plainListener+"clusters: { app: { "+tt.cluster+" } }\n", Options{})
		got := askFor(t, addr, "client.example:81", "/")
		if hosts := fieldsIn(got.body, "Host"); len(hosts) != 1 || hosts[0] != tt.want {
			t.Errorf("%s: Host %q, want %q", tt.cluster, hosts, tt.want)
		}
		if got := fieldIn(got.body, "X-Forwarded-Host"); got != "client.example:81" {
			t.Errorf("%s: X-Forwarded-Host %q, want what the client asked for", tt.cluster, got)
		}
	}
}

// A further attempt says the host of the origin it is made at, and has the
// request's body and the site's edits once.
func TestFurtherAttemptIsWrittenForItsOrigin(t *testing.T) {
	t.Parallel()
	down := closedAddress(t)
	app, proxy := newTeller(t, "app"), newForwardProxy(t, "")
	const site = `
sites: { a: { hosts: ["**"], headers: { request: { set: { X-Env: prod }, remove: [X-Debug] } } } }
mappings: [{ site: a, cluster: app }]
`
	for _, tt := range []struct{ second, line, host string }{
		{fmt.Sprintf("{ address: %q }", app.addr), "POST /x HTTP/1.1", app.addr},
		{fmt.Sprintf("{ address: %q, kind: proxy }", proxy.addr), "POST http://" + proxy.addr + "/x HTTP/1.1", proxy.addr},
	} {
		addr, _ := start(t, plainListener+fmt.Sprintf("clusters: { app: { origins: [{ address: %q }, %s], host_header: origin } }\n", down, tt.second)+site, Options{})
		raw := send(t, addr, "POST /x HTTP/1.1\r\nHost: a.example\r\nX-Debug: 1\r\nContent-Length: 5\r\nConnection: close\r\n\r\nhello")
		got := parseTold(t, "POST", raw)
		if got.line() != tt.line || fieldIn(got.body, "Host") != tt.host {
			t.Errorf("received %q, want %q with Host %q", got.body, tt.line, tt.host)
		}
		if !strings.HasSuffix(got.body, "\r\n\r\nhello") || fieldIn(got.body, "X-Env") != "prod" || fieldIn(got.body, "X-Debug") != "" {
			t.Errorf("received %q, want the edits and the body once", got.body)
		}
	}
}

// closedAddress is an address on which nobody listens while the test runs: the port is taken.
func closedAddress(tb testing.TB) string {
	tb.Helper()
	socket, err := syscall.Socket(syscall.AF_INET, syscall.SOCK_STREAM|syscall.SOCK_CLOEXEC, 0)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { syscall.Close(socket) })
	if err := syscall.Bind(socket, &syscall.SockaddrInet4{Addr: [4]byte{127, 0, 0, 1}}); err != nil {
		tb.Fatal(err)
	}
	bound, err := syscall.Getsockname(socket)
	if err != nil {
		tb.Fatal(err)
	}
	return fmt.Sprint("127.0.0.1:", bound.(*syscall.SockaddrInet4).Port)
}

// freeAddress is an address to listen at.
func freeAddress(tb testing.TB) string {
	tb.Helper()
	socket, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		tb.Fatal(err)
	}
	defer socket.Close()
	return socket.Addr().String()
}

// strip_prefix takes the prefix off the target as it was sent, and nothing else.
func TestStripPrefix(t *testing.T) {
	t.Parallel()
	tellers := []*teller{newTeller(t, "api"), newTeller(t, "kept"), newTeller(t, "rest")}
	addr, _ := start(t, mapped(tellers, `{ a: { hosts: ["**"] } }`, `
  - { site: a, prefix: /api, strip_prefix: true, cluster: api }
  - { site: a, prefix: /v1/, strip_prefix: true, cluster: api }
  - { site: a, prefix: /kept, cluster: kept }
  - { site: a, strip_prefix: true, cluster: rest }
`), Options{})
	for _, tt := range []struct{ target, origin, received string }{
		{"/api/x", "api", "/x"},
		{"/api", "api", "/"},
		{"/api/", "api", "/"},
		{"/api?q=/api", "api", "/?q=/api"},
		{"/api/?q", "api", "/?q"},
		{"/%61pi/x", "api", "/x"},
		{"/%61%70%69", "api", "/"},
		{"/%61pi?a=%61", "api", "/?a=%61"},
		{"/api/%61b/%2F/..;", "", ""},
		{"/api/%61b//c%2Fd?e=f?g", "api", "/%61b//c%2Fd?e=f?g"},
		{"/api//x", "api", "//x"},
		{"/api/api/x", "api", "/api/x"},
		{"/v1/x", "api", "/x"},
		{"/v1/", "api", "/"},
		{"/v1", "rest", "/v1"},
		{"/apix", "rest", "/apix"},
		{"http://a.example/api/y?z", "api", "/y?z"},
		{"/kept/x", "kept", "/kept/x"},
		{"/", "rest", "/"},
	} {
		got := askFor(t, addr, "a.example", tt.target)
		if tt.origin == "" {
			if got.status != 400 {
				t.Errorf("%s: %d, want 400", tt.target, got.status)
			}
			continue
		}
		if got.origin() != tt.origin || got.line() != "GET "+tt.received+" HTTP/1.1" {
			t.Errorf("%s: %q received %q, want %q and %s", tt.target, got.origin(), got.line(), tt.origin, tt.received)
		}
	}
}

// Round robin takes turns; random reaches all; a mapping may have its own.
func TestBalancers(t *testing.T) {
	t.Parallel()
	a, b, c := newTeller(t, "a"), newTeller(t, "b"), newTeller(t, "c")
	addr, _ := start(t, plainListener+`
clusters:
  turns: { origins: `+inline(a, b, c)+` }
  chance: { origins: `+inline(a, b, c)+`, balancer: random }
sites: { s: { hosts: ["**"] } }
mappings:
  - { site: s, prefix: /turns, cluster: turns }
  - { site: s, prefix: /chance, cluster: chance }
  - { site: s, prefix: /own-turns, cluster: chance, balancer: round-robin }
  - { site: s, prefix: /own-chance, cluster: turns, balancer: random }
`, Options{})
	const turns = "abcabcabcabcabcabcabcabcabcabcabcabcabcabcabcabc"
	for target, inTurn := range map[string]bool{"/turns": true, "/own-turns": true, "/chance": false, "/own-chance": false} {
		var seen strings.Builder
		for range len(turns) {
			seen.WriteString(askFor(t, addr, "s.example", target).origin())
		}
		if got := seen.String(); (got == turns) != inTurn || strings.Trim(got, "abc") != "" {
			t.Errorf("%s was answered by %s, in turn: want %v", target, got, inTurn)
		}
		for _, name := range []string{"a", "b", "c"} { // all 48 miss one by chance: 1 in 10^8
			if !strings.Contains(seen.String(), name) {
				t.Errorf("%s never went to %s", target, name)
			}
		}
	}
}

// An origin that refuses connections is passed over, and tried again after ten
// seconds by one request, which does not suffer from it.
func TestOriginsThatAreDownArePassedOver(t *testing.T) {
	t.Parallel()
	up := newTeller(t, "up")
	var dials atomic.Int64
	down := freeAddress(t)
	addr, g := start(t, plainListener+fmt.Sprintf(`
clusters: { app: { origins: [{ name: down, address: %q }, { name: up, address: %q }] } }
`, down, up.addr), Options{Dial: countDials(&dials, down)})
	begin := time.Now()
	for range 30 {
		if got := askFor(t, addr, "a.example", "/"); got.status != 200 {
			t.Fatalf("answered %d while one origin is up", got.status)
		}
	}
	if n, most := dials.Load(), 1+int64(time.Since(begin)/(10*time.Second)); n < 1 || n > most {
		t.Errorf("the origin that is down was tried %d times, want 1..%d", n, most)
	}
	if s := g.Status(); s.Origins[0].Up || !s.Origins[1].Up || !s.Ready {
		t.Errorf("status %+v, want the first origin down and the gateway ready", s)
	}
	tellAt(t, down, "down")
	until(t, "the origin is tried again", func() bool { return askFor(t, addr, "a.example", "/").origin() == "down" })
	if !g.Status().Origins[0].Up {
		t.Error("the origin that is back is shown as down")
	}
}

// With every origin out a request is answered at once, and says why; from time
// to time one tries whether an origin is back (M-FO-07, X-44).
func TestAllOriginsDown(t *testing.T) {
	t.Parallel()
	addr, g := start(t, plainListener+fmt.Sprintf("clusters: { app: { origins: [{ address: %q }, { address: %q }] } }\n", closedAddress(t), closedAddress(t)), Options{})
	for i := range 5 {
		status, reason := 503, "reason: no_origin"
		if i == 0 {
			status, reason = 502, "reason: connect_refused"
		}
		if got := askFor(t, addr, "a.example", "/"); got.status != status || !strings.Contains(got.body, reason) {
			t.Fatalf("answer %d: %d %q, want %d %s", i, got.status, got.body, status, reason)
		}
	}
	// Without checks of its own a gateway that was not asked would never find out
	// that an origin is back: so it stays ready, and answers.
	if s := g.Status(); !s.Ready || s.Origins[0].Up {
		t.Errorf("ready %v (%s), origin up %v; want ready in front of an origin that is down", s.Ready, s.NotReady, s.Origins[0].Up)
	}
}

// How often a request is sent, by method, retries and what the origin does.
func TestRetries(t *testing.T) {
	t.Parallel()
	const post = "POST / HTTP/1.1\r\nHost: a.example\r\nContent-Length: 5\r\n\r\nhello"
	const get = "GET / HTTP/1.1\r\nHost: a.example\r\n\r\n"
	put := strings.Replace(post, "POST", "PUT", 1)
	for _, tt := range []struct {
		name, request string
		retries       int
		then          string // what the origins do with a request
		sent          int64
		status        int
	}{
		{"GET, none", get, 0, "close", 1, 502},
		{"GET, one", get, 1, "close", 2, 502},
		{"GET, two", get, 2, "close", 3, 502},
		{"PUT with a body that is here", put, 1, "close", 2, 502},
		{"POST is not repeated", post, 3, "close", 1, 502},
		{"PATCH is not repeated", strings.Replace(post, "POST", "PATCH", 1), 3, "close", 1, 502},
		{"an answer that began is not repeated", get, 3, "HTTP/1.1 2", 1, 502},
		{"a malformed answer is not repeated", get, 3, "nonsense\r\n\r\n", 1, 502},
		{"an answer is an answer", get, 3, "HTTP/1.1 503 Busy\r\nContent-Length: 0\r\n\r\n", 1, 503},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var sent atomic.Int64
			serve := func(c net.Conn) {
				r := bufio.NewReader(c)
				head, err := readRawHead(r)
				if err != nil {
					return
				}
				sent.Add(1)
				readRawBody(r, head)
				if tt.then != "close" {
					io.WriteString(c, tt.then)
				}
			}
			one, two := rawOrigin(t, serve), rawOrigin(t, serve)
			addr, _ := start(t, plainListener+fmt.Sprintf("clusters: { app: { origins: [{ address: %q }, { address: %q }], retry: { retries: %d } } }\n", one.Addr(), two.Addr(), tt.retries), Options{})
			got := parseTold(t, tt.request, send(t, addr, strings.Replace(tt.request, "\r\n\r\n", "\r\nConnection: close\r\n\r\n", 1)))
			if got.status != tt.status || sent.Load() != tt.sent {
				t.Errorf("%d after %d attempts, want %d after %d", got.status, sent.Load(), tt.status, tt.sent)
			}
		})
	}
}

// A POST goes to another origin if the first could not be connected to: nothing
// of it was sent.
func TestFailedConnectRepeatsAnyMethod(t *testing.T) {
	t.Parallel()
	up := newTeller(t, "up")
	addr, _ := start(t, plainListener+fmt.Sprintf("clusters: { app: { origins: [{ address: %q }, { address: %q }] } }\n", closedAddress(t), up.addr), Options{})
	big := strings.Repeat("b", 100<<10) // not here as a whole when the first attempt is made
	for _, body := range []string{"hello", big} {
		raw := send(t, addr, "POST / HTTP/1.1\r\nHost: a.example\r\nConnection: close\r\nContent-Length: "+strconv.Itoa(len(body))+"\r\n\r\n"+body)
		if got := parseTold(t, "POST", raw); got.status != 200 || !strings.HasSuffix(got.body, "\r\n\r\n"+body) {
			t.Errorf("POST of %d bytes: %d, want 200 with the whole body sent", len(body), got.status)
		}
	}
}

// countDials counts the connections that are tried to one address.
func countDials(n *atomic.Int64, to string) func(context.Context, string, string) (net.Conn, error) {
	return func(ctx context.Context, network, address string) (net.Conn, error) {
		if address == to {
			n.Add(1)
		}
		return dialTCP(ctx, network, address)
	}
}
