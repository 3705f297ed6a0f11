package config

import (
	"fmt"
	"testing"
)

// TestCacheOfASite: what a site says of its cache holds, then what the top level says,
// then what the profile is.
func TestCacheOfASite(t *testing.T) {
	const rest = `
listeners: [{ address: ":8080" }]
clusters: { shop: { origins: [{ address: "127.0.0.1:9001" }] } }
mappings: [{ site: shop, cluster: shop }]
`
	for _, tt := range []struct{ top, site, want string }{
		{"{}", "{}", "false default bypass 0 map[]"},
		{"{ enabled: true }", "{}", "true default bypass 0 map[]"},
		{"{ enabled: true }", "{ enabled: false }", "false default bypass 0 map[]"},
		{"{ set_cookie: strip }", "{ enabled: true }", "true default strip 0 map[]"},
		{"{ set_cookie: strip }", "{ set_cookie: bypass }", "false default bypass 0 map[]"},
		{"{ profile: conformance }", "{}", "false conformance store 0.1 map[]"},
		{"{ profile: conformance, set_cookie: strip }", "{}", "false conformance strip 0.1 map[]"},
		{"{ profile: conformance }", "{ set_cookie: strip }", "false conformance strip 0.1 map[]"},
		{"{ set_cookie: strip }", "{ profile: conformance }", "false conformance strip 0.1 map[]"},
		{"{ profile: conformance }", "{ profile: default }", "false default bypass 0 map[]"},
		{"{ profile: conformance }", "{ heuristic: { max: 1h } }", "false conformance store 0.1 map[]"},
		{"{ heuristic: { fraction: 0.5 } }", "{ heuristic: { max: 1h } }", "false default bypass 0.5 map[]"},
		{`{ ttl: { default: 1s, "404": 2s } }`, `{ ttl: { "404": 3s, "500": 4s } }`, "false default bypass 0 map[404:3s 500:4s default:1s]"},
	} {
		t.Run(tt.top+" "+tt.site, func(t *testing.T) {
			text := "cache: " + tt.top + "\nsites: { shop: { hosts: [shop.example], cache: " + tt.site + " } }" + rest
			cfg, problems := Parse("weirkeep.yaml", []byte(text))
			if cfg == nil {
				t.Fatal(problems)
			}
			c := cfg.Sites["shop"].Cache
			if got := fmt.Sprint(c.Enabled, " ", c.Profile, " ", c.SetCookie, " ", c.Heuristic.Fraction, " ", c.TTL); got != tt.want {
				t.Errorf("got %s, want %s", got, tt.want)
			}
		})
	}
}
