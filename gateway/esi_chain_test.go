package gateway

import (
	"fmt"
	"strings"
	"testing"
)

// chainText is a gateway of a chain: a public site shop, and its provider of ads. Origins are addresses.
func chainText(node, shop, ads, kind, more string) string {
	return plainListener + fmt.Sprintf(`
node: { name: %s }
clusters: { shop: { origins: [{ address: %q }] }, ads: { origins: [{ address: %q }] } }
sites: { shop: { hosts: [shop.example] }, ads: { kind: %s, hosts: [ads.example] } }
mappings: [{ site: shop, cluster: shop }, { site: ads, cluster: ads }]
cache: { enabled: true }
%s
`, node, shop, ads, kind, more)
}

// M-SITE-09: a provider may be another gateway, which stores what it provides; the chain is told to the origin.
func TestPagesOfAChain(t *testing.T) {
	t.Parallel()
	hs := newHomes(t, "shop", "ads")
	d := newDesk(map[string]served{
		"/page": {unstoredTemplate, `(<esi:include src="http://ads.example/ad"/>)`, ""},
		"/ad":   {"Cache-Control: no-store\r\nSurrogate-Control: max-age=60;second, no-store\r\n", "AD", ""},
	})
	hs.say(d.reply)
	second, g2 := start(t, chainText("second", hs[1].addr, hs[1].addr, "public", "trusted_proxies: [127.0.0.1]"), hs.options())
	first, _ := start(t, chainText("first", hs[0].addr, second, "esi-provider", ""), Options{})
	for range 3 {
		wantBody(t, "a page", askFor(t, first, "shop.example", "/page"), "(AD)")
	}
	if d.count("/page") != 3 || d.count("/ad") != 1 || g2.cache.Stats().Objects != 1 {
		t.Errorf("the origins were asked %v, and the second stores %d", d.asked, g2.cache.Stats().Objects)
	}
	head := d.head("/ad")
	for name, want := range map[string]string{"Via": "1.1 first, 1.1 second", "CDN-Loop": "first, second", "Surrogate-Capability": `first="Surrogate/1.0 ESI/1.0", second="Surrogate/1.0 ESI/1.0"`} {
		if got := strings.Join(fieldsIn(head, name), ", "); got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
}

// M-SITE-09: a chain that comes back to where it was is cut there: it is a failed include.
func TestPagesOfACircle(t *testing.T) {
	t.Parallel()
	h := newHomes(t, "shop")[0]
	d := newDesk(map[string]served{"/page": {asTemplate, `(<esi:include src="http://ads.example/ad" onerror="continue"/>)`, ""}})
	h.script = d.reply
	first := freeAddress(t)
	second, g2 := start(t, chainText("second", h.addr, first, "public", ""), Options{})
	text := strings.Replace(chainText("first", h.addr, second, "public", ""), `"127.0.0.1:0"`, fmt.Sprintf("%q", first), 1)
	_, g1 := start(t, text, Options{})
	wantBody(t, "a page", askFor(t, first, "shop.example", "/page"), "()")
	until(t, "nothing goes round", func() bool { return g1.fetching.Load() == 0 && g1.Status().Exchanges+g2.Status().Exchanges == 0 })
}

// H4: where the site says so, a gateway leaves pages to one in front of it that it trusts.
func TestPagesAreLeftToWhoIsInFront(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, more        string // of the gateway behind
		inFront, inBehind uint64 // pages that each makes
	}{
		{"it is trusted", "trusted_proxies: [127.0.0.1]\nesi: { defer: true }", 1, 0},
		{"it is not", "esi: { defer: true }", 0, 1},
		{"nothing is left to others", "trusted_proxies: [127.0.0.1]", 0, 1},
	} {
		h := newHomes(t, "shop")[0]
		d := newDesk(map[string]served{"/page": {asTemplate + "ETag: \"t\"\r\n", `(<esi:include src="/f"/>)`, ""}, "/f": {stored60, "F", ""}})
		h.script = d.reply
		behind, gb := start(t, chainText("behind", h.addr, h.addr, "public", tt.more), Options{})
		front, gf := start(t, chainText("front", behind, behind, "public", ""), Options{})
		wantBody(t, tt.name, askFor(t, front, "shop.example", "/page"), "(F)")
		pages := func(g *Gateway) (n uint64) {
			for i := range g.current.Load().sites {
				n += g.current.Load().sites[i].esi.metrics.Pages.Load()
			}
			return n
		}
		if pages(gf) != tt.inFront || pages(gb) != tt.inBehind {
			t.Errorf("%s: in front %d pages are made, behind %d", tt.name, pages(gf), pages(gb))
		}
		if got := askFor(t, behind, "shop.example", "/page"); got.body != "(F)" || got.header.Get("Surrogate-Control") != "" {
			t.Errorf("%s: a client of the one behind gets %q", tt.name, got.body)
		}
	}
}
