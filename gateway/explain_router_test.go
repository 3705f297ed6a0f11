package gateway

import (
	"fmt"
	"strings"
	"testing"
)

// What Explain says of a router is what traffic does: who was listed, that it failed,
// and what then decides.
func TestExplainAsksTheRouter(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, plugin, cluster string
		target                string
		assume                map[string]string
		listed                string // short names
		why                   string // a part of it; empty: the list decides
		pick, pickWhy         string
		reason                Reason
	}{
		{"it lists", "", "", at("1"), nil, "b", "", "b", "listed by the router", Served},
		{"it abstains", "", "", at("a"), nil, "", "lists nobody: the balancer decides", "a", "capacity", Served},
		{"it fails", "", "", at("t"), nil, "", "fault trap in gw_route: ", "a", "capacity", Served},
		{"it answers an error", "", "", at("n"), nil, "", ": the balancer decides, by on_error: default-balancer", "a", "capacity", Served},
		{"it fails, and that refuses", ", on_error: reject", "", at("t"), nil, "", ": the request is refused, by on_error: reject", "", "", PluginFailed},
		{"whom it lists is down", "", "", at("1"), map[string]string{"b": "down"}, "b", "it is refused, by on_exhausted: fail", "", "", RouterExhausted},
		{"whom it lists drains", "", ", on_exhausted: default-balancer", at("1"), map[string]string{"b": "draining"}, "b", "by on_exhausted: default-balancer", "a", "capacity", Served},
		{"whom it lists is full", "", "", at("1"), map[string]string{"b": "full"}, "b", "it is refused, by on_exhausted: fail", "", "", RouterExhausted},
		{"whom it lists is full, and waited for", ", on_full: queue", "", at("1"), map[string]string{"b": "full"}, "b", "", "", "main/app/b is the first of the list that is in service, and full: it would be waited for, for up to 10s (on_full: queue)", Served},
		{"nobody is in service", "", "", at("1"), map[string]string{"app": "down"}, "b", "there is nothing to choose", "", "no origin takes it", NoOrigin},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			hs := newHomes(t, "a", "b")
			cfg := load(t, routerText(hs, moody, tt.plugin, tt.cluster))
			e, problems := NewExplainer(cfg)
			if problems.Errors() > 0 {
				t.Fatal(problems)
			}
			x, err := e.Explain(Question{Raw: []byte("GET " + tt.target + " HTTP/1.1\r\nHost: h\r\n\r\n"), States: tt.assume})
			if err != nil {
				t.Fatal(err)
			}
			r := x.Router
			if r == nil || !r.Called || r.Plugin != "chooser" || r.Cluster != "main/app" {
				t.Fatalf("router %+v", r)
			}
			var listed []string
			for _, o := range r.Listed {
				listed = append(listed, shortName(o))
			}
			if strings.Join(listed, " ") != tt.listed || !strings.Contains(r.Why, tt.why) || (r.Why == "") != (tt.why == "") {
				t.Errorf("lists %v, %q", listed, r.Why)
			}
			pick := ExplainedPick{}
			if x.Pick != nil {
				pick = *x.Pick
			}
			if shortName(pick.Origin) != tt.pick || pick.Why != tt.pickWhy || x.Outcome.Reason != tt.reason.String() {
				t.Errorf("picks %q, %q, then %q; want %q, %q, %q", pick.Origin, pick.Why, x.Outcome.Reason, tt.pick, tt.pickWhy, tt.reason)
			}
			for _, c := range pick.Candidates {
				if (c.Why == "picked") != (c.Origin == pick.Origin) {
					t.Errorf("%s is %s", c.Origin, c.Why)
				}
			}
		})
	}
}

// abi.md, section 8: what a router lists and does not count, explain shows.
func TestExplainShowsWhatIsSkipped(t *testing.T) {
	t.Parallel()
	hs := newHomes(t, "server1", "server2")
	_, g := start(t, routerText(hs, "good/names", "", ""), hs.options())
	r := explainHead(t, g, "/", "").Router
	if got := fmt.Sprint(r.Listed, r.Skipped); got != "[main/app/server1] [main/shop/server3: there is none]" {
		t.Errorf("%s, %q", got, r.Why)
	}
	_, g = start(t, routerText(hs, moody, "", "")+"rules: [{ name: one, permit: { to: main/app/server1 } }]\n", hs.options())
	r = explainHead(t, g, at("1"), "").Router
	if got := fmt.Sprint(r.Listed, r.Skipped); got != "[] [main/app/server2: the request may not go there]" || r.Why != "nobody of its list can take the request: it is refused, by on_exhausted: fail" {
		t.Errorf("%s, %q", got, r.Why)
	}
}

// Where a binding decides the router is not asked (binding, collocated, router,
// balancer).
func TestExplainDoesNotAskTheRouterOfBoundRequests(t *testing.T) {
	t.Parallel()
	hs := newHomes(t, "a", "b")
	hs.say(atCookie)
	text := routerText(hs, moody, "", ", session: s") + "sessions: { s: { " + byCookie + " } }\n"
	addr, g := start(t, text, hs.options())
	cookie := enterAt(t, addr, "a")
	calls := g.Plugins()[0].Counters.Calls.Load()
	e := explainHead(t, g, at("1"), "Cookie: "+cookie+"\r\n")
	if e.Router == nil || e.Router.Called || e.Router.Why != "not called: the binding decides" || shortName(e.Pick.Origin) != "a" {
		t.Errorf("router %+v, picks %+v", e.Router, e.Pick)
	}
	if n := g.Plugins()[0].Counters.Calls.Load(); n != calls {
		t.Errorf("it was called %d times", n-calls)
	}
}

// A list goes before nearness, but not before an origin on this very host where that is
// to be preferred to all (M-COLO-02); and where too few are up, it may name those that
// are out.
func TestExplainOfRoutersAmongNearOrigins(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, cluster string
		states        map[string]string
		called        bool
		pick          string
	}{
		{"collocated", ", locality: collocated", nil, false, "a"},
		{"collocated, and down", ", locality: collocated", map[string]string{"a": "down"}, true, "b"},
		{"near", ", locality: prefer-local", nil, true, "b"},
		{"out, and no panic", "", map[string]string{"b": "down"}, true, ""},
		{"out, and panic", ", panic_threshold: 90%", map[string]string{"b": "down"}, true, "b"},
	} {
		hs := newHomes(t, "a", "b")
		hs[0].settings = ", host: here"
		text := "node: { host: here }\n" + routerText(hs, moody, "", tt.cluster)
		e, problems := NewExplainer(load(t, text))
		if problems.Errors() > 0 {
			t.Fatal(problems)
		}
		x, err := e.Explain(Question{Raw: []byte("GET " + at("1") + " HTTP/1.1\r\nHost: h\r\n\r\n"), States: tt.states})
		if err != nil {
			t.Fatal(err)
		}
		pick := ""
		if x.Pick != nil {
			pick = shortName(x.Pick.Origin)
		}
		if x.Router.Called != tt.called || pick != tt.pick || !tt.called && x.Router.Why == "" {
			t.Errorf("%s: router %+v, pick %q, want %q", tt.name, x.Router, pick, tt.pick)
		}
	}
}

// The router sees origins as they are assumed to be.
func TestExplainShowsRoutersWhatIsAssumed(t *testing.T) {
	t.Parallel()
	hs := newHomes(t, "a", "b", "c")
	e, problems := NewExplainer(load(t, routerText(hs, "good/echo", "", "")))
	if problems.Errors() > 0 {
		t.Fatal(problems)
	}
	x, err := e.Explain(Question{Raw: []byte("GET / HTTP/1.1\r\nHost: h\r\n\r\n"), States: map[string]string{"a": "down", "b": "maintenance"}})
	if err != nil {
		t.Fatal(err)
	}
	if got := fmt.Sprint(x.Router.Listed); got != "[main/app/c]" {
		t.Errorf("the usable ones are %s", got)
	}
}

// Of origins with a collector Explain has the metric; who only explains samples none,
// and says so.
func TestExplainHasMetrics(t *testing.T) {
	t.Parallel()
	hs := newHomes(t, "a")
	text := plainListener + fmt.Sprintf(`
clusters: { app: { origins: %s, metric: { collector: busy, initial: 80, interval: 100ms } } }
plugins: { busy: { kind: collector, module: %q } }
`, hs.text(), guestFile("good/enabled"))
	_, g := start(t, text, hs.options())
	until(t, "it was sampled", func() bool { return *explainHead(t, g, "/", "").Pick.Candidates[0].Metric == 42 })
	if still := explainHead(t, g, "/", "").Still; still != nil {
		t.Errorf("a running gateway keeps %v still", still)
	}
	e, problems := NewExplainer(load(t, text))
	if problems.Errors() > 0 {
		t.Fatal(problems)
	}
	x, err := e.Explain(Question{Raw: []byte("GET / HTTP/1.1\r\nHost: h\r\n\r\n")})
	if err != nil || *x.Pick.Candidates[0].Metric != 80 || fmt.Sprint(x.Still) != "[busy]" {
		t.Errorf("%v, metric %v, still %v", err, *x.Pick.Candidates[0].Metric, x.Still)
	}
}

// A router that is shown bodies is asked about requests that have none; the body of
// others Explain does not have.
func TestExplainAsksNoRouterWithoutTheBody(t *testing.T) {
	t.Parallel()
	for head, called := range map[string]bool{
		"GET / HTTP/1.1\r\nHost: h\r\n\r\n":                                true,
		"POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 1\r\n\r\n":          false,
		"POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n": false,
	} {
		e, problems := NewExplainer(load(t, routerText(newHomes(t, "a"), bodyGuest, ", needs: [body]", "")))
		if problems.Errors() > 0 {
			t.Fatal(problems)
		}
		x, err := e.Explain(Question{Raw: []byte(head)})
		if err != nil {
			t.Fatal(err)
		}
		if x.Router == nil || x.Router.Called != called || !called && !strings.Contains(x.Router.Why, "body") || x.Pick == nil {
			t.Errorf("%q: router %+v, pick %+v", head, x.Router, x.Pick)
		}
	}
}
