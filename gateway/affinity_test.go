package gateway

import (
	"bufio"
	"fmt"
	"net/http"
	"strings"
	"testing"
)

// wlsText binds sessions by the ids that WebLogic writes into its cookies:
// captures of the field, with 52 characters before them.
func wlsText(hs homes, session, rules string) string {
	for i, h := range hs {
		h.settings += fmt.Sprintf(`, ids: ["%s"], edition: { application: shop, label: "%d.0" }`, wlsIDs[i], 1+i/2)
	}
	return fmt.Sprintf(`
listeners: [{ address: "127.0.0.1:0" }]
access_log: { path: stderr }
clusters:
%s
sessions: { wls: { cookie: JSESSIONID, url_param: jsessionid, binding: passive, extract: { format: weblogic }%s } }
applications: { shop: { clusters: [shop] } }
sites: { w: { hosts: ["**"], session: wls } }
mappings: [{ site: w, applications: [shop] }]
%s
`, clusterLine("shop", hs, ""), session, rules)
}

var wlsIDs = []string{"1104478448", "1625602300", "-107455631"}

// wlsID is a session id of the field: 52 characters, the primary, the secondary.
func wlsID(parts ...string) string {
	return strings.Join(append([]string{"DlnTH9KZV2vD21y2VTnYLWD2P2XDTVHn6TJy8rbJSwz5QPmHbQpb"}, parts...), "!")
}

// by is who answers a request with a cookie.
func by(tb testing.TB, addr, cookie string) string {
	tb.Helper()
	return visit(tb, addr, "/", "JSESSIONID="+cookie).origin()
}

// M-PERS-01, M-PERS-03, M-PERS-07, M-WPX-02, M-WPX-05, D-WL-07, D-WL-08: the cookie
// names the origin, and the one that has the replica.
func TestSessionsNameTheirOrigins(t *testing.T) {
	t.Parallel()
	ids := wlsIDs
	for _, tt := range []struct{ session, down, cookie, want string }{
		{"", "", wlsID(ids[1], ids[2]), "bbb"},
		{"", "", wlsID(ids[2], ids[1], "1733000000000"), "ccc"},
		{"", "", wlsID(ids[1]), "bbb"},
		{"", "", wlsID(ids[1], "NONE"), "bbb"},
		{"", "b", wlsID(ids[1], ids[2]), "ccc"},
		{", on_primary_down: any", "b", wlsID(ids[1], ids[2]), "aca"},
		{", on_primary_down: fail", "b", wlsID(ids[1], ids[2]), ""},
		{"", "bc", wlsID(ids[1], ids[2]), "aaa"},
		{"", "b", wlsID(ids[1]), "aca"},
		{"", "", wlsID("42"), "abc"},
		{"", "", "no-id-of-an-origin", "abc"},
	} {
		t.Run(tt.session+" "+tt.down+" "+tt.cookie, func(t *testing.T) {
			t.Parallel()
			hs := newHomes(t, "a", "b", "c")
			for _, h := range hs {
				if strings.Contains(tt.down, h.name) {
					h.settings = ", state: disabled"
				}
			}
			addr, _ := start(t, wlsText(hs, tt.session, ""), hs.options())
			got := ""
			for range 3 {
				got += by(t, addr, tt.cookie)
			}
			if got != tt.want {
				t.Errorf("answered by %q, want %q", got, tt.want)
			}
		})
	}
}

// M-WPX-02: an origin that dies hands its sessions to the replica, with the very
// request that finds out.
func TestReplicaTakesOverAtOnce(t *testing.T) {
	t.Parallel()
	hs := newHomes(t, "a", "b", "c")
	addr, _ := start(t, wlsText(hs, "", ""), hs.options())
	cookie := wlsID(wlsIDs[1], wlsIDs[2])
	if got := by(t, addr, cookie); got != "b" {
		t.Fatalf("answered by %q, want b", got)
	}
	hs[1].kill()
	for range 5 {
		if got := by(t, addr, cookie); got != "c" {
			t.Errorf("with its origin gone answered by %q, want the replica, c", got)
		}
	}
}

// The same where one failure does not put the origin out: this request has failed
// there, and goes to the replica, not there again.
func TestReplicaTakesOverFromOneThatFailsOnce(t *testing.T) {
	t.Parallel()
	hs := newHomes(t, "a", "b", "c")
	text := strings.Replace(wlsText(hs, "", ""), "  shop: { ", "  shop: { failover: { connect_failures: 5 }, ", 1)
	addr, g := start(t, text, hs.options())
	hs[1].kill()
	if got := by(t, addr, wlsID(wlsIDs[1], wlsIDs[2])); got != "c" {
		t.Errorf("answered by %q, want the replica, c", got)
	}
	for _, o := range g.Status().Origins {
		if !o.Up {
			t.Errorf("%s is %s after one failure of five", o.Name, o.Health)
		}
	}
}

// M-AFFI-01, M-AFFI-02, M-AFFI-03, X-21: what a binding shields from.
func TestBindingsShield(t *testing.T) {
	t.Parallel()
	const (
		permit  = `  - { name: r, permit: { to: main/shop/a }%s }`
		edition = `  - { name: r, permit: { to: "main/shop@2.0" }%s }`
		reject  = `  - { name: r, reject: { status: 403 }%s }`
	)
	for _, tt := range []struct{ name, rule, key, top, cookie, want string }{
		{"a permit does not move it", permit, "", "", wlsIDs[1], "b"},
		{"nor where it is unbound", permit, "", "", "42", "a"},
		{"unless it overrides", permit, ", override_affinity: true", "", wlsIDs[1], "a"},
		{"or all do", permit, "", "override_affinity: true", wlsIDs[1], "a"},
		{"the binding stands among the destinations", permit, ", override_affinity: true", "", wlsIDs[0], "a"},
		{"a rule for an edition moves it", edition, "", "", wlsIDs[0], "c"},
		{"but not one that is bound to that edition", edition, "", "", wlsIDs[2], "c"},
		{"a reject is for everybody", reject, "", "", wlsIDs[1], ""},
		{"unless all is shielded", reject, "", "affinity_shields: all", wlsIDs[1], "b"},
		{"from those that do not override", reject, ", override_affinity: true", "affinity_shields: all", wlsIDs[1], ""},
		{"a forged binding lifts no reject", reject, "", "", "999", ""},
		{"editions move it even so", edition, "", "affinity_shields: all", wlsIDs[0], "c"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			hs := newHomes(t, "a", "b", "c")
			addr, _ := start(t, wlsText(hs, "", "rules:\n"+fmt.Sprintf(tt.rule, tt.key)+"\n"+tt.top), hs.options())
			if got := by(t, addr, wlsID(tt.cookie)); got != tt.want {
				t.Errorf("answered by %q, want %q", got, tt.want)
			}
		})
	}
}

// M-EDN-01: what no rule sends to an edition goes to the active one; sessions stay
// where they are.
func TestEditionsThatAreNotActive(t *testing.T) {
	t.Parallel()
	hs := newHomes(t, "a", "b", "c")
	addr, _ := start(t, wlsText(hs, "", `
editions: { shop: { active: "1.0" } }
rules:
  - { name: testers, when: 'has_header("X-Test")', permit: { to: "app:shop@2.0" } }
  - { name: all, when: 'path == "/all"', permit: { to: main/shop } }
  - { name: new, when: 'path == "/new"', permit: { to: "main/shop@2.0" } }
`), hs.options())
	for target, want := range map[string]string{"/": "abab", "/all": "abab", "/new": "cccc"} {
		if got := answerers(t, addr, target, 4); got != want && (want != "abab" || got != "baba") {
			t.Errorf("%s is answered by %q, want %s: an edition that is not active must be named", target, got, want)
		}
	}
	if got := by(t, addr, wlsID(wlsIDs[2])); got != "c" {
		t.Errorf("a session of edition 2.0 is answered by %q", got)
	}
	if got := send(t, addr, "GET / HTTP/1.1\r\nHost: h\r\nX-Test: 1\r\nConnection: close\r\n\r\n"); !strings.Contains(got, "Origin: c\r\n") {
		t.Errorf("a tester is answered %q", got)
	}
}

// M-BIND-07, M-BIND-08, M-PERS-08: the gateway's own cookie finds the origin at
// every gateway with the same key, also after a restart; the application's cookie
// passes as it is.
func TestGatewayCookieBindsEverywhere(t *testing.T) {
	t.Parallel()
	hs := newHomes(t, "a", "b", "c")
	for _, h := range hs {
		h.script = func(string) (fields, body string) {
			return "Set-Cookie: APP=\"x!y\"; Path=/shop\r\n", ""
		}
	}
	text := func(keys string) string {
		return fmt.Sprintf(`
listeners: [{ address: "127.0.0.1:0" }]
access_log: { path: stderr }
clusters:
%s
sessions: { own: { cookie: APP, binding: gateway-cookie, keys: [%s] } }
sites: { w: { hosts: ["**"], session: own } }
mappings: [{ site: w, cluster: shop }]
`, clusterLine("shop", hs, ""), keys)
	}
	const first, second = `"0123456789abcdef0123456789abcdef"`, `"fedcba9876543210fedcba9876543210"`
	addr, _ := start(t, text(first), hs.options())
	a := send(t, addr, "GET / HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n")
	if !strings.Contains(a, "Set-Cookie: APP=\"x!y\"; Path=/shop\r\n") {
		t.Errorf("the application's cookie has changed: %q", a)
	}
	r, err := http.ReadResponse(bufio.NewReader(strings.NewReader(a)), nil)
	if err != nil || len(r.Cookies()) != 2 {
		t.Fatalf("%v, cookies %v", err, r.Cookies())
	}
	c := r.Cookies()[1]
	if c.Name != "weirkeep-own" || !c.HttpOnly || c.Secure || c.SameSite != http.SameSiteLaxMode || c.Path != "/" || strings.Contains(c.Value, "a") && len(c.Value) < 20 {
		t.Errorf("the gateway's cookie is %+v", c)
	}
	for _, keys := range []string{first, second + ", " + first} { // another gateway; a key that is being replaced
		other, _ := start(t, text(keys), hs.options())
		for range 4 {
			if got := visit(t, other, "/", c.Name+"="+c.Value).origin(); got != "a" {
				t.Errorf("answered by %q, want a", got)
			}
		}
	}
	other, _ := start(t, text(second), hs.options())
	got := ""
	for range 3 {
		got += visit(t, other, "/", c.Name+"="+c.Value).origin()
	}
	if got != "abc" {
		t.Errorf("a cookie of another key is answered by %q, want balanced", got)
	}
}

// A request that is decided anew, as its origin has failed it, is one request that
// the rule has decided.
func TestRuleDecidesARequestOnce(t *testing.T) {
	t.Parallel()
	hs := newHomes(t, "a", "b", "c")
	addr, g := start(t, wlsText(hs, "", `rules: [{ name: all, permit: { to: "*/*" } }]`), hs.options())
	hs[1].kill()
	if got := by(t, addr, wlsID(wlsIDs[1], wlsIDs[2])); got != "c" {
		t.Fatalf("answered by %q, want the replica, c", got)
	}
	if hits := g.Rules()[0].Hits; hits != 1 {
		t.Errorf("the rule has decided %d requests, want 1", hits)
	}
}
