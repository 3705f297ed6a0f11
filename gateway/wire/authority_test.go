package wire

import (
	"errors"
	"fmt"
	"net/netip"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestAuthorities(t *testing.T) {
	for _, tt := range []struct {
		raw  string
		host string
		port int
	}{
		{raw: "a.example", host: "a.example"},
		{raw: "A.Example.", host: "a.example"},
		{raw: "a.example:8080", host: "a.example", port: 8080},
		{raw: "a.example.:65535", host: "a.example", port: 65535},
		{raw: "my_service-1", host: "my_service-1"},
		{raw: "xn--mnchen-3ya.example", host: "xn--mnchen-3ya.example"},
		{raw: "127.0.0.1:1", host: "127.0.0.1", port: 1},
		{raw: "[::1]:80", host: "::1", port: 80},
		{raw: "[2001:DB8::A]", host: "2001:db8::a"},
		{raw: "[::ffff:192.0.2.1]", host: "::ffff:192.0.2.1"},
		{raw: strings.Repeat("a", 255), host: strings.Repeat("a", 255)},
	} {
		var a Authority
		if err := a.Parse([]byte(tt.raw)); err != nil || string(a.Host) != tt.host || a.Port != tt.port || string(a.Raw) != tt.raw {
			t.Errorf("Parse(%q) = %v, host %q, port %d, raw %q; want %q, %d", tt.raw, err, a.Host, a.Port, a.Raw, tt.host, tt.port)
		}
	}
}

func TestAuthoritiesThatAreRefused(t *testing.T) {
	for _, raw := range []string{
		"", ".", "..", ".a", "a..b", "a.example..", ":80", "a:", "a:0", "a:080", "a:65536", "a:99999", "a:655350",
		"a:-1", "a:8x", "a:80:80", "a:+8", "a b", " a", "a\t", "a/b", "a\\b", "a?b", "a#b", "u@a", "u:p@a", "http://a",
		"{a}", "a|b", "a^b", "a*b", "a,b", "a;b", "a%41", "a%00", "a%2fb", "a%zz", "a\x00", "a\x7f", "caf\xc3\xa9", "a'", "a\"",
		"[::1", "::1", "[::1]x", "[::1].", "[::1]]", "[]", "[a]", "[1.2.3.4]", "[::1%eth0]", "[::1%25eth0]", "[v1.a]", "[::1]:", "[::1]:0",
		strings.Repeat("a", 256),
	} {
		var a Authority
		if err := a.Parse([]byte(raw)); !errors.Is(err, ErrAuthority) {
			t.Errorf("Parse(%q) = %v, host %q, port %d; want ErrAuthority", raw, err, a.Host, a.Port)
		}
	}
}

// The address parser of the standard library decides what an IPv6 address is.
func TestIPv6IsWhatNetipSays(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.OneOf(
			rapid.StringMatching(`([0-9a-fA-F]{0,5}:{1,2}){0,8}[0-9a-f]{0,4}`),
			rapid.StringMatching(`::([0-9a-f]{1,4}:){0,6}[0-9]{1,3}(\.[0-9]{1,3}){2,4}`),
			rapid.StringMatching(`([0-9a-f]:){6}(0|25[0-6])(\.(0|00|1|255|256)){3}`),
		).Draw(t, "address")
		addr, err := netip.ParseAddr(s)
		if want := err == nil && addr.Is6() && addr.Zone() == ""; isIPv6([]byte(s)) != want {
			t.Fatalf("isIPv6(%q) = %v, want %v", s, !want, want)
		}
	})
}

// Budget: no allocation, also where the host has to be written in lower case.
func TestAuthorityAllocs(t *testing.T) {
	a := new(Authority)
	for _, raw := range [][]byte{[]byte("shop.example:8080"), []byte("Shop.Example."), []byte("[2001:DB8::1]:80")} {
		if err := a.Parse(raw); err != nil {
			t.Fatal(err)
		}
		if n := testing.AllocsPerRun(1000, func() { a.Parse(raw) }); n != 0 {
			t.Errorf("Parse(%q) allocates %v times, want 0", raw, n)
		}
	}
}

// BenchmarkAuthorityParse has a budget of 60 ns/op and 0 allocs/op.
func BenchmarkAuthorityParse(b *testing.B) {
	a, raw := new(Authority), []byte("shop.example:8080")
	b.ReportAllocs()
	for b.Loop() {
		if err := a.Parse(raw); err != nil {
			b.Fatal(err)
		}
	}
}

// FuzzAuthority: what is accepted names the same host and port when it is put
// together again from its parts, in lower case.
func FuzzAuthority(f *testing.F) {
	for _, s := range []string{"a.example", "A.example.:80", "[::1]:80", "u@a", "a:", "[::ffff:1.2.3.4]"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		var a, b Authority
		if a.Parse(raw) != nil {
			return
		}
		if err := b.Parse(rebuilt(&a)); err != nil || string(b.Host) != string(a.Host) || b.Port != a.Port {
			t.Fatalf("%q: host %q, port %d; parsed again %v, %q, %d", raw, a.Host, a.Port, err, b.Host, b.Port)
		}
	})
}

// rebuilt writes an authority from its host and port.
func rebuilt(a *Authority) []byte {
	addr, err := netip.ParseAddr(string(a.Host))
	if err == nil && addr.Is6() {
		return portAfter("["+string(a.Host)+"]", a.Port)
	}
	return portAfter(string(a.Host), a.Port)
}

func portAfter(host string, port int) []byte {
	if port == 0 {
		return []byte(host)
	}
	return fmt.Appendf(nil, "%s:%d", host, port)
}
