package gateway

import (
	"fmt"
	"net/netip"
	"strings"
	"testing"
)

// rulesText is a configuration with two origins in one cluster and one in
// another cell, behind a site whose rules are given.
func rulesText(hs homes, rules string) string {
	return fmt.Sprintf(`
listeners: [{ address: "127.0.0.1:0" }]
access_log: { path: stderr }
clusters:
%s%s
sites: { w: { hosts: ["**"] } }
mappings: [{ site: w, clusters: [shop, dr/shop] }]
%s
`, clusterLine("shop", hs[:2], ""), clusterLine("dr/shop", hs[2:], ""), rules)
}

// M-RULE-03, M-RULE-05, M-RULE-08, M-IM-03: what each action does, and what no rule does.
func TestRulesDecide(t *testing.T) {
	t.Parallel()
	hs := newHomes(t, "a", "b", "c")
	addr, _ := start(t, rulesText(hs, `
rules:
  - { name: banned, when: 'header("X-From") == "there"', reject: { status: 403, body: "not from there", retry_after: 1500ms } }
  - { name: moved, when: 'path startsWith "/old/"', redirect: { location: "https://{host}/new?from={path}", status: 307 } }
  - { name: first, when: 'query("only") == "shop"', permit: { to: main/shop } }
  - { name: second, when: 'query("only") == "dr"', permit: { to: ["cluster=dr,*"] } }
  - { name: one, when: 'query("only") == "a"', permit: { to: main/shop/a } }
`), hs.options())
	for _, tt := range []struct{ target, fields, want string }{
		{"/", "X-From: there\r\n", "HTTP/1.1 403 Forbidden\r\n … Retry-After: 2\r\n … \r\n\r\nnot from there"},
		{"/old/x", "", "HTTP/1.1 307 Temporary Redirect\r\n … Location: https://h.example/new?from=/old/x\r\n"},
	} {
		got := send(t, addr, "GET "+tt.target+" HTTP/1.1\r\nHost: h.example\r\nConnection: close\r\n"+tt.fields+"\r\n")
		for part := range strings.SplitSeq(tt.want, " … ") {
			if !strings.Contains(got, part) {
				t.Errorf("%s: got %q, want %q in it", tt.target, got, part)
			}
		}
	}
	for _, tt := range []struct{ target, want string }{
		{"/?only=shop", "abab"},
		{"/?only=dr", "ccc"},
		{"/?only=a", "aaa"},
	} {
		if got := answerers(t, addr, tt.target, len(tt.want)); got != tt.want {
			t.Errorf("%s is answered by %q, want %q", tt.target, got, tt.want)
		}
	}
	if got := answerers(t, addr, "/", 6); strings.Count(got, "a") != 2 || strings.Count(got, "c") != 2 {
		t.Errorf("without a rule answered by %q, want all three in turn", got)
	}
}

// M-RULE-04, X-22: order counts from the lowest; without it, the position.
func TestRulesAreTriedInOrder(t *testing.T) {
	t.Parallel()
	hs := newHomes(t, "a", "b", "c")
	for _, tt := range []struct{ orders, want string }{
		{"10 5 7", "405"},
		{"5 10 7", "404"},
		{"", "404"},
	} {
		rules := "rules:\n"
		for i, order := range append(strings.Fields(tt.orders), "", "", "")[:3] {
			if order != "" {
				order = ", order: " + order
			}
			rules += fmt.Sprintf("  - { name: r%d, reject: { status: %d }%s }\n", i, 404+i, order)
		}
		addr, _ := start(t, rulesText(hs, rules), hs.options())
		if got := send(t, addr, "GET / HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n"); !strings.HasPrefix(got, "HTTP/1.1 "+tt.want) {
			t.Errorf("orders %q: %.20q, want %s", tt.orders, got, tt.want)
		}
	}
}

// M-RULE-10, M-IM-05, X-25: failover only when nobody of those before is there.
func TestPermitsFailOver(t *testing.T) {
	t.Parallel()
	hs := newHomes(t, "a", "b", "c")
	text := func(out string) string {
		for _, h := range hs {
			h.settings = ", capacity: 100"
			if strings.Contains(out, h.name) {
				h.settings += ", state: disabled"
			}
		}
		return rulesText(hs, "rules: [{ name: main, permit: { to: main/shop, failover: [dr/shop] } }]")
	}
	addr, g := start(t, text(""), hs.options())
	for _, tt := range []struct{ out, want string }{
		{"", "abab"}, {"a", "bbbb"}, {"ab", "cccc"}, {"abc", ""}, {"b", "aaaa"},
	} {
		apply(t, g, text(tt.out))
		if got := answerers(t, addr, "/", 4); got != tt.want {
			t.Errorf("with %q out answered by %q, want %q", tt.out, got, tt.want)
		}
	}
}

// D-WS-03: maintenance is open to what a rule lets in, and to nothing else.
func TestMaintenanceIsForTesters(t *testing.T) {
	t.Parallel()
	hs := newHomes(t, "a", "b", "c")
	hs[0].settings = ", state: maintenance"
	addr, _ := start(t, rulesText(hs, `rules: [{ name: testers, when: 'has_header("X-Test")', permit: { to: main/shop/a, allow_maintenance: true } }]`), hs.options())
	got := send(t, addr, "GET / HTTP/1.1\r\nHost: h\r\nX-Test: 1\r\nConnection: close\r\n\r\n")
	if !strings.HasPrefix(got, "HTTP/1.1 200") {
		t.Errorf("a tester is answered %.80q", got)
	}
	if got := answerers(t, addr, "/", 4); strings.Contains(got, "a") {
		t.Errorf("others are answered by %q", got)
	}
}

// M-BEST-04: a permit outside of the best set is answered 503, and warned of.
func TestPermitOutsideTheBestSet(t *testing.T) {
	t.Parallel()
	hs := newHomes(t, "a", "b", "c")
	text := strings.Replace(rulesText(hs, `rules: [{ name: wrong, when: 'path == "/x"', permit: { to: dr/shop } }]`), "clusters: [shop, dr/shop]", "cluster: shop", 1)
	if ps := Check(load(t, text)); len(ps) == 0 || !strings.Contains(ps.Error(), "W312") {
		t.Errorf("check says %v", ps)
	}
	addr, _ := start(t, text, hs.options())
	got := send(t, addr, "GET /x HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n")
	if !strings.HasPrefix(got, "HTTP/1.1 503") || !strings.Contains(got, "no_permitted_destination") {
		t.Errorf("answered %q", got)
	}
}

// Wrong expressions never reach traffic: what was there stays, and the place is told.
func TestWrongRulesChangeNothing(t *testing.T) {
	t.Parallel()
	hs := newHomes(t, "a", "b", "c")
	addr, g := start(t, rulesText(hs, `rules: [{ name: no, reject: { status: 404 } }]`), hs.options())
	ps := g.Apply(load(t, rulesText(hs, `rules: [{ name: no, when: 'clinet.ip == ip("10.0.0.1")', reject: { status: 405 } }]`)))
	if ps.Errors() != 1 || ps[0].Code != "E301" || ps[0].Column != 28 || !strings.Contains(ps[0].Hint, "client") {
		t.Errorf("problems are %+v", ps)
	}
	if got := send(t, addr, "GET / HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n"); !strings.HasPrefix(got, "HTTP/1.1 404") {
		t.Errorf("answered %.20q", got)
	}
}

// The zone of a link-local address is of this machine alone: rules do not see it.
func TestRulesSeeNoZones(t *testing.T) {
	t.Parallel()
	hs := newHomes(t, "a", "b", "c")
	_, g := start(t, rulesText(hs, `
lists: { lan: ["fe80::/10"] }
rules:
  - { name: equal, when: 'client.ip == ip("fe80::1") and path == "/equal"', reject: { status: 403 } }
  - { name: peer, when: 'peer.ip in [ip("fe80::1")] and path == "/peer"', reject: { status: 403 } }
  - { name: cidr, when: 'cidr(client.ip, "fe80::/10") and path == "/cidr"', reject: { status: 403 } }
  - { name: slow, when: 'cidr(session.new ? client.ip : peer.ip, "fe80::/10") and path == "/slow"', reject: { status: 403 } }
  - { name: list, when: 'in_list(client.ip, "lan") and path == "/list"', reject: { status: 403 } }
`), hs.options())
	for _, name := range []string{"equal", "peer", "cidr", "slow", "list"} {
		e, err := g.Explain(Question{Raw: []byte("GET /" + name + " HTTP/1.1\r\nHost: h\r\n\r\n"), From: netip.MustParseAddrPort("[fe80::1%eth0]:4711")})
		if err != nil || e.Rule != name {
			t.Errorf("%s: decided by %q, %v", name, e.Rule, err)
		}
	}
}
