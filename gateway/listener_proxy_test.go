package gateway

import (
	"crypto/tls"
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"net/netip"
	"strings"
	"testing"
	"time"
)

// proxyV2 is a PROXY header of version 2 for TCP over IPv4 or IPv6, or LOCAL.
func proxyV2(from, to string) string {
	head := []byte("\r\n\r\n\x00\r\nQUIT\n\x21")
	if from == "" {
		head[12] = 0x20
		return string(append(head, 0, 0, 0))
	}
	f, t := netip.MustParseAddrPort(from), netip.MustParseAddrPort(to)
	family := byte(0x11)
	if f.Addr().Is6() {
		family = 0x21
	}
	addresses := append(f.Addr().AsSlice(), t.Addr().AsSlice()...)
	addresses = binary.BigEndian.AppendUint16(addresses, f.Port())
	addresses = binary.BigEndian.AppendUint16(addresses, t.Port())
	head = append(head, family)
	head = binary.BigEndian.AppendUint16(head, uint16(len(addresses)))
	return string(append(head, addresses...))
}

// Where a PROXY header is required, its address is the client's if a trusted
// proxy sent it; who sends none, or is not trusted, is closed without a word.
func TestProxyProtocol(t *testing.T) {
	t.Parallel()
	ca := newAuthority(t)
	cert := certificateList(ca.issue(t, "gw.example"))
	o := newTeller(t, "o")
	const trusted, untrusted = "trusted_proxies: [127.0.0.1]\n", "trusted_proxies: [192.0.2.1]\n"
	for _, tt := range []struct {
		name, proxies, header, want string // want: the client's address; empty: closed
	}{
		{"version 1", trusted, "PROXY TCP4 203.0.113.7 127.0.0.1 4321 80\r\n", "203.0.113.7"},
		{"version 1, IPv6", trusted, "PROXY TCP6 2001:db8::7 ::1 4321 80\r\n", "2001:db8::7"},
		{"version 1, unknown", trusted, "PROXY UNKNOWN\r\n", "127.0.0.1"},
		{"version 2", trusted, proxyV2("203.0.113.8:4321", "127.0.0.1:80"), "203.0.113.8"},
		{"version 2, IPv6", trusted, proxyV2("[2001:db8::8]:4321", "[::1]:80"), "2001:db8::8"},
		{"version 2, the proxy's own", trusted, proxyV2("", ""), "127.0.0.1"},
		{"none", trusted, "", ""},
		{"nonsense", trusted, "PROXY TCP4 somebody 127.0.0.1 4321 80\r\n", ""},
		{"not from a trusted proxy", untrusted, "PROXY TCP4 203.0.113.7 127.0.0.1 4321 80\r\n", ""},
		{"version 2, not from a trusted proxy", untrusted, proxyV2("203.0.113.8:4321", "127.0.0.1:80"), ""},
	} {
		for _, secure := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, TLS %v", tt.name, secure), func(t *testing.T) {
				t.Parallel()
				listener := "proxy_protocol: require"
				if secure {
					listener += ", tls: { " + cert + " }"
				}
				log := new(lockedBuffer)
				text := strings.Replace(listenerText(o, listener, tt.proxies), "format: off", "format: json", 1)
				addr, g := start(t, text, Options{Stderr: log})
				forged := "X-Forwarded-For: 192.0.2.66\r\n"
				if tt.want == "127.0.0.1" {
					forged = "" // a trusted proxy that speaks for itself is believed
				}
				got, raw := sendProxied(t, addr, tt.header, forged, secure, ca)
				g.Close()
				if tt.want == "" {
					if raw != "" || log.String() != "" {
						t.Errorf("the client got %q and %q was recorded, want nothing", raw, log.String())
					}
					return
				}
				if got.status != 200 || fieldIn(got.body, "X-Forwarded-For") != tt.want {
					t.Errorf("%d, and the origin received %q; want X-Forwarded-For %s", got.status, got.body, tt.want)
				}
				if !strings.Contains(log.String(), `"client":"`+tt.want+`"`) {
					t.Errorf("recorded %q, want client %s", log.String(), tt.want)
				}
			})
		}
	}
}

// sendProxied sends a PROXY header and behind it a request with the given fields,
// and returns the
// answer, and its bytes.
func sendProxied(t *testing.T, addr, header, fields string, secure bool, ca *authority) (got told, raw string) {
	t.Helper()
	nc, err := net.Dial("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	defer nc.Close()
	nc.SetDeadline(time.Now().Add(20 * time.Second))
	io.WriteString(nc, header)
	var c net.Conn = nc
	if secure {
		c = tls.Client(nc, &tls.Config{RootCAs: ca.pool(), ServerName: "gw.example"})
	}
	io.WriteString(c, "GET / HTTP/1.1\r\nHost: a.example\r\n"+fields+"Connection: close\r\n\r\n")
	all, _ := io.ReadAll(c)
	if len(all) > 0 {
		got = parseTold(t, "GET", string(all))
	}
	return got, string(all)
}
