package balance

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// on gives a member a host and its weight.
func on(name, host string, weight int) Member {
	return Member{Name: name, Key: "http://" + name, Host: host, HostWeight: weight, Weight: 1}
}

// weighing gives a member a weight of its own, on a host whose weight is another.
func weighing(name string, weight int) Member {
	return Member{Name: name, Key: "http://" + name, Host: "h", HostWeight: 7, Weight: weight}
}

// telling gives a member a metric.
func telling(name string, metric int) Member {
	m := Member{Name: name, Key: "http://" + name, Host: name, HostWeight: 5, Weight: 9, Live: new(Live)}
	m.Live.SetMetric(metric)
	return m
}

// idle are usable candidates.
func idle(n int) []Candidate { return group(strings.Repeat("u", n)) }

// order are the names of the next n picks.
func order(b Balancer, members []Member, cs []Candidate, n int) string {
	var names []string
	for range n {
		names = append(names, members[b.Pick(cs, 0)].Name)
	}
	return strings.Join(names, " ")
}

// shown is how many of n picks each got: "A 3, B 2".
func shown(b Balancer, members []Member, cs []Candidate, n int) string {
	counts := make([]int, len(members))
	for range n {
		counts[b.Pick(cs, 0)]++
	}
	var all []string
	for i, m := range members {
		all = append(all, fmt.Sprint(m.Name, " ", counts[i]))
	}
	return strings.Join(all, ", ")
}

// What is published or follows from it, to the number.
func TestGoldenShares(t *testing.T) {
	four := []Member{on("A", "a", 3), on("B", "b", 2), on("C", "c", 1), on("D", "d", 1)}
	even := []Member{on("A", "a", 1), on("B", "b", 1), on("C", "c", 1), on("D", "d", 1)}
	two := []Member{on("A1", "a", 3), on("A2", "a", 3), on("B", "b", 1)}
	weights := []Member{weighing("A", 50), weighing("B", 100), weighing("C", 100)}
	metrics := []Member{telling("A", 20), telling("B", 40), telling("C", 90)}
	halves := []Member{telling("A", 10), telling("B", 20), telling("C", 45)}
	busy := []Member{telling("A", 0), telling("B", 0), telling("C", 0)}
	unsaid := []Member{on("A", "a", 1), telling("B", 100)}
	for _, tt := range []struct {
		row, balancer string
		members       []Member
		usable        string // "": all
		picks         int
		want          string
	}{
		{"M-RW-03", "weighted-round-robin", four, "", 7, "A 3, B 2, C 1, D 1"},
		{"M-RW-03, alias", "roundrobin:weighted", four, "", 7, "A 3, B 2, C 1, D 1"},
		{"M-RW-03, many", "weighted-round-robin", four, "", 7000, "A 3000, B 2000, C 1000, D 1000"},
		{"M-RW-03, one down", "weighted-round-robin", four, "-uuu", 400, "A 0, B 200, C 100, D 100"},
		{"M-RW-04", "weighted-round-robin", even, "", 4000, "A 1000, B 1000, C 1000, D 1000"},
		{"M-RW-05", "round-robin", four, "", 4000, "A 1000, B 1000, C 1000, D 1000"},
		{"M-RW-08", "weighted-round-robin", two, "", 4000, "A1 1500, A2 1500, B 1000"},
		{"M-RW-08, one of two down", "weighted-round-robin", two, "u-u", 4000, "A1 3000, A2 0, B 1000"},
		{"M-RW-08, host down", "weighted-round-robin", two, "--u", 4000, "A1 0, A2 0, B 4000"},
		{"M-ALG-04", "weight-based", weights, "", 500, "A 100, B 200, C 200"},
		{"M-ALG-04, one round", "weight-based", weights, "", 5, "A 1, B 2, C 2"},
		{"M-ALG-05", "weight-based", equals(3), "", 300, "a 100, b 100, c 100"},
		{"host weights are not the origins'", "weight-based", two, "", 300, "A1 100, A2 100, B 100"},
		{"M-MET-03", "metric", metrics, "", 150, "A 20, B 40, C 90"},
		{"M-MET-03, 15", "metric", metrics, "", 15, "A 2, B 4, C 9"},
		{"M-MET-02, of the usable", "metric", metrics, "uu-", 300, "A 100, B 200, C 0"},
		{"M-COL-18", "metric", halves, "", 150, "A 20, B 40, C 90"},
		{"M-MET-05", "round-robin", metrics, "", 300, "A 100, B 100, C 100"},
		{"M-MET-06", "metric", unsaid, "", 300, "A 100, B 200"},
		{"M-MET-11", "metric", busy, "", 300, "A 100, B 100, C 100"},
	} {
		t.Run(tt.row, func(t *testing.T) {
			cs := idle(len(tt.members))
			if tt.usable != "" {
				cs = group(tt.usable)
			}
			if got := shown(newOf(t, tt.balancer, tt.members), tt.members, cs, tt.picks); got != tt.want {
				t.Errorf("of %d picks %s, want %s", tt.picks, got, tt.want)
			}
		})
	}
}

func TestGoldenOrders(t *testing.T) {
	for _, tt := range []struct {
		balancer string
		members  []Member
		want     string
	}{
		{"weighted-round-robin", []Member{on("A", "a", 3), on("B", "b", 2), on("C", "c", 1), on("D", "d", 1)}, "A B C A D B A A B C A D B A"},
		{"weighted-round-robin", []Member{on("A1", "a", 3), on("A2", "a", 3), on("B", "b", 1)}, "A1 A2 B A1 A2 A1 B A2"},
		{"weight-based", []Member{weighing("A", 3), weighing("B", 2), weighing("C", 1), weighing("D", 1)}, "A B C A D B A A B C A D B A"},
		{"weight-based", []Member{weighing("A", 100), weighing("B", 50)}, "A B A A B A"},
		{"metric", []Member{telling("A", 60), telling("B", 20)}, "A A B A A A B A"},
		{"metric", []Member{telling("A", 0), telling("B", 0)}, "A B A B"},
		{"least-load", equals(3), "a b c a b c"},
		{"round-robin", equals(3), "a b c a b c"},
	} {
		b := newOf(t, tt.balancer, tt.members)
		if got := order(b, tt.members, idle(len(tt.members)), 1+strings.Count(tt.want, " ")); got != tt.want {
			t.Errorf("%s: %s, want %s", tt.balancer, got, tt.want)
		}
	}
}

// M-MET-09: what is told holds for the very next pick; what was made for the metrics
// before is of no account.
func TestNextPickGoesByTheNewMetric(t *testing.T) {
	for _, n := range []int{2, 3, 40, 200} {
		var members []Member
		for i := range n {
			members = append(members, telling(fmt.Sprint(i), 50))
		}
		b, cs := newOf(t, "metric", members), idle(n)
		for range 3 * n {
			b.Pick(cs, 0)
		}
		for only := range n {
			for i := range members {
				members[i].Live.SetMetric(0)
			}
			members[only].Live.SetMetric(1 + only%100)
			for range 5 {
				if got := b.Pick(cs, 0); got != only {
					t.Fatalf("of %d origins %d was picked, want %d, which alone is not busy", n, got, only)
				}
			}
		}
	}
}

// M-MET-11: it is told once that all metrics are 0, and again when that comes anew;
// who is usable does not count.
func TestAllBusyIsToldOncePerTransition(t *testing.T) {
	members := []Member{telling("A", 0), telling("B", 30)}
	b := newOf(t, "metric", members)
	told := 0
	b.(Zeroed).OnZero(func() { told++ })
	for _, tt := range []struct {
		a, b   int
		usable string
		told   int
	}{
		{0, 30, "uu", 0},
		{0, 0, "--", 0},
		{0, 0, "uu", 1},
		{0, 0, "u-", 1},
		{0, 0, "uu", 1},
		{0, 1, "uu", 1},
		{0, 1, "u-", 2}, // the only one that may be picked
		{0, 1, "uu", 2},
		{0, 1, "u-", 2},
		{0, 0, "uu", 3},
		{0, 30, "uu", 3},
		{0, 0, "uu", 4},
	} {
		members[0].Live.SetMetric(tt.a)
		members[1].Live.SetMetric(tt.b)
		for range 3 {
			b.Pick(group(tt.usable), 0)
		}
		if told != tt.told {
			t.Errorf("metrics %d and %d, usable %s: told %d times, want %d", tt.a, tt.b, tt.usable, told, tt.told)
		}
	}
}

func TestMetricStaysInItsRange(t *testing.T) {
	var l Live
	if got := l.Metric(); got != 50 {
		t.Errorf("a metric that was never set is %d, want 50", got)
	}
	for set, want := range map[int]int{-3: 0, 0: 0, 1: 1, 100: 100, 130: 100} {
		if l.SetMetric(set); l.Metric() != want {
			t.Errorf("set to %d it is %d, want %d", set, l.Metric(), want)
		}
	}
}

// M-POL-02: native round robin begins with the first, roundrobin anywhere; both go
// round the list in its order.
func TestWhereRoundRobinBegins(t *testing.T) {
	starts := make(map[int]int)
	for range 400 {
		b := mustNew(t, "roundrobin", 4)
		first := b.Pick(idle(4), 0)
		starts[first]++
		for n := 1; n < 9; n++ {
			if got, want := b.Pick(idle(4), 0), (first+n)%4; got != want {
				t.Fatalf("begun with %d, pick %d is %d, want %d", first, n, got, want)
			}
		}
		if got := mustNew(t, "round-robin", 4).Pick(idle(4), 0); got != 0 {
			t.Fatalf("round-robin begins with %d", got)
		}
	}
	for i := range 4 { // 100 each, with a standard deviation of 9
		if starts[i] < 50 || starts[i] > 150 {
			t.Errorf("began %d of 400 times with %d, want about 100", starts[i], i)
		}
	}
}

// M-SEL-01: the eight names, those of WebLogic, and no other.
func TestOtherNamesOfBalancers(t *testing.T) {
	for _, name := range strings.Fields("roundrobin roundrobin:local roundrobin:weighted random random:local random:weighted metric metric:local round-robin weight-based") {
		b, err := New(name, equals(2), nil)
		if err != nil || b.Pick(idle(2), 0) < 0 || About(name) == "" {
			t.Errorf("%s: %v, %q", name, err, About(name))
		}
		if Local(name) != strings.HasSuffix(name, ":local") {
			t.Errorf("%s: local is %v", name, Local(name))
		}
	}
	for _, name := range []string{"metric:weighted", "Roundrobin", "random:", "round-robin-affinity", ""} {
		_, err := New(name, equals(2), nil)
		if err == nil || !strings.Contains(err.Error(), "roundrobin:local") {
			t.Errorf("%q: %v, want an error with the list", name, err)
		}
	}
	if UsesOf("random:weighted") != UsesHostWeight || UsesOf("metric:local") != UsesMetric || UsesOf("random") != 0 {
		t.Error("aliases do not use what their balancers do")
	}
	if slices.ContainsFunc(Names(), func(name string) bool { return aliases[name].of != "" }) {
		t.Error("an alias is a balancer of its own as well")
	}
}
