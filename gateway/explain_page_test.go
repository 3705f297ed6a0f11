package gateway

import (
	"fmt"
	"strings"
	"testing"
)

// explained asks the gateway what it would do with a request.
func (k *kiosk) explained(t *testing.T, line string, fields ...string) *Explanation {
	t.Helper()
	head := line + " HTTP/1.1\r\n" + strings.Join(append([]string{"Host: shop.example"}, fields...), "\r\n") + "\r\n\r\n"
	e, err := k.g.Explain(Question{Raw: []byte(head)})
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// pageText is what is explained of a page, but for what there is to say of times.
func pageText(p *ExplainedPage) string {
	if p == nil {
		return ""
	}
	parts := []string{p.Does}
	for _, f := range p.Fragments {
		text := fmt.Sprint(f.Level, " ", strings.TrimPrefix(f.URL, "http://shop.example"), " ", f.Does)
		if f.TTL != nil {
			text += fmt.Sprint(" ", *f.TTL)
		}
		for _, said := range []struct {
			is   bool
			word string
		}{{f.Template, " template"}, {f.InPlace, " alt"}, {f.Else != "", " else " + f.Else}, {f.Optional, " optional"}} {
			if said.is {
				text += said.word
			}
		}
		if f.Last != nil {
			text += fmt.Sprint(" last ", f.Last.Status, f.Last.Cache, f.Last.Failure)
		}
		parts = append(parts, text)
	}
	return strings.Join(parts, ", ")
}

// ES-08 and others: of a stored template Explain says which fragments the request comes to, what the
// store does for each, and how they were had last; it asks and counts nothing.
func TestExplainTellsOfPages(t *testing.T) {
	t.Parallel()
	k := newKiosk(t, "", map[string]served{
		"/page":   {asTemplate, `a<esi:include src="/one"/><esi:include src="/two" alt="/three"/><esi:include src="/gone" onerror="continue"/><esi:include src="/one"/>`, ""},
		"/choice": {asTemplate, `<esi:choose><esi:when test="$(HTTP_COOKIE{tier})=='gold'"><esi:include src="/gold"/></esi:when><esi:otherwise><esi:include src="/one"/></esi:otherwise></esi:choose>`, ""},
		"/outer":  {asTemplate, `<esi:include src="/inner"/><esi:include src="http://nobody.example/x" onerror="continue"/>`, ""},
		"/inner":  {asTemplate, `<esi:include src="/one"/><esi:include src="/inner"/>`, ""},
		"/static": {asTemplate, `nothing`, ""},
		"/plain":  {stored60 + "Content-Type: text/html\r\n", `<esi:include src="/one"/>`, ""},
		"/other":  {strings.Replace(asTemplate, "text/html", "text/plain", 1), `<esi:include src="/one"/>`, ""},
		"/none":   {stored60 + "Content-Type: text/html\r\n", `none`, ""},
		"/one":    {stored60, "ONE", ""},
		"/two":    {"Cache-Control: no-store\r\n", "TWO", ""},
		"/gold":   {"Cache-Control: private\r\n", "GOLD", ""},
	})
	for _, path := range []string{"/page", "/choice", "/inner", "/static", "/plain", "/other", "/none"} {
		k.get(t, path)
	}
	before := fmt.Sprint(k.g.StoredStats())
	k.mu.Lock()
	asked := fmt.Sprint(k.asked)
	k.mu.Unlock()
	for _, tt := range []struct{ line, field, page, outcome string }{
		{"GET /page", "X-A: b", "assembled, 1 /one fresh 60 last 200miss, 1 /two miss else http://shop.example/three last 200miss, 1 /gone miss optional last 404miss, 1 /one again", "served"},
		{"GET /choice", "X-A: b", "assembled, 1 /one fresh 60 last 200hit", "served"},
		{"GET /choice", "Cookie: tier=gold", "assembled, 1 /gold miss", "served"},
		{"GET /inner", "X-A: b", "assembled, 1 /one fresh 60 last 200hit, 1  refused", "served"},
		{"HEAD /page", "X-A: b", "assembled", "served"},
		{"GET /static", "X-A: b", "assembled", "served"},
		{"GET /plain", "X-A: b", "none", "served"},
		{"GET /other", "X-A: b", "none", "served"},
		{"GET /none", "X-A: b", "", "served"},
		{"GET /unknown", "X-A: b", "", "served"},
		{"GET /page", "Cookie: a=<esi:vars>", "refused", "markup_injected"},
		{"GET /unknown", "Cookie: a=<esi:vars>", "refused", "served"},
	} {
		e := k.explained(t, tt.line, tt.field)
		if got := pageText(e.Page); got != tt.page || e.Outcome.Reason != tt.outcome {
			t.Errorf("%s with %s: %s (%s), want %s (%s)", tt.line, tt.field, got, e.Outcome.Reason, tt.page, tt.outcome)
		}
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if after := fmt.Sprint(k.g.StoredStats()); after != before || fmt.Sprint(k.asked) != asked {
		t.Errorf("it was counted, or asked for: %s, then %s; %s, then %v", before, after, asked, k.asked)
	}
}

// Of hosts that no site has Explain says whether they will be asked, as far as that is known before
// a name is looked up, and why one was not the last time.
func TestExplainTellsWhyStrangersAreNotAsked(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ url, does, why string }{
		{"http://127.0.0.1/x", "refused", "127.0.0.1 is in 127.0.0.0/8, loopback (RFC 1122), and only public addresses are asked; give the host a site and a mapping if it is meant"},
		{"https://[fd00::1]/x", "refused", "unique-local"},
		{"http://8.8.8.8:8080/x", "refused", "port 8080 is neither 80 nor 443"},
		{"http://nobody.example:8080/x", "refused", "port 8080 is neither 80 nor 443"},
		{"http://2130706433/x", "refused", "is a number to some"},
		{"http://nobody.example/x", "fetch", fetchedThere},
		{"https://nobody.example/x", "fetch", fetchedThere},
	} {
		k := newKiosk(t, "", map[string]served{"/page": {asTemplate,
			`<esi:choose><esi:when test="$(HTTP_COOKIE{a})=='1'"><esi:include src="` + tt.url + `" onerror="continue"/></esi:when></esi:choose>`, ""}})
		k.get(t, "/page")
		if f := k.explained(t, "GET /page", "Cookie: a=1").Page.Fragments[0]; f.Does != tt.does || !strings.Contains(f.Why, tt.why) {
			t.Errorf("%s: %s: %s", tt.url, f.Does, f.Why)
		}
		if strings.Contains(tt.url, "nobody") {
			continue // to ask it would look the name up
		}
		k.clock.Store(2)
		k.get(t, "/page", "Cookie: a=1")
		if last := k.explained(t, "GET /page", "Cookie: a=1").Page.Fragments[0].Last; last == nil || last.Failure != "bad-target" || !strings.Contains(last.Why, tt.why) {
			t.Errorf("%s: the last time: %+v", tt.url, last)
		}
	}
}

// Of an answer that is given Explain says whether a page would be made of it, or why not although it
// says so, also without a gateway.
func TestExplainJudgesTemplates(t *testing.T) {
	t.Parallel()
	const site, on = "sites: { shop: { hosts: [h] } }\n", "cache: { enabled: true }\n"
	const says, html = `|Surrogate-Control: max-age=60, content="ESI/1.0"`, "|Content-Type: text/html; charset=utf-8"
	for _, tt := range []struct{ config, answer, page string }{
		{on, "200 OK" + says + html, "assembled"},
		{on, "200 OK|Cache-Control: no-store" + strings.Replace(says, "max-age=60, ", "", 1) + html, "assembled"},
		{on, "200 OK" + html, ""},
		{on, "404 Not Found" + says + html, "its status 404 is none of esi.statuses"},
		{on, "200 OK|Content-Type: image/png" + says, `its media type "image/png" is none of esi.types`},
		{on, "200 OK" + strings.Replace(says, "ESI/1.0", "ESI/1.0 X/2", 1) + html, `Surrogate-Control asks for content="ESI/1.0 X/2", and ESI/1.0 alone is what is done here`},
		{on + "esi: { mode: content-types }\n", "200 OK" + html, "assembled"},
		{on + "esi: { mode: \"off\" }\n", "200 OK" + says + html, "esi.mode is off for site shop"},
		{on + "esi: { defer: true }\ntrusted_proxies: [127.0.0.1]\n", "200 OK" + says + html, "deferred"},
		{"sites: { shop: { hosts: [h] }, other: { hosts: [o], cache: { enabled: true } } }\n", "200 OK" + says + html, "site shop has no cache, and without one no page is made: cache.enabled is false there"},
	} {
		cfg := plainListener + "clusters: { a: { origins: [{ address: \"127.0.0.1:1\" }] } }\nmappings: [{ site: shop, cluster: a }]\n" + tt.config
		if !strings.Contains(cfg, "sites:") {
			cfg += site
		}
		e, problems := NewExplainer(load(t, cfg))
		if problems.Errors() > 0 {
			t.Fatal(problems)
		}
		x, err := e.Explain(Question{
			Raw:    []byte("GET / HTTP/1.1\r\nHost: h\r\nSurrogate-Capability: cdn=\"Surrogate/1.0 ESI/1.0\"\r\n\r\n"),
			Answer: []byte("HTTP/1.1 " + strings.ReplaceAll(tt.answer, "|", "\r\n") + "\r\n\r\n"),
		})
		if err != nil {
			t.Fatal(err)
		}
		if a := x.Cache.Answer; a.Page != tt.page {
			t.Errorf("%s%s: %q, want %q", tt.config, tt.answer, a.Page, tt.page)
		}
	}
}

// How a page's fragments were had is kept with its template, of one page a second.
func TestLastPageIsKept(t *testing.T) {
	t.Parallel()
	k := newKiosk(t, "", map[string]served{
		"/page": {asTemplate, `<esi:include src="/f?$(HTTP_COOKIE{n})"/>`, ""},
		"/f":    {stored60, "F", ""},
	})
	for _, tt := range []struct {
		at   int64
		asks string
		has  string // whose fragment is known then
	}{
		{0, "1", "1"}, {0, "2", "1"}, {1, "3", "3"}, {1, "4", "3"}, {3, "1", "1"},
	} {
		k.clock.Store(tt.at)
		k.get(t, "/page", "Cookie: n="+tt.asks)
		for _, n := range []string{"1", "2", "3", "4"} {
			e := k.explained(t, "GET /page", "Cookie: n="+n)
			if f := e.Page.Fragments; len(f) != 1 || f[0].URL != "http://shop.example/f?"+n || (f[0].Last != nil) != (n == tt.has) {
				t.Errorf("after %s at %d s: %s is %s", tt.asks, tt.at, n, pageText(e.Page))
			}
		}
	}
}

// What is kept of a page takes no more than is counted for it, however long the URLs are that clients have
// a say in.
func TestLastPageIsBounded(t *testing.T) {
	t.Parallel()
	k := newKiosk(t, "", map[string]served{
		"/page": {asTemplate, `<esi:include src="/f"/><esi:include src="/f?$(HTTP_COOKIE{n})"/>`, ""},
		"/f":    {stored60, "F", ""},
	})
	for _, tt := range []struct{ n, kept int }{{10, 2}, {600, 2}, {4000, 1}} {
		k.clock.Store(k.clock.Load() + 2)
		k.get(t, "/page", "Cookie: n="+strings.Repeat("n", tt.n))
		kept := 0
		for _, f := range k.explained(t, "GET /page", "Cookie: n="+strings.Repeat("n", tt.n)).Page.Fragments {
			if f.Last != nil {
				kept++
			}
		}
		if kept != tt.kept {
			t.Errorf("of %d bytes: %d are kept, want %d", tt.n, kept, tt.kept)
		}
	}
}

// A fragment of a host that no site has is asked for there; to a client it is no answer at all.
func TestExplainTellsOfFragmentsAtNoSite(t *testing.T) {
	t.Parallel()
	explainer, problems := NewExplainer(load(t, plainListener+`clusters: { a: { origins: [{ address: "127.0.0.1:1" }] } }
sites: { shop: { hosts: [shop.example] } }
mappings: [{ site: shop, cluster: a }]
`))
	if problems.Errors() > 0 {
		t.Fatal(problems)
	}
	for _, tt := range []struct {
		fragment        bool
		reason, address string
	}{
		{true, "served", "parts.example:8080"},
		{false, "no_site", ""},
	} {
		e, err := explainer.Explain(Question{Raw: []byte("GET /a?b HTTP/1.1\r\nHost: parts.example:8080\r\n\r\n"), Fragment: tt.fragment})
		if err != nil {
			t.Fatal(err)
		}
		if o := e.Outcome; o.Reason != tt.reason || o.Address != tt.address || strings.Contains(o.Text, "unmapped_providers") != tt.fragment {
			t.Errorf("fragment %v: %+v", tt.fragment, o)
		}
	}
}

// A long body is looked into wherever it is kept: one that was asked for again has moved to a file.
func TestExplainLooksIntoLongBodies(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 100<<10) + `<esi:include src="/one"/>`
	k := newKiosk(t, "", map[string]served{"/long": {stored60 + "Content-Type: text/html\r\n", long, ""}})
	for i := range 3 {
		if got := k.get(t, "/long"); got.body != long {
			t.Fatalf("%d: %d bytes", i, len(got.body))
		}
		if p := k.explained(t, "GET /long").Page; p == nil || p.Does != "none" {
			t.Errorf("after %d requests: %+v", i+1, p)
		}
	}
}
