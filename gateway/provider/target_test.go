package provider

import (
	"context"
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/miekg/dns"

	"weirkeep/gateway/discover/dnstest"
)

var nobody = log.New(io.Discard, "", 0)

// Each address in its rule, at both ends of its network; empty: it is public.
func TestAddresses(t *testing.T) {
	for _, tt := range []struct{ address, rule string }{
		{"0.0.0.0", "unspecified"}, {"0.255.255.255", "unspecified"}, {"1.0.0.0", ""},
		{"9.255.255.255", ""}, {"10.0.0.0", "private"}, {"10.255.255.255", "private"}, {"11.0.0.0", ""},
		{"100.63.255.255", ""}, {"100.64.0.0", "shared"}, {"100.100.100.200", "shared"}, {"100.127.255.255", "shared"}, {"100.128.0.0", ""},
		{"126.255.255.255", ""}, {"127.0.0.1", "loopback"}, {"127.255.255.255", "loopback"}, {"128.0.0.0", ""},
		{"168.63.129.15", ""}, {"168.63.129.16", "metadata"}, {"168.63.129.17", ""},
		{"169.253.255.255", ""}, {"169.254.0.0", "link-local"}, {"169.254.169.254", "link-local"}, {"169.255.0.0", ""},
		{"172.15.255.255", ""}, {"172.16.0.0", "private"}, {"172.31.255.255", "private"}, {"172.32.0.0", ""},
		{"191.255.255.255", ""}, {"192.0.0.0", "protocol"}, {"192.0.0.192", "protocol"}, {"192.0.1.0", ""}, {"192.0.2.1", "documentation"}, {"192.0.3.0", ""},
		{"192.88.99.1", "6to4"}, {"192.167.255.255", ""}, {"192.168.0.0", "private"}, {"192.168.255.255", "private"}, {"192.169.0.0", ""},
		{"198.17.255.255", ""}, {"198.18.0.0", "benchmarking"}, {"198.19.255.255", "benchmarking"}, {"198.20.0.0", ""},
		{"198.51.100.7", "documentation"}, {"203.0.113.7", "documentation"}, {"203.0.114.0", ""},
		{"223.255.255.255", ""}, {"224.0.0.1", "multicast"}, {"239.255.255.255", "multicast"},
		{"240.0.0.0", "reserved"}, {"255.255.255.254", "reserved"}, {"255.255.255.255", "broadcast"},

		{"::", "unspecified"}, {"::1", "loopback"}, {"::2", "v4-compatible"}, {"::127.0.0.1", "v4-compatible"}, {"::8.8.8.8", "v4-compatible"},
		{"::ffff:127.0.0.1", "loopback"}, {"::ffff:169.254.169.254", "link-local"}, {"::ffff:8.8.8.8", ""},
		{"64:ff9b::127.0.0.1", "loopback"}, {"64:ff9b::10.0.0.1", "private"}, {"64:ff9b::a9fe:a9fe", "link-local"}, {"64:ff9b::8.8.8.8", ""},
		{"64:ff9b:0:1::8.8.8.8", "unassigned"}, {"64:ff9b:1::8.8.8.8", "nat64"}, {"64:ff9b:1:ffff::a00:1", "nat64"},
		{"100::1", "discard"}, {"100:0:0:1::1", "dummy"}, {"200::1", "unassigned"}, {"1fff::1", "unassigned"},
		{"2001::1", "teredo"}, {"2001:0:7f00:1::", "teredo"}, {"2001:2::1", "benchmarking"}, {"2001:10::1", "protocol"}, {"2001:1ff::1", "protocol"}, {"2001:200::1", ""},
		{"2001:db8::1", "documentation"}, {"2001:db9::1", ""}, {"2001:4860:4860::8888", ""},
		{"2002:7f00:1::1", "6to4"}, {"2002:808:808::1", "6to4"}, {"2003::1", ""}, {"2606:4700::1111", ""},
		{"3ffe::1", ""}, {"3fff::1", "documentation"}, {"3fff:fff::1", "documentation"}, {"3fff:1000::1", ""},
		{"4000::1", "unassigned"}, {"5f00::1", "segment-routing"}, {"8000::1", "unassigned"}, {"fbff::1", "unassigned"},
		{"fc00::1", "unique-local"}, {"fd00:ec2::254", "unique-local"}, {"fe00::1", "unassigned"},
		{"fe80::1", "link-local"}, {"fe80::1%eth0", "link-local"}, {"febf::1", "link-local"}, {"fec0::1", "site-local"}, {"ff02::1", "multicast"},
	} {
		var rule string
		if s := specialOf(netip.MustParseAddr(tt.address)); s != nil {
			rule = s.name
		}
		if rule != tt.rule {
			t.Errorf("%s is %q, want %q", tt.address, rule, tt.rule)
		}
	}
}

// Networks that are part of another stand before it, and no network is written twice.
func TestNarrowNetworksComeFirst(t *testing.T) {
	for i, n := range networks {
		if n != n.Masked() {
			t.Errorf("%s has bits behind its length", n)
		}
		for _, wide := range networks[:i] {
			if wide.Contains(n.Addr()) && wide.Bits() <= n.Bits() {
				t.Errorf("%s is never found: %s stands before it", n, wide)
			}
		}
	}
}

// With nothing vouched for, none of this is asked, and no spelling helps.
func TestTargetsAreRefused(t *testing.T) {
	records := dnstest.Start(t, "loop.example. 60 IN A 127.0.0.1", "meta.example. 60 IN A 169.254.169.254",
		"six.example. 60 IN AAAA ::1", "mapped.example. 60 IN AAAA ::ffff:10.0.0.1", "public.example. 60 IN A 8.8.8.8")
	c := newClient(t, Options{Resolver: resolverAt(records.Addr)})
	for _, tt := range []struct{ authority, target, rule string }{
		{"127.0.0.1", "/", "loopback"}, {"127.0.0.1.", "/", "loopback"}, {"[::1]", "/", "loopback"},
		{"0.0.0.0", "/", "unspecified"}, {"[::]", "/", "unspecified"},
		{"[::ffff:127.0.0.1]", "/", "loopback"}, {"[::ffff:7f00:1]", "/", "loopback"}, {"[0:0:0:0:0:ffff:a9fe:a9fe]", "/", "link-local"},
		{"169.254.169.254", "/latest", "link-local"}, {"[fd00:ec2::254]", "/", "unique-local"}, {"100.100.100.200", "/", "shared"},
		{"168.63.129.16", "/", "metadata"}, {"[64:ff9b::a00:1]", "/", "private"},

		{"2130706433", "/", "spelling"}, {"0x7f000001", "/", "spelling"}, {"0X7F.1", "/", "spelling"}, {"017700000001", "/", "spelling"},
		{"127.1", "/", "spelling"}, {"127.0.1", "/", "spelling"}, {"0177.0.0.1", "/", "spelling"}, {"127.0.0.01", "/", "spelling"},
		{"127.0.0.0x1", "/", "spelling"}, {"0x", "/", "spelling"}, {"256.0.0.1", "/", "spelling"}, {"1.2.3.4.5", "/", "spelling"},
		{"a.example.1", "/", "spelling"}, {"2130706433.", "/", "spelling"}, {"0:80", "/", "spelling"}, {"8.8.8.8.:1", "/", "port"},

		{"user@shop.example", "/", "authority"}, {"user:word@shop.example", "/", "authority"}, {"", "/", "authority"},
		{"shop.example:", "/", "authority"}, {"shop.example:080", "/", "authority"}, {"shop.example:0", "/", "authority"}, {"shop.example:65536", "/", "authority"},
		{"[fe80::1%25eth0]", "/", "authority"}, {"[::1", "/", "authority"}, {"::1", "/", "authority"}, {"shop_example:80:80", "/", "authority"},
		{"127%2e0.0.1", "/", "authority"}, {"①②⑦.0.0.1", "/", "authority"}, {"shop.example/x", "/", "authority"}, {"shop.example\\x", "/", "authority"},
		{"sh op.example", "/", "authority"}, {"shop.example#", "/", "authority"}, {"shop.example?", "/", "authority"},

		{"shop.example", "", "target"}, {"shop.example", "x", "target"}, {"shop.example", "http://shop.example/", "target"},
		{"shop.example", "/a b", "target"}, {"shop.example", "/a\r\nX: y", "target"}, {"shop.example", "/../x", "target"},

		{"8.8.8.8:8080", "/", "port"}, {"8.8.8.8:22", "/", "port"}, {"[2606:4700::1111]:6379", "/", "port"}, {"public.example:25", "/", "port"},

		{"loop.example", "/", "loopback"}, {"meta.example", "/latest", "link-local"}, {"LOOP.Example.", "/", "loopback"},
		{"six.example", "/", "loopback"}, {"mapped.example:443", "/", "private"}, {"loop.example:8080", "/", "loopback"},
	} {
		known := c.Refuses(&Request{Authority: tt.authority, Target: tt.target})
		if lookedUp := strings.HasSuffix(strings.ToLower(strings.Split(strings.TrimSuffix(tt.authority, "."), ":")[0]), ".example") && tt.rule != "target" && tt.rule != "authority"; lookedUp {
			if known != nil && known.Rule != "port" {
				t.Errorf("%s%s: refused for its %s before it was looked up", tt.authority, tt.target, known.Rule)
			}
		} else if known == nil || known.Rule != tt.rule {
			t.Errorf("%s%s: known before: %v, want a refusal for its %s", tt.authority, tt.target, known, tt.rule)
		}
		_, _, err := read(c, &Request{Authority: tt.authority, Target: tt.target})
		if refusal, ok := errors.AsType[*Refusal](err); !ok || refusal.Rule != tt.rule {
			t.Errorf("%s%s: %v, want a refusal for its %s", tt.authority, tt.target, err, tt.rule)
		}
		expectFailure(t, err, ErrTarget)
	}
}

// Public addresses at both ports pass the check that is made when they are dialled.
func TestPublicAddressesMayBeAsked(t *testing.T) {
	d := newDialer(&Options{Allowed: []netip.Prefix{netip.MustParsePrefix("10.1.0.0/16"), netip.MustParsePrefix("fd00:1::/48")}})
	for address, want := range map[string]string{
		"8.8.8.8:80": "", "8.8.8.8:443": "", "[2606:4700::1111]:443": "", "[64:ff9b::808:808]:80": "", "8.8.8.8:8080": "port",
		"10.1.2.3:9000": "", "[::ffff:10.1.2.3]:9000": "", "10.2.0.1:80": "private", "[fd00:1::9]:1": "", "[fd00:2::9]:80": "unique-local",
		"[64:ff9b::a01:203]:80": "private", // it is vouched for where it is, not behind a translator
	} {
		var rule string
		if refusal, ok := errors.AsType[*Refusal](d.check("tcp", address, nil)); ok {
			rule = refusal.Rule
		}
		if rule != want {
			t.Errorf("%s is refused for %q, want %q", address, rule, want)
		}
	}
}

// A name with several addresses is asked where it may be, and nowhere else.
func TestEachAddressIsChecked(t *testing.T) {
	var knocked atomic.Int32
	port := serve(t, func(http.ResponseWriter, *http.Request) {})
	inner, err := net.Listen("tcp", "127.0.0.2"+port)
	if err != nil {
		t.Fatal(err)
	}
	defer inner.Close()
	go func() {
		for {
			conn, err := inner.Accept()
			if err != nil {
				return
			}
			knocked.Add(1)
			conn.Close()
		}
	}()
	records := dnstest.Start(t, "parts.example. 60 IN A 127.0.0.2", "parts.example. 60 IN A 127.0.0.1", "parts.example. 60 IN AAAA ::1")
	c := newClient(t, Options{Allowed: []netip.Prefix{home}, Resolver: resolverAt(records.Addr)})
	for range 4 {
		if _, _, err := read(c, &Request{Authority: "parts.example" + port, Target: "/"}); err != nil {
			t.Error(err)
		}
		c.Close()
	}
	if n := knocked.Load(); n != 0 {
		t.Errorf("the address that may not be asked was dialled %d times", n)
	}
}

// fickle is a name server that says another address of a name each time it is asked.
type fickle struct {
	addresses []string
	asked     atomic.Int32
}

func (f *fickle) ServeDNS(w dns.ResponseWriter, q *dns.Msg) {
	a := new(dns.Msg).SetReply(q)
	if q.Question[0].Qtype == dns.TypeA {
		n := int(f.asked.Add(1) - 1)
		rr, err := dns.NewRR(q.Question[0].Name + " 0 IN A " + f.addresses[min(n, len(f.addresses)-1)])
		if err != nil {
			panic(err)
		}
		a.Answer = []dns.RR{rr}
	}
	w.WriteMsg(a)
}

// start answers questions until the test ends, and returns the server's host:port.
func (f *fickle) start(t *testing.T) string {
	t.Helper()
	socket, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	server := &dns.Server{PacketConn: socket, Handler: f}
	done := make(chan struct{})
	go func() {
		defer close(done)
		server.ActivateAndServe()
	}()
	t.Cleanup(func() {
		socket.Close()
		<-done
	})
	return socket.LocalAddr().String()
}

// A name that means an address which may be asked, and then another, is connected to at the
// first one or refused: between check and connection there is no look-up.
func TestReboundNamesGainNothing(t *testing.T) {
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {}))
	s.Config.SetKeepAlivesEnabled(false)
	s.Start()
	defer s.Close()
	names := &fickle{addresses: []string{"127.0.0.1", "127.0.0.2", "169.254.169.254", "127.0.0.1"}}
	c := newClient(t, Options{Allowed: []netip.Prefix{home}, Resolver: resolverAt(names.start(t))})
	r := &Request{Authority: "parts.example" + portOf(s.Listener.Addr()), Target: "/"}
	for i, want := range []string{"", "loopback", "link-local", ""} {
		_, _, err := read(c, r)
		refusal, refused := errors.AsType[*Refusal](err)
		if refused && refusal.Rule != want || !refused && (err != nil || want != "") {
			t.Errorf("request %d: %v, want a refusal for %q", i, err, want)
		}
		if n := int(names.asked.Load()); n != i+1 {
			t.Errorf("request %d: the name was looked up %d times", i, n)
		}
	}
}

// Names are meant in full: no domain of this machine's is put behind them.
func TestNamesThatDoNotResolve(t *testing.T) {
	records := dnstest.Start(t, "else.example. 60 IN A 127.0.0.1")
	c := newClient(t, Options{Allowed: []netip.Prefix{home}, Resolver: resolverAt(records.Addr)})
	for _, tt := range []struct {
		host  string
		rcode int
	}{{"parts.example", dns.RcodeSuccess}, {"parts.example", dns.RcodeNameError}, {"metadata", dns.RcodeNameError}, {"parts.example", dns.RcodeServerFailure}} {
		records.Says(tt.rcode, "metadata.example. 60 IN A 127.0.0.1")
		_, _, err := read(c, &Request{Authority: tt.host, Target: "/"})
		expectFailure(t, err, ErrName)
		if unresolved, ok := errors.AsType[*net.DNSError](err); !ok || unresolved.Name != tt.host+"." {
			t.Errorf("%s: %v, want a name in full", tt.host, err)
		}
	}
}

// A look-up is part of the wait for the head.
func TestNameServerSaysNothing(t *testing.T) {
	records := dnstest.Start(t)
	records.Dies()
	c := newClient(t, Options{Timeout: 50 * time.Millisecond, Resolver: resolverAt(records.Addr)})
	_, _, err := read(c, &Request{Authority: "parts.example", Target: "/"})
	expectFailure(t, err, ErrTimeout)
}

// The caller may give up at any time.
func TestCallerGivesUp(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	port := serve(t, func(_ http.ResponseWriter, r *http.Request) {
		cancel()
		<-r.Context().Done()
	})
	c := newClient(t, Options{Allowed: []netip.Prefix{home}})
	_, err := c.Get(ctx, &Request{Authority: "127.0.0.1" + port, Target: "/"})
	expectFailure(t, err, context.Canceled)
}
