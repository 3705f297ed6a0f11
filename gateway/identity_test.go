package gateway

import (
	"bufio"
	"fmt"
	"net"
	"strings"
	"testing"
)

// identityGateway is a gateway with a teller behind it that trusts the given
// proxies, and its access log.
func identityGateway(t *testing.T, listen, trusted, more string) (addr string, g *Gateway, log *lockedBuffer) {
	t.Helper()
	log = new(lockedBuffer)
	addr, g = start(t, fmt.Sprintf(`
node: { name: edge-1 }
listeners: [{ address: %q }]
clusters: { app: { origins: [{ address: %q }] } }
trusted_proxies: [%s]
%s`, listen, newTeller(t, "o").addr, trusted, more), Options{Stderr: log})
	return addr, g, log
}

// Who the client is: for the origin and for the log, by what is trusted
// (PH-01, PH-02, PH-04, PH-05).
func TestClientAddress(t *testing.T) {
	t.Parallel()
	const nobody, peer = "192.0.2.200", "127.0.0.1, 10.0.0.0/8, 2001:db8:f::/48"
	for _, tt := range []struct {
		name, trusted, fields string
		upstream, client      string
	}{
		{"none", nobody, "", "127.0.0.1", "127.0.0.1"},
		{"PH-01: forged, not trusted", nobody, "X-Forwarded-For: 203.0.113.9\r\n", "127.0.0.1", "127.0.0.1"},
		{"forged in Forwarded", nobody, "Forwarded: for=203.0.113.9\r\n", "127.0.0.1", "127.0.0.1"},
		{"trusted proxy says nothing", peer, "", "127.0.0.1", "127.0.0.1"},
		{"trusted", peer, "X-Forwarded-For: 203.0.113.9\r\n", "203.0.113.9, 127.0.0.1", "203.0.113.9"},
		{"PH-02: a chain is kept", peer, "X-Forwarded-For: 192.0.2.1, 192.0.2.2\r\n", "192.0.2.1, 192.0.2.2, 127.0.0.1", "192.0.2.2"},
		{"PH-02: two lines become one", peer, "X-Forwarded-For: 192.0.2.1\r\nx-forwarded-for: 192.0.2.2\r\n", "192.0.2.1, 192.0.2.2, 127.0.0.1", "192.0.2.2"},
		{"PH-04: rightmost that is not trusted", peer, "X-Forwarded-For: 192.0.2.66, 203.0.113.9, 10.0.0.1\r\n", "192.0.2.66, 203.0.113.9, 10.0.0.1, 127.0.0.1", "203.0.113.9"},
		{"PH-04: over two lines", peer, "X-Forwarded-For: 192.0.2.66, 203.0.113.9\r\nX-Forwarded-For: 10.0.0.1\r\n", "192.0.2.66, 203.0.113.9, 10.0.0.1, 127.0.0.1", "203.0.113.9"},
		{"all of them trusted", peer, "X-Forwarded-For: 10.0.0.2, 10.0.0.1\r\n", "10.0.0.2, 10.0.0.1, 127.0.0.1", "10.0.0.2"},
		{"PH-05: with a port", peer, "X-Forwarded-For: 192.0.2.1:1234\r\n", "192.0.2.1:1234, 127.0.0.1", "192.0.2.1"},
		{"PH-05: IPv6 with a port", peer, "X-Forwarded-For: [2001:db8::1]:99\r\n", "[2001:db8::1]:99, 127.0.0.1", "2001:db8::1"},
		{"IPv6 in brackets", peer, "X-Forwarded-For: [2001:db8::1]\r\n", "[2001:db8::1], 127.0.0.1", "2001:db8::1"},
		{"IPv4 mapped to IPv6 is trusted too", peer, "X-Forwarded-For: 203.0.113.9, ::ffff:10.0.0.1\r\n", "203.0.113.9, ::ffff:10.0.0.1, 127.0.0.1", "203.0.113.9"},
		{"IPv6 proxy", peer, "X-Forwarded-For: 203.0.113.9, 2001:db8:f::1\r\n", "203.0.113.9, 2001:db8:f::1, 127.0.0.1", "203.0.113.9"},
		{"what is no address ends the search", peer, "X-Forwarded-For: 203.0.113.9, unknown, 10.0.0.1\r\n", "203.0.113.9, unknown, 10.0.0.1, 127.0.0.1", "10.0.0.1"},
		{"Forwarded", peer, "Forwarded: for=203.0.113.9;proto=https\r\n", "127.0.0.1", "203.0.113.9"},
		{"Forwarded, a chain", peer, "Forwarded: for=192.0.2.66, for=203.0.113.9\r\nForwarded: By=10.9.9.9;FOR=10.0.0.1\r\n", "127.0.0.1", "203.0.113.9"},
		{"Forwarded, IPv6 with a port", peer, "Forwarded: for=\"[2001:db8::1]:99\"\r\n", "127.0.0.1", "2001:db8::1"},
		{"Forwarded, hidden", peer, "Forwarded: for=203.0.113.9, for=_hidden\r\n", "127.0.0.1", "127.0.0.1"},
		{"X-Forwarded-For before Forwarded", peer, "Forwarded: for=192.0.2.66\r\nX-Forwarded-For: 203.0.113.9\r\n", "203.0.113.9, 127.0.0.1", "203.0.113.9"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			addr, g, log := identityGateway(t, "127.0.0.1:0", tt.trusted, "")
			got := ask(t, addr, strings.TrimSuffix("GET / HTTP/1.1\r\nHost: a.example\r\n"+tt.fields, "\r\n"))
			if lines := fieldsIn(got.body, "X-Forwarded-For"); len(lines) != 1 || lines[0] != tt.upstream {
				t.Errorf("the origin received X-Forwarded-For %q, want one line %q", lines, tt.upstream)
			}
			if sent := strings.Count(tt.fields, "Forwarded: ") - strings.Count(tt.fields, "X-Forwarded"); sent > 0 {
				checkForwarded(t, fieldsIn(got.body, "Forwarded"), sent, tt.trusted == peer)
			}
			g.Close()
			if want := `"client":"` + tt.client + `","peer":"127.0.0.1"`; !strings.Contains(log.String(), want) {
				t.Errorf("recorded %q, want %s", log.String(), want)
			}
		})
	}
}

// checkForwarded: a trusted proxy's lines are passed on with ours behind them,
// anybody else's are not.
func checkForwarded(t *testing.T, lines []string, sent int, trusted bool) {
	t.Helper()
	switch {
	case !trusted && len(lines) > 0:
		t.Errorf("the origin received Forwarded %q from somebody who is not trusted", lines)
	case trusted && (len(lines) != sent+1 || lines[sent] != "for=127.0.0.1;proto=http"):
		t.Errorf("the origin received Forwarded %q, want %d lines and ours", lines, sent)
	}
}

// PH-05: an IPv4 client of a dual-stack listener is an IPv4 client.
func TestDualStackListenerSeesIPv4(t *testing.T) {
	t.Parallel()
	_, g, log := identityGateway(t, "[::]:0", "127.0.0.1/32", "")
	var port int
	for _, a := range g.Addresses() {
		port = a.(*net.TCPAddr).Port
	}
	got := ask(t, fmt.Sprintf("127.0.0.1:%d", port), "GET / HTTP/1.1\r\nHost: a.example\r\nX-Forwarded-For: 203.0.113.9")
	if xff := fieldIn(got.body, "X-Forwarded-For"); xff != "203.0.113.9, 127.0.0.1" {
		t.Errorf("X-Forwarded-For %q, want the trusted peer in IPv4 form at the end", xff)
	}
	g.Close()
	if !strings.Contains(log.String(), `"client":"203.0.113.9","peer":"127.0.0.1"`) {
		t.Errorf("recorded %q", log.String())
	}
}

// identityNames are the fields by which a client could claim to be somebody else
// or to have asked for something else.
var identityNames = []string{
	"CF-Connecting-IP", "Client-Cert", "Client-Cert-Chain", "Client-IP", "Fastly-Client-IP", "Forwarded",
	"True-Client-IP", "X-Client-IP", "X-Cluster-Client-IP", "X-Envoy-External-Address", "X-Forwarded",
	"X-Forwarded-By", "X-Forwarded-Client-Cert", "X-Forwarded-For", "X-Forwarded-Host", "X-Forwarded-Port",
	"X-Forwarded-Prefix", "X-Forwarded-Proto", "X-Forwarded-Scheme", "X-Forwarded-Server", "X-Forwarded-Ssl",
	"X-Host", "X-HTTP-Host-Override", "X-Original-Forwarded-For", "X-Original-Host", "X-Original-URL",
	"X-Originating-IP", "X-Real-IP", "X-Remote-Addr", "X-Remote-IP", "X-Rewrite-URL",
}

// From somebody who is not trusted none of them reaches the origin, however it
// is written; from a trusted proxy all of them do.
func TestIdentityFields(t *testing.T) {
	t.Parallel()
	open, _, _ := identityGateway(t, "127.0.0.1:0", "192.0.2.200", "")
	passing, _, _ := identityGateway(t, "127.0.0.1:0", "192.0.2.200", "limits: { underscore_names: pass }\n")
	trusting, _, _ := identityGateway(t, "127.0.0.1:0", "127.0.0.1", "")
	for _, name := range identityNames {
		under := strings.ReplaceAll(name, "-", "_")
		for _, spelt := range []string{name, strings.ToLower(name), strings.ToUpper(name), under} {
			for _, addr := range []string{open, passing} {
				got := ask(t, addr, "GET / HTTP/1.1\r\nHost: a.example\r\n"+spelt+": forged-value")
				if got.status != 200 || strings.Contains(got.body, "forged-value") {
					t.Errorf("%s: %d, and the origin received %q", spelt, got.status, got.body)
				}
			}
		}
		got := ask(t, trusting, "GET / HTTP/1.1\r\nHost: a.example\r\n"+name+": vouched-value")
		if values := fieldsIn(got.body, name); len(values) == 0 || !strings.HasPrefix(values[0], "vouched-value") {
			t.Errorf("%s from a trusted proxy: the origin received %q", name, got.body)
		}
	}
}

// What the gateway says of itself: by which protocol and host it was asked.
func TestForwardedProtoAndHost(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ trusted, fields, proto, host string }{
		{"192.0.2.200", "", "http", "a.example:81"},
		{"192.0.2.200", "\r\nX-Forwarded-Proto: https\r\nX-Forwarded-Host: b.example", "http", "a.example:81"},
		{"127.0.0.1", "", "http", "a.example:81"},
		{"127.0.0.1", "\r\nX-Forwarded-Proto: https\r\nX-Forwarded-Host: b.example", "https", "b.example"},
	} {
		addr, _, _ := identityGateway(t, "127.0.0.1:0", tt.trusted, "")
		got := ask(t, addr, "GET / HTTP/1.1\r\nHost: a.example:81"+tt.fields)
		proto, host := fieldsIn(got.body, "X-Forwarded-Proto"), fieldsIn(got.body, "X-Forwarded-Host")
		if len(proto) != 1 || proto[0] != tt.proto || len(host) != 1 || host[0] != tt.host {
			t.Errorf("trusted %s, %q: proto %q, host %q; want one %s and one %s", tt.trusted, tt.fields, proto, host, tt.proto, tt.host)
		}
	}
}

// Via names this node and the version in which the message came, and keeps what
// was there, both ways.
func TestVia(t *testing.T) {
	t.Parallel()
	version := make(chan string, 1)
	o := rawOrigin(t, func(c net.Conn) {
		readRawHead(bufio.NewReader(c))
		fmt.Fprintf(c, "HTTP/%s 200 OK\r\nVia: 1.0 inner\r\nConnection: close\r\n\r\n", <-version)
	})
	addr, _ := start(t, fmt.Sprintf("node: { name: edge-1 }\nlisteners: [{ address: \"127.0.0.1:0\" }]\nclusters: { app: { origins: [{ address: %q }] } }\naccess_log: { format: off }\n", o.Addr()), Options{})
	for _, v := range []string{"1.1", "1.0"} {
		version <- v
		got := ask(t, addr, "GET / HTTP/1.1\r\nHost: a.example")
		if via := strings.Join(got.header.Values("Via"), ", "); via != "1.0 inner, "+v+" edge-1" {
			t.Errorf("answer of HTTP/%s: Via %q", v, via)
		}
	}
	told, _, _ := identityGateway(t, "127.0.0.1:0", "192.0.2.200", "")
	for head, want := range map[string]string{
		"GET / HTTP/1.1\r\nHost: a.example\r\nVia: 1.1 outer":                  "1.1 outer, 1.1 edge-1",
		"GET / HTTP/1.0\r\nHost: a.example":                                    "1.0 edge-1",
		"GET / HTTP/1.1\r\nHost: a.example\r\nVia: 2.0 a (x, y)\r\nVia: 1.1 b": "2.0 a (x, y), 1.1 b, 1.1 edge-1",
	} {
		if got := fieldIn(ask(t, told, head).body, "Via"); got != want {
			t.Errorf("%q: the origin received Via %q, want %q", head, got, want)
		}
	}
}
