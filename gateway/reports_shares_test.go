package gateway

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"weirkeep/gateway/config"
)

// Public reports of faults of balancing by weight and by hash.

func TestReportWeightsOfNothing(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, more, where string }{
		{"LB-01: a weight of 0 is no weight", "balancer: weight-based, origins: [{ address: '127.0.0.1:1', weight: 0 }, { address: '127.0.0.1:2', weight: 100 }]", "weight"},
		{"LB-01: all weights are 0", "balancer: weight-based, origins: [{ address: '127.0.0.1:1', weight: 0 }, { address: '127.0.0.1:2', weight: 0 }]", "weight"},
		{"LB-02: a weight of 999999", "balancer: weight-based, origins: [{ address: '127.0.0.1:1', weight: 999999 }]", "weight"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "weirkeep.yaml")
			if err := os.WriteFile(file, []byte(plainListener+"clusters: { shop: { "+tt.more+" } }"), 0o600); err != nil {
				t.Fatal(err)
			}
			_, problems := config.Load(file)
			if problems.Errors() == 0 || !strings.Contains(problems[0].String(), tt.where) {
				t.Errorf("%v, want an error about %s", problems, tt.where)
			}
		})
	}
}

func TestReportWeightsThroughReloads(t *testing.T) {
	t.Parallel()
	t.Run("LB-02: 50 reloads, with one origin more and one less", func(t *testing.T) {
		t.Parallel()
		hs := newHomes(t, "a", "b", "c")
		hs[1].settings = ", weight: 99"
		text := func(n int) string {
			return plainListener + "clusters:\n" + clusterLine("shop", hs[:n], ", balancer: weight-based")
		}
		addr, g := start(t, text(2), Options{})
		for i := range 50 {
			n := 2 + i%2
			apply(t, g, text(n))
			got := answerers(t, addr, "/", 100)
			if most := strings.Count(got, "b"); most < 97 || n == 2 && strings.Contains(got, "c") {
				t.Fatalf("after reload %d b answers %d of 100, want 98 or 99: %s", i, most, got)
			}
		}
	})
}

// keysGoTo asks for each of so many keys, and says who answers.
func keysGoTo(t *testing.T, addr string, keys int) map[int]string {
	t.Helper()
	all := make(map[int]string)
	for k := range keys {
		all[k] = ask(t, addr, fmt.Sprintf("GET / HTTP/1.1\r\nHost: a.example\r\nX-Key: key-%d", k)).origin()
	}
	return all
}

func TestReportHashes(t *testing.T) {
	t.Parallel()
	const keys, byKey = 400, ", balancer: hash, balancer_options: { by: 'header:X-Key' }"
	letters := strings.Split("abcdefghijk", "")
	t.Run("LB-04: an eleventh server moves its part of the keys", func(t *testing.T) {
		t.Parallel()
		hs := newHomes(t, letters...)
		text := func(n int) string { return plainListener + "clusters:\n" + clusterLine("shop", hs[:n], byKey) }
		addr, g := start(t, text(10), Options{})
		before := keysGoTo(t, addr, keys)
		apply(t, g, text(11))
		moved := 0
		for k, now := range keysGoTo(t, addr, keys) {
			if now != before[k] {
				moved++
				if now != "k" {
					t.Errorf("key %d went from %s to %s, which was there before", k, before[k], now)
				}
			}
		}
		if moved == 0 || moved > keys*2/11 {
			t.Errorf("%d of %d keys moved, want about %d", moved, keys, keys/11)
		}
	})
	t.Run("LB-05: keys of servers that are up stay", func(t *testing.T) {
		t.Parallel()
		hs := newHomes(t, letters[:10]...)
		addr, g := start(t, plainListener+"clusters:\n"+clusterLine("shop", hs, byKey), hs.options())
		before := keysGoTo(t, addr, keys)
		for _, h := range hs[:3] {
			h.kill()
			wasElsewhere := maps.Clone(before)
			maps.DeleteFunc(wasElsewhere, func(_ int, who string) bool { return who == h.name })
			for k, now := range keysGoTo(t, addr, keys) {
				if was, other := wasElsewhere[k]; now == h.name || other && now != was {
					t.Errorf("with %s down key %d went from %s to %s", h.name, k, before[k], now)
				}
			}
			h.revive(g)
		}
	})
}
