package gateway

import (
	"reflect"
	"slices"
	"strings"
	"time"

	"weirkeep/gateway/config"
	"weirkeep/gateway/origin"
)

// found is what a cluster's discover has found (M-IM-01, M-CLU-06).
type found struct {
	listed []config.Origin // by the last answer; nil: there was none ever
	left   []leftOrigin    // that it has no more
}

// leftOrigin is an origin that is found no more and has something left to end.
type leftOrigin struct {
	config.Origin
	since time.Time // by the machine's clock
}

// same reports whether two would make the same configuration.
func (f found) same(o found) bool {
	return reflect.DeepEqual(f.listed, o.listed) && slices.EqualFunc(f.left, o.left, func(a, b leftOrigin) bool { return a.HostPort == b.HostPort })
}

// addFound adds to the clusters of cfg, which is a copy, the origins that were found.
// Those that are found no more take no new sessions. What is written of an address
// holds.
func (p present) addFound(cfg *config.Config) {
	written, names := make(map[string]config.Origin), make(map[string]string)
	eachOrigin(cfg, func(_ string, at *config.Origin) {
		written[addressOf(at)], names[at.Name] = *at, addressOf(at)
	})
	for _, name := range sortedKeys(p.found) {
		join(cfg, name, p.found[name].listed, serving, names)
	}
	there := make(map[string]bool)
	eachOrigin(cfg, func(_ string, at *config.Origin) { there[addressOf(at)] = true })
	for _, name := range sortedKeys(p.found) {
		var left []config.Origin
		for _, o := range p.found[name].left {
			if whole := cfg.Clusters[name].Complete(o.Origin); !there[addressOf(&whole)] { // else it would drain elsewhere, too
				left = append(left, o.Origin)
			}
		}
		join(cfg, name, left, draining, names)
	}
	agree(cfg, written)
}

// join adds origins to a cluster that discovers some, unless it has them. A name that
// another address has is not taken: then the address is the name.
func join(cfg *config.Config, cluster string, origins []config.Origin, state adminState, names map[string]string) {
	c, known := cfg.Clusters[cluster]
	if !known || c.Discover == nil {
		return
	}
	for _, o := range origins {
		o = c.Complete(o)
		if slices.ContainsFunc(c.Origins, func(w config.Origin) bool { return addressOf(&w) == addressOf(&o) }) {
			continue
		}
		if has, taken := names[o.Name]; taken && has != addressOf(&o) {
			o.Name = o.HostPort
		}
		names[o.Name] = addressOf(&o)
		shut(&o, state, byDiscovery)
		c.Origins = append(c.Origins, o)
	}
	cfg.Clusters[cluster] = c
}

// foundBy is what finders have found for the clusters of a configuration. Where no
// answer came yet, it is what was found before. The caller holds applying.
func (g *Gateway) foundBy(cfg *config.Config, finders map[string]*finder) map[string]found {
	all := make(map[string]found)
	for name, f := range finders {
		before := g.present.found[name]
		listed := f.latest()
		if listed == nil {
			listed = before.listed
		}
		all[name] = found{listed, g.leftOf(name, before, listed, time.Duration(cfg.Clusters[name].Discover.Drain))}
	}
	return all
}

// leftOf are the origins of before that are not listed now, and that have sessions or
// exchanges, are up, and have not drained for too long.
func (g *Gateway) leftOf(cluster string, before found, listed []config.Origin, drain time.Duration) (left []leftOrigin) {
	candidates := slices.Clone(before.left)
	for _, o := range before.listed {
		candidates = append(candidates, leftOrigin{o, time.Now()})
	}
	candidates = slices.DeleteFunc(candidates, func(o leftOrigin) bool {
		return time.Since(o.since) >= drain || slices.ContainsFunc(listed, func(l config.Origin) bool { return l.HostPort == o.HostPort })
	})
	if len(candidates) == 0 {
		return nil
	}
	view := g.rolloutView()
	for _, o := range candidates {
		m := g.memberAt(cluster, o.HostPort)
		if m != nil && m.state.origin.Health() == origin.Up && (view.Sessions(m.name) != 0 || view.InFlight(m.name) != 0) {
			left = append(left, o)
		}
	}
	return left
}

// memberAt is the member of a cluster at a host:port; nil: there is none.
func (g *Gateway) memberAt(cluster, hostPort string) *member {
	for _, cl := range g.current.Load().clusters {
		for _, m := range cl.members {
			if cl.name == cluster && m.state.origin.Address == hostPort {
				return m
			}
		}
	}
	return nil
}

// describeFound adds how discovery goes, and where origins were found. The caller holds
// applying.
func (g *Gateway) describeFound(s *Status) {
	finders := g.discovery.all()
	for i := range s.Clusters {
		c := &s.Clusters[i]
		if f := finders[c.Name]; f != nil {
			c.Discovery = f.status()
			c.Discovery.Leaving = len(g.present.found[c.Name].left)
		}
	}
	for i := range s.Origins {
		o := &s.Origins[i]
		f := g.present.found[o.Cluster]
		is := func(c config.Origin) bool { return c.HostPort == o.Address }
		written := slices.ContainsFunc(g.applied.config.Clusters[o.Cluster].Origins, is)
		if !written && (slices.ContainsFunc(f.listed, is) || slices.ContainsFunc(f.left, func(l leftOrigin) bool { return is(l.Origin) })) {
			o.Found = g.applied.config.Clusters[o.Cluster].Discover.String()
		}
	}
}

// hearFound makes what was found current, if it is news.
func (g *Gateway) hearFound() {
	g.applying.Lock()
	defer g.applying.Unlock()
	if g.applied == nil || g.closing.Load() {
		return
	}
	next := g.present
	next.found = g.foundBy(g.applied.config, g.discovery.all())
	if changed := changedFound(g.present.found, next.found); len(changed) > 0 {
		if err := g.usePresent(next); err != nil {
			g.log.Error("the origins that were found are not used yet", "because", err)
			g.discovery.soon(foundAgain)
			return
		}
		g.discovery.tell(changed, g.present.found)
		g.keepFound()
	}
	g.watchLeft()
}

const (
	foundAgain = 30 * time.Second // until what could not be used is tried again
	foundLook  = time.Second      // between two looks whether those that left have ended
)

// watchLeft looks again soon while an origin that is found no more is there.
func (g *Gateway) watchLeft() {
	for _, f := range g.present.found {
		if len(f.left) > 0 {
			g.discovery.soon(foundLook)
			return
		}
	}
}

// changedFound are the clusters for which something else was found than before.
func changedFound(before, now map[string]found) (changed []string) {
	for _, name := range sortedKeys(now) {
		if !now[name].same(before[name]) {
			changed = append(changed, name)
		}
	}
	return changed
}

// foundText names origins that were found, for the log.
func foundText(all []config.Origin) string {
	var list []string
	for _, o := range all {
		list = append(list, o.HostPort)
	}
	return strings.Join(list, " ")
}
