package gateway

import (
	"fmt"
	"strings"
	"testing"

	"weirkeep/gateway/origin"
)

// What is said of a binding names the origin as the best set has it, and is what
// traffic does.
func TestExplainSaysWhereSessionsGo(t *testing.T) {
	t.Parallel()
	hs := newHomes(t, "a", "b", "c")
	hs[0].settings, hs[1].settings, hs[2].settings = `, ids: ["1"]`, `, ids: ["2"]`, `, ids: ["3"], state: maintenance`
	text := func(session string) string {
		return fmt.Sprintf(`
listeners: [{ address: "127.0.0.1:0" }]
access_log: { path: stderr }
clusters:
%s%ssessions: { wls: { cookie: SID, %s } }
sites: { w: { hosts: ["**"], session: wls } }
mappings: [{ site: w, prefix: /gc, cluster: gc }, { site: w, cluster: app }]
rules:
  - { name: one, when: 'path == "/gc/test"', permit: { to: main/gc/c, allow_maintenance: true } }
  - { name: fixed, when: 'path == "/gc/in"', permit: { to: main/gc/b, sticky: %v } }
`, clusterLine("app", hs[1:], ""), clusterLine("gc", hs, ""), session, strings.Contains(session, "gateway-cookie"))
	}
	passive := text("binding: passive, extract: { format: weblogic }")
	strict := text("binding: passive, extract: { format: weblogic }, on_primary_down: fail")
	ours := text("binding: gateway-cookie, keys: [0123456789abcdef0123456789abcdef]")
	for _, tt := range []struct {
		name, text, target, cookie string
		primary, by, why           string
		carrier                    string
	}{
		{"two clusters have it", passive, "/gc/x", "SID=x!2", "main/gc/b", "main/gc/b", "its origin can be used", "cookie"},
		{"another mapping", passive, "/x", "SID=x!2", "main/app/b", "main/app/b", "its origin can be used", "cookie"},
		{"outside", passive, "/x", "SID=x!1", "main/gc/a", "", "its origin is not in the best set", "cookie"},
		{"an id of nobody", passive, "/x", "SID=x!777", "", "", `"777" is in no origin's ids`, "cookie"},
		{"an id without any", passive, "/x", "SID=x", "", "", "the id names no origin", "cookie"},
		{"a replica alone", passive, "/gc/x", "SID=x!777!2", "", "main/gc/b", `"777" is in no origin's ids, the origin with the replica can be used`, "cookie"},
		{"in maintenance", passive, "/gc/x", "SID=x!3", "main/gc/c", "", "its origin is out: it is balanced anew", "cookie"},
		{"let into maintenance", passive, "/gc/test", "SID=x!3", "main/gc/c", "", "its origin is in maintenance, where no binding leads: it is balanced anew, and the rule lets it in there", "cookie"},
		{"kept at maintenance", strict, "/gc/x", "SID=x!3", "main/gc/c", "main/gc/c", "its origin is out, and its sessions go nowhere else", "cookie"},
		{"no cookie of ours", ours, "/gc/x", "SID=x", "", "", "it has no valid weirkeep-wls, the gateway's cookie", "cookie"},
		{"our cookie", ours, "/gc/x", "ours", "main/gc/b", "main/gc/b", "its origin can be used", "gateway-cookie weirkeep-wls"},
		{"nothing", ours, "/gc/x", "", "", "", "the request has no session id", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			addr, g := start(t, tt.text, hs.options())
			if tt.cookie == "ours" {
				tt.cookie, _, _ = strings.Cut(visit(t, addr, "/gc/in", "").header.Get("Set-Cookie"), ";")
			}
			e := explainHead(t, g, tt.target, "Cookie: "+tt.cookie+"\r\n")
			b := e.Binding
			if b.Primary != tt.primary || b.Origin != tt.by || b.Why != tt.why || b.Carrier != tt.carrier {
				t.Errorf("%+v, want %s, %s, %q by %q", b, tt.primary, tt.by, tt.why, tt.carrier)
			}
			got := visit(t, addr, tt.target, tt.cookie)
			if got.status != e.Outcome.Status && got.status != 200 || e.Pick.Sure && got.origin() != shortName(e.Pick.Origin) {
				t.Errorf("%d by %q, explained as %+v", got.status, got.origin(), e.Pick)
			}
		})
	}
}

// shortName is an origin's name of its name in full.
func shortName(path string) string { return path[strings.LastIndexByte(path, '/')+1:] }

// Origins of bindings are named as people name them.
func TestExplainTakesBindingsOfEveryForm(t *testing.T) {
	t.Parallel()
	hs := newHomes(t, "a", "b")
	_, g := start(t, hs.boundText("", byCookie, ""), hs.options())
	for name, want := range map[string]string{"b": "main/app/b", "app/b": "main/app/b", "main/app/b": "main/app/b", hs[1].addr: "main/app/b", "main/other/b": "", "app": "", "/b": ""} {
		e, err := g.Explain(Question{Raw: []byte("GET / HTTP/1.1\r\nHost: h\r\nCookie: SID=x\r\n\r\n"), Bound: map[string]string{"x": name}})
		if err != nil || e.Binding.Origin != want {
			t.Errorf("bound to %q it goes to %+v, %v; want %q", name, e.Binding, err, want)
		}
		if want == "" && !strings.Contains(e.Binding.Why, "which is not in the configuration any more") {
			t.Errorf("bound to %q: %q", name, e.Binding.Why)
		}
	}
}

// Where two origins have the same name, sessions are bound by the full one.
func TestBindNamesOfOriginsThatShareAName(t *testing.T) {
	app, dr := &cluster{cell: "main", short: "app"}, &cluster{cell: "main", short: "dr"}
	s := &snapshot{clusters: []*cluster{app, dr}}
	for _, cl := range s.clusters {
		at := &originState{origin: &origin.Origin{Address: cl.short + ":80"}}
		cl.members = []*member{{name: "web1", cluster: cl, state: at, bound: cl.cell + "/" + cl.short + "/web1"}}
	}
	for name, want := range map[string]string{"main/app/web1": "main/app/web1", "dr/web1": "main/dr/web1", "app:80": "main/app/web1", "web1": "web1", "web9": "web9"} {
		if got := s.bindName(name); got != want {
			t.Errorf("%q is %q, want %q", name, got, want)
		}
	}
}

// Who was passed over before a failover group stands there, with the reason.
func TestExplainTellsOfTheGroupsBefore(t *testing.T) {
	t.Parallel()
	hs := newHomes(t, "a", "b", "c")
	hs[1].settings = ", state: maintenance"
	_, g := start(t, rulesText(hs, "rules: [{ name: main, permit: { to: main/shop, failover: [dr/shop] } }]"), hs.options())
	for _, tt := range []struct {
		name string
		down []string
		want string
	}{
		{"the first group", nil, "main/shop/a of 0: a 0 picked, b 0 in maintenance"},
		{"failed over", []string{"a"}, "dr/shop/c of 1: a 0 out, b 0 in maintenance, c 1 picked"},
		{"nobody is left", []string{"a", "c"}, " of 1: a 0 out, b 0 in maintenance, c 1 out"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			e, err := g.Explain(Question{Raw: []byte("GET / HTTP/1.1\r\nHost: h\r\n\r\n"), Down: tt.down})
			if err != nil {
				t.Fatal(err)
			}
			var all []string
			for _, c := range e.Pick.Candidates {
				all = append(all, fmt.Sprintf("%s %d %s", shortName(c.Origin), c.Group, c.Why))
			}
			if got := fmt.Sprintf("%s of %d: %s", e.Pick.Origin, e.Pick.Group, strings.Join(all, ", ")); got != tt.want {
				t.Errorf("%s, want %s", got, tt.want)
			}
			if e.Pick.Why == "" {
				t.Error("nothing says why")
			}
		})
	}
}
