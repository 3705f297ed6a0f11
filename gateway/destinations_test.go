package gateway

import (
	"strings"
	"testing"

	"weirkeep/gateway/config"
)

// What is said of a destination that selects no origin: that alone, with what there is
// in its place.
func TestDestinationsThatSelectNothing(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ to, code, said, hint string }{
		{"main/shpo", "E205", "clusters are: dr/shop, main/news, main/shop", `did you mean "main/shop"?`},
		{"shpo", "E205", "clusters are: news, shop", `did you mean "shop"?`},
		{"main/shpo/web1", "E205", "clusters are: dr/shop/web1, main/news/web1, main/shop/web1", `did you mean "main/shop/web1"?`},
		{"shop/web1", "E205", "clusters are: dr/shop, main/news, main/shop", ""},
		{"main/shop/web9", "E205", "origins of main/shop are: main/shop/web1, main/shop/web2", `did you mean "main/shop/web1"?`},
		{"main/shop@3.0", "E205", "editions of main/shop are: main/shop@1.0, main/shop@2.0", `did you mean "main/shop@1.0"?`},
		{"main/news@1.0", "E205", "editions of main/news are: none", ""},
		{"app:shop@3.0", "E205", "editions of shop are: app:shop@1.0, app:shop@2.0", `did you mean "app:shop@1.0"?`},
		{"app:shap@1.0", "E205", "origins have the editions: app:shop@1.0, app:shop@2.0", `did you mean "app:shop@1.0"?`},
		{"app:shap", "E205", "origins have the editions: app:shop", `did you mean "app:shop"?`},
		{"cluster=main,shpo", "E205", "clusters are: dr/shop, main/news, main/shop", ""},
		{"main//web1", "E314", "the cluster is empty", ""},
		{"dr/shop", "W312", "permits no origin of any mapping of its site", "rules only narrow"},
	} {
		ps := Check(load(t, strings.Replace(destinationsText, "TO", tt.to, 1)))
		if len(ps) != 1 || ps[0].Code != tt.code {
			t.Errorf("%s: %v, want one %s", tt.to, ps, tt.code)
			continue
		}
		if p := ps[0]; !strings.Contains(p.Message, tt.said) || !strings.HasPrefix(p.Hint, tt.hint) || p.Hint != "" && tt.hint == "" {
			t.Errorf("%s: %q, hint %q; want %q, hint %q", tt.to, p.Message, p.Hint, tt.said, tt.hint)
		}
	}
}

// What selects nothing in a failover group is said there.
func TestFailoverThatSelectsNothing(t *testing.T) {
	t.Parallel()
	text := strings.Replace(destinationsText, `to: "TO"`, `to: main/shop, failover: [main/news, main/nwes]`, 1)
	if ps := Check(load(t, text)); len(ps) != 1 || ps[0].Severity != config.Error || ps[0].Hint != `did you mean "main/news"?` {
		t.Errorf("said %v", ps)
	}
}

const destinationsText = `
node: { cell: main }
listeners: [{ address: "127.0.0.1:8080" }]
clusters:
  shop:
    origins:
      - { name: web1, address: "127.0.0.1:9001", edition: { application: shop, label: "1.0" } }
      - { name: web2, address: "127.0.0.1:9002", edition: { application: shop, label: "2.0" } }
  news: { origins: [{ name: news1, address: "127.0.0.1:9003" }] }
  dr/shop: { origins: [{ name: dr1, address: "127.0.0.1:9004" }] }
applications: { shop: { context_root: /app, clusters: [shop] } }
sites: { s: { hosts: [h] } }
mappings: [{ site: s, prefix: /app, applications: [shop] }, { site: s, prefix: /shop, cluster: shop }, { site: s, cluster: news }]
rules: [{ name: r, permit: { to: "TO" } }]
`
