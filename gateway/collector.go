package gateway

import (
	"fmt"
	"time"

	"weirkeep/abi"
	"weirkeep/gateway/collect"
	"weirkeep/gateway/config"
	"weirkeep/gateway/origin"
	"weirkeep/plugins"
)

// allCollectors attaches the collectors that clusters name.
func (c *compiler) allCollectors() {
	for _, cl := range c.snap.clusters {
		switch cfg := c.cfg.Clusters[cl.name]; {
		case cfg.Metric == nil:
		case cfg.Metric.Stock():
			c.stockCollector(cl, &cfg)
		default:
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
		m.tally = c.uses.tally(key+" "+m.address, func() *tally {
			t := newTally(m.name, m.address, "plugin "+cfg.Collector, fields, cfg.Initial)
			t.live = m.balanced.Live
			return t
		})
		plan.members, plan.positions = append(plan.members, m), append(plan.positions, i)
	}
	c.uses.wantSampler(key+fmt.Sprint(plan.generation, *cfg), func() *sampler { return newSampler(a, plan, c.uses.r.log) })
}

// stockCollector attaches a collector that needs no plugin. What is known of an origin
// is kept as long as the number and what is made of it stay the same.
func (c *compiler) stockCollector(cl *cluster, cfg *config.Cluster) {
	number, err := numberOf(cfg.Metric.Pull)
	if err != nil {
		c.fail("clusters."+cl.name+".metric.pull", "E112", "clusters.%s.metric.pull: %v", cl.name, err)
		return
	}
	for i, m := range cl.members {
		key := fmt.Sprintf("%s/%s %s %s", cl.cell, cl.short, cfg.Metric.Making(), m.address)
		m.tally = c.uses.tally(key, func() *tally { return newAccount(m, cfg.Metric).tally })
		plan := &stockPlan{
			cluster: cl, member: m, cfg: cfg.Metric, host: checkHost(m, cfg), number: number,
			first: firstSample(cfg.Metric, i, len(cl.members)), scale: cfg.Metric.Scale(cfg.Origins[i].Capacity.Most), strict: strict(cfg.Metric),
		}
		text := fmt.Sprintf("%s %s %s %v", key, metricText(cfg.Metric), plan.host, cfg.Origins[i].Capacity)
		c.uses.stock[stockKey{m.pool, text}] = func() *stockSampler { return newStockSampler(plan, c.uses.r.log) }
	}
}

// stockKey is all that makes two samplers of a stock collector different.
type stockKey struct {
	pool *origin.Pool
	text string
}

// metricText is all that a metric says, so that two can be compared.
func metricText(m *config.Metric) string {
	text := fmt.Sprintf("%+v", *m)
	for _, part := range []any{m.Pull, m.Idle, m.Busy} {
		text += fmt.Sprintf(" %+v", part)
	}
	return text
}

// newAccount begins what is known of an origin by a stock collector.
func newAccount(m *member, cfg *config.Metric) *account {
	source := cfg.Source
	if cfg.Pull != nil {
		source += " " + cfg.Pull.Path
	}
	a := &account{field: cfg.SourceField(), wake: make(chan struct{}, 1)}
	a.tally = newTally(m.name, m.address, source, nil, cfg.Initial)
	a.tally.account, a.tally.live = a, m.balanced.Live
	return a
}

// numberOf reads the number in an answer that is pulled.
func numberOf(pull *config.Pull) (func(answer []byte) (float64, error), error) {
	if pull == nil {
		return nil, nil
	}
	if pull.Series != "" {
		s, err := collect.ParseSeries(pull.Series)
		return s.Number, err
	}
	p, err := collect.ParsePointer(pull.Pointer)
	return p.Number, err
}

// strict reports whether a number has to be a metric: where it is said, and no levels
// say what else it is.
func strict(cfg *config.Metric) bool {
	said := cfg.SourceField() != "" || cfg.Source == config.SourcePull || cfg.Source == config.SourcePush
	return said && cfg.Collector == config.CollectValue && cfg.Idle == nil && cfg.Busy == nil
}

// firstSample is how long the first sample of the i-th of n origins is waited for. Who
// can be asked is asked at once; nobody is at the same time as others.
func firstSample(cfg *config.Metric, i, n int) time.Duration {
	interval := time.Duration(cfg.Interval)
	if cfg.Source == config.SourcePull {
		return min(interval/10, time.Second) * time.Duration(i) / time.Duration(n)
	}
	return interval * time.Duration(i+1) / time.Duration(n)
}

// tally takes a tally of the shelf. It says initial until it is sampled.
func (u *uses) tally(key string, make func() *tally) *tally {
	return use(u, u.r.tallies, key, make, nil)
}

// wantSampler notes a sampler that the snapshot wants, for all that it makes it do.
func (u *uses) wantSampler(key string, start func() *sampler) { u.samplers[key] = start }

// sample starts and stops samplers, so that those run that are wanted. What a sampler
// has said against an origin is taken back where none samples it any more. The members
// of those that ended are returned.
func (r *registry) sample(wanted map[string]func() *sampler) (left []*member) {
	r.sampling.Lock()
	defer r.sampling.Unlock()
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
	return left
}

// sampleStock starts and stops samplers that need no plugin, so that those run that are
// wanted. New ones begin before others end, so that nothing that an origin says in
// between is lost. Those that ended are returned by their members.
func (r *registry) sampleStock(wanted map[stockKey]func() *stockSampler) (left []*member) {
	r.sampling.Lock()
	defer r.sampling.Unlock()
	for key, start := range wanted {
		if r.stock[key] == nil {
			r.stock[key] = start()
		}
	}
	for key, s := range r.stock {
		if wanted[key] == nil {
			s.end()
			left = append(left, s.plan.member)
			delete(r.stock, key)
		}
	}
	return left
}

// tellBalancers makes them go by what is known, whoever has spoken last while samplers
// came and went, and forget what nobody finds out any more of those that were left.
func (r *registry) tellBalancers(left []*member) {
	r.sampling.Lock()
	defer r.sampling.Unlock()
	for _, m := range left {
		m.balanced.Live.Forget()
	}
	for _, s := range r.samplers {
		s.mu.Lock()
		for _, m := range s.plan.members {
			m.tally.tell()
		}
		s.mu.Unlock()
	}
	for _, s := range r.stock {
		s.account.mu.Lock()
		s.account.tally.tell()
		s.account.mu.Unlock()
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
