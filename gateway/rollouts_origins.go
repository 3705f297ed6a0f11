package gateway

import (
	"time"

	"weirkeep/gateway/config"
	"weirkeep/gateway/rollout"
	"weirkeep/gateway/session"
)

// change makes true in cfg, which is a copy, what the roll-outs say of editions and
// origins. Of the operator's word and theirs, the more closed one holds.
func (rs rollouts) change(cfg *config.Config) {
	for application, r := range rs {
		o := r.Overlay()
		e := cfg.Editions[application]
		e.Serving, e.Between = o.Active, []string{r.Options().From, r.Options().To}
		cfg.Editions[application] = e
		eachOrigin(cfg, func(_ string, at *config.Origin) {
			if w, ours := o.Origins[at.Name]; ours {
				shut(at, adminStateOf(string(w.State)), byRollout)
				if at.Edition.Application == application {
					at.Edition.Label = w.Label
				}
			}
		})
	}
}

// rolledOrigins are the origins that run the old or the new edition of a roll-out's
// application, each once, in the order of their clusters. A name is of one address,
// wherever it stands.
func rolledOrigins(cfg *config.Config, o rollout.Options) (all []rollout.Origin) {
	seen := make(map[string]bool)
	eachOrigin(cfg, func(cluster string, at *config.Origin) {
		e := at.Edition
		if e.Application == o.Application && (e.Label == o.From || e.Label == o.To) && !seen[at.Name] {
			seen[at.Name] = true
			all = append(all, rollout.Origin{Name: at.Name, Cluster: cluster, Label: e.Label})
		}
	})
	return all
}

// untold are the origins of a roll-out that the servers of a WebLogic cluster may
// tell of, or that may be found, and were not since the gateway was started.
func (r *rolling) untold(cfg *config.Config, p present) (all []rollout.Origin) {
	for _, m := range r.Save().Members {
		c, found := cfg.Clusters[m.Cluster], p.found[m.Cluster]
		if c.Weblogic.DynamicServerList && p.servers[m.Cluster] == nil || c.Discover != nil && found.listed == nil {
			all = append(all, m.Origin)
		}
	}
	return all
}

// runs reports whether an origin runs an edition, as the configuration says.
func runs(cfg *config.Config, application, label string) bool {
	found := false
	eachOrigin(cfg, func(_ string, at *config.Origin) {
		found = found || at.Edition == config.EditionLabel{Application: application, Label: label}
	})
	return found
}

// eachOrigin goes through all clusters, in the order of their names.
func eachOrigin(cfg *config.Config, do func(cluster string, at *config.Origin)) {
	for _, name := range sortedKeys(cfg.Clusters) {
		c := cfg.Clusters[name]
		for i := range c.Origins {
			do(name, &c.Origins[i])
		}
	}
}

// addressOf is what makes an origin the same wherever it is named.
func addressOf(at *config.Origin) string { return at.Scheme + "://" + at.HostPort }

// rolloutView is what the gateway knows of the origins of roll-outs.
type rolloutView struct {
	members   map[string]*member // by name
	sessions  map[string]int     // by the name that sessions have for it
	uncounted map[string]bool    // origins that have sessions which nobody counts
}

// rolloutView looks at everything that a step needs. The caller holds applying.
func (g *Gateway) rolloutView() *rolloutView {
	snap := g.current.Load()
	v := &rolloutView{make(map[string]*member), snap.countSessions(g.now(time.Now())), make(map[string]bool)}
	for _, cl := range snap.clusters {
		for _, m := range cl.members {
			if v.members[m.name] == nil {
				v.members[m.name] = m
			}
		}
	}
	for home := range g.uncounted(snap) {
		v.uncounted[home] = true
	}
	return v
}

// counts reports whether the gateway knows every session of a definition: it learns
// them, and has done so for as long as one lives unused, or was told those of the
// gateway before.
func (g *Gateway) counts(p *sessionPolicy) bool {
	return p.definition.Binding == session.Learned &&
		(g.knowsSessions || time.Since(g.started) >= p.bindings.IdleTimeout())
}

// Sessions implements rollout.View.
func (v *rolloutView) Sessions(name string) int {
	m := v.members[name]
	switch {
	case m == nil:
		return 0
	case v.uncounted[m.bound]:
		return -1
	}
	return v.sessions[m.bound]
}

// InFlight implements rollout.View.
func (v *rolloutView) InFlight(name string) int {
	m := v.members[name]
	if m == nil {
		return 0
	}
	return int(m.inFlight())
}

// inFlight are the exchanges and tunnels at the origin.
func (m *member) inFlight() int64 {
	n := m.state.slots.Load()
	if !m.cluster.countTunnels {
		n += m.state.tunnels.Load()
	}
	return n
}

// Edition implements rollout.View.
func (v *rolloutView) Edition(name string) (label string, known bool) {
	if m := v.members[name]; m != nil {
		label = m.state.origin.Told().Edition
	}
	return label, label != ""
}

// Up implements rollout.View. After a start every origin is taken to be up, but not
// to be renewed before a check has found it so. That an origin is back which nobody checks, only
// traffic could tell, and it gets none while it is renewed: so then it counts as up.
func (v *rolloutView) Up(name string) bool {
	m := v.members[name]
	if m == nil {
		return false
	}
	return m.state.origin.Answers() || !m.checked && m.state.state() == disabled
}
