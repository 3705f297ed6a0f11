package gateway

import (
	"cmp"
	"strconv"
	"strings"
	"time"

	"weirkeep/gateway/balance"
	"weirkeep/gateway/config"
	"weirkeep/gateway/metrics"
	"weirkeep/gateway/session"
)

func (c *compiler) allMappings() {
	c.snap.unmapped = c.set.Mapping(metrics.MappingLabels{})
	for i, cfg := range c.cfg.Mappings {
		path := "mappings[" + strconv.Itoa(i) + "]"
		m := mapping{
			name:   strconv.Itoa(i), // as paths count: 0 is mappings[0]
			site:   &c.snap.sites[c.siteIndex(cfg.Site)],
			groups: []*group{c.group(path, cfg.Clusters, cfg.Balancer)},
		}
		for _, name := range cfg.Failover {
			m.groups = append(m.groups, c.group(path, []string{name}, ""))
		}
		if m.session = c.sessionOf(cfg); m.session != nil {
			m.session.addHomes(m.groups)
		}
		m.metrics = c.set.Mapping(metrics.MappingLabels{Site: m.site.name, Mapping: m.name, Cluster: m.groups[0].lead.name})
		c.snap.mappings = append(c.snap.mappings, m)
	}
}

// group returns the group of some clusters, of which the first leads, with a
// balancer of its own if one is named; the same one for the same. Its
// turn outlives the snapshot.
func (c *compiler) group(path string, names []string, balancer string) *group {
	lead := c.cfg.Clusters[names[0]]
	options := lead.BalancerOptions
	if balancer != "" && balancer != lead.Balancer {
		options = config.Options{} // they are the other one's
	} else {
		balancer = lead.Balancer
	}
	key := strings.Join(names, ",") + " " + balancer + " " + options.String()
	if g := c.groups[key]; g != nil {
		return g
	}
	g := &group{lead: c.clusters[names[0]], byName: make(map[string]int)}
	g.balancer = c.uses.balancer(key, c.balancer(path, balancer, options))
	for _, name := range names {
		for _, m := range c.clusters[name].members {
			g.add(m)
		}
	}
	c.groups[key] = g
	return g
}

// balancer makes a balancer. Mistakes in options were found when the file was read.
func (c *compiler) balancer(path, name string, options config.Options) balance.Balancer {
	b, err := balance.New(name, options.Decode)
	if err != nil {
		c.fail(path+".balancer", "E210", "%s.balancer: %v", path, err)
	}
	return b
}

// allSessions compiles the sessions that sites and clusters name.
func (c *compiler) allSessions() {
	c.snap.sessions = make(map[*session.Definition]*sessionPolicy)
	for _, name := range sortedKeys(c.cfg.Sessions) {
		cfg := c.cfg.Sessions[name]
		d := &session.Definition{Name: name, Cookie: cfg.Cookie, URLParam: cfg.URLParam}
		c.sessions[name] = &sessionPolicy{
			definition: d,
			homes:      make(map[string]bool),
			bindings:   c.uses.bound(name, session.Options{Entries: cfg.Entries, IdleTimeout: time.Duration(cfg.IdleTimeout)}),
			strict:     cfg.OnPrimaryDown == "fail",
			rebalance:  cfg.OnFull == "rebalance",
			links:      cfg.LearnFromLinks,
			metrics:    c.set.Session(name),
		}
		c.snap.sessions[d] = c.sessions[name]
	}
}

// sessionOf is the session of a mapping: its site's, else that of its first
// cluster; nil: neither names one (M-BIND-10).
func (c *compiler) sessionOf(m config.Mapping) *sessionPolicy {
	return c.sessions[cmp.Or(c.cfg.Sites[m.Site].Session, c.cfg.Clusters[m.Clusters[0]].Session)]
}

// addHomes notes the origins of one of the session's mappings.
func (p *sessionPolicy) addHomes(groups []*group) {
	for _, g := range groups {
		for name := range g.byName {
			p.homes[name] = true
		}
	}
}
