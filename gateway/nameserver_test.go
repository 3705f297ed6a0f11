package gateway

import (
	"fmt"
	"strings"
	"testing"

	"github.com/miekg/dns"

	"weirkeep/gateway/discover/dnstest"
)

// nameserver is a DNS server on the loopback that knows one name.
type nameserver struct{ *dnstest.Server }

func startNameserver(tb testing.TB, records ...string) nameserver {
	tb.Helper()
	return nameserver{dnstest.Start(tb, records...)}
}

// srv are SRV records of origins on the loopback, and the address of their machine.
func (hs homes) srv(ttl int) (records []string) {
	for _, h := range hs {
		_, port, _ := strings.Cut(h.addr, ":")
		records = append(records, fmt.Sprintf("shop.test. %d SRV 0 10 %s host-a.test.", ttl, port))
	}
	return append(records, fmt.Sprintf("host-a.test. %d A 127.0.0.1", ttl))
}

// say has it answer with some origins.
func (n nameserver) say(hs ...*home) { n.Says(dns.RcodeSuccess, homes(hs).srv(0)...) }

// discovers is the discover of a cluster that asks it ever so often.
func (n nameserver) discovers() string {
	return fmt.Sprintf("discover: { dns: { name: shop.test, type: srv, resolver: %q, min_ttl: 100ms, timeout: 5s } }", n.Addr)
}
