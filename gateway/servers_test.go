package gateway

import (
	"fmt"
	"net"
	"slices"
	"strings"
	"testing"

	"weirkeep/gateway/config"
)

// D-WL-10: what is read of a list.
func TestServerLists(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, list string
		want       string // id host port tls, one server after the other
	}{
		{"one", "1104478448!wls1.example!7001!7002", "1104478448 wls1.example 7001 7002"},
		{"several", "1!a!7001!7002|2!b!7001!7002|3!c!7001!7002", "1 a 7001 7002, 2 b 7001 7002, 3 c 7001 7002"},
		{"a negative id", "-107455631!10.0.0.1!7001!-1", "-107455631 10.0.0.1 7001 0"},
		{"no port but that of TLS", "1!a!-1!7002", "1 a 0 7002"},
		{"neither port", "1!a!-1!-1", ""},
		{"no port of TLS", "1!a!7001", "1 a 7001 0"},
		{"more parts", "1!a!7001!7002!x!y", "1 a 7001 7002"},
		{"IPv6", "1!2001:db8::1!7001!-1|2![2001:DB8:0:0::2]!7001!-1", "1 2001:db8::1 7001 0, 2 2001:db8::2 7001 0"},
		{"a name in upper case", "1!WLS-1.Example!7001!-1", "1 wls-1.example 7001 0"},
		{"blanks around", " 1!a!7001!-1 | 2!b!7001!-1\t", "1 a 7001 0, 2 b 7001 0"},
		{"empty entries", "|1!a!7001!-1||", "1 a 7001 0"},
		{"duplicates", "1!a!7001!-1|1!a!7001!-1", "1 a 7001 0, 1 a 7001 0"},
		{"nothing", "", ""},
		{"junk", "junk|!|!!!|!!!!", ""},
		{"too few parts", "1!a|1", ""},
		{"no id", "!a!7001!-1", ""},
		{"an id of blanks", "1 2!a!7001!-1", ""},
		{"an id that is none", strings.Repeat("1", 65) + "!a!7001!-1|é!a!7001!-1", ""},
		{"no host", "1!!7001!-1", ""},
		{"a blank in the host", "1!a b!7001!-1|2! a!7001!-1", ""},
		{"what would be a port", "1!a:80!7001!-1", ""},
		{"what would be a user", "1!me@a!7001!-1", ""},
		{"what would be a path", "1!a/b!7001!-1", ""},
		{"dots and dashes", "1!.!7001!-1|2!-!7001!-1|3!a.!7001!-1|4!-a!7001!-1", ""},
		{"half a bracket", "1![::1!7001!-1|2!::1]!7001!-1|3![[::1]]!7001!-1", ""},
		{"brackets around a name", "1![a]!7001!-1|2![10.0.0.1]!7001!-1|3![]!7001!-1", ""},
		{"a zone", "1!fe80::1%eth0!7001!-1|2!fe80::1%a\tb!7001!-1", ""},
		{"a name too long", "1!" + strings.Repeat("a", 254) + "!7001!-1", ""},
		{"ports that are none", "1!a!0!65536|2!a!x!99999999999999999999|3!a! 1!", ""},
		{"the largest port", "1!a!65535!1", "1 a 65535 1"},
		{"bad among good", "1!a!7001!-1|junk|2!b!7001!-1", "1 a 7001 0, 2 b 7001 0"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var got []string
			for _, s := range parseServers(tt.list) {
				got = append(got, fmt.Sprint(s.id, " ", s.host, " ", s.port, " ", s.tls))
			}
			if strings.Join(got, ", ") != tt.want {
				t.Errorf("%q\nwant %q", got, tt.want)
			}
		})
	}
}

// D-WL-20: a cluster has 800 servers at most.
func TestServerListsAreBounded(t *testing.T) {
	t.Parallel()
	var list strings.Builder
	for n := range 1000 {
		fmt.Fprintf(&list, "%d!10.0.%d.%d!7001!-1|", n+1, n/250, n%250)
	}
	all := parseServers(list.String())
	if len(all) != 800 || all[799].id != "800" {
		t.Errorf("%d servers of 1000, the last %+v", len(all), all[len(all)-1])
	}
}

// fieldCluster has two origins that are written.
func fieldCluster(scheme string, ids ...string) config.Cluster {
	c := config.Cluster{Weblogic: config.Weblogic{DynamicServerList: true}, Edition: config.EditionLabel{Application: "shop", Label: "1.0"}}
	for i, name := range []string{"a", "b"} {
		o := config.Origin{Name: name, Scheme: scheme, HostPort: fmt.Sprintf("10.0.0.%d:7001", i+1), Kind: "app", Capacity: config.Capacity{Least: 7, Most: 7}, State: "serving"}
		if scheme == "https" {
			o.HostPort = fmt.Sprintf("10.0.0.%d:7002", i+1)
		}
		if i < len(ids) {
			o.IDs = []string{ids[i]}
		}
		c.Origins = append(c.Origins, o)
	}
	return c
}

// originsText is what matters of origins: name, state unless it serves, ids.
func originsText(all []config.Origin) string {
	var list []string
	for _, o := range all {
		text := o.Name
		if o.State != "serving" {
			text += " " + o.State
		}
		list = append(list, text+" "+strings.Join(o.IDs, "+"))
	}
	return strings.Join(list, ", ")
}

// D-WL-10: what becomes of a cluster's origins by what its servers tell.
func TestOriginsByServerList(t *testing.T) {
	t.Parallel()
	const a, b = "1!10.0.0.1!7001!7002", "2!10.0.0.2!7001!7002"
	for _, tt := range []struct {
		name    string
		cluster config.Cluster
		told    string
		want    string
	}{
		{"those that are written", fieldCluster("http"), a + "|" + b, "a 1, b 2"},
		{"with the ids that they have", fieldCluster("http", "1", "2"), a + "|" + b, "a 1, b 2"},
		{"with another id", fieldCluster("http", "9"), a + "|" + b, "a 9+1, b 2"},
		{"one more", fieldCluster("http"), a + "|" + b + "|3!10.0.0.3!7001!7002", "a 1, b 2, 10.0.0.3:7001 3"},
		{"one more by IPv6", fieldCluster("http"), a + "|" + b + "|3!2001:db8::3!7001!7002", "a 1, b 2, [2001:db8::3]:7001 3"},
		{"one that is not listed", fieldCluster("http"), a, "a 1, b draining "},
		{"nobody who is written", fieldCluster("http"), "3!10.0.0.3!7001!-1", "a draining , b draining , 10.0.0.3:7001 3"},
		{"written by another name", fieldCluster("http", "1", "2"), "1!wls1.example!7001!-1|2!wls2.example!7001!-1", "a 1, b 2"},
		{"the address counts before the id", fieldCluster("http", "2"), a + "|" + b, "a 2+1, b 2"},
		{"one by two ids", fieldCluster("http"), a + "|" + b + "|3!10.0.0.3!7001!-1|4!10.0.0.3!7001!-1", "a 1, b 2, 10.0.0.3:7001 3+4"},
		{"one by two names", fieldCluster("http"), a + "|" + b + "|3!10.0.0.3!7001!-1|3!wls3!7001!-1", "a 1, b 2, 10.0.0.3:7001 3"},
		{"TLS", fieldCluster("https"), a + "|" + b + "|3!10.0.0.3!7001!7002", "a 1, b 2, 10.0.0.3:7002 3"},
		{"TLS, one without a port for it", fieldCluster("https"), a + "|" + b + "|3!10.0.0.3!7001!-1", "a 1, b 2"},
		{"nobody has a port for TLS", fieldCluster("https"), "1!10.0.0.1!7001!-1|3!10.0.0.3!7001!-1", "a , b "},
		{"nobody", fieldCluster("http"), "", "a , b "},
	} {
		t.Run(tt.name, func(t *testing.T) {
			cfg := &config.Config{Clusters: map[string]config.Cluster{"shop": tt.cluster}}
			now := present{servers: map[string][]server{"shop": parseServers(tt.told)}}.over(cfg)
			if got := originsText(now.Clusters["shop"].Origins); got != tt.want {
				t.Errorf("%s\nwant %s", got, tt.want)
			}
			if got := originsText(cfg.Clusters["shop"].Origins); !strings.HasPrefix(got, "a ") || strings.Contains(got, "draining") || strings.Contains(got, "10.0") {
				t.Errorf("the configuration itself is now %s", got)
			}
		})
	}
}

// What belongs to an address is the same in every cluster.
func TestServerListHoldsInEveryCluster(t *testing.T) {
	t.Parallel()
	shop, other := fieldCluster("http", "1", "2"), fieldCluster("http", "1", "2")
	other.Weblogic.DynamicServerList = false
	other.Edition.Label = "5.0"
	third := config.Origin{Name: "c", Scheme: "http", HostPort: "10.0.0.3:7001", Kind: "app", Capacity: config.Capacity{Least: 70, Most: 70}, State: "maintenance", IDs: []string{"8"}}
	other.Origins = append(other.Origins, third)
	for _, names := range [][2]string{{"a", "b"}, {"b", "a"}} { // whichever comes first
		cfg := &config.Config{Clusters: map[string]config.Cluster{names[0]: shop, names[1]: other}}
		now := present{servers: map[string][]server{names[0]: parseServers("1!10.0.0.1!7001|3!10.0.0.3!7001")}}.over(cfg)
		for _, cluster := range names {
			all := now.Clusters[cluster].Origins
			if got, state := originsText(all[:2]), all[2].State; got != "a 1, b draining 2" || state != "maintenance" || len(all) != 3 {
				t.Errorf("%s has %s, and %+v", cluster, got, all[2])
			}
			if c := all[2]; strings.Join(c.IDs, "+") != "8+3" || c.Name != "c" || c.Capacity.Most != 70 {
				t.Errorf("%s has %+v", cluster, c)
			}
		}
		if e := now.Clusters[names[0]].Origins[2].Edition.Label; e != "1.0" {
			t.Errorf("in the cluster that was told of it the edition is %s", e)
		}
	}
}

// FuzzServers: whatever is told, what is believed are servers that would be read
// again from what they write, each origin is there once, those that are written
// stay, and no address has bytes that would be anything else in a head.
func FuzzServers(f *testing.F) {
	for _, list := range []string{
		"1104478448!wls1.example!7001!7002|-107455631!10.0.0.2!7001!-1", "1!::1!80!443|2![2001:db8::1]!80", "||!!!|1!a!x!y", "1!fe80::1%0!80!443",
		"1!10.0.0.1!7001!7002|1!10.0.0.2!7001!7002", "2!10.0.0.1!7001|1!10.0.0.9!7001", "1!::ffff:10.0.0.1!7001",
	} {
		f.Add(list)
	}
	f.Fuzz(func(t *testing.T, list string) {
		told := parseServers(list)
		var again []string
		for _, s := range told {
			again = append(again, fmt.Sprintf("%s!%s!%d!%d", s.id, s.host, s.port, s.tls))
		}
		if got := parseServers(strings.Join(again, "|")); !slices.Equal(got, told) {
			t.Fatalf("%+v was read again as %+v", told, got)
		}
		for _, scheme := range []string{"http", "https"} {
			checkServerOrigins(t, fieldCluster(scheme, "1"), told)
		}
	})
}

func checkServerOrigins(t *testing.T, c config.Cluster, told []server) {
	t.Helper()
	cfg := &config.Config{Clusters: map[string]config.Cluster{"shop": c}}
	all := present{servers: map[string][]server{"shop": told}}.over(cfg).Clusters["shop"].Origins
	if len(all) > len(c.Origins)+maxServers || all[0].HostPort != c.Origins[0].HostPort || all[1].HostPort != c.Origins[1].HostPort {
		t.Fatalf("%d origins, the first %+v", len(all), all[0])
	}
	seen, open := map[string]bool{}, 0
	for _, o := range all {
		host, port, err := net.SplitHostPort(o.HostPort)
		if err != nil || seen[o.HostPort] || host == "" || portNumber(port) == 0 || strings.Trim(host, "abcdefghijklmnopqrstuvwxyz0123456789.-:") != "" {
			t.Fatalf("the origins are %+v", all)
		}
		seen[o.HostPort] = true
		if o.State == "serving" {
			open++
		}
	}
	if open == 0 {
		t.Fatalf("nobody serves of %+v", all)
	}
}
