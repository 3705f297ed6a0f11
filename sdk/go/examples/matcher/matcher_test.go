package main

import (
	"testing"

	gw1 "weirkeep/sdk/go"
	"weirkeep/sdk/go/gw1test"
	"weirkeep/sdk/go/gw1test/gw1wasm"
)

func native(t *testing.T) *gw1test.Guest {
	return gw1test.Native(t, gw1test.Exports{Match: gwMatch})
}

func TestAutomatedClientsMatch(t *testing.T) {
	agent := func(s string) gw1test.Header { return gw1test.Header{Name: "User-Agent", Value: s} }
	accept := gw1test.Header{Name: "accept", Value: "*/*"}
	for form, g := range map[string]*gw1test.Guest{"native": native(t), "wasm": gw1wasm.BuildGo(t, ".")} {
		for _, tt := range []struct {
			name    string
			headers []gw1test.Header
			args    []string
			want    int32
		}{
			{name: "a person", headers: []gw1test.Header{agent("Mozilla/5.0"), accept}, want: gw1.NoMatch},
			{name: "says so", headers: []gw1test.Header{accept, agent("curl/8.5")}, want: gw1.Match},
			{name: "says so in capitals", headers: []gw1test.Header{agent("FineBOT")}, want: gw1.Match},
			{name: "half a word", headers: []gw1test.Header{agent("Mozilla bo")}, want: gw1.NoMatch},
			{name: "no agent", headers: []gw1test.Header{accept}, want: gw1.Match},
			{name: "empty agent", headers: []gw1test.Header{agent("")}, want: gw1.Match},
			{name: "no accept", headers: []gw1test.Header{agent("Mozilla/5.0")}, want: gw1.NoMatch},
			{name: "no accept, strict", headers: []gw1test.Header{agent("Mozilla/5.0")}, args: []string{"strict"}, want: gw1.Match},
			{name: "accept, strict", headers: []gw1test.Header{agent("Mozilla/5.0"), accept}, args: []string{"strict", ""}, want: gw1.NoMatch},
			{name: "headers not among needs", want: gw1.Unknown},
		} {
			if got := g.Match(gw1test.View{URL: "/login", Headers: tt.headers, Args: tt.args}); got != tt.want {
				t.Errorf("%s: %s: %d, want %d", form, tt.name, got, tt.want)
			}
		}
	}
}
