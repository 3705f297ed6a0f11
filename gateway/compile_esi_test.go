package gateway

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"weirkeep/gateway/esi"
)

// compiledESI is the ESI of a site, with what is written at the top level and of it.
func compiledESI(t *testing.T, top, site string) *siteESI {
	t.Helper()
	g := New(Options{})
	t.Cleanup(func() { g.Close() })
	apply(t, g, `
node: { name: edge }
listeners: [{ address: "127.0.0.1:0" }]
trusted_proxies: [127.0.0.9]
clusters: { app: { origins: [{ address: "127.0.0.1:1" }] } }
sites: { w: { hosts: ["**"], `+site+` } }
mappings: [{ site: w, cluster: app }]
`+top)
	snap := g.acquire()
	defer snap.release()
	return snap.sites[0].esi
}

// Where nothing is stored, or ESI is off, no answer is a template.
func TestWhoHasESI(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		top, site string
		has       bool
	}{
		{"", "", false},
		{"esi: { mode: content-types }", "", false},
		{"cache: { enabled: true }", "", true},
		{"cache: { enabled: true }\nesi: { mode: \"off\" }", "", false},
		{"cache: { enabled: true }", `esi: { mode: "off" }`, false},
		{"cache: { enabled: true }", "cache: { enabled: false }", false},
		{"", "cache: { enabled: true }", true},
		{"cache: { enabled: true }", "kind: esi-provider", true},
	} {
		if has := compiledESI(t, tt.top, tt.site) != nil; has != tt.has {
			t.Errorf("%s and %s: %v, want %v", tt.top, tt.site, has, tt.has)
		}
	}
}

// Each key comes to where it acts.
func TestKeysOfESI(t *testing.T) {
	t.Parallel()
	page := filepath.Join(t.TempDir(), "fragment.html")
	if err := os.WriteFile(page, []byte("<p>later</p>"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		site string
		says func(e *siteESI) any
		want string
	}{
		{"", func(e *siteESI) any { o, d := e.options, esi.Default(); return fmt.Sprint(o) == fmt.Sprint(d) }, "true"},
		{"", func(e *siteESI) any {
			return fmt.Sprint(e.limits, e.shown.Cookies, len(e.shown.Hidden), e.shown.Fields, e.types, e.statuses)
		}, "{4194304 8192 0} [*] 14 [] [text/html application/xhtml+xml text/xml application/xml] [200]"},
		{"", func(e *siteESI) any {
			return fmt.Sprint(e.byType, e.clientTTL, e.deferred, e.detects, e.unmapped, e.obeys, " ", e.device)
		}, "false 0 false true true false edge"},
		{"esi: { mode: content-types, client_ttl: min, defer: true, detect_injection: false, unmapped_providers: deny }", func(e *siteESI) any {
			return fmt.Sprint(e.byType, e.clientTTL, e.deferred, e.detects, e.unmapped)
		}, "true 1 true false false"},
		{"esi: { client_ttl: template, types: [Text/HTML, application/json], statuses: [200, 404] }", func(e *siteESI) any {
			return fmt.Sprint(e.clientTTL, e.types, e.statuses)
		}, "2 [text/html application/json] [200 404]"},
		{"esi: { max_depth: 1, max_includes: 2, concurrent: 3, max_fragment: 4B, max_page: 5B, max_values: 6B, hold: 7B, fragment_timeout: 8ms, timeout: 9ms, on_error: empty, first_byte: hold, variables: { escape: false } }", func(e *siteESI) any {
			return fmt.Sprintf("%+v", e.options)
		}, "{Depth:1 Includes:2 Concurrent:3 Fragment:4 Page:5 Values:6 Hold:7 FragmentTimeout:8ms Timeout:9ms OnError:1 Fallback:[] FirstByte:1 Verbatim:true}"},
		{"esi: { max_template: 1MiB, max_attribute: 1KiB }", func(e *siteESI) any { return e.limits }, "{1048576 1024 0}"},
		{"esi: { variables: { cookies: [], hidden_cookies: [x], headers: [X-A] } }", func(e *siteESI) any {
			return fmt.Sprint(e.shown.Cookies != nil, e.shown)
		}, "true {[] [x] [X-A]}"},
		{"esi: { on_error: default-fragment }, pages: { fragment: " + page + ` }`, func(e *siteESI) any {
			return fmt.Sprint(e.options.OnError, " ", string(e.options.Fallback))
		}, "2 <p>later</p>"},
		{"kind: esi-provider, trust_invalidate: true", func(e *siteESI) any { return e.obeys }, "true"},
	} {
		if got := fmt.Sprint(tt.says(compiledESI(t, "cache: { enabled: true }", tt.site))); got != tt.want {
			t.Errorf("%s: %s, want %s", tt.site, got, tt.want)
		}
	}
}

// A reload does not begin the counts of a site anew.
func TestCountsOfESIGoOn(t *testing.T) {
	t.Parallel()
	const text = `
listeners: [{ address: "127.0.0.1:0" }]
cache: { enabled: true }
clusters: { app: { origins: [{ address: "127.0.0.1:1" }] } }
`
	_, g := start(t, text, Options{})
	g.current.Load().sites[0].esi.metrics.Pages.Inc()
	apply(t, g, text)
	if n := g.current.Load().sites[0].esi.metrics.Pages.Load(); n != 1 {
		t.Errorf("%d pages are counted after a reload, want 1", n)
	}
}
