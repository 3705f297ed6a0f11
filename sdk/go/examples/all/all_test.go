package main

import (
	"fmt"
	"slices"
	"testing"

	gw1 "weirkeep/sdk/go"
	"weirkeep/sdk/go/gw1test"
	"weirkeep/sdk/go/gw1test/gw1wasm"
)

func native(t *testing.T) *gw1test.Guest {
	return gw1test.Native(t, gw1test.Exports{
		Configure: gwConfigure, Enable: gwEnable, OnCluster: gwOnCluster, Route: gwRoute, Match: gwMatch,
		Collect: gwCollect, Enabled: gwEnabled, OnRequest: gwOnRequest, OnResponse: gwOnResponse,
		Tick: gwTick, OnHTTPResponse: gwOnHTTPResponse,
	})
}

// One test, for the module is large to build and to compile.
func TestEveryKind(t *testing.T) {
	for form, g := range map[string]*gw1test.Guest{"native": native(t), "wasm": gw1wasm.BuildGo(t, ".")} {
		t.Run(form, func(t *testing.T) {
			refused(t, g)
			routed(t, g)
			matched(t, g)
			sampled(t, g)
			edited(t, g)
			ticked(t, g)
		})
	}
}

func refused(t *testing.T, g *gw1test.Guest) {
	if got, ok := g.Configure(`{"refuse":"not like this"}`); ok || got != "not like this" {
		t.Errorf("params are refused with %q (%v)", got, ok)
	}
	if got, ok := g.Configure(""); !ok {
		t.Errorf("no params are refused with %q", got)
	}
}

func routed(t *testing.T, g *gw1test.Guest) {
	g.Cluster(gw1test.Members("a", "b", "c", "d"))
	if want := []string{"info: generation 1 has 4 origins"}; !slices.Equal(g.Host.Lines, want) {
		t.Errorf("logged %q, want %q", g.Host.Lines, want)
	}
	origins := gw1test.Up(4)
	origins[0].InFlight = 60
	origins[1].Health, origins[1].Flags = gw1.HealthDown, gw1.OriginPermitted
	origins[2].InFlight = 10
	got := g.Route(gw1test.View{Origins: origins})
	if want := []int{3, 2, 0}; !slices.Equal(got.Positions, want) {
		t.Errorf("routed to %v, want %v", got.Positions, want)
	}
	if got := g.Route(gw1test.View{}); got.Positions != nil || got.Code != 0 {
		t.Errorf("without origins: %+v, want an abstention", got)
	}
}

func matched(t *testing.T, g *gw1test.Guest) {
	for _, tt := range []struct {
		args []string
		want int32
	}{
		{[]string{"path", "/a"}, gw1.Match},
		{[]string{"path", "/b"}, gw1.NoMatch},
		{[]string{"cookie", "theme"}, gw1.Match},
		{[]string{"cookie", "Theme"}, gw1.NoMatch},
		{[]string{"random"}, gw1.Match}, // the first byte of seed 0 is below 128
		{[]string{"error"}, gw1.Failed},
		{nil, gw1.Unknown},
	} {
		v := gw1test.View{URL: "/a", Cookies: []gw1test.Header{{Name: "theme", Value: "dark"}}, Args: tt.args}
		if got := g.Match(v); got != tt.want {
			t.Errorf("match %v = %d, want %d", tt.args, got, tt.want)
		}
	}
}

func sampled(t *testing.T, g *gw1test.Guest) {
	for _, tt := range []struct {
		inFlight int
		capacity uint32
		want     int32
	}{{0, 100, 100}, {30, 100, 70}, {200, 100, 0}, {1, 0, gw1.NoOpinion}} {
		if got := g.Collect(gw1test.Sample{InFlight: tt.inFlight, Capacity: tt.capacity}); got != tt.want {
			t.Errorf("%d of %d in flight: metric %d, want %d", tt.inFlight, tt.capacity, got, tt.want)
		}
	}
}

func edited(t *testing.T, g *gw1test.Guest) {
	v := gw1test.View{Headers: []gw1test.Header{{Name: "X-One", Value: "1"}, {Name: "x-two", Value: ""}}}
	g.Host.Properties["tls.sni"] = "shop.example"
	want := "tag granted: 513; tag header: X-One; tag header: x-two; tag sni: shop.example"
	if got := g.OnRequest(v).String(); got != want {
		t.Errorf("on a request: %q, want %q", got, want)
	}
	if got := g.OnResponse(gw1test.View{Status: 200, Body: []byte("hello")}).String(); got != "body HELLO" {
		t.Errorf("on an answer: %q, want its body in capitals", got)
	}
	if got := g.OnResponse(gw1test.View{Status: 200, Body: []byte("hello"), BodyLength: 9}); len(got.Ops) != 0 {
		t.Errorf("on half an answer: %q, want nothing", got)
	}
}

func ticked(t *testing.T, g *gw1test.Guest) {
	for i := range 3 {
		if code := g.Tick(gw1test.Tick{Number: uint64(i)}); code != 0 {
			t.Fatalf("tick %d = %d", i, code)
		}
	}
	h := g.Host
	got := fmt.Sprintf("%v %v %s, %d calls: %s", h.Counters, h.Gauges, h.KV["tick"], len(h.Calls), h.Calls[2])
	if want := "map[ticks:3] map[members:4] 2, 3 calls: method POST; url cluster://shop/tick; add Accept: */*; body 2"; got != want {
		t.Errorf("three ticks left %s, want %s", got, want)
	}
	for _, r := range []gw1test.HTTPResponse{
		{Token: 1, Status: 200, Body: "{}"}, {Token: 2, Status: 200, Body: "{}"}, {Token: 3, Status: 404},
	} {
		if code := g.HTTPResponse(r); code != 0 {
			t.Errorf("answer %d = %d", r.Token, code)
		}
	}
	if got := h.KV["answer"]; got != "404 " {
		t.Errorf("the last answer is kept as %q", got)
	}
	if code := g.HTTPResponse(gw1test.HTTPResponse{Error: gw1.Timeout}); code != gw1.Timeout {
		t.Errorf("an answer that never came = %d", code)
	}
}
