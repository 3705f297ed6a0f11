package gateway

import (
	"maps"
	"slices"
	"time"

	"weirkeep/gateway/config"
)

// present is what has become true since the configuration was written, and holds
// over what that says: which origins were found, which servers WebLogic clusters have
// told of, and how far roll-outs are. What is current is always the configuration seen
// through it.
type present struct {
	found    map[string]found    // of clusters that discover origins, by the cluster's name
	servers  map[string][]server // of WebLogic clusters, by the cluster's name
	rollouts rollouts
}

// over is the configuration as it is now. cfg itself stays as it is.
func (p present) over(cfg *config.Config) *config.Config {
	if len(p.found) == 0 && len(p.rollouts) == 0 && len(p.servers) == 0 {
		return cfg
	}
	now := *cfg
	now.Clusters, now.Editions = maps.Clone(cfg.Clusters), maps.Clone(cfg.Editions)
	for name, c := range now.Clusters {
		c.Origins = slices.Clone(c.Origins)
		now.Clusters[name] = c
	}
	p.addFound(&now)
	p.addServers(&now)
	p.rollouts.change(&now)
	return &now
}

// usePresent makes next current with the configuration that is, and lets roll-outs go on
// with the origins that there are then. The caller holds applying.
func (g *Gateway) usePresent(next present) error {
	before := g.present.rollouts
	next.rollouts = before.settled(g.applied.config, next, g.now(time.Now()), g.log)
	if next.rollouts.equal(before) {
		return g.reapply(next, nil)
	}
	return g.reapply(next, func() error { return next.rollouts.save(g.applied.config.Node.StateDir) })
}

// reapply makes the present that is coming current, with the configuration that is.
// Saved, if it is there, is called when nothing else can fail. The caller holds
// applying. An error means that nothing was changed.
func (g *Gateway) reapply(next present, saved func() error) error {
	p := g.prepare(next.over(g.applied.config))
	p.prepare()
	var err error
	switch {
	case p.problems.Errors() > 0:
		err = p.problems
	case saved != nil:
		err = saved()
	}
	if err != nil {
		p.undo()
		return err
	}
	p.swap()
	g.applied.served, g.present = p.cfg, next
	return nil
}
