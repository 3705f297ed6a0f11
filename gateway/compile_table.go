package gateway

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"weirkeep/gateway/config"
	"weirkeep/gateway/route"
	"weirkeep/gateway/session"
)

// table compiles what route.Decide decides by, and all groups that a decision can
// name, and warns of what can never work.
func (c *compiler) table() {
	table, err := route.New(c.routeOptions())
	if err != nil {
		c.failRoute(err)
		return
	}
	c.snap.table = table
	for _, s := range table.Unreachable() {
		c.warnShadow(s)
	}
	for _, o := range table.OutsideBestSet() {
		c.warnOutside(o)
	}
	c.nameMembers()
	c.allGroups()
	c.allHomes()
}

func (c *compiler) routeOptions() route.Options {
	o := route.Options{
		DefaultSite:      c.siteIndex(c.cfg.DefaultSite),
		Rules:            c.rules,
		Active:           c.activeEditions(),
		ShieldsAll:       c.cfg.AffinityShields == "all",
		OverrideAffinity: c.cfg.OverrideAffinity,
	}
	for i := range c.snap.sites {
		cfg := c.cfg.Sites[c.snap.sites[i].name]
		o.Sites = append(o.Sites, route.Site{Name: c.snap.sites[i].name, Hosts: cfg.Hosts, PathPrefix: cfg.PathPrefix})
	}
	for _, cl := range c.snap.clusters {
		o.Clusters = append(o.Clusters, c.routeCluster(cl))
	}
	applications := make(map[string]int)
	for i, name := range sortedKeys(c.cfg.Applications) {
		cfg := c.cfg.Applications[name]
		applications[name] = i
		c.snap.applications = append(c.snap.applications, []byte(name))
		o.Applications = append(o.Applications, route.Application{
			Name: name, Hosts: cfg.Hosts, ContextRoot: cfg.ContextRoot, Patterns: cfg.Patterns, Clusters: c.indexes(cfg.Clusters),
		})
	}
	for i := range c.cfg.Mappings {
		o.Mappings = append(o.Mappings, c.routeMapping(i, applications))
	}
	return o
}

func (c *compiler) routeCluster(cl *cluster) (r route.Cluster) {
	cell, name := c.cfg.CellOf(cl.name)
	for i, o := range c.cfg.Clusters[cl.name].Origins[:len(cl.members)] { // none, if they cannot be made
		r.Origins = append(r.Origins, route.Origin{
			Cell: cell, Cluster: name, Name: o.Name, Host: o.Host, UserDir: o.UserDir, IDs: o.IDs,
			Edition:  route.Edition{Application: o.Edition.Application, Label: o.Edition.Label},
			Identity: cl.members[i].identity,
		})
	}
	return r
}

func (c *compiler) routeMapping(i int, applications map[string]int) route.Mapping {
	cfg := c.cfg.Mappings[i]
	m := route.Mapping{
		Site: c.siteIndex(cfg.Site), Prefix: cfg.Prefix, StripPrefix: cfg.StripPrefix,
		Clusters: c.indexes(cfg.Clusters), Failover: c.indexes(cfg.Failover), Balancer: cfg.Balancer,
	}
	for _, name := range cfg.Applications {
		m.Applications = append(m.Applications, applications[name])
	}
	if p := c.snap.mappings[i].session; p != nil {
		m.Session, m.OnPrimary = p.definition, p.onPrimaryDown
	}
	return m
}

// indexes are the places of some clusters in the snapshot.
func (c *compiler) indexes(names []string) (all []int) {
	for _, name := range names {
		for i, cl := range c.snap.clusters {
			if cl.name == name {
				all = append(all, i)
			}
		}
	}
	return all
}

// activeEditions are the labels of the editions that serve without a rule.
func (c *compiler) activeEditions() map[string][]string {
	active := make(map[string][]string)
	for name, e := range c.cfg.Editions {
		active[name] = serves(e)
	}
	return active
}

// nameMembers tells the origins how sessions call them.
func (c *compiler) nameMembers() {
	for i, cl := range c.snap.clusters {
		for j, m := range cl.members {
			m.bound = c.snap.table.BindName(route.Member{Cluster: i, Origin: j})
		}
	}
}

// allHomes notes the origins of each session, and lets the gateway's own cookies
// name them.
func (c *compiler) allHomes() {
	for i := range c.snap.mappings {
		p := c.snap.mappings[i].session
		if p == nil {
			continue
		}
		for _, m := range c.snap.table.BestSet(i) {
			p.homes[c.snap.table.BindName(m)] = true
		}
	}
	for _, p := range c.snap.sessions {
		if p.definition.Binding == session.GatewayCookie {
			c.cookie(p)
		}
	}
}

func (c *compiler) cookie(p *sessionPolicy) {
	name := p.definition.Name
	cfg := c.cfg.Sessions[name]
	o := session.CookieOptions{
		Session: name, Name: cfg.GatewayCookie.Name, Path: cfg.GatewayCookie.Path,
		Domain: cfg.GatewayCookie.Domain, SameSite: cfg.GatewayCookie.SameSite,
		MaxAge: time.Duration(cfg.GatewayCookie.MaxAge), Origins: sortedKeys(p.homes),
	}
	for _, key := range cfg.Keys {
		o.Keys = append(o.Keys, []byte(key))
	}
	cookie, err := session.NewCookie(o)
	if err != nil {
		c.fail("sessions."+name, "E240", "sessions.%s: %v", name, err)
	}
	p.definition.Gateway = cookie
}

// warnShadow warns of a mapping that another takes everything from.
func (c *compiler) warnShadow(s route.Shadow) {
	path, by := fmt.Sprintf("mappings[%d]", s.Mapping), fmt.Sprintf("mappings[%d]", s.By)
	hint := "move it before " + by
	if m, first := c.cfg.Mappings[s.Mapping], c.cfg.Mappings[s.By]; m.Site == first.Site && m.Prefix == first.Prefix {
		hint = "take it away: " + by + " has the same site and prefix"
	}
	c.warn(path, "W310", fmt.Sprintf("%s can never match: %s (%s) takes every request it could", path, by, c.lineOf(by, path)), hint)
}

// lineOf is the line of a path, with its file if that is not the other one's.
func (c *compiler) lineOf(path, beside string) string {
	place := c.cfg.At(path, config.Warning, "W310", "", "")
	if place.File != c.cfg.At(beside, config.Warning, "W310", "", "").File {
		return place.File + ":" + strconv.Itoa(place.Line)
	}
	return "line " + strconv.Itoa(place.Line)
}

// warnOutside warns of a permit that leaves nothing (M-BEST-04), though each of its
// destinations selects something.
func (c *compiler) warnOutside(o route.Outside) {
	rule := c.snap.actions[o.Rule]
	if rule.coming || rule.astray { // which is right, or said of its destinations
		return
	}
	what := "of any mapping of its site"
	if o.Mapping >= 0 {
		path := fmt.Sprintf("mappings[%d]", o.Mapping)
		what = fmt.Sprintf("of %s (%s), which serves the path that the rule is for", path, c.lineOf(path, rule.path))
	}
	c.warn(rule.path+".permit.to", "W312", fmt.Sprintf("rule %q permits no origin %s: what it matches is answered 503", rule.name, what),
		"rules only narrow what the mapping or application serves; weirkeep explain shows the best set of a request")
}

// failRoute gives each mistake that route has found its place: it begins with
// the path of the key.
func (c *compiler) failRoute(err error) {
	errs := []error{err}
	if all, ok := err.(interface{ Unwrap() []error }); ok {
		errs = all.Unwrap()
	}
	for _, e := range errs {
		path, _, _ := strings.Cut(e.Error(), ": ")
		c.fail(path, "E230", "%v", e)
	}
}
