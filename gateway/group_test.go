package gateway

import (
	"fmt"
	"strings"
	"testing"
)

// groupText is a configuration of clusters, in flow style, and of mappings for
// one site w with every host.
func groupText(clusters, mappings string) string {
	return plainListener + "clusters:\n" + clusters + "sites: { w: { hosts: [\"**\"] } }\nmappings:\n" + mappings
}

func clusterLine(name string, hs homes, more string) string {
	return fmt.Sprintf("  %s: { origins: %s%s }\n", name, hs.text(), more)
}

// answerers asks n times, one after the other, and returns who answered.
func answerers(tb testing.TB, addr, target string, n int) string {
	tb.Helper()
	var all strings.Builder
	for range n {
		all.WriteString(visit(tb, addr, target, "").origin())
	}
	return all.String()
}

// a mapping with several clusters balances over all their origins as one
// group. One that two of them have is in it once, and the lead's balancer decides.
func TestGroupOfSeveralClusters(t *testing.T) {
	t.Parallel()
	hs := newHomes(t, "a", "b", "c", "d")
	one, two := hs[:3], hs[2:]
	for _, tt := range []struct{ name, one, two, mapping, want string }{
		{"by capacity, as is the default", "", "", "clusters: [one, two]", "abcdabcd"},
		{"the other one leads", "", "", "clusters: [two, one]", "cdabcdab"},
		{"the lead's balancer", ", balancer: round-robin", ", balancer: random", "clusters: [one, two]", "abcdabcd"},
		{"the mapping's balancer", ", balancer: random", ", balancer: random", "clusters: [one, two], balancer: round-robin", "abcdabcd"},
		{"one cluster alone", "", "", "cluster: two", "cdcdcdcd"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			addr, _ := start(t, groupText(clusterLine("one", one, tt.one)+clusterLine("two", two, tt.two), "  - { site: w, "+tt.mapping+" }\n"), hs.options())
			if got := answerers(t, addr, "/", 8); got != tt.want {
				t.Errorf("answered by %s, want %s", got, tt.want)
			}
		})
	}
}

// capacity is the address's, over all groups that have it. Held
// in one group, a slot is taken in the other.
func TestGroupsShareTheLoadOfAnOrigin(t *testing.T) {
	t.Parallel()
	hs := newHomes(t, "a", "b", "c")
	hs[1].settings = ", capacity: 1"
	addr, g := start(t, groupText(clusterLine("one", hs[:2], "")+clusterLine("two", hs[1:], ""), `
  - { site: w, prefix: /one, cluster: one }
  - { site: w, prefix: /hold, cluster: two }
  - { site: w, clusters: [one, two] }
`), hs.options())
	held := hs[1].hold(t, addr, "")
	if got := answerers(t, addr, "/one", 2) + answerers(t, addr, "/", 4); strings.Contains(got, "b") {
		t.Errorf("with b full answered %s", got)
	}
	if o := statusOf(t, g, "b"); o.Load != 1 {
		t.Errorf("load %d at b, want 1", o.Load)
	}
	hs[1].letGo <- struct{}{}
	wantAnswerOf(t, "the held request", held, "b")
}

// what shapes a connection or an attempt stays the origin's own cluster's.
func TestGroupKeepsConnectionOptionsOfClusters(t *testing.T) {
	t.Parallel()
	hs := newHomes(t, "a", "b")
	addr, _ := start(t, groupText(
		clusterLine("one", hs[:1], ", host_header: one.internal, retry: { retries: 0 }")+
			clusterLine("two", hs[1:], ", host_header: two.internal, first_byte_timeout: 100ms"),
		"  - { site: w, clusters: [one, two] }\n"), hs.options())
	for range 2 {
		a := visit(t, addr, "/", "")
		if want := map[string]string{"a": "one.internal", "b": "two.internal"}[a.origin()]; fieldIn(a.body, "Host") != want {
			t.Errorf("%s got Host %q, want %q", a.origin(), fieldIn(a.body, "Host"), want)
		}
	}
	first, second := hs[0].hold(t, addr, ""), hs[1].hold(t, addr, "")
	if got, err := await(second); err != nil || got.status != 504 {
		t.Errorf("held at b: %d, %v; want 504 after its cluster's first_byte_timeout", got.status, err)
	}
	hs[0].letGo <- struct{}{}
	wantAnswerOf(t, "held at a, whose cluster waits for longer", first, "a")
}

// queue and retry are the lead's.
func TestLeadGivesQueueAndRetry(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, clusters string
		waits          bool // who comes while all is full
		down           int  // status of who comes to an origin that has gone
	}{
		{"the lead has neither", "[none, both]", false, 502},
		{"the lead has both", "[both, none]", true, 200},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			hs := newHomes(t, "a", "b")
			hs[0].settings, hs[1].settings = ", capacity: 1", ", capacity: 1"
			addr, g := start(t, groupText(
				clusterLine("none", hs[:1], ", queue: { size: 0 }, retry: { retries: 0 }")+
					clusterLine("both", hs[1:], ", queue: { size: 5, timeout: 1m }, retry: { retries: 1 }"),
				"  - { site: w, clusters: "+tt.clusters+" }\n"), hs.options())
			first, second := visitLater(t, addr, "/hold", ""), visitLater(t, addr, "/hold", "")
			until(t, "both are full", func() bool { return hs[0].held.Load()+hs[1].held.Load() == 2 })
			third := visitLater(t, addr, "/", "")
			if tt.waits {
				awaitWaiters(t, g, 1)
			} else if a, err := await(third); err != nil || a.status != 503 {
				t.Errorf("with both full: %d, %v; want 503", a.status, err)
			}
			for _, h := range hs {
				h.letGo <- struct{}{}
			}
			served := []<-chan told{first, second}
			if tt.waits {
				served = append(served, third)
			}
			for _, answer := range served {
				if a, err := await(answer); err != nil || a.status != 200 {
					t.Errorf("held or waiting: %d, %v; want 200", a.status, err)
				}
			}
			hs[0].kill()
			worst := 0
			for range 2 {
				worst = max(worst, visit(t, addr, "/", "").status)
			}
			if worst != tt.down {
				t.Errorf("with a gone: %d, want %d", worst, tt.down)
			}
		})
	}
}

// Groups are interned: mappings with the same clusters have one turn and one
// queue, those with other clusters, or the same in another order, their own.
func TestGroupsOfTheSameClustersShareTheirTurn(t *testing.T) {
	t.Parallel()
	hs := newHomes(t, "a", "b", "c", "d")
	addr, g := start(t, groupText(clusterLine("one", hs[:2], "")+clusterLine("two", hs[2:], ""), `
  - { site: w, prefix: /x, clusters: [one, two] }
  - { site: w, prefix: /y, clusters: [one, two] }
  - { site: w, prefix: /z, clusters: [two, one] }
  - { site: w, prefix: /v, cluster: one }
  - { site: w, clusters: [one, two], balancer: round-robin }
`), hs.options())
	var got strings.Builder
	for _, target := range []string{"/x", "/y", "/x", "/z", "/v", "/", "/y"} {
		got.WriteString(answerers(t, addr, target, 1))
	}
	if want := "abc" + "c" + "a" + "a" + "d"; got.String() != want {
		t.Errorf("answered by %s, want %s", got.String(), want)
	}
	if n := len(g.current.Load().groups); n != 4 {
		t.Errorf("there are %d groups, want one for each set of clusters, order and balancer: 4", n)
	}
}

// M-RULE-10 and X-25: failover clusters are tried in the order of the list, each
// only when nobody of those before is in service; a full one is waited for.
func TestFailoverClustersAreTriedInOrder(t *testing.T) {
	t.Parallel()
	hs := newHomes(t, "a", "b", "c", "d")
	text := func(out string) string {
		for _, h := range hs {
			h.settings = ", capacity: 1"
			if strings.Contains(out, h.name) {
				h.settings += ", state: disabled"
			}
		}
		return groupText(clusterLine("main", hs[:2], "")+clusterLine("near", hs[2:3], "")+clusterLine("far", hs[3:], ""),
			"  - { site: w, cluster: main, failover: [far, near] }\n")
	}
	addr, g := start(t, text(""), hs.options())
	for _, tt := range []struct{ out, want string }{
		{"", "abab"},
		{"a", "bbbb"},
		{"ab", "dddd"},
		{"abd", "cccc"},
		{"abcd", ""},
		{"bcd", "aaaa"},
	} {
		apply(t, g, text(tt.out))
		if got := answerers(t, addr, "/", 4); got != tt.want {
			t.Errorf("with %q out answered by %q, want %q", tt.out, got, tt.want)
		}
	}
	apply(t, g, text("b"))
	held := hs[0].hold(t, addr, "")
	waits := visitLater(t, addr, "/", "")
	awaitWaiters(t, g, 1)
	hs[0].letGo <- struct{}{}
	wantAnswerOf(t, "the held request", held, "a")
	wantAnswerOf(t, "the one that waited for a full group", waits, "a")
}

// Who waits in a group whose last origin goes out goes on to the next one.
func TestWaitersGoOnToTheFailoverGroup(t *testing.T) {
	t.Parallel()
	hs := newHomes(t, "a", "b")
	text := func(settings string) string {
		hs[0].settings = ", capacity: 1" + settings
		return groupText(clusterLine("main", hs[:1], ", queue: { timeout: 1m }")+clusterLine("dr", hs[1:], ""),
			"  - { site: w, cluster: main, failover: [dr] }\n")
	}
	addr, g := start(t, text(""), hs.options())
	held := hs[0].hold(t, addr, "")
	var waits []<-chan told
	for range 3 {
		waits = append(waits, visitLater(t, addr, "/", ""))
	}
	awaitWaiters(t, g, 3)
	apply(t, g, text(", state: maintenance"))
	for _, answer := range waits {
		wantAnswerOf(t, "one that waited", answer, "b")
	}
	hs[0].letGo <- struct{}{}
	wantAnswerOf(t, "the held request", held, "a")
}

// Who waits while its site is taken away is told so: it has no group any more.
func TestWaitersWhoseSiteGoesAreRefused(t *testing.T) {
	t.Parallel()
	hs := newHomes(t, "a")
	text := func(settings string) string {
		hs[0].settings = ", capacity: 1" + settings
		return groupText(clusterLine("main", hs, ", queue: { timeout: 1m }"), "  - { site: w, cluster: main }\n")
	}
	addr, g := start(t, text(""), hs.options())
	held := hs[0].hold(t, addr, "")
	waits := visitLater(t, addr, "/", "")
	awaitWaiters(t, g, 1)
	apply(t, g, strings.Replace(text(", state: disabled"), "\"**\"", "b.example", 1))
	if a, err := await(waits); err != nil || a.status != 421 {
		t.Errorf("answered %d %q, %v; want 421", a.status, a.body, err)
	}
	hs[0].letGo <- struct{}{}
	wantAnswerOf(t, "the held request", held, "a")
}
