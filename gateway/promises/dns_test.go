package promises

import (
	"fmt"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/miekg/dns"

	"weirkeep/gateway"
	"weirkeep/gateway/balance"
	"weirkeep/gateway/discover/dnstest"
)

// Whichever balancer chooses: one of the three origins that DNS names is replaced by
// another, with 70 % of all slots in use. Nothing fails, the new one gets requests, and
// the old one none from when the change is seen.
func TestEveryBalancerBearsChangesOfDNS(t *testing.T) {
	names := []string{"capacity", "hash", "peak-ewma"}
	if *soak {
		names = balance.Names()
	}
	for _, name := range names {
		t.Run(name, func(t *testing.T) { bearChangeOfDNS(t, name) })
	}
}

func bearChangeOfDNS(t *testing.T, balancer string) {
	watchLeaks(t)
	report := func(err error) { t.Error(err) }
	addresses := make(map[string]string)
	for _, name := range []string{"a", "b", "c", "d"} {
		addresses[name] = startOrigin(t, newWorker(name, 10*time.Millisecond, report).serve).addr
	}
	n := dnstest.Start(t, serversAt(addresses["a"], addresses["b"], addresses["c"])...)
	addr, g := start(t, discovering(n, balancer), gateway.Options{})
	await(t, "three are found", func() bool { return standingAt(g, addresses["c"]) == "serving, up" })
	w := startCrew(t, busy70, to(addr), getsAndPosts)
	w.await(t, either(150, 2000), 0)
	n.Says(dns.RcodeSuccess, serversAt(addresses["a"], addresses["d"], addresses["c"])...)
	await(t, "b is replaced by d", func() bool {
		return standingAt(g, addresses["d"]) == "serving, up" && standingAt(g, addresses["b"]) != "serving, up"
	})
	replaced := time.Now()
	w.await(t, either(300, 2000), 0)
	all := w.end()
	show(t, selected(all, isNotRight))
	w.expectNothingWrong(t)
	by := answersBy(selected(all, func(o outcome) bool { return o.began.Before(replaced) }))
	if by["a"] == 0 || by["b"] == 0 || by["c"] == 0 {
		t.Errorf("before the change the answers came from %v", by)
	}
	by = answersBy(selected(all, func(o outcome) bool { return o.began.After(replaced) }))
	if by["b"] > 0 || by["d"] == 0 {
		t.Errorf("after the change the answers came from %v", by)
	}
	expectAtRest(t, g)
}

// discovering is a configuration with one cluster, whose origins a name server names.
func discovering(n *dnstest.Server, balancer string) string {
	options := ""
	if balancer == "hash" {
		options = `, balancer_options: { by: "header:X-Nonce" }`
	}
	return fmt.Sprintf(`
listeners: [{ address: "127.0.0.1:0" }]
clusters:
  app:
    { balancer: %s%s, template: { capacity: %d }, health: { path: /ping, interval: 200ms, timeout: 5s },
      discover: { dns: { name: shop.test, type: srv, resolver: %q, min_ttl: 100ms, timeout: 5s } } }
access_log: { format: off }
`, balancer, options, eachHas, n.Addr)
}

// serversAt are the records of servers at addresses, host:port, that nobody may keep.
func serversAt(addresses ...string) (records []string) {
	for i, addr := range addresses {
		host, port, _ := net.SplitHostPort(addr)
		records = append(records, fmt.Sprintf("shop.test. 0 SRV 0 10 %s host-%d.test.", port, i), fmt.Sprintf("host-%d.test. 0 A %s", i, host))
	}
	return records
}

// standingAt is what the gateway says of the origin at an address; empty: it has none
// there.
func standingAt(g *gateway.Gateway, addr string) string {
	for _, o := range g.Status().Origins {
		if strings.HasSuffix(o.Address, addr) {
			return o.State + ", " + o.Health
		}
	}
	return ""
}

// answersBy counts answers by who gave them.
func answersBy(all []outcome) map[string]int {
	by := make(map[string]int)
	for _, o := range all {
		by[o.origin]++
	}
	return by
}

// await waits until something is true.
func await(t *testing.T, what string, is func() bool) {
	t.Helper()
	if !within(30*time.Second, is) {
		t.Fatal("waited in vain until " + what)
	}
}
