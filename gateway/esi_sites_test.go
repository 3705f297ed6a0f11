package gateway

import (
	"fmt"
	"strings"
	"testing"

	"weirkeep/abi"
	"weirkeep/gateway/esi"
)

// town is a gateway with three sites, each with an origin: a, where the pages are; b; and c, which is for
// fragments alone. The desks are their origins'.
type town struct {
	addr    string
	g       *Gateway
	text    string
	a, b, c *desk
}

func newTown(t *testing.T, more string) *town {
	t.Helper()
	hs := newHomes(t, "a", "b", "c")
	w := &town{a: newDesk(make(map[string]served)), b: newDesk(make(map[string]served)), c: newDesk(make(map[string]served))}
	for i, d := range []*desk{w.a, w.b, w.c} {
		hs[i].script = d.reply
	}
	w.text = plainListener + fmt.Sprintf(`
node: { name: edge }
clusters:
  a: { origins: [{ address: %q }] }
  b: { origins: [{ address: %q }] }
  c: { origins: [{ address: %q }] }
sites:
  a: { hosts: [a.example, web] }
  b: { hosts: [b.example, shop], cache: { ttl: { "200": 60s } }, rules: [{ name: shut, when: 'path startsWith "/shut"', reject: { status: 403 } }] }
  c: { kind: esi-provider, hosts: [c.example] }
mappings: [{ site: a, cluster: a }, { site: b, cluster: b }, { site: c, prefix: /only, cluster: c }]
cache: { enabled: true }
%s
`, hs[0].addr, hs[1].addr, hs[2].addr, more)
	w.addr, w.g = start(t, w.text, hs.options())
	return w
}

// page has the origin of a serve a template, and asks for the page that it makes.
func (w *town) page(t *testing.T, template string, fields ...string) told {
	t.Helper()
	w.a.set("/page", served{unstoredTemplate, template, ""})
	return ask(t, w.addr, "GET /page?q=v%20w HTTP/1.1\r\n"+strings.Join(append([]string{"Host: a.example"}, fields...), "\r\n"))
}

// 6, 7, 36, M-SITE-02, M-SITE-05, M-ESI-03: src names the site, whose mappings, rules and store are the fragment's.
func TestFragmentsOfOtherSites(t *testing.T) {
	t.Parallel()
	w := newTown(t, "esi: { unmapped_providers: deny }")
	w.a.set("/x", served{stored60, "a", ""})
	w.b.set("/x", served{"", "b", ""})
	w.b.set("/", served{"", "root of b", ""})
	w.b.set("/shut", served{"", "shut", ""})
	w.c.set("/only/x", served{stored60, "c", ""})
	for _, tt := range []struct {
		name, src, want string
		of              *desk
		path, host      string // which it is asked for
	}{
		{"its own", "/x", "a", w.a, "/x", "a.example"},
		{"6: another site", "http://shop/x", "b", w.b, "/x", "shop"},
		{"6: by the scheme of the page", "//b.example/x?1", "b", w.b, "/x", "b.example"},
		{"7: no path", "http://shop", "root of b", w.b, "/", "shop"},
		{"7: no path, but a query", "http://shop?q", "root of b", w.b, "/", "shop"},
		{"36: https", "https://b.example/x?s", "b", w.b, "/x", "b.example"},
		{"M-SITE-02: a provider", "http://c.example/only/x", "c", w.c, "/only/x", "c.example"},
		{"a provider's path that no mapping has", "http://c.example/x", "", w.c, "/x", ""},
		{"a rule of the other site rejects it", "http://shop/shut", "", w.b, "/shut", ""},
		{"a site that there is not", "http://other.example/x", "", w.b, "/x", "b.example"},
	} {
		got := w.page(t, `<esi:include src="`+tt.src+`" onerror="continue"/>`)
		wantBody(t, tt.name, got, tt.want)
		if host := fieldIn(tt.of.head(tt.path), "Host"); host != tt.host {
			t.Errorf("%s: the origin is asked for %q, want %q", tt.name, host, tt.host)
		}
	}
	asked := w.b.count("/x")
	wantBody(t, "M-ESI-03: by the other site's caching", w.page(t, `<esi:include src="http://b.example/x"/>`), "b")
	if n := w.b.count("/x"); n != asked {
		t.Errorf("M-ESI-03: the origin was asked %d times more", n-asked)
	}
	if got := askFor(t, w.addr, "c.example", "/only/x"); got.status != 404 || !strings.Contains(got.body, "site_not_public") {
		t.Errorf("M-SITE-02: a client gets %d %q", got.status, got.body)
	}
}

// M-SITE-05: the site of a request is that of its target, or of Host.
func TestSitesOfPages(t *testing.T) {
	t.Parallel()
	w := newTown(t, "")
	for name, d := range map[string]*desk{"a": w.a, "b": w.b} {
		d.set("/page", served{asTemplate, name + `<esi:include src="x"/>`, ""})
		d.set("/x", served{stored60, name, ""})
	}
	for request, want := range map[string]string{
		"GET /page HTTP/1.1\r\nHost: a.example":                      "aa",
		"GET /page HTTP/1.1\r\nHost: b.example":                      "bb",
		"GET http://b.example/page HTTP/1.1\r\nHost: a.example":      "bb",
		"GET http://a.example:80/page HTTP/1.1\r\nHost: shop":        "aa",
		"GET http://web/page HTTP/1.1\r\nHost: a.example":            "aa",
		"GET http://shop/page?a HTTP/1.1\r\nHost: shop\r\nX-A: b, c": "bb",
	} {
		wantBody(t, request, ask(t, w.addr, request), want)
	}
}

// 24: variables are of the client's request, in templates within templates and of other sites, too.
func TestVariablesOfNestedPages(t *testing.T) {
	t.Parallel()
	w := newTown(t, "esi: { variables: { headers: [X-Shown] } }")
	const shows = `$(HTTP_HOST) $(QUERY_STRING{q}) $(HTTP_COOKIE{c}) $(HTTP_HEADER{X-Shown}) $(HTTP_ACCEPT_LANGUAGE{de})`
	w.a.set("/1", served{asTemplate, `<esi:vars>` + shows + `</esi:vars>|<esi:include src="http://b.example/2?q=mine"/>`, ""})
	w.b.set("/2", served{asTemplate, `<esi:vars>` + shows + `</esi:vars>`, ""})
	const want = "a.example v w &lt;c&gt; s true"
	for _, when := range []string{"at first", "from memory"} {
		wantBody(t, when, w.page(t, `<esi:include src="/1"/>`, "Cookie: c=<c>", "X-Shown: s", "Accept-Language: en, de"), want+"|"+want)
	}
	wantBody(t, "another client", w.page(t, `<esi:include src="/1"/>`), "a.example v w   |a.example v w   ")
}

// M-ESI-02: of two fragments one is stored: the other alone is asked for.
func TestFragmentsAreStoredByThemselves(t *testing.T) {
	t.Parallel()
	w := newTown(t, "")
	w.a.set("/one", served{stored60, "1", ""})
	w.c.set("/only/two", served{stored60, "2", ""})
	askFor(t, w.addr, "a.example", "/one")
	wantBody(t, "a page", w.page(t, `<esi:include src="/one"/><esi:include src="http://c.example/only/two"/>`), "12")
	if w.a.count("/one") != 1 || w.c.count("/only/two") != 1 {
		t.Errorf("they were asked for %d and %d times", w.a.count("/one"), w.c.count("/only/two"))
	}
}

// Z3, M-SITE-07: of hosts that no site has, none but a public address is ever connected to.
func TestFragmentsOfPrivateAddresses(t *testing.T) {
	t.Parallel()
	private := newHomes(t, "private")[0]
	for _, mode := range []string{"dns", "deny"} {
		w := newTown(t, "esi: { unmapped_providers: "+mode+", fragment_timeout: 2s }")
		for _, src := range []string{
			"http://" + private.addr + "/", "http://127.0.0.1/", "http://2130706433/", "http://0x7f.1/", "http://[::1]/", "http://[::ffff:127.0.0.1]/", "http://169.254.169.254/latest",
			"http://localhost/", "http://localhost.:80/", "http://user@127.0.0.1/", "https://10.0.0.1/", "http://[64:ff9b::7f00:1]/", "ftp://a.example/x", "//127.0.0.1:22/",
		} {
			got := w.page(t, `a<esi:include src="`+src+`" onerror="continue"/>b`)
			wantBody(t, mode+": "+src, got, "ab")
		}
		m := w.g.current.Load().sites[0].esi.metrics
		if n := m.Failures[esi.BadTarget].Load(); mode == "deny" && n < 12 {
			t.Errorf("%s: %d are counted as bad targets", mode, n)
		}
	}
	if n := private.heads.Load() + int64(private.open()); n != 0 {
		t.Errorf("a private address was asked %d times", n)
	}
}

// 3: a filter of the fragment's site may answer in the place of its origin.
func TestFiltersMakeFragments(t *testing.T) {
	t.Parallel()
	public, ads := newHomes(t, "a"), newHomes(t, "b")
	cacheable(ads)
	addr, _ := start(t, providerText(public, ads), append(append(homes{}, public...), ads...).options())
	public.say(func(head string) (string, string) {
		return asTemplate, `(<esi:include src="/x?` + say(op(abi.OpRespond, "200", "made")) + `"/><esi:include src="/x?` + say(op(abi.OpRespond, "403", "no")) + `" onerror="continue"/><esi:include src="http://ads.example/ad/1"/>)`
	})
	for range 2 {
		got := askFor(t, addr, "shop.example", "/page?"+say())
		wantBody(t, "a page", got, "(madean ad)")
		if n := got.header.Get("Content-Length"); n != "" && n != "12" {
			t.Errorf("Content-Length: %s", n)
		}
	}
}
