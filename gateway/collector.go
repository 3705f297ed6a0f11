package gateway

import (
	"fmt"
	"time"

	"weirkeep/abi"
	"weirkeep/gateway/config"
	"weirkeep/plugins"
)

// allCollectors attaches the collectors that clusters name.
func (c *compiler) allCollectors() {
	for _, cl := range c.snap.clusters {
		if cfg := c.cfg.Clusters[cl.name]; cfg.Metric != nil {
			c.collector(cl, cfg.Metric)
		}
	}
}

func (c *compiler) collector(cl *cluster, cfg *config.Metric) {
	table, members := c.clusterTable(cl)
	place := plugins.Place{Cluster: cl.cell + "/" + cl.short}
	a := c.attach("clusters."+cl.name+".metric.collector", cfg.Collector, plugins.AttachOptions{Place: place, Table: table})
	if a == nil {
		return
	}
	plan := &samplePlan{
		cluster: cl, generation: table.Generation, interval: time.Duration(cfg.Interval),
		initial: cfg.Initial, standard: cfg.Default, stale: time.Duration(cfg.StaleAfter) * time.Duration(cfg.Interval), onError: a.Plugin().OnError(), debug: cfg.Debug,
	}
	fields := c.cfg.Plugins[cfg.Collector].Params.Sources()
	key := c.keys[cfg.Collector] + " at " + place.String()
	for i, m := range members {
		if m.cluster != cl {
			continue
		}
		m.tally = c.uses.tally(key+" "+m.address, func() *tally { return newTally(m.name, m.address, fields, cfg.Initial) })
		plan.members, plan.positions = append(plan.members, m), append(plan.positions, i)
	}
	c.uses.wantSampler(key+fmt.Sprint(plan.generation, *cfg), func() *sampler { return newSampler(a, plan, c.uses.r.log) })
}

// tally takes a tally of the shelf. It says initial until it is sampled.
func (u *uses) tally(key string, make func() *tally) *tally {
	return use(u, u.r.tallies, key, make, nil)
}

// wantSampler notes a sampler that the snapshot wants, for all that it makes it do.
func (u *uses) wantSampler(key string, start func() *sampler) { u.samplers[key] = start }

// sample starts and stops samplers, so that those run that are wanted. What a sampler
// has said against an origin is taken back where none samples it any more.
func (r *registry) sample(wanted map[string]func() *sampler) {
	r.sampling.Lock()
	defer r.sampling.Unlock()
	var left []*member
	for key, s := range r.samplers {
		if wanted[key] == nil {
			s.end()
			left = append(left, s.plan.members...)
			delete(r.samplers, key)
		}
	}
	sampled := make(map[*tally]bool)
	for key, start := range wanted {
		if r.samplers[key] == nil {
			r.samplers[key] = start()
		}
		for _, m := range r.samplers[key].plan.members {
			sampled[m.tally] = true
		}
	}
	for _, m := range left {
		if !sampled[m.tally] {
			m.state.origin.Acquit(m.tally, "no collector is asked any more")
		}
	}
}

// metric is how busy the origin is by its cluster's collector, 100 if it is idle;
// [abi.MetricNone]: nobody finds out.
func (m *member) metric() uint8 {
	if m.tally == nil {
		return abi.MetricNone
	}
	return uint8(m.tally.metric.Load())
}
