package gateway

import (
	"cmp"
	"maps"
	"net"
	"slices"
	"strconv"
	"strings"

	"weirkeep/gateway/config"
	"weirkeep/gateway/origin"
)

// server is one that a WebLogic cluster has told of (D-WL-10).
type server struct {
	id        string // that session ids call it
	host      string // without brackets, in its one spelling
	port, tls int    // zero: it has none
	left      bool   // nobody tells of it any more, and it is up
}

// address is the host:port that origins of a scheme have; empty: the server has none.
func (s server) address(scheme string) string {
	port := s.port
	if scheme == "https" {
		port = s.tls
	}
	if port == 0 {
		return ""
	}
	return net.JoinHostPort(s.host, strconv.Itoa(port))
}

// addServers makes the origins of WebLogic clusters in cfg, which is a copy, those
// that the clusters have told of. One that nobody tells of any more takes no new
// sessions: that it is gone altogether, its health check finds out.
func (p present) addServers(cfg *config.Config) {
	written := make(map[string]config.Origin)
	eachOrigin(cfg, func(_ string, at *config.Origin) { written[addressOf(at)] = *at })
	for _, name := range sortedKeys(p.servers) {
		c := cfg.Clusters[name]
		if told := ofScheme(p.servers[name], c); len(told) > 0 {
			c.Origins = withServers(c, told)
			cfg.Clusters[name] = c
		}
	}
	agree(cfg, written)
}

// agree makes true in every cluster what belongs to the address of an origin, as the
// configuration does: the most closed state, all ids, the rest as it is written, else
// as the first has it.
func agree(cfg *config.Config, facts map[string]config.Origin) {
	eachOrigin(cfg, func(_ string, at *config.Origin) {
		f, known := facts[addressOf(at)]
		if !known {
			f = *at
		}
		shut(&f, adminStateOf(at.State), at.StateBy)
		for _, id := range at.IDs {
			if !slices.Contains(f.IDs, id) {
				f.IDs = append(slices.Clone(f.IDs), id)
			}
		}
		facts[addressOf(at)] = f
	})
	eachOrigin(cfg, func(_ string, at *config.Origin) {
		f := facts[addressOf(at)]
		f.Edition = at.Edition
		*at = f
	})
}

// ofScheme are the servers that have a port for what the cluster speaks. Where none
// is listed that has one, what was told says nothing.
func ofScheme(told []server, c config.Cluster) (all []server) {
	if !c.Weblogic.DynamicServerList {
		return nil
	}
	listed := false
	for _, s := range told {
		if s.address(model(c).Scheme) != "" {
			all = append(all, s)
			listed = listed || !s.left
		}
	}
	if !listed {
		return nil
	}
	return all
}

// withServers are a cluster's origins with what its servers have told.
func withServers(c config.Cluster, told []server) []config.Origin {
	all, written := c.Origins, len(c.Origins)
	listed := make([]bool, written)
	for _, s := range told {
		i := s.among(all)
		if i < 0 {
			all = append(all, s.origin(c))
			continue
		}
		if !slices.Contains(all[i].IDs, s.id) {
			all[i].IDs = append(slices.Clone(all[i].IDs), s.id)
		}
		if i < written && !s.left {
			listed[i] = true
		}
	}
	for i := range listed {
		if !listed[i] {
			shut(&all[i], draining, byServers)
		}
	}
	return all
}

// among is which of the origins the server is: the one at its address, else the one
// that session ids call so, for it may be written by another name; -1: none.
func (s server) among(all []config.Origin) int {
	if i := slices.IndexFunc(all, s.isAt); i >= 0 {
		return i
	}
	return slices.IndexFunc(all, func(o config.Origin) bool { return slices.Contains(o.IDs, s.id) })
}

// model is what those origins of a cluster are like of which nobody has said more: as
// the first that is written, else as its template.
func model(c config.Cluster) config.Origin {
	if len(c.Origins) > 0 {
		return c.Origins[0]
	}
	return config.Origin{Scheme: c.Template.Scheme, Kind: c.Template.Kind, Capacity: c.Template.Capacity, Weight: c.Template.Weight}
}

// isAt reports whether an origin has the server's address.
func (s server) isAt(o config.Origin) bool { return o.HostPort == s.address(o.Scheme) }

// origin is the server as an origin of the cluster. What nobody has written of it is
// as of the first one.
func (s server) origin(c config.Cluster) config.Origin {
	first := model(c)
	address := s.address(first.Scheme)
	o := config.Origin{
		Name: address, Address: first.Scheme + "://" + address, Scheme: first.Scheme, HostPort: address,
		Kind: first.Kind, Capacity: first.Capacity, Weight: first.Weight, State: serving.String(),
		Host: s.host, IDs: []string{s.id}, Edition: c.Edition,
	}
	if s.left {
		shut(&o, draining, byServers)
	}
	return o
}

// hearServers makes what WebLogic servers have told current, if it is news.
func (g *Gateway) hearServers() {
	g.applying.Lock()
	defer g.applying.Unlock()
	if g.applied == nil || g.closing.Load() {
		return
	}
	told := g.toldServers()
	if maps.EqualFunc(told, g.present.servers, slices.Equal[[]server]) {
		return
	}
	next := g.present
	next.servers = told
	if err := g.usePresent(next); err != nil {
		g.log.Error("the servers that a WebLogic cluster has told of are not used", "because", err)
		return
	}
	for _, name := range sortedKeys(told) {
		g.log.Info("servers of a WebLogic cluster", "cluster", name, "servers", addressesOf(told[name]))
	}
}

// toldServers are the servers of each cluster. Where nobody tells of any, they are
// those of before.
func (g *Gateway) toldServers() map[string][]server {
	told := make(map[string][]server)
	for _, cl := range g.current.Load().clusters {
		written, before := g.applied.config.Clusters[cl.name], g.present.servers[cl.name]
		if !written.Weblogic.DynamicServerList {
			continue
		}
		all := cl.toldServers(model(written).Scheme)
		if len(all) == 0 {
			all = before
		} else {
			all = append(all, cl.leftServers(before, all)...)
		}
		if len(all) > 0 {
			told[cl.name] = all
		}
	}
	return told
}

// toldServers are those with a port for the scheme that the cluster's servers tell of
// that are up, together: one that was cut off from the others tells of itself alone.
func (cl *cluster) toldServers(scheme string) (all []server) {
	for _, m := range cl.members {
		if m.state.origin.Health() == origin.Up {
			all = append(all, parseServers(m.state.origin.Told().Cluster)...)
		}
	}
	slices.SortFunc(all, func(a, b server) int {
		return cmp.Or(strings.Compare(a.host, b.host), a.port-b.port, a.tls-b.tls, strings.Compare(a.id, b.id))
	})
	all = slices.DeleteFunc(slices.Compact(all), func(s server) bool { return s.address(scheme) == "" })
	return all[:min(len(all), maxServers)]
}

// leftServers are those of before that nobody tells of now and that are up: sessions
// are bound to them, by their ids.
func (cl *cluster) leftServers(before, now []server) (left []server) {
	for _, s := range before {
		s.left = true
		known := slices.ContainsFunc(now, func(o server) bool { return o.host == s.host && o.port == s.port && o.tls == s.tls })
		if !known && cl.isUp(s) {
			left = append(left, s)
		}
	}
	return left
}

// isUp reports whether a server is one of the cluster's origins, and up.
func (cl *cluster) isUp(s server) bool {
	return slices.ContainsFunc(cl.members, func(m *member) bool {
		scheme, address, _ := strings.Cut(m.address, "://")
		return s.address(scheme) == address && m.state.origin.Health() == origin.Up
	})
}

// addressesOf are the addresses of the servers that are listed.
func addressesOf(all []server) string {
	var list []string
	for _, s := range all {
		if s.left {
			continue
		}
		list = append(list, net.JoinHostPort(s.host, strconv.Itoa(cmp.Or(s.port, s.tls))))
	}
	return strings.Join(list, " ")
}
