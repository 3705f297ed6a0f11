package gateway

import (
	"fmt"
	"testing"
)

// M-POL-04, 05, 09, 10, M-RW-02, M-COLO-01, 02, 04: who is on this node's host comes
// first, then who is in its zone. Origin a is on it, b is in its zone, c and d are not.
func TestLocality(t *testing.T) {
	t.Parallel()
	router := fmt.Sprintf("plugins: { by: { kind: router, module: %q } }\n", guestFile(moody)) // of /1 it lists b
	for _, tt := range []struct {
		name, cluster, out string
		answer             string // who answers, of some
		why                string // as explain says
	}{
		{"any", "balancer: round-robin", "", "abcd", "round-robin"},
		{"prefer-local", "balancer: round-robin, locality: prefer-local", "", "a", "round-robin"},
		{"prefer-local, the host is out", "balancer: round-robin, locality: prefer-local", "a", "b", "round-robin"},
		{"prefer-local, the zone is out", "balancer: round-robin, locality: prefer-local", "ab", "cd", "round-robin"},
		{"by its other name", "balancer: 'roundrobin:local'", "", "a", "roundrobin:local"},
		{"at random", "balancer: 'random:local'", "ab", "cd", "random:local"},
		{"by metric", "balancer: 'metric:local'", "", "a", "metric:local"},
		{"weights change nothing", "balancer: weighted-round-robin, locality: prefer-local", "", "a", "weighted-round-robin"},
		{"collocated", "locality: collocated", "", "a", "collocated"},
		{"collocated, the host is out", "locality: collocated, balancer: round-robin", "a", "bcd", "round-robin"},
		{"the router says", "router: by", "", "b", "listed by the router"},
		{"collocated, whatever the router says", "locality: collocated, router: by", "", "a", "collocated"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			hs := newHomes(t, "a", "b", "c", "d")
			for i, machine := range []string{"here", "near", "far", "far"} {
				hs[i].settings = ", host: " + machine
			}
			addr, g := start(t, plainListener+fmt.Sprintf("node: { host: here, state_dir: %q }\n", t.TempDir())+router+
				"hosts: { here: { zone: z1 }, near: { zone: z1 }, far: { zone: z2, weight: 9 } }\nclusters:\n"+
				clusterLine("shop", hs, ", "+tt.cluster), hs.options())
			for _, c := range tt.out {
				hs.named(t, string(c)).kill()
			}
			answerers(t, addr, at("1"), 40) // finds out who is out
			if got := different(answerers(t, addr, at("1"), 40)); got != tt.answer {
				t.Errorf("%q answer, want %q", got, tt.answer)
			}
			e, err := g.Explain(Question{Raw: []byte("GET /1 HTTP/1.1\r\nHost: h\r\n\r\n")})
			if err != nil || e.Pick.Why != tt.why {
				t.Errorf("explain: %+v, %v, want %q", e.Pick, err, tt.why)
			}
		})
	}
}

// Who prefers origins that are near goes on to others where those are full; who is
// collocated waits (M-COLO-01).
func TestLocalityOfFullOrigins(t *testing.T) {
	t.Parallel()
	for locality, want := range map[string]int{"prefer-local": 200, "collocated": 503} {
		hs := newHomes(t, "a", "b")
		hs[0].settings, hs[1].settings = ", host: here, capacity: 1", ", host: far"
		addr, _ := start(t, plainListener+"node: { host: here }\nclusters:\n"+
			clusterLine("shop", hs, ", queue: { size: 10, timeout: 100ms }, locality: "+locality), hs.options())
		first := hs[0].hold(t, addr, "")
		if got := visit(t, addr, "/", "").status; got != want {
			t.Errorf("%s: answered %d, want %d", locality, got, want)
		}
		close(hs[0].letGo)
		<-first
	}
}
