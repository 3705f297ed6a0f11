package config

import (
	"encoding/json"
	"net/netip"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"weirkeep/gateway/esi"
	"weirkeep/gateway/unit"
)

// good loads a file of testdata/good.
func good(t *testing.T, name string) *Config {
	t.Helper()
	cfg, problems := Load(filepath.Join("testdata/good", name))
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	return cfg
}

// parsed is the configuration of a text without problems.
func parsed(t *testing.T, text string) *Config {
	t.Helper()
	cfg, problems := Parse("weirkeep.yaml", []byte(text))
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	return cfg
}

func TestGoodFiles(t *testing.T) {
	files, err := filepath.Glob("testdata/good/*.yaml")
	if err != nil || len(files) < 8 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	for _, file := range files {
		t.Run(file, func(t *testing.T) { good(t, filepath.Base(file)) })
	}
}

func TestSmallestFileGetsEveryDefault(t *testing.T) {
	t.Setenv("STATE_DIRECTORY", "")
	t.Setenv("XDG_STATE_HOME", "/home/state")
	l := newLoader(thisMachine)
	l.host.host = func() (string, error) { return "edge", nil }
	l.host.root = false
	text, err := os.ReadFile("testdata/good/smallest.yaml")
	if err != nil {
		t.Fatal(err)
	}
	got, problems := l.load("smallest.yaml", text)
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	yes, one, s := true, 1, unit.Duration(time.Second)
	cache := Cache{
		Profile: "default", Memory: 256 << 20, MaxObject: 8 << 20, Heuristic: Heuristic{Max: 24 * 3600 * s}, Key: CacheKey{Query: "all"},
		Vary: CacheVary{Normalise: []string{"accept-encoding"}}, Stale: Stale{Disconnected: &yes}, Collapse: Collapse{Wait: 5 * s},
		Ranges:    CacheRanges{Slice: 1 << 20, Above: 64 << 20},
		SetCookie: "bypass", ClientDirectives: "ignore", Targeted: []string{"Weirkeep-Cache-Control", "CDN-Cache-Control"},
		Tags: CacheTags{From: []string{"Surrogate-Key", "Cache-Tag"}}, StatusHeader: &yes,
	}
	esi := ESI{
		Mode: "surrogate", Types: []string{"text/html", "application/xhtml+xml", "text/xml", "application/xml"}, Statuses: []int{200},
		MaxDepth: 5, MaxIncludes: 100, Concurrent: 8, MaxTemplate: 4 << 20, MaxAttribute: 8 << 10, MaxFragment: 2 << 20, MaxPage: 32 << 20,
		MaxValues: 1 << 20, Hold: 64 << 10, FragmentTimeout: 5 * s, Timeout: 15 * s,
		OnError: "fail", FirstByte: "early", ClientTTL: "none", UnmappedProviders: "dns", DetectInjection: &yes,
		Variables: ESIVariables{Cookies: []string{"*"}, HiddenCookies: esi.DefaultShown().Hidden, Escape: &yes},
	}
	want := &Config{
		Version:   1,
		Node:      Node{Name: "edge", Host: "edge", Cell: "main", StateDir: "/home/state/weirkeep"},
		Listeners: []Listener{{Name: ":8080", Address: ":8080", ProxyProtocol: "off"}},
		Admin:     Admin{Address: "127.0.0.1:9900"},
		Limits:    Limits{HeaderNameBytes: 256, HeaderBytes: 32 << 10, HeaderCount: 128, UnderscoreNames: "drop"},
		Timeouts:  Timeouts{Head: 10 * s, BodyIdle: 30 * s, MinBodyRate: 240, KeepAlive: 60 * s},
		Drain:     Drain{Delay: 5 * s, Timeout: 30 * s},
		Clusters: map[string]Cluster{"app": {
			Balancer: "capacity",
			Locality: "any",
			Origins: []Origin{{Name: "127.0.0.1:9001", Address: "127.0.0.1:9001", Kind: "app", Capacity: Capacity{1000, 1000}, Weight: 1, State: "serving",
				Host: "127.0.0.1", Scheme: "http", HostPort: "127.0.0.1:9001"}},
			Template:         Template{Scheme: "http", Kind: "app", Capacity: Capacity{1000, 1000}, Weight: 1},
			HostHeader:       "client",
			TLS:              OriginTLS{Verify: &yes},
			ConnectTimeout:   2 * s,
			FirstByteTimeout: 60 * s,
			BodyIdleTimeout:  60 * s,
			KeepAlive:        4 * s,
			Upgrades:         []string{"websocket"},
			CountTunnels:     &yes,
			Queue:            Queue{Size: 200, Timeout: 10 * s, Overflow: "busy"},
			Failover:         Failover{Threshold: 5, ConnectFailures: 1, Count: []string{"connect", "reset", "timeout", "502", "503", "504"}, MaxEjected: 100_00},
			Retry:            Retry{Retries: &one, Budget: 2000},
			OnExhausted:      "fail",
		}},
		Sites:       map[string]Site{"default": {Kind: "public", Hosts: []string{"**"}, PathPrefix: "/", Cache: cache, ESI: esi}},
		DefaultSite: "default",
		Mappings:    []Mapping{{Site: "default", Cluster: "app", Clusters: []string{"app"}}},

		AffinityShields: "permit",
		RulesAuthority:  "main",
		Cache:           cache,
		ESI:             esi,
		AccessLog:       AccessLog{Path: "stderr", Format: "json", OnFull: "drop"},
		places:          got.places,
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
}

func TestFullFile(t *testing.T) {
	dir, err := filepath.Abs("testdata/good")
	if err != nil {
		t.Fatal(err)
	}
	c := good(t, "full.yaml")
	portal, company := c.Clusters["portal"], c.Sites["company"]
	for _, tt := range []struct {
		what      string
		got, want any
	}{
		{"state directory", c.Node.StateDir, dir + "/state"},
		{"certificate", c.Listeners[1].TLS.Certificates[0], Certificate{dir + "/tls/site.pem", dir + "/tls/site.key"}},
		{"client authority", c.Listeners[1].TLS.ClientAuth, ClientAuth{"optional", dir + "/tls/site.pem"}},
		{"no TLS", c.Listeners[0].TLS == nil, true},
		{"socket", c.Admin.Socket, dir + "/run/admin.sock"},
		{"token", string(c.Admin.Token), "0123456789abcdef"},
		{"an address among networks", c.TrustedProxies[1], netip.MustParsePrefix("192.0.2.7/32")},
		{"automatic limit", c.Limits.Connections, Auto(0)},
		{"shared origin", portal.Origins[0], Origin{Name: "web1", Address: "https://web1.example", Kind: "app", Capacity: Capacity{1000, 1000}, Weight: 1, State: "serving", Host: "web1.example", Scheme: "https", HostPort: "web1.example:443"}},
		{"shared proxy", portal.Origins[1].Kind, "proxy"},
		{"inline origin", portal.Origins[2].HostPort, "[2001:db8::3]:8080"},
		{"no retries", *portal.Retry.Retries, 0},
		{"hosts in lower case", company.Hosts[0], "www.company.example:80"},
		{"page by number", company.Pages["404"], dir + "/tls/page.html"},
		{"empty header", company.Headers.Request.Set["X-Empty"], ""},
		{"no balancer of its own", c.Mappings[0].Balancer, ""},
		{"access log", c.AccessLog, AccessLog{Path: dir + "/access.log", Format: "combined", OnFull: "block"}},
	} {
		if !reflect.DeepEqual(tt.got, tt.want) {
			t.Errorf("%s: %v, want %v", tt.what, tt.got, tt.want)
		}
	}
}

func TestIncludesAreJoined(t *testing.T) {
	c := good(t, "include.yaml")
	var order []string
	for _, m := range c.Mappings {
		order = append(order, m.Site+m.Prefix)
	}
	if want := []string{"app", "api", "app/web"}; !slices.Equal(order, want) {
		t.Errorf("mappings are %v, want %v: the main file's first", order, want)
	}
	if len(c.Listeners) != 2 || len(c.Sites) != 2 || c.Admin.Address != "off" {
		t.Errorf("listeners %v, sites %v, admin %v", c.Listeners, c.Sites, c.Admin)
	}
	if s := unit.Duration(time.Second); c.Timeouts.Head != 5*s || c.Timeouts.KeepAlive != 10*s || c.Timeouts.BodyIdle != 30*s {
		t.Errorf("timeouts %v: want one of each file and the default", c.Timeouts)
	}
	dir, err := filepath.Abs("testdata/good/conf.d/more/state")
	if err != nil || c.Node.StateDir != dir {
		t.Errorf("state directory %s, want %s: relative to the file that names it", c.Node.StateDir, dir)
	}
}

func TestSubstitutedValues(t *testing.T) {
	t.Setenv("WEIRKEEP_RETRIES", "2")
	t.Setenv("WEIRKEEP_LISTEN", "")
	c := good(t, "substitution.yaml")
	app := c.Clusters["app"]
	if c.Listeners[0].Address != ":8080" {
		t.Errorf("an empty variable gave %q, want the default", c.Listeners[0].Address)
	}
	if app.Origins[0].HostPort != "web1.example:443" || *app.Retry.Retries != 2 || !*app.TLS.Verify {
		t.Errorf("cluster is %+v", app)
	}
	if string(c.Admin.Token) != "0123456789abcdef" {
		t.Errorf("token is %q", string(c.Admin.Token))
	}
}

func TestSecretIsNeverPrinted(t *testing.T) {
	c := good(t, "full.yaml")
	text, err := json.Marshal(c.Admin)
	if err != nil {
		t.Fatal(err)
	}
	for _, printed := range []string{c.Admin.Token.String(), c.Admin.Token.GoString(), string(text)} {
		if strings.Contains(printed, "0123") || !strings.Contains(printed, "***") {
			t.Errorf("printed %s", printed)
		}
	}
}

func TestAliasesStandForWholeValues(t *testing.T) {
	c := good(t, "aliases.yaml")
	if !reflect.DeepEqual(c.Clusters["a"].Origins, c.Clusters["b"].Origins) || len(c.Clusters["b"].Origins) != 2 {
		t.Errorf("origins %v and %v, want the same two", c.Clusters["a"].Origins, c.Clusters["b"].Origins)
	}
}

func TestOriginsAreOneHoweverTheyAreSpelt(t *testing.T) {
	c := parsed(t, `
listeners: [{ address: ":8080" }]
clusters:
  a: { origins: [{ name: x, address: "http://Shop.example" }] }
  b: { origins: [{ name: x, address: "shop.example:80" }, { address: "[2001:DB8:0::1]:80" }] }
sites: { s: { hosts: [s] } }
mappings: [{ site: s, cluster: a }, { site: s, prefix: /b, cluster: b }]
`)
	if a, b := c.Clusters["a"].Origins[0].HostPort, c.Clusters["b"].Origins[0].HostPort; a != b || a != "shop.example:80" {
		t.Errorf("%s and %s", a, b)
	}
	if got := c.Clusters["b"].Origins[1].HostPort; got != "[2001:db8::1]:80" {
		t.Errorf("IPv6 is %s", got)
	}
}
