package config

import (
	"fmt"
	"reflect"
	"strings"
	"syscall"
	"testing"
	"time"

	"weirkeep/gateway/unit"
)

func TestSteeringFile(t *testing.T) {
	c := good(t, "steering.yaml")
	shop, hour := c.Clusters["shop"], unit.Duration(time.Hour)
	for _, tt := range []struct {
		what      string
		got, want any
	}{
		{"node", []string{c.Node.Host, c.Node.Cell}, []string{"host-a", "east"}},
		{"hosts", c.Hosts, map[string]Host{"host-a": {Weight: 1, Zone: "z1"}, "10.0.0.2": {Weight: 1}}},
		{"host of an origin", shop.Origins[0].Host, "host-a"},
		{"host of an address", shop.Origins[1].Host, "10.0.0.2"},
		{"host of an IPv6 address", c.Clusters["east/api"].Origins[0].Host, "2001:db8::3"},
		{"ids", shop.Origins[0].IDs, []string{"1104478448", "-17"}},
		{"user directory", shop.Origins[0].UserDir, "wlp"},
		{"edition of an origin", shop.Origins[0].Edition, EditionLabel{"shop", "2.0"}},
		{"edition of its cluster", shop.Origins[1].Edition, EditionLabel{"shop", "1.0"}},
		{"dynamic server list", shop.Weblogic.DynamicServerList, true},
		{"application", c.Applications["shop"], Application{Hosts: []string{"shop.example", "*.shop.example:443"}, ContextRoot: "/shop",
			Patterns: []string{"/*", "/exact", "/a/*", "*.jsp", "/"}, Clusters: []string{"shop", "dr/shop"}}},
		{"application by default", c.Applications["api"], Application{ContextRoot: "/", Patterns: []string{"/*"}, Clusters: []string{"east/api"}}},
		{"applications of a mapping", c.Mappings[0].Applications, []string{"shop", "api"}},
		{"and no clusters", len(c.Mappings[0].Clusters), 0},
		{"clusters in either spelling", c.Mappings[1].Clusters, []string{"shop", "dr/shop"}},
		{"failover in the other spelling", c.Mappings[1].Failover, []string{"east/api"}},
		{"one cluster in the other spelling", c.Mappings[3].Clusters, []string{"plain"}},
		{"editions", c.Editions["shop"], Edition{Active: "1.0", Next: "3.0", Rollout: Rollout{Strategy: "atomic", GroupSize: 1}}},
		{"names and networks", c.Lists["office"], []string{"10.1.0.0/16", "*.shop.example", "any text"}},
		{"authority", c.RulesAuthority, "dr"},
		{"no shield", c.OverrideAffinity, true},
		{"shields by default", c.AffinityShields, "permit"},
		{"inputs", c.AccessLog.Inputs, []string{"header:X-User", "cookie:beta", "query:töne"}},
		{"key of inputs", c.AccessLog.InputsKey, Secret("0123456789abcdef0123456789abcdef")},
		{"folded condition", c.Rules[0].When, Expression(`method == "GET" and path == "/a"`)},
		{"one destination", c.Rules[0].Permit, &Permit{To: Destinations{"plain"}}},
		{"condition in a block", c.Rules[1].When, Expression("method == \"POST\"\nand path == \"/b\"\n")},
		{"reject", c.Rules[1].Reject, &Reject{Status: 503, Body: "later", RetryAfter: hour}},
	} {
		if !reflect.DeepEqual(tt.got, tt.want) {
			t.Errorf("%s: %v, want %v", tt.what, tt.got, tt.want)
		}
	}
}

// TestRulesAreSortedByOrder: lowest first, each with the path where it stands
// (M-RULE-04).
func TestRulesAreSortedByOrder(t *testing.T) {
	ten, twenty, thirty := 10, 20, 30
	want := []Rule{
		{Name: "first", Redirect: &Redirect{Location: "https://{host}{url}", Status: 302}, Order: &ten, Path: "sites.shop.rules[1]"},
		{Name: "second", Permit: &Permit{To: Destinations{"east/shop", "app:shop@2.0"}, Failover: []Destinations{{"cluster=dr,*"}, {"dr/shop", "server=*,host-a,*,*"}},
			Sticky: true, AllowMaintenance: true}, Order: &twenty, OverrideAffinity: true, ShareCache: true, Cell: "dr", Path: "sites.shop.rules[2]"},
		{Name: "last", Reject: &Reject{Status: 403}, Order: &thirty, Path: "sites.shop.rules[0]"},
	}
	c := good(t, "steering.yaml")
	if got := c.Sites["shop"].Rules; !reflect.DeepEqual(got, want) {
		t.Errorf("rules are %+v\nwant %+v", got, want)
	}
	p := c.At(c.Sites["shop"].Rules[0].Path+".redirect.location", Warning, "W310", "", "")
	if !strings.Contains(p.Excerpt, "name: first") {
		t.Errorf("the path of the first rule is at\n%s", p.Excerpt)
	}
}

// TestRulesOfSeveralFilesAreJoined: their order is that of the whole list, and
// so is the uniqueness of names.
func TestRulesOfSeveralFilesAreJoined(t *testing.T) {
	load := func(more string) (*Config, Problems) {
		return loadFrom(map[string]string{
			"/etc/w.yaml":    smallest + "rules: [{ name: b, reject: {}, order: 2 }]\ninclude: [more.yaml]\n",
			"/etc/more.yaml": more,
		})
	}
	cfg, problems := load("rules: [{ name: c, reject: {}, order: 3 }, { name: a, reject: {}, order: 1 }]\n")
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	var got []string
	for _, r := range cfg.Rules {
		got = append(got, r.Name+" "+r.Path)
	}
	if want := "[a rules[2] b rules[0] c rules[1]]"; fmt.Sprint(got) != want {
		t.Errorf("rules are %v, want %s", got, want)
	}
	_, problems = load("rules: [{ name: b, reject: {}, order: 2 }]\n")
	for _, want := range []string{
		`/etc/more.yaml:1:17: error E201: rules[1].name: rule name "b" is taken by rules[0].name (/etc/w.yaml:3:17)`,
		`/etc/more.yaml:1:39: error E201: rules[1].order: order 2 is taken by rules[0].order (/etc/w.yaml:3:39)`,
	} {
		if !strings.Contains(problems.Error(), want) {
			t.Errorf("%v\nlack %s", problems, want)
		}
	}
}

// TestRejectStatuses: M-RULE-06.
func TestRejectStatuses(t *testing.T) {
	for _, tt := range []struct {
		status string
		good   bool
	}{
		{"403", true}, {"404", true}, {"503", true}, {"400", true}, {"599", true},
		{"200", false}, {"302", false}, {"399", false}, {"600", false}, {"999", false},
	} {
		_, problems := Parse("w.yaml", []byte(smallest+"rules: [{ name: a, reject: { status: "+tt.status+" } }]\n"))
		if good := len(problems) == 0; good != tt.good {
			t.Errorf("%s: problems %v, want it accepted: %v", tt.status, problems, tt.good)
		}
	}
}

// TestAuthorityChoosesRules: only those of one cell count, and with another
// authority others do (M-IM-06).
func TestAuthorityChoosesRules(t *testing.T) {
	for _, tt := range []struct {
		authority string
		ignored   []bool // of a rule of no cell, of main, of dr
	}{
		{"", []bool{false, false, true}},
		{"rules_authority: main\n", []bool{false, false, true}},
		{"rules_authority: dr\n", []bool{false, true, false}},
	} {
		cfg, problems := Parse("w.yaml", []byte(smallest+tt.authority+
			"rules: [{ name: a, reject: {} }, { name: b, cell: main, reject: {} }, { name: c, cell: dr, reject: {} }]\n"))
		if len(problems) != 1 || problems[0].Code != "W340" {
			t.Errorf("%q: problems %v, want one warning", tt.authority, problems)
			continue
		}
		for i, r := range cfg.Rules {
			if r.Ignored != tt.ignored[i] {
				t.Errorf("%q: rule %s is ignored: %v, want %v", tt.authority, r.Name, r.Ignored, tt.ignored[i])
			}
		}
	}
}

func TestCellsOfClusters(t *testing.T) {
	c := good(t, "steering.yaml")
	for _, tt := range []struct{ key, cell, name string }{
		{"shop", "east", "shop"},
		{"east/api", "east", "api"},
		{"dr/shop", "dr", "shop"},
	} {
		if cell, name := c.CellOf(tt.key); cell != tt.cell || name != tt.name {
			t.Errorf("%s is %s in %s, want %s in %s", tt.key, name, cell, tt.name, tt.cell)
		}
	}
}

func TestSessionsOfSteeringFile(t *testing.T) {
	sessions := good(t, "steering.yaml").Sessions
	key := Secret("0123456789abcdef0123456789abcdef")
	for _, tt := range []struct {
		what      string
		got, want any
	}{
		{"passive", sessions["wls"].Binding, "passive"},
		{"format", sessions["wls"].Extract, Extract{Format: "weblogic"}},
		{"regex", sessions["asp"].Extract, Extract{Regex: "^(?P<primary>[0-9]+)"}},
		{"place", sessions["place"].Extract, Extract{Offset: 53, Length: 12, StopChars: ":!"}},
		{"keys", sessions["php"].Keys, []Secret{"fedcba9876543210fedcba9876543210", key}},
		{"key with an anchor", sessions["asp"].Keys, []Secret{key}},
		{"cookie by default", sessions["php"].GatewayCookie, GatewayCookie{Name: "weirkeep-php", Path: "/", SameSite: "lax"}},
		{"cookie", sessions["asp"].GatewayCookie, GatewayCookie{Name: "bound", Path: "/shop", Domain: ".shop.example", SameSite: "strict"}},
	} {
		if !reflect.DeepEqual(tt.got, tt.want) {
			t.Errorf("%s: %#v, want %#v", tt.what, tt.got, tt.want)
		}
	}
}

// TestInputsThatAreWritten: an empty list is not the same as none.
func TestInputsThatAreWritten(t *testing.T) {
	if got := parsed(t, smallest).AccessLog.Inputs; got != nil {
		t.Errorf("inputs by default are %v, want none", got)
	}
	if got := parsed(t, smallest+"access_log: { inputs: [] }\n").AccessLog.Inputs; got == nil || len(got) > 0 {
		t.Errorf("inputs: [] is %#v, want an empty list", got)
	}
}

// processorTime is what this process has used.
func processorTime() time.Duration {
	var u syscall.Rusage
	syscall.Getrusage(syscall.RUSAGE_SELF, &u)
	return time.Duration(u.Utime.Nano())
}

// TestManyRulesEnd: mistakes in rules must not take time that grows with the
// square of their number. This takes a second of the processor, and did take 40.
func TestManyRulesEnd(t *testing.T) {
	text := smallest + "rules: [\n" + strings.Repeat(strings.Repeat("{ name: 1 }, ", 10)+"\n", 6_000) + "]\n"
	start := processorTime()
	_, problems := Parse("w.yaml", []byte(text))
	if took := processorTime() - start; took > 20*time.Second {
		t.Errorf("took %v", took)
	}
	if len(problems) != maxProblems+1 {
		t.Errorf("%d problems, want %d", len(problems), maxProblems+1)
	}
}
