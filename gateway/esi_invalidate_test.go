package gateway

import (
	"fmt"
	"testing"
)

// an invalidation in a template is carried out if the template is of a provider that is trusted with
// it, once for each answer; nobody ever sees it.
func TestInvalidationsInTemplates(t *testing.T) {
	order := `<esi:invalidate output="yes"><?xml version="1.0"?><INVALIDATION VERSION="WCS-1.1"><OBJECT><BASICSELECTOR URI="http://shop.example/price"/>` +
		`<ACTION REMOVALTTL="0"/><INFO VALUE="x"/></OBJECT></INVALIDATION></esi:invalidate>`
	broken := `<esi:invalidate><INVALIDATION VERSION="WCS-1.1"><OBJECT></esi:invalidate>`
	for _, tt := range []struct {
		name, site, body string
		asked            int // how often the origin is, for what is named
	}{
		{"a trusted provider", "kind: esi-provider, trust_invalidate: true", order, 2},
		{"another provider", "kind: esi-provider", order, 1},
		{"a public site", "kind: public", order, 1},
		{"no message", "kind: esi-provider, trust_invalidate: true", broken, 1},
	} {
		k := newKiosk(t, "", map[string]served{
			"/page":  {asTemplate, `(<esi:include src="http://ads.example/ad"/>)`, ""},
			"/price": {stored60, "5", ""},
			"/ad":    {asTemplate, "AD" + tt.body, ""},
		})
		k.configure(t, fmt.Sprintf("sites: { shop: { hosts: [shop.example] }, ads: { hosts: [ads.example], %s } }\nmappings: [{ site: shop, cluster: a }, { site: ads, cluster: a }]", tt.site))
		k.get(t, "/price")
		for range 2 {
			if got := k.get(t, "/page"); got.status != 200 || got.body != "(AD)" {
				t.Errorf("%s: %d %q", tt.name, got.status, got.body)
			}
			k.get(t, "/price")
		}
		if n := k.count("/price"); n != tt.asked {
			t.Errorf("%s: the origin was asked %d times, want %d", tt.name, n, tt.asked)
		}
	}
}
