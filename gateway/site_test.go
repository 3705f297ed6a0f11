package gateway

import (
	"fmt"
	"strconv"
	"strings"
	"testing"
)

// routed is a request and what must become of it.
type routed struct {
	host, target string
	want         string // name of the origin, or a status
}

func checkRouted(t *testing.T, addr string, rows []routed) {
	t.Helper()
	for _, tt := range rows {
		got := askFor(t, addr, tt.host, tt.target)
		outcome := got.origin()
		if outcome == "" {
			outcome = strconv.Itoa(got.status)
		}
		if outcome != tt.want {
			t.Errorf("%s %s: %s, want %s", tt.host, tt.target, outcome, tt.want)
		}
	}
}

// M-SITE-03: primary and alias names reach the same origins; other ports do not.
func TestAliasesAreOneSite(t *testing.T) {
	t.Parallel()
	a := newTeller(t, "a")
	addr, _ := start(t, plainListener+`
clusters: { app: { origins: `+inline(a)+` } }
sites: { first: { hosts: ["www.1st.company.com:80", "1st.company.com:80"] } }
mappings: [{ site: first, cluster: app }]
`, Options{})
	checkRouted(t, addr, []routed{
		{"www.1st.company.com", "/x", "a"},
		{"www.1st.company.com:80", "/x", "a"},
		{"1st.company.com", "/x", "a"},
		{"1ST.Company.COM.", "/x", "a"},
		{"1st.company.com:8080", "/x", "421"},
		{"www.1st.company.com:443", "/x", "421"},
	})
}

// M-SITE-04: a path prefix tells two sites with one host apart.
func TestPathPrefixTellsSitesApart(t *testing.T) {
	t.Parallel()
	portal, rest := newTeller(t, "portal"), newTeller(t, "rest")
	addr, _ := start(t, plainListener+`
clusters: { portal: { origins: `+inline(portal)+` }, rest: { origins: `+inline(rest)+` } }
sites:
  portal: { hosts: [www.company.com], path_prefix: /portal, headers: { response: { set: { X-Site: portal } } } }
  rest: { hosts: [www.company.com], headers: { response: { set: { X-Site: rest } } } }
mappings: [{ site: portal, cluster: portal }, { site: rest, cluster: rest }]
`, Options{})
	checkRouted(t, addr, []routed{
		{"www.company.com", "/portal/x", "portal"},
		{"www.company.com", "/portal", "portal"},
		{"www.company.com", "/portalx", "rest"},
		{"www.company.com", "/x", "rest"},
	})
	for target, site := range map[string]string{"/portal/x": "portal", "/x": "rest"} {
		if got := askFor(t, addr, "www.company.com", target).header.Get("X-Site"); got != site {
			t.Errorf("%s has the settings of site %q, want %q", target, got, site)
		}
	}
}

// M-SITE-05, X-05: the site comes from Host, or from an absolute URL, which wins.
func TestAbsoluteURLWinsOverHost(t *testing.T) {
	t.Parallel()
	a, b := newTeller(t, "a"), newTeller(t, "b")
	addr, _ := start(t, plainListener+twoSites(a, b), Options{})
	for _, tt := range []struct{ head, origin, host string }{
		{"GET /p?q HTTP/1.1\r\nHost: a.example", "a", "a.example"},
		{"GET http://a.example/p?q HTTP/1.1\r\nHost: a.example", "a", "a.example"},
		{"GET http://a.example/p?q HTTP/1.1\r\nHost: b.example", "a", "a.example"},
		{"GET HTTP://B.example:80/p?q HTTP/1.1\r\nHost: a.example", "b", "B.example:80"},
		{"GET http://b.example/p?q HTTP/1.0", "b", "b.example"},
	} {
		got := ask(t, addr, tt.head)
		if got.origin() != tt.origin || got.line() != "GET /p?q HTTP/1.1" || fieldIn(got.body, "Host") != tt.host {
			t.Errorf("%q: origin %q received %q, want %q with Host %q", tt.head, got.origin(), got.body, tt.origin, tt.host)
		}
	}
	if got := ask(t, addr, "GET http://c.example/ HTTP/1.1\r\nHost: a.example"); got.status != 421 {
		t.Errorf("an unknown host in the URL was answered %d, want 421 whatever Host says", got.status)
	}
}

func twoSites(a, b *teller) string {
	return `
clusters: { a: { origins: ` + inline(a) + ` }, b: { origins: ` + inline(b) + ` } }
sites: { a: { hosts: [a.example] }, b: { hosts: [b.example] } }
mappings: [{ site: a, cluster: a }, { site: b, cluster: b }]
`
}

// M-SITE-06, X-35: a host of no site and a path of no mapping are refused, and
// nothing is ever passed on for them.
func TestUnknownIsRefusedNeverProxied(t *testing.T) {
	t.Parallel()
	a, outside := newTeller(t, "a"), newTeller(t, "outside")
	addr, _ := start(t, plainListener+`
clusters: { app: { origins: `+inline(a)+` } }
sites: { a: { hosts: [a.example] } }
mappings: [{ site: a, prefix: /app, cluster: app }]
`, Options{})
	for _, tt := range []struct {
		head   string
		status int
		reason string
	}{
		{"GET /app HTTP/1.1\r\nHost: other.example", 421, "no_site"},
		{"GET http://" + outside.addr + "/app HTTP/1.1\r\nHost: a.example", 421, "no_site"},
		{"GET /app HTTP/1.1\r\nHost: " + outside.addr, 421, "no_site"},
		{"GET /app HTTP/1.1\r\nHost:", 421, "no_site"},
		{"GET /app HTTP/1.0", 421, "no_site"},
		{"GET /other HTTP/1.1\r\nHost: a.example", 404, "no_mapping"},
		{"CONNECT " + outside.addr + " HTTP/1.1\r\nHost: " + outside.addr, 400, "bad_target"},
	} {
		got := ask(t, addr, tt.head)
		if tt.status == 400 && got.status == 405 {
			continue // whichever check comes first
		}
		if got.status != tt.status || !strings.Contains(got.body, "reason: "+tt.reason) {
			t.Errorf("%q: %d %q, want %d %s", tt.head, got.status, got.body, tt.status, tt.reason)
		}
	}
	if n := a.conns.Load() + outside.conns.Load(); n != 0 {
		t.Errorf("%d connections were made for requests that are refused", n)
	}
}

// M-MAP-01 (figure 1-3): one origin serves two sites; its state is shared.
func TestOriginServesSeveralSites(t *testing.T) {
	t.Parallel()
	var hosts [6]*teller
	for i := range hosts {
		hosts[i] = newTeller(t, "host"+strconv.Itoa(i))
	}
	addr, g := start(t, plainListener+`
clusters:
  first: { origins: `+inline(hosts[1], hosts[2])+` }
  second: { origins: `+inline(hosts[2], hosts[3])+` }
  others: { origins: `+inline(hosts[4], hosts[5])+` }
sites: { first: { hosts: [www.1st.company.com] }, second: { hosts: [www.2nd.company.com] }, others: { hosts: ["www.*.company.com"] } }
mappings: [{ site: first, cluster: first }, { site: second, cluster: second }, { site: others, cluster: others }]
`, Options{})
	for host, want := range map[string]string{
		"www.1st.company.com": "host1 host2", "www.2nd.company.com": "host2 host3", "www.3rd.company.com": "host4 host5",
	} {
		if got := answerersOf(t, addr, host); got != want {
			t.Errorf("%s is answered by %q, want %q", host, got, want)
		}
	}
	if n := hosts[2].conns.Load(); n != 1 {
		t.Errorf("the origin of two sites got %d connections, want the one of its pool", n)
	}
	idle := 0
	for _, o := range g.Status().Origins {
		if o.Name == "host2" {
			idle += o.Idle
		}
	}
	if idle != 2 {
		t.Errorf("both clusters show %d idle connections of the shared origin, want the same one each", idle)
	}
}

// answerersOf are the names of those that answer for a host, in order of name.
func answerersOf(t *testing.T, addr, host string) string {
	t.Helper()
	seen := map[string]bool{}
	for range 8 {
		seen[askFor(t, addr, host, "/").origin()] = true
	}
	return strings.Join(sortedKeys(seen), " ")
}

// mapped is a configuration of one host with mappings to clusters that are named
// like their tellers.
func mapped(tellers []*teller, sites, mappings string) string {
	text := plainListener + "clusters:\n"
	for _, o := range tellers {
		text += "  " + o.name + ": { origins: " + inline(o) + " }\n"
	}
	return text + "sites: " + sites + "\nmappings:\n" + mappings
}

// M-MAP-02, M-MAP-03, M-MAP-05, M-MAP-06: mappings are tried in the order in
// which they stand, and a prefix may have a query.
func TestFirstMappingDecides(t *testing.T) {
	t.Parallel()
	const (
		page    = "  - { site: a, prefix: \"/portal/page?_pageid=33,4232&_dad=portal\", cluster: page }\n"
		mail    = "  - { site: a, prefix: \"/um/traffic_cop?mailid=inbox\", cluster: mail }\n"
		portal  = "  - { site: a, prefix: /portal, cluster: portal }\n"
		bare    = "  - { site: a, cluster: bare }\n"
		query   = "/portal/page?_pageid=33,4232&_dad=portal"
		traffic = "/um/traffic_cop?mailid=inbox"
	)
	tellers := []*teller{newTeller(t, "page"), newTeller(t, "mail"), newTeller(t, "portal"), newTeller(t, "bare")}
	for _, tt := range []struct {
		name, mappings string
		want           map[string]string
	}{
		{"specific first", page + mail + bare, map[string]string{
			query: "page", traffic: "mail", "/": "bare",
			"/portal/page?_pageid=33,4232&%5Fdad=portal": "page",
			query + "&x=1":                   "page",
			query + "2":                      "bare",
			"/portal/page?_pageid=1":         "bare",
			"/portal/page":                   "bare",
			"/um/traffic_cop?mailid=in":      "bare",
			"/%75m/traffic_cop?mailid=inbox": "mail",
		}},
		{"bare host first", bare + page + mail, map[string]string{query: "bare", traffic: "bare", "/": "bare"}},
		{"path first", portal + bare, map[string]string{
			"/portal": "portal", "/portal/": "portal", "/portal/x": "portal", "/portal?q": "portal", "/portalx": "bare", "/": "bare",
		}},
		{"path last", bare + portal, map[string]string{"/portal": "bare", "/portal/x": "bare"}},
		{"one origin each way", portal + page, map[string]string{query: "portal", "/": "404"}},
		{"the other way", page + portal, map[string]string{query: "page", "/portal/page": "portal"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			addr, _ := start(t, mapped(tellers, "{ a: { hosts: [\"**\"] } }", tt.mappings), Options{})
			for target, want := range tt.want {
				checkRouted(t, addr, []routed{{"a.example", target, want}})
			}
		})
	}
}

// M-MAP-03: what can never be reached is told when the configuration is checked.
func TestUnreachableMappingsAreWarnedOf(t *testing.T) {
	t.Parallel()
	tellers := []*teller{newTeller(t, "page"), newTeller(t, "bare")}
	problems := Check(load(t, mapped(tellers, "{ a: { hosts: [a.example] } }",
		"  - { site: a, cluster: bare }\n  - { site: a, prefix: \"/p?a=1\", cluster: page }\n  - { site: a, prefix: /um, cluster: page }\n")))
	var shadowed []string
	for _, p := range problems {
		if p.Code == "W310" {
			path, _, _ := strings.Cut(p.Message, " ")
			shadowed = append(shadowed, path)
		}
	}
	if got := strings.Join(shadowed, " "); got != "mappings[1] mappings[2]" || problems.Errors() != 0 {
		t.Errorf("warned of %q, want both mappings behind the one that takes everything:\n%v", got, problems)
	}
}

// M-MAP-04, X-04: "*" is one label, "**" several; neither is moved back.
func TestWildcardsTakeTheirTurn(t *testing.T) {
	t.Parallel()
	tellers := []*teller{newTeller(t, "exact"), newTeller(t, "one"), newTeller(t, "many")}
	const sites = `{ exact: { hosts: [www.1st.company.com] }, one: { hosts: ["www.*.company.com"] }, many: { hosts: ["**.company.com"] } }`
	const exact, one, many = "  - { site: exact, cluster: exact }\n", "  - { site: one, cluster: one }\n", "  - { site: many, cluster: many }\n"
	for _, tt := range []struct {
		mappings, first, second, deep string
	}{
		{exact + one + many, "exact", "one", "many"},
		{one + exact + many, "one", "one", "many"},
		{many + one + exact, "many", "many", "many"},
		{exact + one, "exact", "one", "421"},
	} {
		addr, _ := start(t, mapped(tellers, sites, tt.mappings), Options{})
		deep := tt.deep
		if deep == "421" {
			deep = "404" // the site "many" has the host, but no mapping
		}
		checkRouted(t, addr, []routed{
			{"www.1st.company.com", "/", tt.first},
			{"www.2nd.company.com", "/", tt.second},
			{"a.b.company.com", "/", deep},
			{"company.com", "/", "421"},
			{"www.1st.company.org", "/", "421"},
		})
	}
}

// M-MAP-07: one mapping balances over its origins; a second one of the site adds
// nothing.
func TestMappingsOfOneSiteDoNotCombine(t *testing.T) {
	t.Parallel()
	a, b, c := newTeller(t, "a"), newTeller(t, "b"), newTeller(t, "c")
	addr, _ := start(t, plainListener+`
clusters: { two: { origins: `+inline(a, b)+` }, one: { origins: `+inline(c)+` } }
sites: { s: { hosts: ["**"] } }
mappings: [{ site: s, cluster: two }, { site: s, cluster: one }]
`, Options{})
	if got := answerersOf(t, addr, "s.example"); got != "a b" {
		t.Errorf("the site is answered by %q, want the first mapping's origins", got)
	}
}

// M-DEF-01: requests with no host information go to the default site.
func TestRequestsWithoutHostGoToTheDefaultSite(t *testing.T) {
	t.Parallel()
	a, b := newTeller(t, "a"), newTeller(t, "b")
	addr, _ := start(t, plainListener+twoSites(a, b)+"default_site: b\n", Options{})
	for _, tt := range []struct {
		head, want string
	}{
		{"GET / HTTP/1.0", "b"},
		{"GET / HTTP/1.0\r\nHost:", "b"},
		{"GET / HTTP/1.1\r\nHost:", "b"},
		{"GET / HTTP/1.0\r\nHost: a.example", "a"},
		{"GET / HTTP/1.1", ""}, // RFC 9112, 3.2
	} {
		got := ask(t, addr, tt.head)
		if got.origin() != tt.want || tt.want == "" && got.status != 400 {
			t.Errorf("%q: %d from %q, want %q", tt.head, got.status, got.origin(), tt.want)
		}
		if tt.want == "b" && len(fieldsIn(got.body, "Host")) != 1 {
			t.Errorf("%q: the origin received %q, want one Host", tt.head, got.body)
		}
	}
}

// M-DEF-02: the default site's path prefix does not count.
func TestDefaultSitePrefixDoesNotCount(t *testing.T) {
	t.Parallel()
	tellers := []*teller{newTeller(t, "main"), newTeller(t, "shop")}
	addr, _ := start(t, mapped(tellers,
		`{ main: { hosts: [www.company.com], path_prefix: /portal }, shop: { hosts: [www.company.com], path_prefix: /shop } }`,
		"  - { site: main, cluster: main }\n  - { site: shop, cluster: shop }\n")+"default_site: main\n", Options{})
	checkRouted(t, addr, []routed{
		{"www.company.com", "/portal/x", "main"},
		{"www.company.com", "/other", "main"},
		{"", "/other", "main"},
		{"www.company.com", "/shop/x", "shop"},
		{"", "/shop/x", "main"},
		{"other.company.com", "/other", "421"},
	})
}

// A prefix outside ASCII may be written as it is spoken, or escaped; a request
// may spell it either way too.
func TestPrefixesOutsideASCII(t *testing.T) {
	t.Parallel()
	tellers := []*teller{newTeller(t, "cafe"), newTeller(t, "rest")}
	for _, prefix := range []string{"/café", "/caf%C3%A9", "/caf%c3%a9", "/%63afé"} {
		addr, _ := start(t, mapped(tellers, `{ a: { hosts: ["**"] } }`,
			fmt.Sprintf("  - { site: a, prefix: %q, strip_prefix: true, cluster: cafe }\n  - { site: a, cluster: rest }\n", prefix)), Options{})
		checkRouted(t, addr, []routed{
			{"a.example", "/caf%C3%A9/x", "cafe"},
			{"a.example", "/caf%c3%A9", "cafe"},
			{"a.example", "/café/x", "cafe"},
			{"a.example", "/c%61fé", "cafe"},
			{"a.example", "/cafe/x", "rest"},
			{"a.example", "/caféx", "rest"},
		})
		if got := askFor(t, addr, "a.example", "/caf%c3%a9/men%C3%BC?é").line(); got != "GET /men%C3%BC?é HTTP/1.1" {
			t.Errorf("prefix %s: the origin received %q", prefix, got)
		}
	}
}

// What no URI may hold stands for its escape, in path and query, on both sides;
// what may stand either way (a comma) does not.
func TestPrefixesMatchHoweverTheyAreWritten(t *testing.T) {
	t.Parallel()
	tellers := []*teller{newTeller(t, "hit"), newTeller(t, "rest")}
	for _, tt := range []struct {
		prefix    string
		hit, miss []string
	}{
		{"/a|b", []string{"/a|b", "/a%7Cb", "/a%7cb/x"}, []string{"/a", "/a%7C"}},
		{"/{id}", []string{"/{id}", "/%7Bid%7d"}, []string{"/id"}},
		{"/q?name=é", []string{"/q?name=é", "/q?name=%C3%A9", "/q?n%61me=%c3%a9&x"}, []string{"/q?name=e", "/q?name=%C3", "/q?name=éa"}},
		{"/q?a|b", []string{"/q?a|b", "/q?a%7cb"}, []string{"/q?a%7", "/q?a"}},
		{"/q?a=1,2", []string{"/q?a=1,2", "/q?%61=%31,2&b"}, []string{"/q?a=1%2C2"}},
	} {
		addr, _ := start(t, mapped(tellers, `{ a: { hosts: ["**"] } }`,
			fmt.Sprintf("  - { site: a, prefix: %q, cluster: hit }\n  - { site: a, cluster: rest }\n", tt.prefix)), Options{})
		for _, target := range tt.hit {
			checkRouted(t, addr, []routed{{"a.example", target, "hit"}})
		}
		for _, target := range tt.miss {
			checkRouted(t, addr, []routed{{"a.example", target, "rest"}})
		}
	}
}
