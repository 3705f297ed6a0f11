package gateway

import (
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"time"

	"weirkeep/gateway/config"
)

// present is what has become true since the configuration was written, and holds
// over what that says: which origins were found, which servers WebLogic clusters have
// told of, how far roll-outs are, and what operators have set. What is current is
// always the configuration seen through it.
type present struct {
	found    map[string]found    // of clusters that discover origins, by the cluster's name
	servers  map[string][]server // of WebLogic clusters, by the cluster's name
	rollouts rollouts
	settings settings
}

// Who closes an origin further than the configuration does.
const (
	byDiscovery = "discovery" // it is found no more
	byServers   = "servers"   // a WebLogic cluster tells of it no more
	byRollout   = "rollout"   // of an edition
	byOperator  = "operator"  // of the gateway
)

// shut makes an origin as closed as somebody wants it, if it is more open. So the
// most closed of all words holds, in whatever order they come; of equal ones the
// first.
func shut(at *config.Origin, a adminState, by string) {
	if a > adminStateOf(at.State) {
		at.State, at.StateBy = a.String(), by
	}
}

// over is the configuration as it is now. cfg itself stays as it is.
func (p present) over(cfg *config.Config) *config.Config {
	if len(p.found) == 0 && len(p.rollouts) == 0 && len(p.servers) == 0 && len(p.settings) == 0 {
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
	p.settings.change(&now)
	return &now
}

// usePresent makes next current with the configuration that is, and lets roll-outs go on
// with the origins that there are then. The caller holds applying.
func (g *Gateway) usePresent(next present) error {
	next = next.under(g.applied.config, g.now(time.Now()), g.log)
	return g.reapply(next, func() error { return next.save(g.present, g.applied.config.Node.StateDir) })
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
	go g.survey()
	return nil
}

// withRollouts is the present with other roll-outs.
func (p present) withRollouts(rs rollouts) present {
	p.rollouts = rs
	return p
}

// withSettings is the present with other settings.
func (p present) withSettings(ss settings) present {
	p.settings = ss
	return p
}

// under is the present as it goes on under a configuration, with the origins that were
// found and told of.
func (p present) under(cfg *config.Config, now time.Time, log *slog.Logger) present {
	p.rollouts = p.rollouts.settled(cfg, p, now, log)
	p.settings = p.settings.settled(present{found: p.found, servers: p.servers}.over(cfg), now, log)
	return p
}

// save writes the files of what is other than before.
func (p present) save(before present, stateDir string) error {
	var errs []error
	if !p.rollouts.equal(before.rollouts) {
		errs = append(errs, p.rollouts.save(stateDir))
	}
	if !p.settings.equal(before.settings) {
		errs = append(errs, p.settings.save(stateDir))
	}
	return errors.Join(errs...)
}

// presentUnder is the present as it goes on under a configuration that was read, and
// what is to be said of it.
func (g *Gateway) presentUnder(cfg *config.Config, finders map[string]*finder) (next present, ps config.Problems) {
	if g.applied == nil {
		g.present, ps = loadPresent(cfg)
		g.recall(cfg.Node.StateDir, finders)
	}
	next = g.present
	next.found = g.foundBy(cfg, finders)
	if ps.Errors() > 0 {
		return next, ps
	}
	now := g.now(time.Now())
	ps = append(ps, next.settings.warnings(cfg, now)...)
	return next.under(cfg, now, g.log), ps
}

// loadPresent reads what was kept by the gateway before. What cannot be used is told.
func loadPresent(cfg *config.Config) (p present, ps config.Problems) {
	var err error
	if p.rollouts, err = loadRollouts(cfg.Node.StateDir); err != nil {
		ps = append(ps, cfg.At("node.state_dir", config.Error, "E806", fmt.Sprintf("node.state_dir: what is known of roll-outs cannot be read: %v", err), ""))
	}
	if p.settings, err = loadSettings(cfg.Node.StateDir); err != nil {
		ps = append(ps, brokenSettings(cfg, err))
	}
	return p, ps
}

// goOn lets the present go on under a new configuration, which may have moved the
// directory that it is kept in.
func (g *Gateway) goOn(next present, moved bool) {
	before := g.present
	if moved {
		before = present{}
	}
	g.present = next
	if err := next.save(before, g.applied.config.Node.StateDir); err != nil {
		g.log.Error("after a restart it would not go on as it does now", "because", err)
	}
	g.keepStepping()
	go g.survey()
}
