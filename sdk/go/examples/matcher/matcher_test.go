package main

import (
	"testing"

	gw1 "weirkeep/sdk/go"
	"weirkeep/sdk/go/gw1test"
	"weirkeep/sdk/go/gw1test/gw1wasm"
)

// guests are the plugin in the forms that are tested.
func guests(t *testing.T) map[string]*gw1test.Guest {
	return map[string]*gw1test.Guest{
		"native": gw1test.Native(t, gw1test.Exports{Match: gwMatch}),
		"wasm":   gw1wasm.BuildGo(t, "."),
	}
}

func TestProgramsMatch(t *testing.T) {
	agent := func(s string) gw1test.Header { return gw1test.Header{Name: "User-Agent", Value: s} }
	browser := agent("Mozilla/5.0 (X11; Linux x86_64)")
	german := gw1test.Header{Name: "accept-language", Value: "de"}
	for form, g := range guests(t) {
		for _, tt := range []struct {
			name     string
			headers  []gw1test.Header
			args     []string
			notShown bool
			want     int32
		}{
			{name: "no agent", headers: []gw1test.Header{german}, want: gw1.Match},
			{name: "empty agent", headers: []gw1test.Header{agent("")}, want: gw1.Match},
			{name: "browser", headers: []gw1test.Header{browser}, want: gw1.NoMatch},
			{name: "a word at the end", headers: []gw1test.Header{agent("Some-BOT")}, want: gw1.Match},
			{name: "a word inside", headers: []gw1test.Header{agent("x curl/8.0 y")}, want: gw1.Match},
			{name: "half a word", headers: []gw1test.Header{agent("x curl")}, want: gw1.NoMatch},
			{name: "the first of two", headers: []gw1test.Header{browser, agent("bot")}, want: gw1.NoMatch},
			{name: "strict, no language", headers: []gw1test.Header{browser}, args: []string{"strict"}, want: gw1.Match},
			{name: "strict, a language", headers: []gw1test.Header{browser, german}, args: []string{"strict"}, want: gw1.NoMatch},
			{name: "another argument", headers: []gw1test.Header{browser}, args: []string{"stricter"}, want: gw1.NoMatch},
			{name: "not shown", notShown: true, want: gw1.Unknown},
		} {
			v := gw1test.View{URL: "/login", Headers: tt.headers, HeadersShown: !tt.notShown, Args: tt.args}
			if got := g.Match(v); got != tt.want {
				t.Errorf("%s: %s: %d, want %d", form, tt.name, got, tt.want)
			}
		}
	}
}
