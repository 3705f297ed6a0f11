package provider

import (
	"context"
	"crypto/x509"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync/atomic"
	"testing"

	"weirkeep/gateway/discover/dnstest"
	"weirkeep/gateway/wire"
)

// home is the one address that tests vouch for.
var home = netip.MustParsePrefix("127.0.0.1/32")

// resolverAt asks one name server for everything.
func resolverAt(addr string) *net.Resolver {
	return &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "udp", addr)
	}}
}

// newClient is a client of the test, which ends with it.
func newClient(t *testing.T, o Options) *Client {
	t.Helper()
	if err := o.Validate(); err != nil {
		t.Fatal(err)
	}
	c := New(o)
	t.Cleanup(c.Close)
	return c
}

// serve runs a provider on 127.0.0.1 and returns its port, with the colon.
func serve(t *testing.T, h http.HandlerFunc) string {
	t.Helper()
	s := httptest.NewServer(h)
	t.Cleanup(s.Close)
	return portOf(s.Listener.Addr())
}

func portOf(a net.Addr) string {
	s := a.String()
	return s[strings.LastIndexByte(s, ':'):]
}

// read returns the body of what a provider answers.
func read(c *Client, r *Request) (*Answer, string, error) {
	a, err := c.Get(context.Background(), r)
	if err != nil {
		return nil, "", err
	}
	defer a.Body.Close()
	b, err := io.ReadAll(a.Body)
	return a, string(b), err
}

func expectFailure(t *testing.T, err, kind error) {
	t.Helper()
	e, ok := errors.AsType[*Error](err)
	if !ok || e.Kind != kind || !errors.Is(err, kind) || e.URL == "" {
		t.Errorf("error is %v, want one of kind %q", err, kind)
	}
}

func field(h *wire.Head, name string) string {
	for _, f := range h.Fields {
		if wire.EqualFold(f.Name, name) {
			return string(f.Value)
		}
	}
	return ""
}

// What is sent is what the caller says and Host, no more.
func TestRequestIsWhatTheCallerSays(t *testing.T) {
	seen := make(chan string, 1)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	go func() {
		conn, err := listener.Accept()
		if err != nil {
			return
		}
		defer conn.Close()
		b := make([]byte, 4096)
		n, _ := conn.Read(b)
		seen <- string(b[:n])
		io.WriteString(conn, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nX-B: 2\r\nX-A: 1\r\nVia: 1.1 x\r\nX-A: 3\r\n\r\nhi")
	}()
	port := portOf(listener.Addr())
	c := newClient(t, Options{Allowed: []netip.Prefix{home}})
	a, body, err := read(c, &Request{Authority: "127.0.0.1" + port, Target: "/a%2Fb|c?x=%zz&{y}", Fields: []wire.Field{
		{Name: []byte("accept-encoding"), Value: []byte("br")},
		{Name: []byte("Connection"), Value: []byte("x-own"), Class: wire.Hop},
		{Name: []byte("Content-Length"), Value: []byte("9"), Class: wire.Framing},
		{Name: []byte("Host"), Value: []byte("other.example"), Class: wire.Host},
	}})
	if err != nil || a.Status != 200 || a.Length != 2 || body != "hi" {
		t.Fatalf("answer %+v, %q, %v", a, body, err)
	}
	if got, want := <-seen, "GET /a%2Fb|c?x=%zz&{y} HTTP/1.1\r\nHost: 127.0.0.1"+port+"\r\nAccept-Encoding: br\r\n\r\n"; got != want {
		t.Errorf("sent %q, want %q", got, want)
	}
	var fields []string
	for _, f := range a.Head.Fields {
		fields = append(fields, string(f.Name)+"="+string(f.Value))
	}
	if got, want := strings.Join(fields, " "), "Content-Length=2 Via=1.1 x X-A=1 X-A=3 X-B=2"; got != want || !a.Head.HasVia {
		t.Errorf("answered %q, want %q", got, want)
	}
}

// A target goes out as it is; one that begins like an authority in its canonical spelling.
func TestTargetsGoOutAsTheyAre(t *testing.T) {
	port := serve(t, func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, r.RequestURI) })
	c := newClient(t, Options{Allowed: []netip.Prefix{home}})
	for _, tt := range []struct{ target, sent string }{
		{"/", "/"}, {"/?", "/?"}, {"/a?b?c", "/a?b?c"}, {"/%41%2f{é}", "/%41%2f{é}"}, {"/a//b", "/a//b"},
		{"//", "//"}, {"//?", "//?"}, {"//x/y?z=%20?", "//x/y?z=%20?"}, {"//x:80@[y];a=b", "//x:80@[y];a=b"}, {"//%41%2f{é}?{|", "//A%2F%7B%C3%A9%7D?{|"},
	} {
		if _, body, err := read(c, &Request{Authority: "127.0.0.1" + port, Target: tt.target}); err != nil || body != tt.sent {
			t.Errorf("target %q was sent as %q, %v; want %q", tt.target, body, err, tt.sent)
		}
	}
}

// Whatever the status is, it is the answer: nothing is followed, decoded or kept.
func TestAnswersAreNotFollowed(t *testing.T) {
	var asked atomic.Int32
	port := serve(t, func(w http.ResponseWriter, r *http.Request) {
		asked.Add(1)
		if r.Header.Get("Cookie") != "" {
			t.Error("a cookie was kept")
		}
		w.Header().Set("Set-Cookie", "a=b")
		w.Header().Set("Location", "/elsewhere")
		w.Header().Set("Content-Encoding", "gzip")
		w.WriteHeader(302)
		io.WriteString(w, "not gzip")
	})
	c := newClient(t, Options{Allowed: []netip.Prefix{home}})
	for range 2 {
		a, body, err := read(c, &Request{Authority: "127.0.0.1" + port, Target: "/"})
		if err != nil || a.Status != 302 || body != "not gzip" || field(&a.Head, "location") != "/elsewhere" || field(&a.Head, "content-encoding") != "gzip" {
			t.Errorf("answer %+v, %q, %v", a, body, err)
		}
	}
	if n := asked.Load(); n != 2 {
		t.Errorf("the provider was asked %d times, want 2", n)
	}
}

// The environment has no say.
func TestNoProxyIsAsked(t *testing.T) {
	proxy := serve(t, func(http.ResponseWriter, *http.Request) { t.Error("the proxy was asked") })
	t.Setenv("HTTP_PROXY", "http://127.0.0.1"+proxy)
	t.Setenv("http_proxy", "http://127.0.0.1"+proxy)
	port := serve(t, func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, r.Host) })
	dns := dnstest.Start(t, "parts.example. 60 IN A 127.0.0.1")
	c := newClient(t, Options{Allowed: []netip.Prefix{home}, Resolver: resolverAt(dns.Addr)})
	if _, body, err := read(c, &Request{Authority: "Parts.Example." + port, Target: "/"}); err != nil || body != "parts.example"+port {
		t.Errorf("answer %q, %v", body, err)
	}
}

// A name is looked up once for a connection, and connections are kept.
func TestKeptConnectionsNeedNoLookUp(t *testing.T) {
	dns := dnstest.Start(t, "parts.example. 60 IN A 127.0.0.1")
	var conns atomic.Int32
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/close" {
			w.Header().Set("Connection", "close")
		}
	}))
	s.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		if state == http.StateNew {
			conns.Add(1)
		}
	}
	s.Start()
	defer s.Close()
	c := newClient(t, Options{Allowed: []netip.Prefix{home}, Resolver: resolverAt(dns.Addr)})
	for i, tt := range []struct {
		target string
		looks  int64 // so far
	}{{"/", 1}, {"/", 1}, {"/close", 1}, {"/", 2}, {"/", 2}} {
		if _, _, err := read(c, &Request{Authority: "parts.example" + portOf(s.Listener.Addr()), Target: tt.target}); err != nil {
			t.Fatal(err)
		}
		if looks := dns.Looks.Load(); looks != tt.looks || int64(conns.Load()) != tt.looks {
			t.Errorf("request %d: %d look-ups and %d connections so far, want %d", i, looks, conns.Load(), tt.looks)
		}
	}
}

// Certificates are looked at, and the name that they must have is the one that was asked for.
func TestCertificatesAreVerified(t *testing.T) {
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, r.Proto+" "+r.Host+" "+r.RequestURI) }))
	s.EnableHTTP2 = true
	s.Config.ErrorLog = nobody
	s.StartTLS()
	defer s.Close()
	dns := dnstest.Start(t, "example.com. 60 IN A 127.0.0.1", "other.example. 60 IN A 127.0.0.1")
	roots := x509.NewCertPool()
	roots.AddCert(s.Certificate())
	port := portOf(s.Listener.Addr())
	for _, tt := range []struct {
		name  string
		host  string
		roots *x509.CertPool
		body  string
	}{
		{"a name of the certificate", "example.com", roots, "HTTP/2.0 example.com" + port + " /a%2Fb|c?"},
		{"an address of the certificate", "127.0.0.1", roots, "HTTP/2.0 127.0.0.1" + port + " /a%2Fb|c?"},
		{"another name", "other.example", roots, ""},
		{"nobody vouches for it", "example.com", nil, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := newClient(t, Options{Allowed: []netip.Prefix{home}, Resolver: resolverAt(dns.Addr), Roots: tt.roots})
			_, body, err := read(c, &Request{Secure: true, Authority: tt.host + port, Target: "/a%2Fb|c?"})
			if body != tt.body {
				t.Errorf("answer %q, %v; want %q", body, err, tt.body)
			}
			if tt.body == "" {
				expectFailure(t, err, ErrUnreachable)
			}
		})
	}
}
