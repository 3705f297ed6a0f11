package config

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// checkMappings looks at what mappings name.
func (l *loader) checkMappings() {
	if len(l.cfg.Mappings) == 0 && len(l.cfg.Sites) > 0 && !l.bad["mappings"] && !l.bad["sites"] {
		l.fail("sites", "E208", "there are sites and no mappings: nothing says which cluster answers for them",
			"mappings: [{ site: "+sortedKeys(l.cfg.Sites)[0]+", cluster: … }]")
	}
	sites := slices.Collect(maps.Keys(l.cfg.Sites))
	for i, m := range l.cfg.Mappings {
		path := index("mappings", i)
		if m.Site == "" && len(sites) > 0 && !l.bad[path+".site"] && !l.bad[path] {
			l.fail(path+".site", "E106", path+" has no site", "")
		}
		l.refer(path+".site", path, "site", m.Site, sites)
		l.checkMappedClusters(m, path)
	}
}

// checkMappedClusters looks at the clusters of one mapping.
func (l *loader) checkMappedClusters(m Mapping, path string) {
	if l.written(path+".applications") && (l.written(path+".cluster") || l.written(path+".clusters")) {
		l.fail(path+".applications", "E207", path+" has applications and clusters of its own", "applications say which clusters serve them: take one of the two away")
		return
	}
	if l.written(path+".cluster") && l.written(path+".clusters") {
		l.fail(path+".clusters", "E207", path+" has cluster and clusters", "write all of them into clusters, the one that leads first")
		return
	}
	first := map[string]string{}
	for _, n := range l.mappedClusters(m, path) {
		l.refer(n.path, path, "cluster", n.name, l.clusterNames())
		if prior, again := first[n.name]; again && !l.bad[n.path] {
			l.fail(n.path, "E211", fmt.Sprintf("%s names the cluster %s twice, first as %s", path, l.shown(n.path, n.name), prior), "")
		}
		first[n.name] = n.path
	}
}

// mappedCluster is a cluster that a mapping names, and where.
type mappedCluster struct{ name, path string }

// mappedClusters are the clusters of a mapping, in the order in which they are tried.
func (l *loader) mappedClusters(m Mapping, path string) (named []mappedCluster) {
	for i, name := range m.Clusters {
		named = append(named, mappedCluster{name, l.clusterPath(path, i)})
	}
	for i, name := range m.Failover {
		named = append(named, mappedCluster{name, index(path+".failover", i)})
	}
	return named
}

// clusterPath is where the cluster with an index stands in a mapping.
func (l *loader) clusterPath(mapping string, i int) string {
	if l.written(mapping + ".cluster") {
		return mapping + ".cluster"
	}
	return index(mapping+".clusters", i)
}

// ledSettings are what the first of several clusters decides for all of them.
var ledSettings = []struct {
	key  string
	same func(lead, c Cluster) bool
}{
	{"balancer", func(lead, c Cluster) bool { return lead.Balancer == c.Balancer }},
	{"locality", func(lead, c Cluster) bool { return lead.Locality == c.Locality }},
	{"slow_start", func(lead, c Cluster) bool { return lead.SlowStart == c.SlowStart }},
	{"panic_threshold", func(lead, c Cluster) bool { return lead.PanicThreshold == c.PanicThreshold }},
	{"queue", func(lead, c Cluster) bool { return lead.Queue == c.Queue }},
	{"retry", func(lead, c Cluster) bool { return lead.Retry.same(c.Retry) }},
	{"session", func(lead, c Cluster) bool { return lead.Session == c.Session }},
	{"router", func(lead, c Cluster) bool { return lead.Router == c.Router }},
	{"on_exhausted", func(lead, c Cluster) bool { return lead.OnExhausted == c.OnExhausted }},
}

// lintMapping looks for settings of clusters that the first one of a mapping
// decides, in a file without mistakes.
func (l *loader) lintMapping(m Mapping, path string) {
	if len(m.Clusters) == 0 {
		return // its applications say which
	}
	lead := m.Clusters[0]
	for i, name := range m.Clusters[1:] {
		idle := l.idleSettings(m, name)
		if at := l.clusterPath(path, i+1); len(idle) > 0 {
			l.warn(at, "W334", fmt.Sprintf("%s is %s, and %s, which is first, decides here: what %s says of %s has no effect",
				at, l.shown(at, name), l.shown(l.clusterPath(path, 0), lead), l.shown(at, name), strings.Join(idle, ", ")))
		}
	}
}

// idleSettings are those of a cluster that differ from the lead's, and are
// decided by neither the mapping nor its site.
func (l *loader) idleSettings(m Mapping, name string) (idle []string) {
	lead, c := l.cfg.Clusters[m.Clusters[0]], l.cfg.Clusters[name]
	overridden := map[string]bool{"balancer": m.Balancer != "", "session": l.cfg.Sites[m.Site].Session != ""}
	for _, s := range ledSettings {
		if l.written(join("clusters", name)+"."+s.key) && !overridden[s.key] && !s.same(lead, c) {
			idle = append(idle, s.key)
		}
	}
	return idle
}

// leads are the clusters that may lead a mapping's first group. A rule may send
// what it permits to others.
func (l *loader) leads(m Mapping) (leads []string) {
	if len(m.Clusters) > 0 {
		return m.Clusters[:1]
	}
	for _, name := range m.Applications {
		leads = append(leads, l.cfg.Applications[name].Clusters...)
	}
	return leads
}

// lintOverflows looks for queues that overflow to clusters that no mapping names.
func (l *loader) lintOverflows() {
	failsOver := map[string]bool{}
	for _, m := range l.cfg.Mappings {
		for _, lead := range l.leads(m) {
			failsOver[lead] = failsOver[lead] || len(m.Failover) > 0
		}
	}
	for _, name := range l.clusterNames() {
		path := join("clusters", name) + ".queue.overflow"
		if l.cfg.Clusters[name].Queue.Overflow == "failover" && !failsOver[name] {
			l.warn(path, "W335", path+" has no effect: no mapping that begins with this cluster has failover")
		}
	}
}
