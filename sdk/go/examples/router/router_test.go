package main

import (
	"testing"

	"weirkeep/sdk/go/gw1test"
	"weirkeep/sdk/go/gw1test/gw1wasm"
)

// guests are the plugin in the forms that are tested.
func guests(t *testing.T) map[string]*gw1test.Guest {
	return map[string]*gw1test.Guest{
		"native": gw1test.Native(t, gw1test.Exports{OnCluster: gwOnCluster, Route: gwRoute}),
		"wasm":   gw1wasm.BuildGo(t, "."),
	}
}

// names returns what an answer names, by a table of members.
func names(c gw1test.Cluster, r gw1test.Route) string {
	all := ""
	for _, p := range r.Positions {
		all += c.Members[p].Name + " "
	}
	return all
}

func TestCallsGoByTheirArgument(t *testing.T) {
	const low, high = "server1 server3 ", "server2 server3 "
	table := gw1test.Members("server3", "server1", "other", "server2")
	for form, g := range guests(t) {
		if code := g.Cluster(table); code != 0 {
			t.Fatalf("%s: gw_on_cluster = %d", form, code)
		}
		for _, tt := range []struct {
			url  string
			want string
			code int32
		}{
			{url: "/foo?arg=apple", want: low},
			{url: "/foo?arg=mzzz", want: low},
			{url: "/foo?arg=n", want: high}, // not before n
			{url: "/foo?arg=nancy", want: high},
			{url: "/foo?arg=Zoe", want: low}, // Z is before n
			{url: "/foo?arg=%6Eancy", want: high},
			{url: "/foo?arg=%6eancy", want: high},
			{url: "/foo?arg=%C3%B1andu", want: high}, // bytes
			{url: "/foo?arg=+n", want: low},          // a space
			{url: "/a/b/foo?x=1&arg=b&arg=z", want: low},
			{url: "http://shop.example/foo?arg=a=z", want: low},

			{url: "/foo?arg=", code: -4},
			{url: "/foo?arg", code: -4},
			{url: "/foo?arg&arg=z", code: -4}, // the first is the one
			{url: "/foo", code: -4},
			{url: "/foo?", code: -4},
			{url: "/foo?arg=%zz", code: -4},
			{url: "/foo?arg=a%6", code: -4},
			{url: "/foo?arg=a%", code: -4},

			{url: "/Foo?arg=a"},
			{url: "/foo/?arg=a"},
			{url: "/bar?arg=a"},
			{url: "/xfoo?arg=a"},
			{url: "/"},
		} {
			got := g.Route(gw1test.View{URL: tt.url})
			if names(table, got) != tt.want || got.Code != tt.code {
				t.Errorf("%s: %s goes to %q, code %d; want %q, code %d", form, tt.url, names(table, got), got.Code, tt.want, tt.code)
			}
		}
	}
}

func TestServersThatAreNotThereAreLeftOut(t *testing.T) {
	for form, g := range guests(t) {
		for _, tt := range []struct {
			table gw1test.Cluster
			want  string
		}{
			{gw1test.Members("server1", "server3"), "server3 "},
			{gw1test.Members("server2"), "server2 "},
			{gw1test.Members("other"), ""},
			{gw1test.Members(), ""},
		} {
			g.Cluster(tt.table)
			if got := names(tt.table, g.Route(gw1test.View{URL: "/foo?arg=z"})); got != tt.want {
				t.Errorf("%s: of %d members, the call goes to %q, want %q", form, len(tt.table.Members), got, tt.want)
			}
		}
	}
}
