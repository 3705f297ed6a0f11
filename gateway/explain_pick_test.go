package gateway

import (
	"fmt"
	"testing"
)

// of a session whose origin is full Explain says what traffic does, and of
// one whose sessions may wait that it waits.
func TestExplainOfAFullOriginWithSessions(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ onFull, origin string }{
		{"rebalance", "main/app/b"},
		{"queue", ""},
	} {
		t.Run(tt.onFull, func(t *testing.T) {
			t.Parallel()
			hs := newHomes(t, "a", "b")
			hs.say(atCookie)
			hs[0].settings = ", capacity: 1"
			addr, g := start(t, hs.boundText(", queue: { size: 1 }", byCookie+", on_full: "+tt.onFull, ""), hs.options())
			cookie := enterAt(t, addr, "a")
			held := hs[0].hold(t, addr, cookie)
			e := explainHead(t, g, "/", "Cookie: "+cookie+"\r\n")
			if e.Pick == nil || e.Pick.Origin != tt.origin || e.Outcome.Status != 0 {
				t.Errorf("picks %+v, and then %+v; want %q", e.Pick, e.Outcome, tt.origin)
			}
			if e.Pick != nil && e.Pick.Why == "bound" {
				t.Errorf("%q is picked as bound", e.Pick.Origin)
			}
			if tt.origin != "" {
				if got := visit(t, addr, "/", cookie); "main/app/"+got.origin() != tt.origin {
					t.Errorf("traffic goes to %q", got.origin())
				}
			}
			hs[0].letGo <- struct{}{}
			wantAnswerOf(t, "the held request", held, "a")
		})
	}
}

// what no queue holds is refused or goes on to the failover group.
func TestExplainOfFullQueues(t *testing.T) {
	t.Parallel()
	hs := newHomes(t, "a", "b")
	for _, tt := range []struct {
		queue  string
		full   []string
		origin string
		reason Reason
	}{
		{"size: 1", []string{"a"}, "", Served},
		{"size: 0", []string{"a"}, "", QueueFull},
		{"size: 0, overflow: failover", []string{"a"}, "main/reserve/b", Served},
		{"size: 1, overflow: failover", []string{"a"}, "", Served},
		{"size: 0, overflow: failover", []string{"a", "b"}, "", QueueFull},
	} {
		e, ps := NewExplainer(load(t, fmt.Sprintf(`
listeners: [{ address: "127.0.0.1:0" }]
clusters:
  app: { origins: %s, queue: { %s } }
  reserve: { origins: %s, queue: { size: 0 } }
sites: { s: { hosts: ["**"] } }
mappings: [{ site: s, cluster: app, failover: [reserve] }]
`, hs[:1].text(), tt.queue, hs[1:].text())))
		if e == nil {
			t.Fatal(ps)
		}
		states := make(map[string]string)
		for _, name := range tt.full {
			states[name] = "full"
		}
		x, err := e.Explain(Question{Raw: []byte("GET / HTTP/1.1\r\nHost: h\r\n\r\n"), States: states})
		if err != nil || x.Pick.Origin != tt.origin || x.Outcome.Reason != tt.reason.String() || x.Outcome.Status != tt.reason.Status() {
			t.Errorf("queue %s, full %v: picks %q, %+v, %v; want %q, %v", tt.queue, tt.full, x.Pick.Origin, x.Outcome, err, tt.origin, tt.reason)
		}
	}
}

// What a binding does is told as it is.
func TestExplainOfBindings(t *testing.T) {
	t.Parallel()
	ids := wlsIDs
	for _, tt := range []struct {
		name, session, rules string
		id                   string
		shields              bool
		why                  string
	}{
		{"usable", "", "", wlsID(ids[1], ids[2]), true, "its origin can be used"},
		{"replica", "", "", wlsID(ids[0], ids[2]), true, "its origin cannot be used, the one with the replica can"},
		{"replica of an unknown one", "", "", wlsID("7", ids[2]), true, `"7" is in no origin's ids, the origin with the replica can be used`},
		{"out", ", on_primary_down: any", "", wlsID(ids[0], ids[2]), false, "its origin is out: it is balanced anew"},
		{"out, and to nobody else", ", on_primary_down: fail", "", wlsID(ids[0]), true, "its origin is out, and its sessions go nowhere else"},
		{"unknown", "", "", wlsID("7"), false, `"7" is in no origin's ids`},
		{"override_affinity", "", "override_affinity: true", wlsID(ids[1]), false, "its origin can be used"},
	} {
		hs := newHomes(t, "a", "b", "c")
		e, ps := NewExplainer(load(t, wlsText(hs, tt.session, tt.rules)))
		if e == nil {
			t.Fatal(ps)
		}
		x, err := e.Explain(Question{Raw: []byte("GET / HTTP/1.1\r\nHost: h\r\nCookie: JSESSIONID=" + tt.id + "\r\n\r\n"), Down: []string{"a"}})
		if err != nil || x.Binding.Why != tt.why || x.Binding.Shields != tt.shields {
			t.Errorf("%s: %+v, %v; want %q, shields %v", tt.name, x.Binding, err, tt.why, tt.shields)
		}
	}
}

// A binding that is assumed names its origin as people do, also where that is a
// URL.
func TestAssumedBindingsNameOrigins(t *testing.T) {
	t.Parallel()
	e, ps := NewExplainer(load(t, `
listeners: [{ address: "127.0.0.1:0" }]
clusters:
  app: { origins: [{ name: a, address: "127.0.0.1:1" }], session: s }
  dr/app: { origins: [{ name: b, address: "127.0.0.1:2" }, { address: "https://127.0.0.1:3" }] }
sessions: { s: { cookie: SID } }
sites: { s: { hosts: ["**"] } }
mappings: [{ site: s, clusters: [app, dr/app] }]
`))
	if e == nil {
		t.Fatal(ps)
	}
	for _, tt := range []struct{ named, want string }{
		{"main/app/a", "main/app/a"},
		{"dr/app/b", "dr/app/b"},
		{"app/b", "dr/app/b"},
		{"b", "dr/app/b"},
		{"dr/app/https://127.0.0.1:3", "dr/app/https://127.0.0.1:3"},
		{"https://127.0.0.1:3", "dr/app/https://127.0.0.1:3"},
		{"dr/app/a", ""},
		{"gone", ""},
	} {
		x, err := e.Explain(Question{Raw: []byte("GET / HTTP/1.1\r\nHost: h\r\nCookie: SID=1\r\n\r\n"), Bound: map[string]string{"1": tt.named}})
		if err != nil || x.Binding.Origin != tt.want {
			t.Errorf("bound to %s: %+v, %v; want %q", tt.named, x.Binding, err, tt.want)
		}
	}
}
