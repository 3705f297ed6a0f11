package gateway

import (
	"fmt"
	"strings"
	"testing"

	"weirkeep/abi"
)

// providerText is a public site whose requests a puppet filters, and one for fragments alone.
func providerText(public, ads homes) string {
	return fmt.Sprintf(`
node: { name: edge }
listeners: [{ address: "127.0.0.1:0" }]
access_log: { path: stderr }
plugins: { edit: { kind: filter, module: %q, needs: [query, headers, site] } }
clusters:
%s
%s
cache: { enabled: true }
sites:
  shop: { hosts: [shop.example], filters: [{ plugin: edit, on_error: reject }] }
  ads:
    kind: esi-provider
    hosts: [ads.example]
    rules: [{ name: moved, when: 'path == "/ad/moved"', redirect: { location: /ad/1 } }]
mappings: [{ site: ads, prefix: /ad, cluster: ads }, { site: shop, cluster: app }]
`, guestFile(puppet), clusterLine("app", public, ""), clusterLine("ads", ads, ""))
}

// cacheable makes origins say that their answers may be stored.
func cacheable(hs homes) {
	hs.say(func(string) (fields, body string) { return "Cache-Control: max-age=60\r\n", "an ad" })
}

// M-SITE-02: whatever names the site, and whatever mappings and rules say of the request, a
// client is refused, and no origin is asked.
func TestProviderRefusesClients(t *testing.T) {
	t.Parallel()
	public, ads := newHomes(t, "a"), newHomes(t, "b")
	cacheable(ads)
	addr, g := start(t, providerText(public, ads), append(append(homes{}, public...), ads...).options())
	if all, err := g.WarmStored(t.Context(), []string{"http://ads.example/ad/1"}, nil); err != nil || all[0].Done != "fetched" {
		t.Fatalf("an operator has it stored: %+v, %v", all, err)
	}
	asked := ads.count()
	for _, head := range []string{
		"GET /ad/1 HTTP/1.1\r\nHost: ads.example",
		"GET /ad/1 HTTP/1.0\r\nHost: ads.example",
		"HEAD /ad/1 HTTP/1.1\r\nHost: ads.example",
		"POST /ad/1 HTTP/1.1\r\nContent-Length: 0\r\nHost: ads.example",
		"GET /ad/2 HTTP/1.1\r\nHost: ADS.example:80",
		"GET http://ads.example/ad/1 HTTP/1.1\r\nHost: shop.example",
		"GET /ad/moved HTTP/1.1\r\nHost: ads.example",
		"GET /none HTTP/1.1\r\nHost: ads.example",
		"GET /ad/1?" + say(op(abi.OpSetHost, "", "ads.example")) + " HTTP/1.1\r\nHost: shop.example",
		"GET /ad/1 HTTP/1.1\r\nHost: ads.example\r\nSurrogate-Capability: x=\"Surrogate/1.0 ESI/1.0\"",
	} {
		got := ask(t, addr, head)
		if got.status != 404 || !strings.HasPrefix(head, "HEAD") && !strings.Contains(got.body, "reason: site_not_public\n") {
			t.Errorf("%q: %d %s, want 404 for site_not_public", head, got.status, got.body)
		}
	}
	if n := ads.count() - asked; n != 0 {
		t.Errorf("the provider was asked %d times", n)
	}
}

// A fragment of a page is served, and so is who fetches for the store.
func TestProviderServesFragments(t *testing.T) {
	t.Parallel()
	provider, public := &site{provider: true}, &site{}
	for _, tt := range []struct {
		who    string
		x      Exchange
		barred bool
	}{
		{"a client", Exchange{site: provider}, true},
		{"a client of a public site", Exchange{site: public}, false},
		{"a fragment", Exchange{site: provider, within: &Exchange{site: public}}, false},
		{"a refresh", Exchange{site: provider, clientless: true}, false},
		{"nobody known", Exchange{}, false},
	} {
		if got := tt.x.notPublic(); got != tt.barred {
			t.Errorf("%s: refused %v, want %v", tt.who, got, tt.barred)
		}
	}
}

// A site that a reload has made a provider refuses clients from then on.
func TestProviderAfterReload(t *testing.T) {
	t.Parallel()
	public, ads := newHomes(t, "a"), newHomes(t, "b")
	cacheable(ads)
	text := providerText(public, ads)
	addr, g := start(t, strings.Replace(text, "kind: esi-provider", "kind: public", 1), append(append(homes{}, public...), ads...).options())
	if got := askFor(t, addr, "ads.example", "/ad/1"); got.status != 200 {
		t.Fatalf("answered %d", got.status)
	}
	apply(t, g, text)
	for _, a := range g.Addresses() {
		addr = a.String()
	}
	if got := askFor(t, addr, "ads.example", "/ad/1"); got.status != 404 {
		t.Errorf("what is stored is answered with %d, want 404", got.status)
	}
}

// M-SITE-05: an explanation names where the site was taken from, and that clients are refused.
func TestExplainNamesWhereTheSiteIsFrom(t *testing.T) {
	t.Parallel()
	public, ads := newHomes(t, "a"), newHomes(t, "b")
	_, g := start(t, providerText(public, ads), append(append(homes{}, public...), ads...).options())
	for _, tt := range []struct {
		head     string
		fragment bool
		want     string
	}{
		{"GET /ad/1 HTTP/1.1\r\nHost: shop.example", false, "shop by host: served"},
		{"GET http://shop.example/ad/1 HTTP/1.1\r\nHost: ads.example", false, "shop by target: served"},
		{"GET /ad/1 HTTP/1.1\r\nHost: ads.example", false, "ads by host: site_not_public"},
		{"GET /none HTTP/1.1\r\nHost: ads.example", false, "ads by host: site_not_public"},
		{"GET /ad/1 HTTP/1.1\r\nHost: ads.example", true, "ads by src: served"},
		{"GET /none HTTP/1.1\r\nHost: ads.example", true, "ads by src: no_mapping"},
		{"GET /ad/moved HTTP/1.1\r\nHost: ads.example", true, "ads by src: redirected_by_rule"},
		{"GET /ad/1 HTTP/1.1\r\nHost: shop.example", true, "shop by src: served"},
		{"GET /ad/1 HTTP/1.1\r\nHost: other.example", false, " by : no_site"},
	} {
		e, err := g.Explain(Question{Raw: []byte(tt.head + "\r\n\r\n"), Fragment: tt.fragment})
		if err != nil {
			t.Fatal(err)
		}
		if got := fmt.Sprintf("%s by %s: %s", e.Mapping.Site, e.Mapping.From, e.Outcome.Reason); got != tt.want {
			t.Errorf("%q, fragment %v: %s, want %s", tt.head, tt.fragment, got, tt.want)
		}
	}
}

// A client that waits while a reload takes its origin out, and makes its site a provider, is
// decided by that, and refused.
func TestProviderRefusesWhoHasWaited(t *testing.T) {
	t.Parallel()
	hs := newHomes(t, "a")
	text := func(kind, state string) string {
		hs[0].settings = ", capacity: 1, state: " + state
		return plainListener + "clusters:\n" + clusterLine("app", hs, "") + "\nsites: { w: { kind: " + kind + ", hosts: [\"**\"] } }\nmappings: [{ site: w, cluster: app }]\n"
	}
	addr, g := start(t, text("public", "serving"), hs.options())
	held := hs[0].hold(t, addr, "")
	waits := visitLater(t, addr, "/", "")
	awaitWaiters(t, g, 1)
	apply(t, g, text("esi-provider", "disabled"))
	if a, err := await(waits); err != nil || a.status != 404 || !strings.Contains(a.body, "reason: site_not_public\n") {
		t.Errorf("who has waited: %d %s, %v; want 404 for site_not_public", a.status, a.body, err)
	}
	hs[0].letGo <- struct{}{}
	wantAnswerOf(t, "who was there already", held, "a")
}
