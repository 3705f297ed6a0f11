// Package rust_test runs the plugin that reads everything with the Rust crate,
// and calls everything.
package rust_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	gw1 "weirkeep/sdk/go"
	"weirkeep/sdk/go/gw1test"
	"weirkeep/sdk/go/gw1test/gw1wasm"
)

func guest(t *testing.T) *gw1test.Guest { return gw1wasm.Load(t, "testdata/everything.wasm") }

// words are operations as key=value, with a space behind each.
func words(ops []gw1test.Op) string {
	var b strings.Builder
	for _, o := range ops {
		fmt.Fprintf(&b, "%s=%s ", o.Key, o.Value)
	}
	return b.String()
}

// Every field has a value of its own, so that none is taken for another.
func TestEveryFieldOfAViewIsRead(t *testing.T) {
	got := guest(t).OnRequest(gw1test.View{
		URL: "https://shop.example:8443/a%20b?x", Method: "POST", Target: "/a b?x", Client: "192.0.2.7", Mapping: "2", Session: "s1",
		Site: "shop", Cluster: "main/shop", Application: "app", Origin: "web1",
		Headers: []gw1test.Header{{Name: "X-A", Value: "1"}, {Name: "x-b"}}, Cookies: []gw1test.Header{{Name: "theme", Value: "dark"}},
		Args:    []string{"strict", ""},
		Origins: []gw1test.Origin{{Health: 1, State: 2, InFlight: 3, Capacity: 40000, Metric: 255, Flags: 3}, {Flags: 4}},
		Body:    []byte("hello"), BodyLength: 1 << 40, Status: 200, Flags: gw1.FlagInternal, Attempts: 7, Generation: 9, RequestID: 1 << 60, Now: 5,
		UpstreamNS: 1500000, HeadersShown: true,
	})
	want := "flags=27 request_id=1152921504606846976 now=5 method_id=3 version=11 attempts=7 generation=9 granted=16383 port=8443 status=200 " +
		"body_length=1099511627776 upstream_ns=1500000 method=POST scheme=https host=shop.example path=/a%20b query=x client=192.0.2.7 " +
		"mapping=2 session=s1 target=/a b?x site=shop cluster=main/shop application=app origin=web1 body=hello " +
		"name=X-A value=1 name=x-b value= name=theme value=dark arg=strict arg= " +
		"health=1 state=2 in_flight=3 capacity=40000 metric=255 flags=3 usable=1 " +
		"health=0 state=0 in_flight=0 capacity=0 metric=0 flags=4 usable=0 "
	if words(got.Ops) != want {
		t.Errorf("read\n%s, want\n%s", words(got.Ops), want)
	}
	got = guest(t).OnRequest(gw1test.View{URL: "/?", Method: gw1test.NotShown})
	want = "flags=0 request_id=0 now=1796040000000000000 method_id=0 version=11 attempts=0 generation=0 granted=24 port=80 status=0 " +
		"body_length=0 upstream_ns=0 path=/ query= "
	if words(got.Ops) != want {
		t.Errorf("of little read\n%s, want\n%s", words(got.Ops), want)
	}
}

func TestEveryFieldOfATableAndASampleIsRead(t *testing.T) {
	g := guest(t)
	code := g.Cluster(gw1test.Cluster{Name: "shop", Cell: "main", Generation: 2, Members: []gw1test.Member{
		{
			Name: "a", Address: "http://a:1", Host: "h", Zone: "z", Cell: "c", Edition: "1", Cluster: "s",
			Labels: []gw1test.Label{{Key: "disk", Value: "ssd"}, {Key: "rack", Value: "r1"}}, Weight: 4, HostWeight: 5, Capacity: 6, OnThisHost: true,
		},
		{Name: "b"},
	}})
	metric := g.Collect(gw1test.Sample{
		First: true, Now: 1, Position: 2, WindowMS: 3, Answers: 4, Failed: 5, Timeouts: 6, FailedConnects: 7, P50: 8, P95: 9,
		P99: 10, InFlight: 11, Waiting: 12, Name: "a", Address: "http://a:1", Sources: []gw1test.Source{{Name: "header:x", Value: 16}, {Name: "header:y", Value: 170}},
		Generation: 13, Metric: 14, Capacity: 15, Health: 1, State: 2,
	})
	want := []string{
		"info: generation=2 len=2 name=shop cell=main " +
			"name=a address=http://a:1 host=h zone=z cell=c edition=1 cluster=s weight=4 host_weight=5 capacity=6 on_this_host=1 rack=r1 " +
			"name=b weight=0 host_weight=0 capacity=0 on_this_host=0 rack=none ",
		"info: flags=1 first=1 now=1 position=2 window_ms=3 answers=4 failed=5 timeouts=6 failed_connects=7 p50=8 p95=9 p99=10 " +
			"in_flight=11 waiting=12 generation=13 metric=14 capacity=15 health=1 state=2 name=a address=http://a:1 " +
			"source=header:x value=16 source=header:y value=170 ",
	}
	if code != 0 || metric != gw1.MetricIdle || !slices.Equal(g.Host.Lines, want) {
		t.Errorf("code %d, metric %d, read\n%s, want\n%s", code, metric, strings.Join(g.Host.Lines, "\n"), strings.Join(want, "\n"))
	}
	if got := g.Collect(gw1test.Sample{}); got != gw1.NoOpinion {
		t.Errorf("without the source: metric %d, want no opinion", got)
	}
}

func TestAnswers(t *testing.T) {
	g := guest(t)
	g.Host.Now = 7
	for _, tt := range []struct {
		args []string
		want int32
	}{
		{[]string{"random"}, gw1.Match}, // the first byte of seed 0 is below 128
		{[]string{"now"}, gw1.Match},
		{nil, gw1.Denied},
	} {
		if got := g.Match(gw1test.View{Now: 7, Args: tt.args}); got != tt.want {
			t.Errorf("match %v = %d, want %d", tt.args, got, tt.want)
		}
	}
	if got := g.Route(gw1test.View{Args: []string{"server2", "main/shop/server1"}}); !slices.Equal(got.Names, []string{"server2", "main/shop/server1"}) {
		t.Errorf("names %q", got.Names)
	}
	v := gw1test.View{Headers: []gw1test.Header{{Name: "X-A", Value: "a"}}, Cookies: []gw1test.Header{{Name: "theme", Value: "dark"}}}
	want := "set A: a; add B: dark; delete C; path /p; query q; host h; body body; respond 404: no; tag t: u"
	if got := g.OnResponse(v).String(); got != want {
		t.Errorf("edited with %s, want %s", got, want)
	}
	if got, ok := g.Configure(`{"refuse":1}`); ok || got != "refused, as it was asked for" {
		t.Errorf("params are refused with %q (%v)", got, ok)
	}
}

func TestEveryHostFunctionIsCalled(t *testing.T) {
	g := guest(t)
	h := g.Host
	g.Cluster(gw1test.Members("a", "b"))
	if code := g.Tick(gw1test.Tick{}); code != gw1.NotFound {
		t.Errorf("without a property: %d, want %d", code, gw1.NotFound)
	}
	h.Properties["node.name"] = "n1"
	h.KV["gone"] = "soon"
	if code := g.Tick(gw1test.Tick{Now: 4000, Number: 3, PeriodMS: 10000}); code != 0 {
		t.Fatalf("tick = %d", code)
	}
	got := fmt.Sprint(h.Counters, " ", h.Gauges, " ", h.KV, " ", h.Calls)
	want := "map[ticks:3] map[members:2] map[node:seen tick:4000] [url cluster://shop/tick; method POST; add Accept: */*; body 10000]"
	if got != want {
		t.Errorf("a tick left\n%s, want\n%s", got, want)
	}
	code := g.HTTPResponse(gw1test.HTTPResponse{
		Token: 1, Error: gw1.Timeout, Now: 2, Status: 200, Headers: []gw1test.Header{{Name: "A", Value: "b"}}, Body: "{}",
	})
	line := h.Lines[len(h.Lines)-1]
	if want := "info: token=1 flags=6 now=2 status=200 body={} name=A value=b "; code != gw1.Timeout || line != want {
		t.Errorf("an answer = %d, read %s, want %d, %s", code, line, gw1.Timeout, want)
	}
}
