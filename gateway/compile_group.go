package gateway

import (
	"cmp"
	"strings"
	"time"

	"weirkeep/gateway/admission"
	"weirkeep/gateway/balance"
	"weirkeep/gateway/config"
	"weirkeep/gateway/route"
)

// allGroups makes the groups that decisions name, and the orders in which they
// are tried. The turn of a balancer outlives the snapshot.
func (c *compiler) allGroups() {
	for _, r := range c.snap.table.Groups() {
		c.snap.groups = append(c.snap.groups, c.group(r))
	}
	for _, order := range c.snap.table.Orders() {
		var groups []*group
		for _, i := range order {
			groups = append(groups, c.snap.groups[i])
		}
		c.snap.orders = append(c.snap.orders, groups)
	}
}

func (c *compiler) group(r route.Group) *group {
	g := &group{lead: c.snap.clusters[r.Members[0].Cluster], index: make(map[int]int), testers: r.Testers}
	for _, m := range r.Members {
		g.add(c.snap.clusters[m.Cluster].members[m.Origin])
	}
	lead := c.cfg.Clusters[g.lead.name]
	g.method = cmp.Or(r.Balancer, lead.Balancer)
	options := lead.BalancerOptions
	if g.method != lead.Balancer {
		options = config.Options{} // they are the other one's
	}
	g.locality = localityOf(g.method, lead.Locality)
	g.uses = balance.UsesOf(g.method)
	c.balanced(g, options)
	g.prefer = c.preference(g, time.Duration(lead.SlowStart))
	return g
}

// preference is whom a group prefers, by its locality, and by how long it takes its
// origins to be warm; nil: nobody.
func (c *compiler) preference(g *group, warmUp time.Duration) *admission.Preference {
	if g.locality == anyLocality && warmUp == 0 {
		return nil
	}
	p := &admission.Preference{Loyal: g.locality == collocated, WarmUp: warmUp}
	for _, m := range g.members {
		if g.locality != anyLocality {
			p.Far = append(p.Far, c.distance(g.locality, m.balanced.Host))
		}
		if warmUp > 0 {
			p.Warmth = append(p.Warmth, &m.state.warmth)
		}
	}
	return p
}

// The localities, as the configuration writes them.
const (
	anyLocality = "any"
	preferLocal = "prefer-local"
	collocated  = "collocated"
)

// How far origins may be.
const (
	sameHost uint8 = iota
	sameZone
	elsewhere
)

// distance is how far a host is from this node (M-POL-10). Who is collocated is on it, and
// anything else is elsewhere (M-COLO-01).
func (c *compiler) distance(locality, host string) uint8 {
	here, zone := c.cfg.Node.Host, c.cfg.Hosts[host].Zone
	switch {
	case host == here:
		return sameHost
	case locality == collocated:
		return elsewhere
	case zone != "" && zone == c.cfg.Hosts[here].Zone:
		return sameZone
	}
	return elsewhere
}

// localityOf is which origins come first: some names of balancers say it.
func localityOf(balancer, locality string) string {
	if balance.Local(balancer) {
		return preferLocal
	}
	return locality
}

// balanced gives the group its balancer. One of the same members, and of the same
// facts by which it goes, is taken over with its turn.
func (c *compiler) balanced(g *group, options config.Options) {
	made := c.balancer(g, options)
	key := strings.Join([]string{g.names(), g.facts(), g.method, options.String()}, " ")
	g.balancer = c.uses.balancer(key, made)
	if k, keyed := g.balancer.(balance.Keyed); keyed {
		by := k.KeyedBy()
		g.by = &by
	}
	for _, m := range g.members {
		m.timed = m.timed || g.uses.Has(balance.UsesTimes)
	}
}

// balancer makes the balancer of a group. Mistakes in options were found when the
// file was read.
func (c *compiler) balancer(g *group, options config.Options) balance.Balancer {
	var members []balance.Member
	for _, m := range g.members {
		members = append(members, m.balanced)
	}
	b, err := balance.New(g.method, members, options.Decode)
	if err != nil {
		path := "clusters." + g.lead.name + ".balancer"
		c.fail(path, "E210", "%s: %v", path, err)
	}
	if z, ok := b.(balance.Zeroed); ok {
		log, cluster := c.uses.r.log, g.lead.name
		z.OnZero(func() { // by a request, which does not wait for the log
			go log.Warn("every origin that can be used says that it is busy: they are taken in turn", "cluster", cluster, "metric", 0)
		})
	}
	return b
}
