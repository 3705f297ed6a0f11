package main

import (
	"strings"
	"testing"

	"weirkeep/gateway"
)

const pageText = `page      assembled of the template as it is stored
            http://shop.example/one     fresh     ttl 50s, site shop, last 0 ms hit 200
            http://shop.example/menu    stale     ttl -5s, it is sent, and asked for anew meanwhile, a template itself, site shop
              http://shop.example/top   miss      nothing is stored of it, site shop, else http://shop.example/b, else nothing, last 120 ms miss server-status 503
              (none)                    refused   too-deep
            http://ads.example/x        fetch     no site has the host: it is asked by itself, at a public address
            http://shop.example/one     again
            and 3 more fragments
`

func TestPagesForPeople(t *testing.T) {
	fifty, expired := int64(50), int64(-5)
	p := gateway.ExplainedPage{Does: "assembled", Why: "of the template as it is stored", More: 3, Fragments: []gateway.ExplainedFragment{
		{URL: "http://shop.example/one", Level: 1, Site: "shop", Does: "fresh", Why: "it is sent as it is stored", TTL: &fifty, Last: &gateway.ExplainedLast{Status: 200, Cache: "hit"}},
		{URL: "http://shop.example/menu", Level: 1, Site: "shop", Does: "stale", Why: "it is sent, and asked for anew meanwhile", TTL: &expired, Template: true},
		{URL: "http://shop.example/top", Level: 2, Site: "shop", Does: "miss", Why: "nothing is stored of it", Else: "http://shop.example/b", Optional: true,
			Last: &gateway.ExplainedLast{Milliseconds: 120, Status: 503, Cache: "miss", Failure: "server-status"}},
		{Level: 2, Does: "refused", Why: "too-deep"},
		{URL: "http://ads.example/x", Level: 1, Does: "fetch", Why: "no site has the host: it is asked by itself, at a public address"},
		{URL: "http://shop.example/one", Level: 1, Does: "again"},
	}}
	var out strings.Builder
	teller := &teller{out: &out}
	if teller.page(nil); out.String() != "" {
		t.Errorf("of no page it says %q", out.String())
	}
	if teller.page(&p); out.String() != pageText {
		t.Errorf("got\n%s\nwant\n%s", out.String(), pageText)
	}
}

func TestTemplatesForPeople(t *testing.T) {
	for page, want := range map[string]string{
		"":                              "",
		"assembled":                     "            page    would be assembled of it\n",
		"deferred":                      "            page    would be left to the surrogate that asks\n",
		"esi.mode is off for site shop": "            page    none would be made of it: esi.mode is off for site shop\n",
	} {
		var out strings.Builder
		(&teller{out: &out}).assumedAnswer(&gateway.ExplainedAnswer{Status: 200, Why: "private", Page: page})
		if got := out.String(); got != "            answer  200 would not be stored: private\n"+want {
			t.Errorf("%s: %q", page, got)
		}
	}
}
