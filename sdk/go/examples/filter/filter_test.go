package main

import (
	"testing"

	"weirkeep/sdk/go/gw1test"
	"weirkeep/sdk/go/gw1test/gw1wasm"
)

func native(t *testing.T) *gw1test.Guest {
	return gw1test.Native(t, gw1test.Exports{Configure: gwConfigure, OnRequest: gwOnRequest, OnResponse: gwOnResponse})
}

func TestTenantsAreToldToTheOrigin(t *testing.T) {
	for form, g := range map[string]*gw1test.Guest{"native": native(t), "wasm": gw1wasm.BuildGo(t, ".")} {
		if message, ok := g.Configure(`{"suffix":".shop.example","closed":["red","g\"o\"ne"]}`); !ok {
			t.Fatalf("%s: params are refused: %s", form, message)
		}
		for _, tt := range []struct{ name, url, want string }{
			{"a tenant", "http://blue.shop.example/a", "set X-Tenant: blue; delete X-Debug; tag tenant: blue"},
			{"a closed one", "http://red.shop.example/", "respond 403: this shop is closed\n; set Content-Type: text/plain"},
			{"no tenant", "http://shop.example/", ""},
			{"the suffix alone", "http://.shop.example/", ""},
			{"another site", "http://blue.example/", ""},
			{"host not among needs", "/a", ""},
		} {
			if got := g.OnRequest(gw1test.View{URL: tt.url}).String(); got != tt.want {
				t.Errorf("%s: %s: %q, want %q", form, tt.name, got, tt.want)
			}
		}
	}
}

func TestAnswersTellTheirOrigin(t *testing.T) {
	for form, g := range map[string]*gw1test.Guest{"native": native(t), "wasm": gw1wasm.BuildGo(t, ".")} {
		for _, tt := range []struct{ origin, want string }{
			{"web1", "delete Server; set X-Origin: web1"},
			{"", "delete Server"},
		} {
			if got := g.OnResponse(gw1test.View{Status: 200, Origin: tt.origin}).String(); got != tt.want {
				t.Errorf("%s: from %q: %q, want %q", form, tt.origin, got, tt.want)
			}
		}
	}
}

func TestParamsWithoutASuffixAreRefused(t *testing.T) {
	const missing = "suffix is missing: say which hosts are tenants', such as .shop.example"
	for form, g := range map[string]*gw1test.Guest{"native": native(t), "wasm": gw1wasm.BuildGo(t, ".")} {
		params.Suffix = ""
		for _, text := range []string{"", `{"closed":[]}`, `{"suffix":""}`} {
			if got, ok := g.Configure(text); ok || got != missing {
				t.Errorf("%s: params %q are refused with %q (%v), want %q", form, text, got, ok, missing)
			}
		}
		if got, ok := g.Configure(`{"suffix":1}`); ok || got == "" {
			t.Errorf("%s: a suffix that is a number is refused with %q (%v), want a reason", form, got, ok)
		}
	}
}
