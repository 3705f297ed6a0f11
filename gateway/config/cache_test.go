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

// TestSlicesOfASite: they are what the site says, then the top level, and those that nobody has
// written fit what may be stored.
func TestSlicesOfASite(t *testing.T) {
	for _, tt := range []struct{ top, site, want string }{
		{"{}", "{}", "1MiB 64MiB"},
		{"{ max_object: 100KiB }", "{}", "100KiB 64MiB"},
		{"{ max_object: 100KiB }", "{ ranges: { slice: 50KiB } }", "50KiB 64MiB"},
		{"{ max_object: 16MiB, ranges: { slice: 16MiB } }", "{}", "16MiB 64MiB"},
		{"{ ranges: { slice: 4KiB, above: 4KiB } }", "{}", "4KiB 4KiB"},
		{"{ ranges: { slice: 4KiB, above: 1MiB } }", "{ ranges: { slice: 8KiB } }", "8KiB 1MiB"},
		{"{ ranges: { slice: 0 } }", "{}", "0B 64MiB"},
		{"{ ranges: { slice: 0 } }", "{ ranges: { slice: 1MiB } }", "1MiB 64MiB"},
		{"{}", "{ ranges: { slice: 0B } }", "0B 64MiB"},
		{"{ profile: conformance, ranges: { above: 1GiB } }", "{ profile: default }", "1MiB 1GiB"},
	} {
		t.Run(tt.top+" "+tt.site, func(t *testing.T) {
			cfg, problems := Parse("weirkeep.yaml", []byte("cache: "+tt.top+`
sites: { shop: { hosts: [shop.example], cache: `+tt.site+` } }
listeners: [{ address: ":8080" }]
clusters: { shop: { origins: [{ address: "127.0.0.1:9001" }] } }
mappings: [{ site: shop, cluster: shop }]
`))
			if cfg == nil || problems.Errors() > 0 {
				t.Fatal(problems)
			}
			r := cfg.Sites["shop"].Cache.Ranges
			if got := fmt.Sprint(r.Slice, " ", r.Above); got != tt.want {
				t.Errorf("got %s, want %s", got, tt.want)
			}
		})
	}
}
