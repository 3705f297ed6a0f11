package config

import (
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"weirkeep/gateway/balance"
	"weirkeep/gateway/unit"
)

// tie is what the balancer capacity takes; those here must not follow its own.
type tie struct {
	Tie string `yaml:"tie" default:"equal-load" enum:"equal-load|weighted"`
}

func decodedTie(t *testing.T, o Options) string {
	t.Helper()
	var got tie
	if err := o.Decode(&got); err != nil {
		t.Fatal(err)
	}
	return got.Tie
}

func TestSurgeFile(t *testing.T) {
	c := good(t, "surge.yaml")
	shop, api, plain := c.Clusters["shop"], c.Clusters["api"], c.Clusters["plain"]
	s := unit.Duration(time.Second)
	for _, tt := range []struct {
		what      string
		got, want any
	}{
		{"capacities", []Capacity{shop.Origins[0].Capacity, shop.Origins[1].Capacity, shop.Origins[2].Capacity}, []Capacity{{150, 150}, {50, 50}, {1000, 1000}}},
		{"capacities that are learned", []Capacity{api.Origins[1].Capacity, api.Origins[2].Capacity}, []Capacity{AutoCapacity, {10, 500}}},
		{"states", []string{shop.Origins[0].State, shop.Origins[1].State, shop.Origins[2].State}, []string{"serving", "draining", "maintenance"}},
		{"the default balancer", shop.Balancer, balance.Default},
		{"written options", decodedTie(t, shop.BalancerOptions), "weighted"},
		{"no options", decodedTie(t, api.BalancerOptions), "equal-load"},
		{"empty options", decodedTie(t, plain.BalancerOptions), "equal-load"},
		{"queue", shop.Queue, Queue{Size: 0, Timeout: 300 * s, Overflow: "failover"}},
		{"queue by default", api.Queue, Queue{Size: 200, Timeout: 10 * s, Overflow: "busy"}},
		{"queue with one key", plain.Queue, Queue{Size: 200, Timeout: s / 1000, Overflow: "busy"}},
		{"failover", shop.Failover, Failover{Threshold: 1000, ConnectFailures: 0, Count: []string{"connect", "all-5xx"}, MaxEjected: 100_00,
			Ping: &Ping{Path: "/ping?from=gateway", Interval: 10 * s, Timeout: 2 * s}}},
		{"nothing counts", api.Failover, Failover{Threshold: 5, ConnectFailures: 3, MaxEjected: 100_00}},
		{"failover by default", plain.Failover, Failover{Threshold: 5, ConnectFailures: 1,
			Count: []string{"connect", "reset", "timeout", "502", "503", "504"}, MaxEjected: 100_00}},
		{"health", *api.Health, Health{Path: "/", Interval: s / 10, Timeout: 60 * s, DownAfter: 1, UpAfter: 100,
			Expect: StatusRanges{[][2]int{{200, 299}, {301, 301}, {404, 404}}}}},
		{"health with defaults", *plain.Health, Health{Path: "/health", Interval: 5 * s, Timeout: 2 * s, DownAfter: 3, UpAfter: 2,
			Expect: StatusRanges{[][2]int{{204, 204}}}}},
		{"no health", shop.Health == nil && plain.Failover.Ping == nil, true},
		{"tunnels", []bool{*shop.CountTunnels, *api.CountTunnels}, []bool{false, true}},
		{"sessions of a cluster and a site", shop.Session + " " + c.Sites["shop"].Session, "JSESSIONID PHPSESSID"},
		{"several clusters", c.Mappings[1].Clusters, []string{"shop", "reserve"}},
		{"a single cluster", c.Mappings[2].Clusters, []string{"api"}},
		{"a list of one", c.Mappings[3].Clusters, []string{"plain"}},
		{"failover clusters", c.Mappings[1].Failover, []string{"plain", "api"}},
		{"busy page", strings.HasSuffix(c.Sites["shop"].Pages["busy"], "/tls/page.html"), true},
	} {
		if !reflect.DeepEqual(tt.got, tt.want) {
			t.Errorf("%s: %v, want %v", tt.what, tt.got, tt.want)
		}
	}
}

func TestSessionsOfSurgeFile(t *testing.T) {
	minute, cookie := unit.Duration(time.Minute), GatewayCookie{Path: "/", SameSite: "lax"}
	want := map[string]Session{
		// built in, with defaults
		"JSESSIONID": {Cookie: "JSESSIONID", URLParam: "jsessionid", Binding: "learned", OnPrimaryDown: "secondary", GatewayCookie: cookie, OnFull: "queue", IdleTimeout: 30 * minute, Entries: 100000},
		// replaces one that is built in, whose parameter it lacks
		"PHPSESSID": {Cookie: "PHPSESSID", Binding: "learned", OnPrimaryDown: "fail", GatewayCookie: cookie, OnFull: "rebalance", IdleTimeout: 30 * minute, Entries: 10000000},
		"shop":      {URLParam: "shop.id", Binding: "learned", OnPrimaryDown: "any", GatewayCookie: cookie, OnFull: "queue", LearnFromLinks: true, IdleTimeout: 30 * 24 * 60 * minute, Entries: 100000},
	}
	if got := good(t, "surge.yaml").Sessions; !reflect.DeepEqual(got, want) {
		t.Errorf("sessions are %+v\nwant %+v", got, want)
	}
}

func TestImpliedMappingHasClusters(t *testing.T) {
	if got := good(t, "smallest.yaml").Mappings[0].Clusters; !slices.Equal(got, []string{"app"}) {
		t.Errorf("clusters are %v", got)
	}
}

// TestOptionsKeepTheirPlaces: what a program decodes for itself has places too,
// as often as it does so.
func TestOptionsKeepTheirPlaces(t *testing.T) {
	c := parsed(t, smallestWith("balancer_options: { tie: weighted }"))
	var other struct {
		Tie  string `yaml:"tie" enum:"never"`
		Need string `yaml:"need" required:"true"`
	}
	for range 2 {
		problems, ok := c.Clusters["app"].BalancerOptions.Decode(&other).(Problems)
		if !ok || len(problems) != 2 {
			t.Fatalf("problems are %v, want two", problems)
		}
		for _, want := range []string{`clusters.app.balancer_options.tie is "weighted", must be never`, "clusters.app.balancer_options has no need"} {
			if !strings.Contains(problems.Error(), "weirkeep.yaml:2:") || !strings.Contains(problems.Error(), want) {
				t.Errorf("problems are\n%v\nwant %s", problems, want)
			}
		}
	}
}

// smallestWith is the smallest file with one more line in its cluster.
func smallestWith(line string) string {
	return "listeners: [{ address: \":8080\" }]\n" +
		"clusters: { app: { " + line + ", origins: [{ address: \"127.0.0.1:9001\" }] } }\n"
}

func TestBalancersWithoutOptionsTakeNone(t *testing.T) {
	for _, name := range balance.Names() {
		_, problems := Parse("w.yaml", []byte(smallestWith("balancer: "+name+", balancer_options: { nonsense: 1 }")))
		if len(problems) != 1 || problems[0].Code != "E102" || !strings.Contains(problems[0].Message, "the balancer "+name) {
			t.Errorf("%s: problems are %v, want E102", name, problems)
		}
	}
}

func TestStatusRanges(t *testing.T) {
	for _, tt := range []struct{ text, want string }{
		{"200", "200"},
		{"200-399", "200-399"},
		{" 200 - 299", ""},
		{"200-299, 301 ,404-404", "200-299,301,404"},
		{"599", "599"},
		{"600", ""},
		{"199-200", ""},
		{"0200", ""},
		{"+200", ""},
		{"300-200", ""},
		{"", ""},
		{"200,", ""},
		{"-200", ""},
		{"200-", ""},
		{"200-300-400", ""},
	} {
		var r StatusRanges
		err := r.UnmarshalText([]byte(tt.text))
		if got := r.String(); (err != nil) != (tt.want == "") || got != tt.want {
			t.Errorf("%q is %q, %v, want %q", tt.text, got, err, tt.want)
		}
	}
}

func TestSameOrACount(t *testing.T) {
	for _, tt := range []struct {
		text string
		want Same
		good bool
	}{
		{"same", 0, true},
		{"1", 1, true},
		{"1000", 1000, true},
		{"0", 0, false},
		{"1001", 0, false},
		{"-1", 0, false},
		{"Same", 0, false},
		{"", 0, false},
	} {
		var s Same
		if err := s.UnmarshalText([]byte(tt.text)); (err == nil) != tt.good || s != tt.want || tt.good && s.String() != tt.text {
			t.Errorf("%q is %v, %v, want %v", tt.text, s, err, tt.want)
		}
	}
}

func TestCapacityText(t *testing.T) {
	for _, tt := range []struct {
		text string
		want Capacity
		says string // it again; empty: it is refused
	}{
		{"1", Capacity{1, 1}, "1"},
		{"1000000", Capacity{1000000, 1000000}, "1000000"},
		{"auto", AutoCapacity, "auto"},
		{"4-1000", AutoCapacity, "auto"},
		{"10-500", Capacity{10, 500}, "10-500"},
		{"10-10", Capacity{10, 10}, "10"},
		{"1-1000000", Capacity{1, 1000000}, "1-1000000"},
		{text: "0"}, {text: "1000001"}, {text: "0-10"}, {text: "10-0"}, {text: "10-9"}, {text: "1-1000001"}, {text: "-5"}, {text: "5-"},
		{text: "10 - 20"}, {text: "1-2-3"}, {text: "010"}, {text: "Auto"}, {text: "auto 10-20"}, {text: ""},
	} {
		var c Capacity
		if err := c.UnmarshalText([]byte(tt.text)); (err == nil) != (tt.says != "") || c != tt.want || err == nil && c.String() != tt.says {
			t.Errorf("%q is %v, %v; want %v", tt.text, c, err, tt.want)
		}
	}
}

// TestManyOptionsEnd: aliases must not make the options of one cluster those of
// thousands, each with thousands of mistakes.
func TestManyOptionsEnd(t *testing.T) {
	text := "listeners: [{ address: \":1\" }]\nclusters:\n  a: &a\n    origins: [{ address: \"a:1\" }]\n    balancer_options:\n" +
		repeat(2000, "      k%d: 1\n") + repeat(2000, "  c%d: *a\n")
	if _, problems := Parse("w.yaml", []byte(text)); len(problems) > 2*maxProblems+2 {
		t.Errorf("%d problems", len(problems))
	}
}

// TestOptionsAreToldApart: by what they come to, not by how they are written.
func TestOptionsAreToldApart(t *testing.T) {
	of := func(options, tie string) string {
		t.Setenv("WEIRKEEP_TIE", tie)
		return parsed(t, smallestWith(options)).Clusters["app"].BalancerOptions.String()
	}
	written := of("balancer_options: { tie: weighted }", "")
	for _, tt := range []struct {
		name, options, tie string
		same               bool
	}{
		{"in quotes", `balancer_options: { "tie": "weighted" }`, "", true},
		{"substituted", `balancer_options: { tie: "${env:WEIRKEEP_TIE}" }`, "weighted", true},
		{"substituted by another", `balancer_options: { tie: "${env:WEIRKEEP_TIE}" }`, "equal-load", false},
		{"empty", "balancer_options: {}", "", false},
		{"none", "count_tunnels: true", "", false},
	} {
		if got := of(tt.options, tt.tie); (got == written) != tt.same {
			t.Errorf("%s: %q and %q, want the same: %v", tt.name, got, written, tt.same)
		}
	}
}
