package gateway

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"slices"
	"strings"
	"testing"
	"time"

	"weirkeep/gateway/config"
)

// Lists of origins change while tunnels are open: none is cut, and no old
// configuration stays in memory for them.
func TestReportReloadsWithTunnels(t *testing.T) {
	t.Parallel()
	t.Run("RD-03: 136 reloads, 50 tunnels", func(t *testing.T) {
		t.Parallel()
		o := newReportTunnelOrigin(t, reportSwitch, nil)
		other := newReportOKOrigin(t)
		text := func(n int) string {
			top := ""
			if n%2 == 1 {
				top = fmt.Sprintf("  - { address: %q }\n", other.addr)
			}
			return fmt.Sprintf("listeners: [{ address: \"127.0.0.1:0\" }]\naccess_log: { format: off }\nclusters:\n app:\n  balancer: round-robin\n  origins:\n  - { address: %q }\n%s", o.addr, top)
		}
		g := startReportYAML(t, text(0))
		var tunnels []*reportConn
		for range 50 {
			c := g.client(t)
			c.say(reportUpgrade)
			if a := c.answer("GET"); a.code != 101 {
				t.Fatalf("answered %q, want 101", a.head)
			}
			tunnels = append(tunnels, c)
		}
		for n := range 136 {
			old := g.current.Load()
			apply(t, g.Gateway, text(n+1))
			awaitReport(t, "the old configuration is let go", func() bool { return old.users.Load() == 0 })
		}
		for n, c := range tunnels {
			c.say("ping")
			got := make([]byte, 4)
			if _, err := io.ReadFull(c.in, got); err != nil || string(got) != "ping" {
				t.Errorf("tunnel %d: %q, %v", n, got, err)
			}
		}
		g.registry.mu.Lock()
		defer g.registry.mu.Unlock()
		if len(g.registry.states) != 1 || len(g.registry.pools) != 1 || len(g.registry.balancers) != 1 || len(g.registry.queues) != 1 {
			t.Errorf("%d states, %d pools, %d balancers and %d queues are left, want one each",
				len(g.registry.states), len(g.registry.pools), len(g.registry.balancers), len(g.registry.queues))
		}
	})
}

// Reloads leave nothing behind, however many sites, sessions, checks and queues
// a configuration has.
func TestReportReloadsLeakNothing(t *testing.T) {
	t.Run("RD-04: 300 sites, 40 reloads", func(t *testing.T) {
		o := newReportOKOrigin(t)
		cfg := load(t, reportManySites(o, 300))
		g := New(Options{Stderr: new(reportLog)})
		defer g.Close()
		reload := func(times int) int64 {
			for range times {
				if problems := g.Apply(cfg); problems.Errors() > 0 {
					t.Fatal(problems)
				}
			}
			return reportHeap()
		}
		before := reload(5)
		if after := reload(40); after-before > 4<<20 {
			t.Errorf("the heap is %d KiB after 5 reloads and %d KiB after 45", before>>10, after>>10)
		}
	})
}

func reportManySites(o *reportOrigin, n int) string {
	var clusters, sites, mappings, sessions strings.Builder
	for i := range n {
		fmt.Fprintf(&clusters, "  c%d: { origins: [{ address: %q }], session: s%d, failover: { ping: { path: / } } }\n", i, o.addr, i%20)
		fmt.Fprintf(&sites, "  w%d: { hosts: [w%d.example] }\n", i, i)
		fmt.Fprintf(&mappings, "  - { site: w%d, clusters: [c%d, c%d] }\n", i, i, (i+1)%n)
	}
	for i := range 20 {
		fmt.Fprintf(&sessions, "  s%d: { cookie: S%d }\n", i, i)
	}
	return "listeners: [{ address: \"127.0.0.1:0\" }]\naccess_log: { format: off }\nclusters:\n" + clusters.String() +
		"sessions:\n" + sessions.String() + "sites:\n" + sites.String() + "mappings:\n" + mappings.String()
}

// From the beginning of a drain every answer says that its connection ends;
// clients with pools that heed it see no reset.
func TestReportDrainUnderPooledClients(t *testing.T) {
	t.Parallel()
	t.Run("RD-06: 20 pooled clients", func(t *testing.T) {
		t.Parallel()
		drainUnder(t, 20, "500ms")
	})
}

// A request that is on its way over an idle connection when the drain begins is
// answered, and new connections are served until the delay is over.
func TestReportDrainRacesRequests(t *testing.T) {
	t.Parallel()
	o := newTeller(t, "o")
	t.Run("RD-07: a request in the same moment, 50 times", func(t *testing.T) {
		t.Parallel()
		for n := range 50 {
			addr, g := start(t, drainText(o.addr, "20ms", "20s"), Options{})
			c := dialTo(t, addr)
			if got, err := getOn(c); err != nil || got.status != 200 {
				t.Fatalf("before: %v, %v", got, err)
			}
			done := drain(t.Context(), g)
			if n%2 == 0 {
				until(t, "the drain has begun", g.closing.Load)
			}
			if got, err := getOn(c); err != nil || got.status != 200 {
				t.Errorf("start %d: %v, %v; want an answer", n, got, err)
			}
			if err := <-done; err != nil {
				t.Errorf("start %d: Drain: %v", n, err)
			}
		}
	})
	t.Run("RD-07: new connections during the delay", func(t *testing.T) {
		t.Parallel()
		addr, g := start(t, drainText(o.addr, "500ms", "20s"), Options{})
		begun := time.Now()
		done := drain(t.Context(), g)
		for served := 0; time.Since(begun) < 400*time.Millisecond; served++ {
			c, err := net.Dial("tcp", addr)
			if err != nil {
				t.Fatalf("connection %d, %v after the beginning: %v", served, time.Since(begun), err)
			}
			io.WriteString(c, "GET / HTTP/1.1\r\nHost: a.example\r\n\r\n")
			if got, err := readTold(bufio.NewReader(c), "GET"); err != nil || got.status != 200 {
				t.Fatalf("request %d: %v, %v", served, got, err)
			}
			c.Close()
		}
		if err := <-done; err != nil {
			t.Errorf("Drain: %v", err)
		}
	})
}

// A configuration with a mistake is refused as a whole, with its place and
// reason, in the status too; the next good one works, and what it changes holds.
func TestReportBadConfigurationsBetweenGoodOnes(t *testing.T) {
	t.Parallel()
	one, two := newTeller(t, "one"), newTeller(t, "two")
	text := func(o *teller, mapping string) string {
		return plainListener + fmt.Sprintf("clusters: { app: { origins: %s } }\nsites: { w: { hosts: [\"**\"] } }\nmappings: [%s, { site: w, cluster: app }]\n", inline(o), mapping)
	}
	for _, tt := range []struct{ name, mapping, said string }{
		{"RD-08: a prefix that is none", "{ site: w, prefix: nonsense, cluster: app }", "mappings[0].prefix"},
		{"RD-10: a mapping to a cluster that does not exist", "{ site: w, prefix: /x, cluster: shop }", `names cluster "shop", which does not exist`},
		{"RD-10: one of several clusters", "{ site: w, prefix: /x, clusters: [app, shop] }", `names cluster "shop", which does not exist`},
		{"RD-10: a failover cluster", "{ site: w, prefix: /x, cluster: app, failover: [shop] }", `names cluster "shop", which does not exist`},
		{"RD-10: a site that does not exist", "{ site: v, prefix: /x, cluster: app }", `names site "v", which does not exist`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			addr, g := start(t, text(one, "{ site: w, prefix: /one, cluster: app }"), Options{})
			cfg, problems := config.Load(reportFile(t, text(two, tt.mapping)))
			if cfg != nil || !slices.ContainsFunc(problems, func(p config.Problem) bool { return p.Line > 0 && strings.Contains(p.Message, tt.said) }) {
				t.Fatalf("loaded %v, with %v; want it refused with %q", cfg != nil, problems, tt.said)
			}
			g.ReloadFailed(problems)
			if a := askFor(t, addr, "w", "/"); a.origin() != "one" {
				t.Errorf("after the bad one: %d from %q, want what was there", a.status, a.origin())
			}
			if r := g.Status().LastRefusal; r == nil || !strings.Contains(r.Problem, tt.said) {
				t.Errorf("the status tells of %+v, want %q", r, tt.said)
			}
			apply(t, g, text(two, "{ site: w, prefix: /two, cluster: app }"))
			if a := askFor(t, addr, "w", "/"); a.origin() != "two" || g.Metrics().Process.LastReloadOK.Load() != 1 {
				t.Errorf("after a good one: %d from %q, last reload %d", a.status, a.origin(), g.Metrics().Process.LastReloadOK.Load())
			}
		})
	}
}
