package config

import (
	"fmt"
	"strings"

	"weirkeep/gateway/unit"
)

// Discover says where origins of a cluster are found, besides those that are written:
// in one file or in DNS. What is found no more takes no new sessions.
type Discover struct {
	File  string        `yaml:"file" or:"dns" check:"path"`         // with a list of origins, watched: .yaml, .yml and .json as a list, any other with one address a line; this or dns is required
	DNS   *DiscoverDNS  `yaml:"dns" or:"file"`                      // a name that is looked up again and again; nil: none
	Drain unit.Duration `yaml:"drain" default:"30m" range:"0s..7d"` // longest time that one that is found no more keeps its sessions, default 30m; it goes before when it is out, or nothing is left there
}

// DiscoverDNS is a name in DNS.
type DiscoverDNS struct {
	Name     string        `yaml:"name" required:"true" check:"dns-name"`     // in full, search domains do not count; required
	Type     string        `yaml:"type" default:"a" enum:"a|srv"`             // a (default): addresses, A and AAAA | srv: SRV, of which those with the lowest priority number count
	Port     int           `yaml:"port" range:"1..65535"`                     // where the origins listen; of a, and required there
	Family   string        `yaml:"family" default:"any" enum:"any|ipv4|ipv6"` // of addresses: any (default) | ipv4: A alone | ipv6: AAAA alone
	Resolver string        `yaml:"resolver" check:"resolver"`                 // host or host:port of the server that is asked; default: those of /etc/resolv.conf
	Timeout  unit.Duration `yaml:"timeout" default:"2s" range:"10ms..30s"`    // for one answer, default 2s
	MinTTL   unit.Duration `yaml:"min_ttl" default:"1s" range:"100ms..1h"`    // shortest time between two look-ups, whatever the answer's TTL, default 1s
	MaxTTL   unit.Duration `yaml:"max_ttl" default:"5m" range:"100ms..1d"`    // longest, default 5m
}

// String is where origins are found, for people.
func (d *Discover) String() string {
	if d.DNS == nil {
		return "file " + d.File
	}
	if d.DNS.Type == "srv" {
		return "dns " + d.DNS.Name + ", type srv"
	}
	return fmt.Sprintf("dns %s, port %d", d.DNS.Name, d.DNS.Port)
}

// checkDiscover looks for what does not fit together.
func (l *loader) checkDiscover() {
	for _, name := range l.clusterNames() {
		d, path := l.cfg.Clusters[name].Discover, join("clusters", name)+".discover"
		if d == nil || l.anyBad(path) {
			continue
		}
		if d.File != "" && d.DNS != nil {
			l.fail(path, "E207", path+" has both file and dns: origins are found in one place", "make two clusters, and name both in the mapping's clusters")
		}
		if d.DNS != nil {
			l.checkDNS(d.DNS, path+".dns")
		}
	}
}

// checkDNS looks at what depends on the type of the records.
func (l *loader) checkDNS(d *DiscoverDNS, path string) {
	port := l.written(path + ".port")
	switch {
	case d.Type == "a" && !port:
		l.fail(path+".port", "E106", path+" has no port: addresses have none", "write port, or type: srv if the name has SRV records")
	case d.Type == "srv" && port:
		l.fail(path+".port", "E207", path+".port has no place here: SRV records have their own", "take it away, or write type: a")
	case d.MaxTTL < d.MinTTL:
		l.fail(path+".max_ttl", "E207", fmt.Sprintf("%s.max_ttl is %v, shorter than min_ttl, which is %v%s", path, d.MaxTTL, d.MinTTL, l.byDefault(path+".min_ttl")), "")
	}
}

// lintDiscover warns of a template that nothing is made from.
func (l *loader) lintDiscover(c Cluster, path string) {
	if at := path + ".template"; l.written(at) && c.Dynamic == nil && c.Discover == nil && !l.anyBad(path) {
		l.warn(at, "W361", at+" has no effect: the cluster has neither dynamic nor discover")
	}
}

// grammarDNSName is a name with labels such as _http._tcp.
func grammarDNSName(s string) string {
	name := strings.TrimSuffix(s, ".")
	if only(name, digits+".") || !isHostName(name, isHostLabel) {
		return "must be a name in DNS, such as shop.internal or _http._tcp.shop.internal"
	}
	return ""
}

func grammarResolver(s string) string {
	host, port, ok := splitPort(s)
	if isHost(s) || ok && isHost(host) && isPort(port, 1) {
		return ""
	}
	return "must be host or host:port of a DNS server, with an IPv6 address in brackets"
}
