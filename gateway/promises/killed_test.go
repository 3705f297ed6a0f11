package promises

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"weirkeep/gateway"
)

// spread is a configuration with one cluster that has an origin of the same
// capacity at each address, named a, b, c and so on.
func spread(addresses []string, capacity int, cluster, more string) string {
	var list strings.Builder
	for i, addr := range addresses {
		fmt.Fprintf(&list, "\n      - { name: %c, address: %q, capacity: %d }", 'a'+i, addr, capacity)
	}
	return fmt.Sprintf(`
listeners: [{ address: "127.0.0.1:0" }]
clusters:
  app:
    origins:%s
%s
access_log: { format: off }
%s
`, &list, cluster, more)
}

// Three origins of 8 slots, and clients that keep 70 % of these busy.
const (
	eachHas   = 8
	busy70    = 3 * eachHas * 7 / 10
	pinged    = "    failover: { ping: { path: /ping, interval: 200ms, timeout: 1s } }\n"
	checked   = "    health: { path: /ping, interval: 200ms, timeout: 1s }\n"
	readmits  = 2 * time.Second
	detection = time.Second
)

// three starts three origins, and a gateway before them.
func three(t *testing.T, cluster string) (ps []*process, addr string, g *gateway.Gateway, a *arrivals) {
	t.Helper()
	a = new(arrivals)
	var addresses []string
	for _, name := range []string{"a", "b", "c"} {
		p := startProcess(t, name, a)
		ps, addresses = append(ps, p), append(addresses, p.addr)
	}
	addr, g = start(t, spread(addresses, eachHas, cluster, ""), gateway.Options{})
	return ps, addr, g, a
}

// statusOf is what the gateway says of an origin.
func statusOf(g *gateway.Gateway, name string) gateway.OriginStatus {
	all := g.Status().Origins
	return all[slices.IndexFunc(all, func(o gateway.OriginStatus) bool { return o.Name == name })]
}

// expectAtRest fails the test unless every origin has nothing to do and nobody
// waits.
func expectAtRest(t *testing.T, g *gateway.Gateway) {
	t.Helper()
	atRest := func() bool {
		return !slices.ContainsFunc(g.Status().Origins, func(o gateway.OriginStatus) bool { return o.Load != 0 || o.Waiting != 0 || o.Tunnels != 0 })
	}
	if !within(5*time.Second, atRest) {
		t.Errorf("not at rest: %+v", g.Status().Origins)
	}
	if n := g.Metrics().Process.Panics.Load(); n != 0 {
		t.Errorf("%d panics", n)
	}
}

// G9: kill -9 of one of three origins, with 70 % of all slots in use, fails what
// it had in flight and cannot be repeated, and nothing else: no GET, nothing
// that comes a second later, nothing twice. Started again, it serves again.
func TestKilledOriginFailsOnlyWhatItHad(t *testing.T) {
	for _, tt := range []struct{ name, cluster string }{
		{"pings", pinged},
		{"a health check", checked},
	} {
		t.Run(tt.name, func(t *testing.T) {
			watchLeaks(t)
			ps, addr, g, arrived := three(t, tt.cluster)
			w := startCrew(t, busy70, to(addr), getsAndPosts)
			w.await(t, either(300, 5000), 0)
			killed := time.Now()
			ps[1].kill()
			w.await(t, either(300, 5000), detection+200*time.Millisecond)
			restarted := time.Now()
			ps[1].start()
			served := within(10*time.Second, func() bool { return statusOf(g, "b").Up })
			back := time.Since(restarted)
			w.await(t, either(300, 5000), 0)
			all := w.end()

			failed := selected(all, isNotRight)
			t.Logf("%d errands, %d failed: %d GET; in service %v after the restart began", len(all), len(failed), len(selected(failed, isGET)), back.Round(time.Millisecond))
			w.expectNothingWrong(t)
			expectOnlyInFlight(t, failed, arrived, killed)
			arrived.expectOnce(t, all)
			if !served || back > readmits {
				t.Errorf("the origin was in service %v after its restart, want %v", back, readmits)
			}
			if again := selected(all, func(o outcome) bool { return o.origin == "b" && o.began.After(restarted) }); len(again) == 0 {
				t.Error("the origin that is back gets nothing to do")
			}
			w.end()
			expectAtRest(t, g)
		})
	}
}

func isGET(o outcome) bool { return o.method == "GET" }

// expectOnlyInFlight fails the test unless all that failed was at the origin that
// was killed, or on the way there, and not repeatable.
func expectOnlyInFlight(t *testing.T, failed []outcome, arrived *arrivals, killed time.Time) {
	t.Helper()
	if len(failed) > eachHas {
		t.Errorf("%d errands failed, want at most the %d that an origin has at once", len(failed), eachHas)
	}
	bad := selected(failed, func(o outcome) bool {
		at := arrived.of(o.nonce)
		elsewhere := len(at) > 0 && at[0] != "b"
		return isGET(o) || elsewhere || o.began.After(killed.Add(detection)) || o.ended.Before(killed)
	})
	show(t, bad)
}
