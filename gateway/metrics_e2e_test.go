package gateway

import (
	"bufio"
	"fmt"
	"io"
	"testing"

	"weirkeep/gateway/metrics"
)

// What is counted after a known series of exchanges.
func TestMetricsAfterKnownExchanges(t *testing.T) {
	t.Parallel()
	up := newTeller(t, "up")
	addr, g := start(t, plainListener+fmt.Sprintf(`
clusters:
  app: { origins: [{ name: up, address: %q }], keep_alive: 1m }
  dead: { origins: [{ name: dead, address: %q }], retry: { retries: 1 }, failover: { connect_failures: same, threshold: 1000 } }
  broken: { origins: [{ name: broken, address: %q }], retry: { retries: 0 } }
sites: { shop: { hosts: [a.example] } }
mappings:
  - { site: shop, prefix: /dead, cluster: dead }
  - { site: shop, prefix: /broken, cluster: broken }
  - { site: shop, prefix: /app, cluster: app }
`, up.addr, closedAddress(t), broken(t, nil)), Options{})
	c := dialTo(t, addr)
	r := bufio.NewReader(c)
	var out uint64
	for range 5 {
		io.WriteString(c, "POST /app HTTP/1.1\r\nHost: a.example\r\nContent-Length: 3\r\n\r\nabc")
		got, err := readTold(r, "POST")
		if err != nil {
			t.Fatal(err)
		}
		out += uint64(len(got.body))
	}
	for _, target := range []string{"/dead", "/dead", "/broken", "/none", "/none", "/none"} {
		askFor(t, addr, "a.example", target)
	}
	askFor(t, addr, "b.example", "/")
	askFor(t, addr, "a.example", "/../x")
	c.Close()
	until(t, "every exchange is counted and every connection closed", func() bool {
		return g.Status().Connections == 0 && refusals(g)["bad_target"] == [2]uint64{0, 1}
	})

	checkMappings(t, g, map[string]mappingCount{
		"shop/0/dead":   {exchanges: [6]uint64{5: 2}},
		"shop/1/broken": {exchanges: [6]uint64{5: 1}},
		"shop/2/app":    {exchanges: [6]uint64{2: 5}, in: 15, out: out},
		"//":            {exchanges: [6]uint64{4: 5}},
	})
	checkOrigins(t, g, map[string]originCount{
		"app/up":        {attempts: 5, opened: 1, reused: 4, idle: 1, up: 1},
		"dead/dead":     {attempts: 4, retries: 2, failures: [4]uint64{metrics.Connect: 4}, up: 1},
		"broken/broken": {attempts: 1, failures: [4]uint64{metrics.Wait: 1}, opened: 1, up: 1},
	})
	want := map[string][2]uint64{
		"connect_refused": {2, 0}, "origin_reset": {1, 0}, "no_mapping": {3, 0}, "no_site": {0, 1}, "bad_target": {0, 1},
	}
	if got := refusals(g); fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("refusals (routed, not routed) are %v, want %v", got, want)
	}
	for i := range g.Metrics().Refusals {
		n, can := &g.Metrics().Refusals[i], g.Metrics().Reason(i)
		if n.Routed.Load() > 0 && !can.Routed || n.Unrouted.Load() > 0 && !can.Unrouted {
			t.Errorf("%s was counted where it is said to be impossible: %+v", can.Name, can)
		}
	}
	for name, l := range g.Metrics().Current().Listeners() {
		if l.Accepted.Load() != 9 || l.Refused.Load() != 0 || l.Open.Load() != 0 {
			t.Errorf("listener %s: accepted %d, refused %d, open %d; want 9, 0, 0", name, l.Accepted.Load(), l.Refused.Load(), l.Open.Load())
		}
	}
}

// mappingCount is what a mapping has counted.
type mappingCount struct {
	exchanges [6]uint64 // by hundreds of the status
	in, out   uint64    // of bodies; out only where the origin answered
}

func checkMappings(t *testing.T, g *Gateway, want map[string]mappingCount) {
	t.Helper()
	for l, m := range g.Metrics().Current().Mappings() {
		var got mappingCount
		total := uint64(0)
		for i := range m.Exchanges {
			got.exchanges[i] = m.Exchanges[i].Load()
			total += got.exchanges[i]
		}
		name := l.Site + "/" + l.Mapping + "/" + l.Cluster
		if want[name].out > 0 {
			got.in, got.out = m.RequestBytes.Load(), m.ResponseBytes.Load()
		}
		if got != want[name] {
			t.Errorf("mapping %s counted %+v, want %+v", name, got, want[name])
		}
		if d := m.Duration.Load(); d.Count != total || d.Sum <= 0 {
			t.Errorf("mapping %s: %d durations of %v for %d exchanges", name, d.Count, d.Sum, total)
		}
	}
}

// originCount is what an origin has counted.
type originCount struct {
	attempts, retries, opened, reused uint64
	failures                          [4]uint64
	idle, load, up                    int64
}

func checkOrigins(t *testing.T, g *Gateway, want map[string]originCount) {
	t.Helper()
	g.Metrics().Gauge()
	for l, o := range g.Metrics().Current().Origins() {
		got := originCount{
			attempts: o.Attempts.Load(), retries: o.Retries.Load(), opened: o.Opened.Load(), reused: o.Reused.Load(),
			idle: o.Idle.Load(), load: o.Load.Load(), up: o.Up.Load(),
		}
		for i := range o.Failures {
			got.failures[i] = o.Failures[i].Load()
		}
		if name := l.Cluster + "/" + l.Origin; got != want[name] {
			t.Errorf("origin %s counted %+v, want %+v", name, got, want[name])
		}
	}
}

// refusals are the reasons that were counted, routed and not.
func refusals(g *Gateway) map[string][2]uint64 {
	m := g.Metrics()
	counted := map[string][2]uint64{}
	for i := range m.Refusals {
		n := [2]uint64{m.Refusals[i].Routed.Load(), m.Refusals[i].Unrouted.Load()}
		if n != [2]uint64{} {
			counted[m.Reason(i).Name] = n
		}
	}
	return counted
}
