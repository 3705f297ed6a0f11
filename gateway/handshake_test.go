package gateway

import (
	"crypto/tls"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"testing"
	"time"

	"weirkeep/gateway/config"
	"weirkeep/gateway/metrics"
)

// Why TLS with a client could not be set up is counted.
func TestFailedHandshakesAreCounted(t *testing.T) {
	t.Parallel()
	ca, strangers := newAuthority(t), newAuthority(t)
	server, known, unknown := ca.issue(t, "gw.example"), ca.issue(t, "client"), strangers.issue(t, "client")
	offers := func(version uint16, certs ...tls.Certificate) func(string) {
		return func(addr string) {
			isServed(addr, &tls.Config{RootCAs: ca.pool(), ServerName: "gw.example", MaxVersion: version, MinVersion: tls.VersionTLS10,
				GetClientCertificate: func(*tls.CertificateRequestInfo) (*tls.Certificate, error) {
					return &append(certs, tls.Certificate{})[0], nil
				}})
		}
	}
	says := func(text string) func(string) {
		return func(addr string) {
			c := dialTo(t, addr)
			io.WriteString(c, text)
			c.CloseWrite()
			io.Copy(io.Discard, c)
		}
	}
	for _, tt := range []struct {
		name   string
		client func(addr string)
		want   string // empty: none is counted
	}{
		{"a good client", offers(tls.VersionTLS13, known.tls), ""},
		{"no certificate", offers(tls.VersionTLS13), "client_certificate"},
		{"no certificate, 1.2", offers(tls.VersionTLS12), "client_certificate"},
		{"a stranger's certificate", offers(tls.VersionTLS13, unknown.tls), "client_certificate"},
		{"an old version", offers(tls.VersionTLS11, known.tls), "protocol_version"},
		{"HTTP", says("GET / HTTP/1.1\r\nHost: a\r\n\r\n"), "not_tls"},
		{"nonsense", says("\x00\x01\x02\x03\x04\x05\x06\x07"), "not_tls"},
		{"nothing", says(""), "closed"},
		{"half a hello", says("\x16\x03\x01\x01"), "closed"},
		{"does not believe us", func(addr string) { isServed(addr, &tls.Config{RootCAs: strangers.pool(), ServerName: "gw.example"}) }, "other"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			auth := fmt.Sprintf(", client_auth: { mode: require, ca: %q }", ca.file)
			addr, g := start(t, listenerText(newTeller(t, "o"), "name: in, tls: { "+certificateList(server)+auth+" }", ""), Options{})
			tt.client(addr)
			until(t, "the connection is gone", func() bool { return g.Status().Connections == 0 })
			for name, l := range g.Metrics().Current().Listeners() {
				for i := range l.Handshakes {
					reason, want := metrics.HandshakeFailure(i).String(), uint64(0)
					if reason == tt.want {
						want = 1
					}
					if n := l.Handshakes[i].Load(); n != want || name != "in" {
						t.Errorf("listener %s counted %d with %s, want %d", name, n, reason, want)
					}
				}
			}
		})
	}
}

// Who speaks HTTP to a port that speaks TLS is told so, even while it sends.
func TestPlainHTTPIsToldOfTLS(t *testing.T) {
	t.Parallel()
	server := newAuthority(t).issue(t, "gw.example")
	const want = "HTTP/1.1 400 Bad Request\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: 23\r\nConnection: close\r\n\r\nthis port speaks https\n"
	for _, tt := range []struct{ name, listener, request, want string }{
		{"GET", "", "GET / HTTP/1.1\r\nHost: a.example\r\n\r\n", want},
		{"POST with a body", "", "POST / HTTP/1.1\r\nHost: a.example\r\nContent-Length: 100000\r\n\r\n" + strings.Repeat("x", 100_000), want},
		{"behind a proxy", ", proxy_protocol: require", "PROXY TCP4 203.0.113.7 127.0.0.1 4321 80\r\nGET / HTTP/1.1\r\nHost: a.example\r\n\r\n", want},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			addr, _ := start(t, listenerText(newTeller(t, "o"), "tls: { "+certificateList(server)+" }"+tt.listener, "trusted_proxies: [127.0.0.1]\n"), Options{})
			if got := send(t, addr, tt.request); got != tt.want {
				t.Errorf("answered %q, want %q", got, tt.want)
			}
		})
	}
}

// How long certificates are valid is shown, and that they were replaced is told.
func TestReplacedCertificatesAreTold(t *testing.T) {
	t.Parallel()
	log := new(lockedBuffer)
	ca := newAuthority(t)
	first, second, next := ca.issue(t, "first.example"), ca.issue(t, "second.example"), ca.issue(t, "next.example", "more.example")
	now := first.tls.Leaf.NotAfter.Add(-time.Minute)
	addr, g := start(t, listenerText(newTeller(t, "o"), "name: in, tls: { "+certificateList(first, second)+" }", ""),
		Options{Logger: slog.New(slog.NewTextHandler(log, nil)), Now: func() time.Time { return now }})
	g.Metrics().Gauge()
	shown := 0
	for l, c := range g.Metrics().Current().Certificates() {
		shown++
		if s := c.Expiry.Load(); l.Listener != "in" || l.Certificate != first.cert && l.Certificate != second.cert || s < 55 || s > 65 {
			t.Errorf("%+v is valid for %d s, want some 60", l, s)
		}
	}
	if shown != 2 {
		t.Errorf("%d certificates are shown, want 2", shown)
	}
	replaceFile(t, next.cert, first.cert)
	replaceFile(t, next.key, first.key)
	until(t, "the new certificate is told", func() bool { return strings.Contains(log.String(), "certificate reloaded") })
	want := "file=" + first.cert + " names=\"next.example more.example\" not_after=" + next.tls.Leaf.NotAfter.Format("2006-01-02T15:04:05.000Z07:00") + "\n"
	if got := log.String(); strings.Count(got, "msg=\"certificate reloaded\"") != 1 || !strings.Contains(got, want) {
		t.Errorf("the log tells %s, want one line with %s", got, want)
	}
	if got := shownName(t, addr, "next.example", nil); got != "next.example" {
		t.Errorf("%q is shown", got)
	}
}

// Certificates that are not valid for long, or for no site, are warned of, by
// Check and by Apply.
func TestCertificatesAreWarnedOf(t *testing.T) {
	t.Parallel()
	ca := newAuthority(t)
	p := ca.issue(t, "www.shop.example", "*.api.example", "192.0.2.7", "2001:db8::7")
	start, end := p.tls.Leaf.NotBefore, p.tls.Leaf.NotAfter
	for _, tt := range []struct {
		name, hosts string
		now         time.Time
		want        string // the code, and part of the message
	}{
		{"long valid", `"**"`, start.Add(time.Hour), ""},
		{"ends soon", `"**"`, end.Add(-expiresSoon + time.Minute), "W603 the certificate expires on " + end.UTC().Format("2006-01-02")},
		{"has ended", `"**"`, end.Add(time.Second), "W603 the certificate has expired on"},
		{"has not begun", `"**"`, start.Add(-time.Second), "W603 the certificate is not valid before"},
		{"the name", `other.example, "WWW.shop.example:8443"`, start.Add(time.Hour), ""},
		{"below its wildcard", "v1.api.example", start.Add(time.Hour), ""},
		{"the same wildcard", `"*.api.example"`, start.Add(time.Hour), ""},
		{"a wildcard with the name below", `"*.shop.example:443"`, start.Add(time.Hour), ""},
		{"an address", "192.0.2.7", start.Add(time.Hour), ""},
		{"an address with a port", `"[2001:db8::7]:443"`, start.Add(time.Hour), ""},
		{"another name", "shop.example", start.Add(time.Hour), "W604 no host of any site is among its names (www.shop.example, *.api.example, 192.0.2.7, 2001:db8::7)"},
		{"another wildcard", `"*.shop2.example"`, start.Add(time.Hour), "W604 "},
		{"two levels below", "a.b.api.example", start.Add(time.Hour), "W604 "},
	} {
		t.Run(tt.name, func(t *testing.T) {
			text := fmt.Sprintf("listeners: [{ address: \"127.0.0.1:0\", tls: { %s } }]\nclusters: { app: { origins: [{ address: \"127.0.0.1:1\" }] } }\nsites: { s: { hosts: [%s] } }\nmappings: [{ site: s, cluster: app }]\naccess_log: { format: off }\n", certificateList(p), tt.hosts)
			g := New(Options{Now: func() time.Time { return tt.now }})
			defer g.Close()
			got := warnings(g.Apply(load(t, text)))
			code, message, _ := strings.Cut(tt.want, " ")
			if tt.want == "" && len(got) > 0 || tt.want != "" && (len(got) != 1 || got[0].Code != code || !strings.Contains(got[0].Message, "listeners[0].tls.certificates[0].cert: "+message) || got[0].Line != 1) {
				t.Errorf("warned of %v, want %q", got, tt.want)
			}
			if checked := warnings(Check(load(t, text))); (len(checked) > 0) != strings.HasPrefix(tt.want, "W604") {
				t.Errorf("Check, today, warns of %v", checked)
			}
		})
	}
}

func warnings(ps config.Problems) (found config.Problems) {
	for _, p := range ps {
		if p.Severity == config.Warning {
			found = append(found, p)
		}
	}
	return found
}
