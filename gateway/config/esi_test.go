package config

import (
	"fmt"
	"reflect"
	"testing"
)

// siteWith loads a site with what is written of it and of the top level.
func siteWith(t *testing.T, top, site string) Site {
	t.Helper()
	cfg, problems := Parse("weirkeep.yaml", []byte(top+`
sites: { shop: { hosts: [shop.example], `+site+` } }
listeners: [{ address: ":8080" }]
clusters: { shop: { origins: [{ address: "127.0.0.1:9001" }] } }
mappings: [{ site: shop, cluster: shop }]
`))
	if problems.Errors() > 0 {
		t.Fatal(problems)
	}
	return cfg.Sites["shop"]
}

// TestESIOfASite: what a site says of ESI holds, then what the top level says.
func TestESIOfASite(t *testing.T) {
	for _, tt := range []struct{ top, site, want string }{
		{"{}", "{}", "surrogate [200] 5 [*] true true"},
		{"{ mode: content-types, max_depth: 3 }", "{}", "content-types [200] 3 [*] true true"},
		{"{ mode: content-types, max_depth: 3 }", `{ mode: "off" }`, "off [200] 3 [*] true true"},
		{"{ max_depth: 3 }", "{ max_depth: 5 }", "surrogate [200] 5 [*] true true"},
		{"{ statuses: [200, 404] }", "{ statuses: [] }", "surrogate [] 5 [*] true true"},
		{"{ statuses: [200, 404] }", "{ max_depth: 0 }", "surrogate [200 404] 0 [*] true true"},
		{"{ variables: { cookies: [tier], escape: false } }", "{ variables: { escape: true } }", "surrogate [200] 5 [tier] true true"},
		{"{ variables: { cookies: [tier] } }", "{ variables: { cookies: [] } }", "surrogate [200] 5 [] true true"},
		{"{ detect_injection: false }", "{ mode: surrogate }", "surrogate [200] 5 [*] true false"},
	} {
		e := siteWith(t, "esi: "+tt.top, "esi: "+tt.site).ESI
		if got := fmt.Sprint(e.Mode, " ", e.Statuses, " ", e.MaxDepth, " ", e.Variables.Cookies, " ", *e.Variables.Escape, " ", *e.DetectInjection); got != tt.want {
			t.Errorf("of %s and %s comes %s, want %s", tt.top, tt.site, got, tt.want)
		}
	}
}

func TestWhoseAnswersMayBeTemplates(t *testing.T) {
	for site, want := range map[string]bool{
		"":                             false,
		"esi: { mode: content-types }": false,
		"cache: { enabled: true }":     true,
		`cache: { enabled: true }, esi: { mode: "off" }`:      false,
		"cache: { enabled: true }, kind: esi-provider":        true,
		"cache: { enabled: true }, esi: { on_error: empty }":  true,
		`cache: { enabled: true }, esi: { mode: "surrogate"}`: true,
	} {
		if s := siteWith(t, "", site); s.Assembles() != want {
			t.Errorf("%s: %v, want %v", site, !want, want)
		}
	}
}

// TestNoCookiesIsNotAllCookies: an empty list shows none.
func TestNoCookiesIsNotAllCookies(t *testing.T) {
	s := siteWith(t, "", "esi: { variables: { cookies: [] } }")
	if shown := s.ESI.Shown(); shown.Cookies == nil || len(shown.Cookies) > 0 {
		t.Errorf("cookies that are shown: %v", shown.Cookies)
	}
}

// TestESIBoundsAreThoseOfPages: what the ranges of the keys let in can be assembled with.
func TestESIBoundsAreThoseOfPages(t *testing.T) {
	for _, high := range []bool{false, true} {
		e := siteWith(t, "", "").ESI
		v := reflect.ValueOf(&e).Elem()
		for i := range v.NumField() {
			f := rulesOf(v.Type().Field(i).Tag)
			if bound := map[bool]string{false: f.low, true: f.high}[high]; f.ranged && v.Field(i).Kind() != reflect.Slice {
				if _, reason := assign(v.Field(i), bound); reason != "" {
					t.Fatalf("%s: %s", bound, reason)
				}
			}
		}
		if o := e.Options(); o.Validate() != nil {
			t.Errorf("with all bounds, high %v: %v", high, o.Validate())
		}
		if l := e.Limits(); l.Template == 0 || l.Attribute == 0 {
			t.Errorf("a limit of 0 means the default: %+v", l)
		}
	}
}
