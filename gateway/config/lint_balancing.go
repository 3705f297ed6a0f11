package config

import (
	"fmt"
	"slices"
	"strings"

	"weirkeep/gateway/balance"
)

// balanced is a balancer where it is written, or is by default, and the clusters that
// it may balance over.
type balanced struct {
	path     string // of its name
	name     string
	clusters []string
}

// allBalanced are the balancers of clusters, and of mappings that say one or have
// several clusters.
func (l *loader) allBalanced() (all []balanced) {
	for _, name := range l.clusterNames() {
		all = append(all, balanced{join("clusters", name) + ".balancer", l.cfg.Clusters[name].Balancer, []string{name}})
	}
	for i, m := range l.cfg.Mappings {
		b := balanced{index("mappings", i) + ".balancer", m.Balancer, m.Clusters}
		for _, a := range m.Applications {
			b.clusters = slices.Concat(b.clusters, l.cfg.Applications[a].Clusters)
		}
		if b.name == "" {
			b.name = l.cfg.Clusters[b.clusters[0]].Balancer
		} else {
			b.clusters = slices.Concat(b.clusters, m.Failover)
		}
		all = append(all, b)
	}
	return all
}

// usesOf is all that the balancers of a cluster go by.
func usesOf(all []balanced, cluster string) (uses balance.Uses) {
	for _, b := range all {
		if slices.Contains(b.clusters, cluster) {
			uses |= balance.UsesOf(b.name)
		}
	}
	return uses
}

// lintBalancing looks for weights and metrics that no balancer goes by, and for
// balancers that are wrong for their origins, in a file without mistakes.
func (l *loader) lintBalancing() {
	all := l.allBalanced()
	l.lintWeights(all)
	for _, name := range l.clusterNames() {
		l.lintMetric(l.cfg.Clusters[name], join("clusters", name), usesOf(all, name))
	}
	for _, b := range all {
		if l.written(b.path) {
			l.lintBalanced(b)
		}
		if balance.UsesOf(b.name).Has(balance.UsesMetric) {
			l.lintMixed(b)
		}
	}
}

// lintWeights looks for weights that no balancer goes by (M-RW-02, M-RW-05).
func (l *loader) lintWeights(all []balanced) {
	weighed, hosts := map[string]string{}, map[string]string{}
	for _, name := range l.clusterNames() {
		c, uses := l.cfg.Clusters[name], usesOf(all, name)
		for i, o := range c.Origins {
			path := index(join("clusters", name)+".origins", i) + ".weight"
			if !l.written(path) {
				path = join("origins", o.Name) + ".weight"
			}
			note(weighed, path, uses.Has(balance.UsesWeight), c.Balancer)
			note(hosts, join("hosts", o.Host)+".weight", uses.Has(balance.UsesHostWeight), c.Balancer)
		}
	}
	l.weightless(weighed, "weight-based does")
	l.weightless(hosts, "weighted-round-robin and weighted-random do")
}

// goneBy stands for a balancer that goes by a weight.
const goneBy = ""

// note notes of a weight which balancer does not go by it, the first of them, if
// none does.
func note(weights map[string]string, path string, used bool, balancer string) {
	if _, noted := weights[path]; used {
		weights[path] = goneBy
	} else if !noted {
		weights[path] = balancer
	}
}

// weightless warns of weights that are written, and that nobody goes by.
func (l *loader) weightless(weights map[string]string, who string) {
	for _, path := range sortedKeys(weights) {
		if balancer := weights[path]; balancer != goneBy && l.written(path) {
			l.warn(path, "W370", fmt.Sprintf("%s has no effect: the balancer %s does not go by it; %s", path, balancer, who))
		}
	}
}

// lintMetric looks for metrics that are found out and that nobody goes by (M-MET-07).
func (l *loader) lintMetric(c Cluster, path string, uses balance.Uses) {
	if at := path + ".metric"; c.Metric != nil && c.Router == "" && !uses.Has(balance.UsesMetric) {
		l.warn(at, "W372", fmt.Sprintf("%s is found out and decides nothing: the balancer %s does not go by it, and there is no router", at, c.Balancer))
	}
}

// lintBalanced looks for balancers that are wrong for the origins they balance over.
func (l *loader) lintBalanced(b balanced) {
	if balance.UsesOf(b.name).Has(balance.UsesMetric) {
		l.lintUnmetered(b)
	}
	if b.name == "random" || b.name == "random:local" {
		l.lintRandom(b)
	}
}

// lintUnmetered looks for clusters whose metrics nobody finds out (M-MET-04).
func (l *loader) lintUnmetered(b balanced) {
	var without []string
	for _, name := range slices.Compact(slices.Sorted(slices.Values(b.clusters))) {
		if l.cfg.Clusters[name].Metric == nil {
			without = append(without, join("clusters", name))
		}
	}
	if len(without) > 0 {
		l.warn(b.path, "W372", fmt.Sprintf("%s is %s, and %s has no metric: each of its origins counts as 50", b.path, b.name, strings.Join(without, ", ")))
	}
}

// lintMixed looks for clusters that are balanced over as one, and whose metrics are made
// in different ways (M-MET-08).
func (l *loader) lintMixed(b balanced) {
	var first string
	for _, name := range slices.Compact(slices.Sorted(slices.Values(b.clusters))) {
		switch m := l.cfg.Clusters[name].Metric; {
		case m == nil:
		case first == "":
			first = name
		case m.Making() != l.cfg.Clusters[first].Metric.Making():
			at := b.path
			if !l.written(at) {
				at = parent(at)
			}
			l.warn(at, "W373", fmt.Sprintf("%s balances by metric over %s and %s, whose metrics are made in different ways: they cannot be compared", parent(b.path), join("clusters", first), join("clusters", name)))
			return
		}
	}
}

// lintRandom looks for capacities that chance does not go by (M-ALG-08).
func (l *loader) lintRandom(b balanced) {
	least, most := Origin{}, Origin{}
	for _, name := range b.clusters {
		for _, o := range l.cfg.Clusters[name].Origins {
			if o.Capacity.Learned() {
				continue // it becomes what the origin can take of what it gets
			}
			if least.Capacity.Most == 0 || o.Capacity.Most < least.Capacity.Most {
				least = o
			}
			if o.Capacity.Most > most.Capacity.Most {
				most = o
			}
		}
	}
	if least.Capacity.Most < most.Capacity.Most {
		l.warn(b.path, "W371", fmt.Sprintf("%s is %s, which gives each origin as much: %s has a capacity of %v, %s of %v",
			b.path, b.name, least.Name, least.Capacity, most.Name, most.Capacity))
	}
}
