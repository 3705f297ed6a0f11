package main

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"weirkeep/gateway"
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
		a.say("cluster    %s: %s over %s; %s; %s%s", name, c.Balancer, strings.Join(originsOf(c), ", "), queueOf(c.Queue), checksOf(c), sessionTrait(c.Session))
	}
	for i, m := range cfg.Mappings {
		site := cfg.Sites[m.Site]
		a.say("mapping    %d: %s %s -> %s%s", i, strings.Join(site.Hosts, ", "), cmp.Or(m.Prefix, site.PathPrefix), clustersOf(m), sessionTrait(site.Session))
	}
	a.sayCaches(cfg)
	a.sayRulesRead(cfg)
}

// sayCaches says which sites store answers, and where these are kept.
func (a *app) sayCaches(cfg *config.Config) {
	var stores []string
	for _, name := range slices.Sorted(maps.Keys(cfg.Sites)) {
		if s := cfg.Sites[name]; s.Cache.Enabled {
			stores = append(stores, fmt.Sprintf("%s (%s)", name, plural(len(s.Cache.Rules)+len(cfg.Cache.Rules), "rule")))
		}
	}
	if len(stores) == 0 {
		return
	}
	disk := ""
	if d := cfg.Cache.Disk; d != nil {
		disk = fmt.Sprintf(", %s at %s", d.Size, d.Path)
	}
	a.say("cache      %s in memory%s; of %s", cfg.Cache.Memory, disk, strings.Join(stores, ", "))
}

// sayRulesRead says what each condition costs, and which are slow.
func (a *app) sayRulesRead(cfg *config.Config) {
	e, problems := gateway.NewExplainer(cfg)
	if problems.Errors() > 0 {
		return
	}
	for _, r := range e.Rules() {
		a.say("rule       %d %s: cost %d, %s%s", r.Index+1, r.Name, r.Cost, printable(r.Action), slowParts(r.Slow))
	}
	for _, c := range retryConditions(cfg) {
		p := compiledRetry(cfg, c)
		a.say("condition  %s: cost %d%s", c.of, p.Cost(), slowParts(p.Slow()))
	}
}

// slowParts are the parts of a condition that are slow, for the end of a line.
func slowParts(all []string) string {
	if len(all) == 0 {
		return ""
	}
	return "; slow: " + printable(strings.Join(all, ", "))
}

// clustersOf are the clusters of a mapping, and those that come after them.
func clustersOf(m config.Mapping) string {
	names := strings.Join(m.Clusters, " and ")
	if len(m.Applications) > 0 {
		names = "application " + strings.Join(m.Applications, " or ")
	}
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

// originsOf are the origins of a cluster: how much they take, and what is special
// about them.
func originsOf(c config.Cluster) []string {
	var origins []string
	for _, o := range c.Origins {
		traits := fmt.Sprintf("capacity %v", o.Capacity)
		if o.State != "serving" {
			traits += ", " + o.State
		}
		if o.Kind != "app" {
			traits += ", a " + o.Kind
		}
		origins = append(origins, fmt.Sprintf("%s (%s)", namedAddress(o.Name, o.Address), traits))
	}
	if d := c.Discover; d != nil && d.DNS != nil {
		origins = append(origins, "what is found by "+d.String()+" (not asked)")
	} else if d != nil {
		found, _ := config.LoadOrigins(d.File)
		origins = append(origins, plural(len(found), "origin")+" of "+d.String())
	}
	return origins
}

// queueOf is who may wait, how long, and what the queue passes on.
func queueOf(q config.Queue) string {
	text := "no queue"
	if q.Size > 0 {
		text = fmt.Sprintf("queue of %d for %v", q.Size, q.Timeout)
	}
	if q.Overflow == "failover" {
		text += ", then failover"
	}
	return text
}

// checksOf is how it is found out whether the origins of a cluster work.
func checksOf(c config.Cluster) string {
	switch h, p := c.Health, c.Failover.Ping; {
	case h != nil:
		return fmt.Sprintf("health %s every %v", h.Path, h.Interval)
	case p != nil:
		return fmt.Sprintf("no health, ping %s every %v", p.Path, p.Interval)
	}
	return "no health, no ping"
}

func sessionTrait(name string) string {
	if name == "" {
		return ""
	}
	return "; session " + name
}

// namedAddress is an address with its name, if it has one of its own.
func namedAddress(name, address string) string {
	if name == address {
		return address
	}
	return name + " " + address
}
