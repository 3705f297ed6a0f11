package main

import (
	"testing"

	"weirkeep/sdk/go/gw1test"
	"weirkeep/sdk/go/gw1test/gw1wasm"
)

// guests are the plugin in the forms that are tested.
func guests(t *testing.T) map[string]*gw1test.Guest {
	return map[string]*gw1test.Guest{
		"native": gw1test.Native(t, gw1test.Exports{Configure: gwConfigure, OnRequest: gwOnRequest, OnResponse: gwOnResponse}),
		"wasm":   gw1wasm.BuildGo(t, "."),
	}
}

func TestShopsAreToldToTheOrigin(t *testing.T) {
	const nobody = "respond 404: no such shop\n; set Content-Type: text/plain"
	for form, g := range guests(t) {
		if message, ok := g.Configure(`{"other":{"domain":"x"},"domain":"shops.\u0065xample"}`); !ok {
			t.Fatalf("%s: params are refused: %s", form, message)
		}
		for _, tt := range []struct{ url, want string }{
			{"http://blue.shops.example/a", "set X-Tenant: blue; delete X-Debug; tag tenant: blue"},
			{"https://red.shops.example/", "set X-Tenant: red; delete X-Debug; tag tenant: red"},
			{"http://shops.example/", nobody},
			{"http://.shops.example/", nobody},
			{"http://a.b.shops.example/", nobody},
			{"http://blue-shops.example/", nobody},
			{"/", nobody}, // host is not among its needs
		} {
			if got := g.OnRequest(gw1test.View{URL: tt.url}).String(); got != tt.want {
				t.Errorf("%s: %s: %q, want %q", form, tt.url, got, tt.want)
			}
		}
		if got := g.OnResponse(gw1test.View{Status: 200}).String(); got != "delete X-Powered-By" {
			t.Errorf("%s: an answer: %q", form, got)
		}
	}
}

func TestParamsWithoutADomainAreRefused(t *testing.T) {
	for form, g := range guests(t) {
		for _, params := range []string{"", "{}", `{"domain":""}`, `{"domain":7}`, `{"domains":"x"}`, `{"x":"\"domain\":\"y\""}`} {
			if got, ok := g.Configure(params); ok || got != "domain must be a host name" {
				t.Errorf("%s: params %q: %v, %q", form, params, ok, got)
			}
		}
	}
}
