package esi

import (
	"net/url"
	"strings"
	"testing"
)

func TestInjectedMarkupIsFound(t *testing.T) {
	for text, want := range map[string]bool{
		`q=<esi:include src="//evil/"/>`:   true,
		`q=</esi:remove>`:                  true,
		`q=<!--esi x -->`:                  true,
		`q=<ESI:Include`:                   true,
		`/a/%3Cesi%3Ainclude`:              true,
		`q=%3cesi:vars%3e`:                 true,
		`q=%253Cesi%253Avars`:              true,
		`q=<%65si:vars`:                    true,
		`q=&lt;esi:vars`:                   true,
		`q=&LT;esi&#58;vars`:               true,
		`q=&#60;esi:vars`:                  true,
		`q=&#x3c;esi:vars`:                 true,
		`q=&#0000060esi:vars`:              true,
		`q=&lt!--esi `:                     true,
		`q=%26lt%3Besi%3Avars`:             true,
		`{"a":"\u003cesi:vars\u003e"}`:     true,
		`{"a":'\x3Cesi:vars'}`:             true,
		`q=%26%2360%3Besi%3A`:              true,
		strings.Repeat("<", 1000) + "esi:": true,

		``:                            false,
		`q=esi:include`:               false,
		`q=<es i:include>`:            false,
		`q=%3Ces%3Ai`:                 false,
		`q=a%20b&c=d%zz&#;&#x;&;\u00`: false,
		`q=<p>&lt;b&gt;100%`:          false,
		`q=%252525253Cesi:`:           false,
		`\u004`:                       false,
		`\x3`:                         false,
	} {
		if got := HoldsMarkup([]byte(text)); got != want {
			t.Errorf("%q holds markup: %v, want %v", text, got, want)
		}
	}
}

// FuzzHoldsMarkup: what has markup is found however it is encoded, whatever stands around.
func FuzzHoldsMarkup(f *testing.F) {
	f.Add("a", "b", uint8(0))
	f.Add("%", "&#", uint8(1))
	f.Add("&#x", ";", uint8(2))
	f.Add(`\u00`, `\`, uint8(3))
	f.Fuzz(func(t *testing.T, before, behind string, how uint8) {
		text := before + "<esi:" + behind
		for range how % 3 {
			text = url.QueryEscape(text)
		}
		if !HoldsMarkup([]byte(text)) {
			t.Fatalf("%q holds no markup", text)
		}
	})
}
