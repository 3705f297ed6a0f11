package main

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"weirkeep/gateway/config"
)

// sayRead says what was read: the files, and, when they could be used, what
// they come to. Mappings are in the order in which they decide.
func (a *app) sayRead(files []string, cfg *config.Config) {
	for _, file := range files {
		a.say("read       %s", file)
	}
	if cfg == nil {
		return
	}
	for _, l := range cfg.Listeners {
		a.say("listener   %s%s", namedAddress(l.Name, l.Address), listenerTraits(l))
	}
	for _, name := range slices.Sorted(maps.Keys(cfg.Clusters)) {
		c := cfg.Clusters[name]
		a.say("cluster    %s: %s over %s", name, c.Balancer, strings.Join(originsOf(c), ", "))
	}
	for i, m := range cfg.Mappings {
		site := cfg.Sites[m.Site]
		a.say("mapping    %d: %s %s -> %s", i, strings.Join(site.Hosts, ", "), cmp.Or(m.Prefix, site.PathPrefix), clustersOf(m))
	}
}

// clustersOf are the clusters of a mapping, and those that come after them.
func clustersOf(m config.Mapping) string {
	names := strings.Join(m.Clusters, " and ")
	for _, f := range m.Failover {
		names += ", else " + f
	}
	return names
}

// listenerTraits are what is special about a listener.
func listenerTraits(l config.Listener) string {
	traits := ""
	if l.TLS != nil {
		traits += ", tls"
	}
	if l.RedirectToHTTPS {
		traits += ", redirects to https"
	}
	if l.ProxyProtocol == "require" {
		traits += ", PROXY protocol"
	}
	return traits
}

func originsOf(c config.Cluster) []string {
	var origins []string
	for _, o := range c.Origins {
		origins = append(origins, namedAddress(o.Name, o.Address))
	}
	return origins
}

// namedAddress is an address with its name, if it has one of its own.
func namedAddress(name, address string) string {
	if name == address {
		return address
	}
	return name + " " + address
}
