package gateway

import (
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"weirkeep/gateway/balance"
)

// hostedText is a configuration of origins, each on a host that has its name in upper
// case, and of hosts, as a YAML map.
func hostedText(hs homes, hosts, cluster, more string) string {
	for _, h := range hs {
		if !strings.Contains(h.settings, "host:") {
			h.settings += ", host: " + strings.ToUpper(h.name)
		}
	}
	return plainListener + fmt.Sprintf("hosts: { %s }\nclusters: { app: { %s, origins: %s } }\n%s", hosts, cluster, hs.text(), more)
}

// M-RW-03, M-RW-04, M-RW-05, M-RW-08, M-ALG-04: requests that come one after the
// other go where the weights say.
func TestRequestsGoByWeights(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, origins string
		settings      []string
		hosts         string
		balancer      string
		want          string
	}{
		{"hosts", "abcd", nil, "A: { weight: 3 }, B: { weight: 2 }", "weighted-round-robin", "abcadbaabcadba"},
		{"the same by alias", "abcd", nil, "A: { weight: 3 }, B: { weight: 2 }", "roundrobin:weighted", "abcadbaabcadba"},
		{"no weights", "abcd", nil, "", "weighted-round-robin", "abcdabcd"},
		{"weights that do not count", "abcd", nil, "A: { weight: 3 }, B: { weight: 2 }", "round-robin", "abcdabcd"},
		{"two on a host", "abc", []string{", host: A", ", host: A", ", host: B"}, "A: { weight: 3 }", "weighted-round-robin", "abcabacb"},
		{"origins", "abc", []string{", weight: 50", ", weight: 100", ", weight: 100"}, "", "weight-based", "bcabcbcabc"},
		{"nothing known of metrics", "abc", nil, "", "metric", "abcabc"},
		{"least load", "abc", nil, "", "least-load", "abcabc"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			hs := newHomes(t, strings.Split(tt.origins, "")...)
			for i, s := range tt.settings {
				hs[i].settings = s
			}
			addr, _ := start(t, hostedText(hs, tt.hosts, `balancer: "`+tt.balancer+`"`, ""), hs.options())
			if got := answerers(t, addr, "/", len(tt.want)); got != tt.want {
				t.Errorf("answered by %s, want %s", got, tt.want)
			}
		})
	}
}

// A turn goes on after a reload that changes nothing the balancer goes by, and begins
// anew where a weight has changed.
func TestTurnsByWeightSurviveReloads(t *testing.T) {
	t.Parallel()
	hs := newHomes(t, "a", "b", "c", "d")
	text := func(hosts, more string) string {
		return hostedText(hs, hosts, "balancer: weighted-round-robin"+more, "")
	}
	addr, g := start(t, text("A: { weight: 3 }, B: { weight: 2 }", ""), hs.options())
	got := answerers(t, addr, "/", 3)
	apply(t, g, text("A: { weight: 3 }, B: { weight: 2 }", ", first_byte_timeout: 50s"))
	got += " " + answerers(t, addr, "/", 4)
	apply(t, g, text("A: { weight: 1 }, B: { weight: 2 }", ""))
	if got += " " + answerers(t, addr, "/", 5); got != "abc adba babcd" && got != "abc adba bacdb" {
		t.Errorf("answered by %s", got)
	}
}

// M-SEL-02, M-ALG-02, M-MET-02: explain names the balancer, the mapping's before the
// cluster's, and what it weighs origins by.
func TestExplainNamesTheBalancer(t *testing.T) {
	t.Parallel()
	hs := newHomes(t, "a", "b")
	hs[1].settings = ", weight: 7"
	text := hostedText(hs, "A: { weight: 3 }", "balancer: weight-based", `
sites: { s: { hosts: ["**"] } }
mappings:
  - { site: s, prefix: /hosts, cluster: app, balancer: "random:weighted" }
  - { site: s, prefix: /metric, cluster: app, balancer: "metric:local" }
  - { site: s, prefix: /plain, cluster: app, balancer: capacity }
  - { site: s, cluster: app }
`)
	_, g := start(t, text, hs.options())
	for _, tt := range []struct{ path, balancer, weights string }{
		{"/", "weight-based", "1 7"},
		{"/hosts", "random:weighted", "3 1"},
		{"/metric", "metric:local", "50 50"},
		{"/plain", "capacity", "- -"},
	} {
		e := explainHead(t, g, tt.path, "")
		var weights []string
		for _, c := range e.Pick.Candidates {
			weights = append(weights, shownWeight(c.Weight))
		}
		if got := strings.Join(weights, " "); e.Pick.Why != tt.balancer || got != tt.weights {
			t.Errorf("%s: picked by %s, weights %s; want %s, %s", tt.path, e.Pick.Why, got, tt.balancer, tt.weights)
		}
	}
	if a, b := statusOf(t, g, "a").Weight, statusOf(t, g, "b").Weight; shownWeight(a) != "1" || shownWeight(b) != "7" {
		t.Errorf("the status has the weights %s and %s", shownWeight(a), shownWeight(b))
	}
}

func shownWeight(w *int) string {
	if w == nil {
		return "-"
	}
	return fmt.Sprint(*w)
}

// some names of balancers say which origins come first, also where a mapping
// names them.
func TestGroupsKnowTheirLocality(t *testing.T) {
	t.Parallel()
	hs := newHomes(t, "a")
	for _, tt := range []struct{ cluster, mapping, want string }{
		{"balancer: random", "", "any"},
		{`balancer: "random:local"`, "", "prefer-local"},
		{"locality: collocated", "", "collocated"},
		{"locality: collocated", `, balancer: "metric:local"`, "prefer-local"},
		{"locality: prefer-local", ", balancer: p2c", "prefer-local"},
		{`balancer: "roundrobin:local"`, ", balancer: p2c", "any"},
	} {
		e, ps := NewExplainer(load(t, hostedText(hs, "", tt.cluster, "sites: { s: { hosts: [\"**\"] } }\nmappings: [{ site: s, cluster: app"+tt.mapping+" }]")))
		if e == nil {
			t.Fatal(ps)
		}
		if got := e.snap.groups[0].locality; got != tt.want {
			t.Errorf("cluster %s, mapping %q: %s, want %s", tt.cluster, tt.mapping, got, tt.want)
		}
	}
}

// lifeOf is what balancers know of an origin of the cluster app that changes.
func lifeOf(g *Gateway, h *home) *balance.Live {
	g.registry.mu.Lock()
	defer g.registry.mu.Unlock()
	return g.registry.lives["app http://"+h.addr].thing
}

// M-MET-09, M-MET-11: what is told of an origin holds for the very next request, and
// through reloads; where all are busy they are taken in turn, with a warning.
func TestRequestsGoByMetrics(t *testing.T) {
	t.Parallel()
	hs, log := newHomes(t, "a", "b", "c"), new(reportLog)
	text := func(more string) string { return hostedText(hs, "", "balancer: metric"+more, "") }
	addr, g := start(t, text(""), Options{Dial: hs.dial, Logger: slog.New(slog.NewTextHandler(log, nil))})
	set := func(metrics ...int) {
		for i, m := range metrics {
			lifeOf(g, hs[i]).SetMetric(m)
		}
	}
	for _, tt := range []struct {
		metrics []int
		want    string
		told    int
	}{
		{[]int{0, 100, 0}, "bb", 0},
		{[]int{100, 0, 0}, "aa", 0},
		{[]int{0, 0, 1}, "cc", 0},
		{[]int{0, 0, 0}, "", 1},
		{[]int{0, 0, 0}, "", 1},
		{[]int{0, 30, 0}, "bb", 1},
		{[]int{0, 0, 0}, "", 2},
		{[]int{0, 0, 9}, "cc", 2},
	} {
		set(tt.metrics...)
		if got := answerers(t, addr, "/", max(len(tt.want), 6)); tt.want != "" && got != strings.Repeat(tt.want, 3) || tt.want == "" && counted(got) != "2 2 2" {
			t.Errorf("metrics %v: answered by %s, want %s", tt.metrics, got, tt.want)
		}
		lines := strings.Join(log.lines(), "\n")
		if told := strings.Count(lines, "says that it is busy"); told != tt.told {
			t.Errorf("metrics %v: told %d times, want %d:\n%s", tt.metrics, told, tt.told, lines)
		}
	}
	apply(t, g, text(", first_byte_timeout: 50s"))
	if got := answerers(t, addr, "/", 5); got != "ccccc" {
		t.Errorf("after a reload: answered by %s, want only c", got)
	}
}

// counted is how often a, b and c are in a text.
func counted(s string) string {
	return fmt.Sprint(strings.Count(s, "a"), " ", strings.Count(s, "b"), " ", strings.Count(s, "c"))
}

// Peak-ewma hears of answers: of two origins the second request goes to the one that
// was not tried. It hears of failures: who fails is not asked again soon, fast as it
// is.
func TestPeakEWMAHearsOfAttempts(t *testing.T) {
	t.Parallel()
	for range 8 {
		hs := newHomes(t, "a", "b")
		hs[0].status = func() string { return "503 Service Unavailable" }
		addr, _ := start(t, hostedText(hs, "", "balancer: peak-ewma, retry: { retries: 0 }", ""), hs.options())
		if got := answerers(t, addr, "/", 2); got != "ab" && got != "ba" {
			t.Fatalf("the first two requests went to %s, want one to each", got)
		}
		if got := answerers(t, addr, "/", 6); got != "bbbbbb" {
			t.Errorf("then %s answered, want b alone", got)
		}
	}
}

// Hash: who has the same key goes to the same origin, explain knows which, and it is
// another one of the group only while that is out.
func TestRequestsGoByTheirKeys(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		by     string
		fields func(n int) string // of the n-th client's request
		same   bool               // all have the same key
	}{
		{"header:X-User", func(n int) string { return fmt.Sprintf("X-USER: u%d\r\n", n) }, false},
		{"cookie:user", func(n int) string { return fmt.Sprintf("Cookie: a=b; user=u%d\r\n", n) }, false},
		{"session", func(n int) string { return fmt.Sprintf("Cookie: SID=s%d\r\n", n) }, false},
		{"client", func(int) string { return "" }, true},
	} {
		t.Run(tt.by, func(t *testing.T) {
			t.Parallel()
			hs := newHomes(t, "a", "b", "c")
			addr, g := start(t, hs.boundText(fmt.Sprintf(", balancer: hash, balancer_options: { by: %q }", tt.by), "cookie: SID", ""), hs.options())
			owners := map[string]string{}
			for round := range 2 {
				for n := range 12 {
					fields := tt.fields(n)
					said := explainHead(t, g, "/", fields).Pick
					got := ask(t, addr, strings.TrimSuffix("GET / HTTP/1.1\r\nHost: a.example\r\n"+fields, "\r\n")).origin()
					if round == 0 {
						owners[fields] = got
					}
					if owners[fields] != got || said.Origin != "main/app/"+got || !said.Sure {
						t.Errorf("%q: %s, then %s; explain says %s", fields, owners[fields], got, said.Origin)
					}
				}
			}
			seen := map[string]bool{}
			for _, origin := range owners {
				seen[origin] = true
			}
			if (len(seen) == 1) != tt.same {
				t.Errorf("the keys go to %v", seen)
			}
			out := owners[tt.fields(0)]
			hs.named(t, out).kill()
			for n := range 12 {
				got := ask(t, addr, strings.TrimSuffix("GET / HTTP/1.1\r\nHost: a.example\r\n"+tt.fields(n), "\r\n")).origin()
				if was := owners[tt.fields(n)]; got == out || was != out && got != was {
					t.Errorf("%q: %s while %s is out, %s before", tt.fields(n), got, out, was)
				}
			}
		})
	}
}

// A key costs no allocation.
func TestKeyAllocs(t *testing.T) {
	hs := newHomes(t, "a")
	for _, by := range []string{"client", "session", "header:X-User", "cookie:user"} {
		_, g := start(t, hs.boundText(fmt.Sprintf(", balancer: hash, balancer_options: { by: %q }", by), "cookie: SID", ""), hs.options())
		x := &Exchange{snap: g.current.Load()}
		if !x.readHead([]byte("GET / HTTP/1.1\r\nHost: h\r\nX-User: u\r\nCookie: SID=1; user=u\r\n\r\n")) || g.check(x) != Served {
			t.Fatal("no head")
		}
		x.decision.ID = []byte("1")
		group, key := x.snap.groups[0], uint64(0)
		if n := testing.AllocsPerRun(1000, func() { key = x.keyIn(group) }); n != 0 || key == 0 {
			t.Errorf("by %s: key %d, %v allocations, want some key and none", by, key, n)
		}
	}
}
