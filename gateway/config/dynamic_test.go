package config

import (
	"fmt"
	"strings"
	"testing"
)

// M-CLU-03, D-WL-20: names, ports and hosts of the servers of a dynamic cluster.
func TestDynamicServers(t *testing.T) {
	for _, tt := range []struct {
		name, cluster string
		want          string // name address host, one server after the other
	}{
		{"four on one host", "dynamic: { prefix: shop-, size: 4, base_port: 7100, hosts: [host-a] }",
			"shop-1 http://host-a:7101 host-a, shop-2 http://host-a:7102 host-a, shop-3 http://host-a:7103 host-a, shop-4 http://host-a:7104 host-a"},
		{"hosts in turn", "dynamic: { prefix: web, size: 5, base_port: 7000, hosts: [host-b, host-a] }",
			"web1 http://host-b:7001 host-b, web2 http://host-a:7002 host-a, web3 http://host-b:7003 host-b, web4 http://host-a:7004 host-a, web5 http://host-b:7005 host-b"},
		{"fewer than hosts", "dynamic: { prefix: web, size: 1, base_port: 7000, hosts: [host-b, host-a] }", "web1 http://host-b:7001 host-b"},
		{"none yet", "dynamic: { prefix: web, size: 0, base_port: 7000, hosts: [host-a] }", ""},
		{"machines by expression", `dynamic: { prefix: web, size: 4, base_port: 7000, hosts: ["host-*", 10.0.0.9] }`,
			"web1 http://host-a:7001 host-a, web2 http://host-b:7002 host-b, web3 http://host-c:7003 host-c, web4 http://10.0.0.9:7004 10.0.0.9"},
		{"addresses", `dynamic: { prefix: web, size: 2, base_port: 0, hosts: ["10.0.0.9", "[2001:DB8::1]"] }`,
			"web1 http://10.0.0.9:1 10.0.0.9, web2 http://[2001:db8::1]:2 2001:DB8::1"},
		{"the last port", "dynamic: { prefix: web, size: 1, base_port: 65534, hosts: [host-a] }", "web1 http://host-a:65535 host-a"},
		{"by a template", "template: { scheme: https, capacity: 7, kind: proxy }, dynamic: { prefix: web, size: 1, base_port: 8442, hosts: [host-a] }",
			"web1 https://host-a:8443 host-a proxy 7"},
		{"beside origins", `origins: [{ name: old, address: "host-c:80" }], dynamic: { prefix: web, size: 1, base_port: 7000, hosts: [host-a] }`,
			"old http://host-c:80 host-c, web1 http://host-a:7001 host-a"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			cfg, problems := Parse("w.yaml", []byte(`
listeners: [{ address: ":8080" }]
node: { host: host-a }
hosts: { host-a: {}, host-b: {}, host-c: {} }
clusters: { shop: { health: { path: / }, `+tt.cluster+` } }
`))
			if problems.Errors() > 0 {
				t.Fatal(problems)
			}
			var got []string
			for _, o := range cfg.Clusters["shop"].Origins {
				text := fmt.Sprintf("%s %s://%s %s", o.Name, o.Scheme, o.HostPort, o.Host)
				if o.Kind != "app" || o.Capacity.Most != 1000 {
					text += fmt.Sprint(" ", o.Kind, " ", o.Capacity)
				}
				got = append(got, text)
			}
			if strings.Join(got, ", ") != tt.want {
				t.Errorf("%s\nwant %s", strings.Join(got, ", "), tt.want)
			}
		})
	}
}

// D-WL-20: 800 servers, and not one more.
func TestDynamicIsBounded(t *testing.T) {
	cfg := parsed(t, "listeners: [{ address: \":8080\" }]\nclusters: { shop: { health: { path: / }, dynamic: { prefix: s, size: 800, base_port: 7000, hosts: [h] } } }\n")
	all := cfg.Clusters["shop"].Origins
	if len(all) != 800 || all[799].Name != "s800" || all[799].HostPort != "h:7800" {
		t.Errorf("%d servers, the last %+v", len(all), all[len(all)-1])
	}
}
