package gateway

import (
	"bufio"
	"bytes"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// listenerText is a configuration with one listener, in flow style, and one
// origin.
func listenerText(o *teller, listener, more string) string {
	return fmt.Sprintf("listeners: [{ address: \"127.0.0.1:0\", %s }]\nclusters: { app: { origins: [{ address: %q }] } }\naccess_log: { format: off }\n%s", listener, o.addr, more)
}

func certificateList(pairs ...pair) string {
	var list []string
	for _, p := range pairs {
		list = append(list, fmt.Sprintf("{ cert: %q, key: %q }", p.cert, p.key))
	}
	return "certificates: [" + strings.Join(list, ", ") + "]"
}

// shownName is the name in the certificate that a listener shows to a client
// that asks for a name; empty: it asks for none.
func shownName(tb testing.TB, addr, name string, roots *x509.CertPool) string {
	tb.Helper()
	c, err := tls.Dial("tcp", addr, &tls.Config{ServerName: name, RootCAs: roots, InsecureSkipVerify: true})
	if err != nil {
		tb.Fatal(err)
	}
	defer c.Close()
	return c.ConnectionState().PeerCertificates[0].Subject.CommonName
}

// The certificate is chosen by the name that the client asks for (SNI), the
// first when none fits.
func TestCertificateIsChosenByName(t *testing.T) {
	t.Parallel()
	ca := newAuthority(t)
	first, second := ca.issue(t, "first.example"), ca.issue(t, "second.example", "*.second.example")
	addr, _ := start(t, listenerText(newTeller(t, "o"), "tls: { "+certificateList(first, second)+" }", ""), Options{})
	for name, want := range map[string]string{
		"first.example": "first.example", "second.example": "second.example", "a.second.example": "second.example",
		"third.example": "first.example", "": "first.example",
	} {
		if got := shownName(t, addr, name, nil); got != want {
			t.Errorf("who asks for %q is shown %q, want %q", name, got, want)
		}
	}
	config := &tls.Config{RootCAs: ca.pool(), ServerName: "second.example", NextProtos: []string{"h2", "http/1.1"}}
	c, err := tls.Dial("tcp", addr, config)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if got := c.ConnectionState().NegotiatedProtocol; got != "http/1.1" {
		t.Errorf("ALPN chose %q, want http/1.1", got)
	}
	if got := askTLS(t, addr, config, "GET /x HTTP/1.1\r\nHost: second.example"); got.status != 200 || fieldIn(got.body, "X-Forwarded-Proto") != "https" {
		t.Errorf("%d, and the origin received %q", got.status, got.body)
	}
}

// Certificates that are replaced on disk are used soon, those that cannot be
// used never; connections that are open stay.
func TestReplacedCertificatesAreUsed(t *testing.T) {
	t.Parallel()
	ca := newAuthority(t)
	live, next, third := ca.issue(t, "old.example"), ca.issue(t, "new.example"), ca.issue(t, "third.example")
	addr, _ := start(t, listenerText(newTeller(t, "o"), "tls: { "+certificateList(live)+" }", ""), Options{})
	open := dialTLS(t, addr, &tls.Config{RootCAs: ca.pool(), ServerName: "old.example"})
	replaceFile(t, next.cert, live.cert)
	replaceFile(t, next.key, live.key)
	until(t, "the new certificate is shown", func() bool { return shownName(t, addr, "x", nil) == "new.example" })

	if err := os.WriteFile(live.cert, []byte("no certificate\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for end := time.Now().Add(2 * fileSettle); time.Now().Before(end); {
		if got := shownName(t, addr, "x", nil); got != "new.example" {
			t.Fatalf("after the file was spoilt %q is shown, want the last good one", got)
		}
	}
	replaceFile(t, third.key, live.key) // with the spoilt certificate still there
	replaceFile(t, third.cert, live.cert)
	until(t, "the repaired certificate is shown", func() bool { return shownName(t, addr, "x", nil) == "third.example" })
	io.WriteString(open, "GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
	if all, err := io.ReadAll(open); err != nil || !bytes.HasPrefix(all, []byte("HTTP/1.1 200 ")) {
		t.Errorf("the connection that was open got %q, %v", all, err)
	}
}

func dialTLS(tb testing.TB, addr string, config *tls.Config) *tls.Conn {
	tb.Helper()
	c, err := tls.Dial("tcp", addr, config)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { c.Close() })
	return c
}

// replaceFile puts the contents of one file in the place of another, as
// certificate tools do: by renaming.
func replaceFile(tb testing.TB, from, to string) {
	tb.Helper()
	text, err := os.ReadFile(from)
	if err == nil {
		err = os.WriteFile(to+".new", text, 0o600)
	}
	if err == nil {
		err = os.Rename(to+".new", to)
	}
	if err != nil {
		tb.Fatal(err)
	}
}

// A broken pair of files is a problem of Apply, and of nothing that runs.
func TestBrokenCertificatesAreAProblem(t *testing.T) {
	t.Parallel()
	ca := newAuthority(t)
	good, other := ca.issue(t, "good.example"), ca.issue(t, "other.example")
	o := newTeller(t, "o")
	addr, g := start(t, listenerText(o, "tls: { "+certificateList(good)+" }", ""), Options{})
	for _, bad := range []string{
		certificateList(pair{cert: good.cert, key: other.key}),
		certificateList(good, pair{cert: good.key, key: good.key}),
		certificateList(good) + fmt.Sprintf(", client_auth: { mode: require, ca: %q }", good.key),
	} {
		problems := g.Apply(load(t, listenerText(o, "tls: { "+bad+" }", "")))
		if problems.Errors() != 1 || !strings.Contains(problems[0].Message, "listeners[0].tls") {
			t.Errorf("tls: { %s }: problems\n%v", bad, problems)
		}
		if problems := Check(load(t, listenerText(o, "tls: { "+bad+" }", ""))); problems.Errors() != 1 {
			t.Errorf("check takes tls: { %s }", bad)
		}
	}
	if got := shownName(t, addr, "good.example", nil); got != "good.example" {
		t.Errorf("%q is shown, want the certificate that was there", got)
	}
}

// Whether a client is served, by client_auth and the certificate it shows.
func TestClientCertificates(t *testing.T) {
	t.Parallel()
	ca, clients, strangers := newAuthority(t), newAuthority(t), newAuthority(t)
	server, known, unknown := ca.issue(t, "gw.example"), clients.issue(t, "client"), strangers.issue(t, "client")
	o := newTeller(t, "o")
	for _, tt := range []struct {
		mode                 string
		none, known, unknown bool // is the client served that shows it
	}{
		{"none", true, true, true},
		{"optional", true, true, false},
		{"require", false, true, false},
	} {
		auth := ""
		if tt.mode != "none" {
			auth = fmt.Sprintf(", client_auth: { mode: %s, ca: %q }", tt.mode, clients.file)
		}
		addr, _ := start(t, listenerText(o, "tls: { "+certificateList(server)+auth+" }", ""), Options{})
		for who, shows := range map[string]struct {
			certs  []tls.Certificate
			served bool
		}{
			"no certificate": {nil, tt.none}, "a known one": {[]tls.Certificate{known.tls}, tt.known}, "an unknown one": {[]tls.Certificate{unknown.tls}, tt.unknown},
		} {
			config := &tls.Config{RootCAs: ca.pool(), ServerName: "gw.example"}
			config.GetClientCertificate = func(*tls.CertificateRequestInfo) (*tls.Certificate, error) {
				if shows.certs == nil {
					return new(tls.Certificate), nil
				}
				return &shows.certs[0], nil
			}
			if got := isServed(addr, config); got != shows.served {
				t.Errorf("client_auth %s, client shows %s: served %v, want %v", tt.mode, who, got, shows.served)
			}
		}
	}
}

// isServed reports whether a request over TLS is answered with 200.
func isServed(addr string, config *tls.Config) bool {
	c, err := tls.Dial("tcp", addr, config)
	if err != nil {
		return false
	}
	defer c.Close()
	io.WriteString(c, "GET / HTTP/1.1\r\nHost: a.example\r\nConnection: close\r\n\r\n")
	got, err := readTold(bufio.NewReader(c), "GET")
	return err == nil && got.status == 200
}

func TestLeastTLSVersion(t *testing.T) {
	t.Parallel()
	ca := newAuthority(t)
	server := certificateList(ca.issue(t, "gw.example"))
	o := newTeller(t, "o")
	for _, tt := range []struct {
		min    string
		offers uint16
		served bool
	}{
		{"", tls.VersionTLS11, false}, {"", tls.VersionTLS12, true}, {"", tls.VersionTLS13, true},
		{", min_version: \"1.3\"", tls.VersionTLS12, false}, {", min_version: \"1.3\"", tls.VersionTLS13, true},
	} {
		addr, _ := start(t, listenerText(o, "tls: { "+server+tt.min+" }", ""), Options{})
		config := &tls.Config{RootCAs: ca.pool(), ServerName: "gw.example", MinVersion: tls.VersionTLS10, MaxVersion: tt.offers}
		if got := isServed(addr, config); got != tt.served {
			t.Errorf("tls { %s }, client offers %s: served %v, want %v", tt.min, tls.VersionName(tt.offers), got, tt.served)
		}
	}
}

// A handshake that fails is no exchange: it is not recorded, and the client is
// told nothing in plain text but that TLS is missing.
func TestFailedHandshakeIsNoExchange(t *testing.T) {
	t.Parallel()
	ca := newAuthority(t)
	log := new(lockedBuffer)
	text := strings.Replace(listenerText(newTeller(t, "o"), "tls: { "+certificateList(ca.issue(t, "gw.example"))+" }", ""), "format: off", "format: json", 1)
	addr, g := start(t, text, Options{Stderr: log})
	if got := send(t, addr, "GET / HTTP/1.1\r\nHost: a.example\r\n\r\n"); strings.Contains(got, "reason:") {
		t.Errorf("a client without TLS got %q", got)
	}
	g.Close()
	if log.String() != "" {
		t.Errorf("recorded %q, want nothing", log.String())
	}
}

// A listener may redirect everything to https.
func TestRedirectToHTTPS(t *testing.T) {
	t.Parallel()
	ca := newAuthority(t)
	o := newTeller(t, "o")
	port := freePort(t)
	_, g := start(t, fmt.Sprintf(`
listeners:
  - { name: http, address: "127.0.0.1:0", redirect_to_https: true }
  - { name: https, address: "127.0.0.1:%s", tls: { %s } }
clusters: { app: { origins: [{ address: %q }] } }
access_log: { format: off }
`, port, certificateList(ca.issue(t, "a.example")), o.addr), Options{})
	addr := g.Addresses()["http"].String()
	for _, tt := range []struct{ head, location string }{
		{"GET /a?b=c HTTP/1.1\r\nHost: a.example", "https://a.example:" + port + "/a?b=c"},
		{"GET /%61 HTTP/1.1\r\nHost: a.example:80", "https://a.example:" + port + "/%61"},
		{"GET http://b.example:80?q HTTP/1.1\r\nHost: a.example", "https://b.example:" + port + "/?q"},
		{"POST / HTTP/1.1\r\nHost: [::1]:80\r\nContent-Length: 0", "https://[::1]:" + port + "/"},
	} {
		got := ask(t, addr, tt.head)
		if got.status != 308 || got.header.Get("Location") != tt.location {
			t.Errorf("%q: %d to %q, want 308 to %q", tt.head, got.status, got.header.Get("Location"), tt.location)
		}
	}
	if got := ask(t, addr, "GET / HTTP/1.0"); got.status != 400 || !strings.Contains(got.body, "reason: bad_host") {
		t.Errorf("without a host: %d %q, want 400: there is no URL to redirect to", got.status, got.body)
	}
	secure := g.Addresses()["https"].String()
	if got := askTLS(t, secure, &tls.Config{RootCAs: ca.pool(), ServerName: "a.example"}, "GET / HTTP/1.1\r\nHost: a.example"); got.origin() != "o" {
		t.Errorf("by https: %d, want the origin's answer", got.status)
	}
	if n := o.heads.Load(); n != 1 {
		t.Errorf("the origin got %d requests, want the one by https", n)
	}
}

// freePort is a port on which nobody listens.
func freePort(tb testing.TB) string {
	_, port, _ := net.SplitHostPort(freeAddress(tb))
	return port
}

// getOn asks on an open connection and reads the answer.
func getOn(c net.Conn) (told, error) {
	c.SetDeadline(time.Now().Add(20 * time.Second))
	io.WriteString(c, "GET / HTTP/1.1\r\nHost: a.example\r\n\r\n")
	return readTold(bufio.NewReader(c), "GET")
}

func dialTo(tb testing.TB, addr string) *net.TCPConn {
	tb.Helper()
	c, err := net.Dial("tcp", addr)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { c.Close() })
	return c.(*net.TCPConn)
}

// Over limits.connections clients wait, and are served when others have gone,
// whichever of the listeners they came to.
func TestConnectionLimit(t *testing.T) {
	t.Parallel()
	o := newTeller(t, "o")
	_, g := start(t, fmt.Sprintf(`
listeners: [{ name: one, address: %q }, { name: two, address: %q }, { name: three, address: %q }]
clusters: { app: { origins: [{ address: %q }] } }
access_log: { format: off }
limits: { connections: 2 }
`, freeAddress(t), freeAddress(t), freeAddress(t), o.addr), Options{})
	at := func(name string) *net.TCPConn { return dialTo(t, g.Addresses()[name].String()) }
	first, second := at("one"), at("one")
	for i, c := range []net.Conn{first, second} {
		if got, err := getOn(c); err != nil || got.status != 200 {
			t.Fatalf("connection %d of 2: %v, %v", i+1, got.status, err)
		}
	}
	third := at("three")
	io.WriteString(third, "GET / HTTP/1.1\r\nHost: a.example\r\nConnection: close\r\n\r\n")
	third.SetReadDeadline(time.Now().Add(200 * time.Millisecond))
	if n, err := third.Read(make([]byte, 1)); n != 0 || !isTimeout(err) {
		t.Fatalf("the third connection got %d bytes, %v; want it to wait", n, err)
	}
	first.Close()
	third.SetReadDeadline(time.Now().Add(20 * time.Second))
	if got, err := readTold(bufio.NewReader(third), "GET"); err != nil || got.status != 200 {
		t.Errorf("the third connection, after the first had closed: %v, %v", got.status, err)
	}
	if got, err := getOn(second); err != nil || got.status != 200 {
		t.Errorf("the second connection: %v, %v", got.status, err)
	}
}

// A client over limits.connections_per_client is closed without a word; those
// of trusted proxies are not counted.
func TestConnectionsPerClient(t *testing.T) {
	t.Parallel()
	o := newTeller(t, "o")
	text := listenerText(o, "proxy_protocol: require", "trusted_proxies: [127.0.0.1, 192.0.2.1]\nlimits: { connections_per_client: 2 }\n")
	addr, g := start(t, text, Options{})
	from := func(client string) *net.TCPConn {
		c := dialTo(t, addr)
		io.WriteString(c, "PROXY "+client+" 4321 80\r\n")
		return c
	}
	for _, tt := range []struct {
		same, other string // two addresses that are one client's, and another's
		limited     bool
	}{
		{"TCP4 203.0.113.7 127.0.0.1", "TCP4 203.0.113.8 127.0.0.1", true},
		{"TCP6 2001:db8::7 ::1", "TCP6 2001:db8:0:1::7 ::1", true},
		{"TCP4 192.0.2.1 127.0.0.1", "TCP4 192.0.2.2 127.0.0.1", false},
	} {
		one, two := from(tt.same), from(tt.same)
		for _, c := range []net.Conn{one, two} {
			if got, err := getOn(c); err != nil || got.status != 200 {
				t.Fatalf("%s: %v, %v", tt.same, got.status, err)
			}
		}
		three := from(tt.same)
		if got, err := getOn(three); (err != nil) != tt.limited {
			t.Errorf("%s: the third connection got %v, %v; limited: want %v", tt.same, got.status, err, tt.limited)
		}
		if got, err := getOn(from(tt.other)); err != nil || got.status != 200 {
			t.Errorf("%s: another client got %v, %v", tt.other, got.status, err)
		}
		one.Close()
		until(t, "the closed connection is not counted any more", func() bool {
			_, err := getOn(from(tt.same))
			return err == nil
		})
	}
	refused := uint64(0)
	for _, l := range g.Metrics().Current().Listeners() {
		refused += l.Refused.Load()
	}
	if refused < 2 {
		t.Errorf("%d connections are counted as refused, want at least 2", refused)
	}
}

// An address in use is a problem that names the listener; nothing has changed.
func TestAddressInUse(t *testing.T) {
	t.Parallel()
	o := newTeller(t, "o")
	addr, g := start(t, listenerText(o, "name: first", ""), Options{})
	used := o.addr
	problems := g.Apply(load(t, fmt.Sprintf(`
listeners: [{ name: fresh, address: "127.0.0.1:0" }, { name: taken, address: %q }]
clusters: { app: { origins: [{ address: "127.0.0.1:1" }] } }
access_log: { format: off }
`, used)))
	if problems.Errors() != 1 || problems[0].Code != "E802" || !strings.Contains(problems[0].Message, "listeners[1].address: cannot listen on "+used) || !strings.Contains(problems[0].Message, "in use") {
		t.Errorf("problems: %v", problems)
	}
	if names := sortedKeys(g.Addresses()); len(names) != 1 || names[0] != "first" {
		t.Errorf("listeners %v, want the one that was there", names)
	}
	if got := askFor(t, addr, "a.example", "/"); got.origin() != "o" {
		t.Errorf("the old configuration answers %d", got.status)
	}
	if n := g.Status().Revision; n != 1 {
		t.Errorf("revision %d, want 1", n)
	}
}

// lockedBuffer takes what a goroutine writes until another reads it.
type lockedBuffer struct {
	mu   sync.Mutex
	text strings.Builder
}

func (b *lockedBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.Write(p)
}

func (b *lockedBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.String()
}

// A listener that cannot accept says so once a second, however often it tries.
func TestFailedAcceptsAreToldRarely(t *testing.T) {
	log := new(lockedBuffer)
	l := &listener{gateway: New(Options{Logger: slog.New(slog.NewTextHandler(log, nil))})}
	l.options.Store(&listenerOptions{name: "front"})
	began := time.Now()
	for range 200 {
		term{listener: l}.waitOut(syscall.EMFILE, 0)
	}
	if n, most := strings.Count(log.String(), "cannot accept"), 1+int(time.Since(began)/time.Second); n < 1 || n > most {
		t.Errorf("it was told %d times, want 1..%d:\n%s", n, most, log)
	}
}
