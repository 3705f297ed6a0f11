package config

import "strings"

// Application is what is deployed below a context root. What fits a request best
// decides which clusters may serve it, its best set.
type Application struct {
	Hosts       []string `yaml:"hosts" check:"host"`                            // host or host:port, as of a site; default: any
	ContextRoot string   `yaml:"context_root" default:"/" check:"path-prefix"`  // path that it begins at, default /
	Patterns    []string `yaml:"patterns" default:"/*" check:"servlet-pattern"` // below it: "/exact", "/path/*", "*.ext", or "/" for what no other fits; default ["/*"]
	Clusters    []string `yaml:"clusters" required:"true"`                      // that it is deployed on; at least one
}

// checkApplications looks at what applications name, and who names them.
func (l *loader) checkApplications() {
	for _, name := range sortedKeys(l.cfg.Applications) {
		a, path := l.cfg.Applications[name], join("applications", name)
		for i := range a.Hosts {
			a.Hosts[i] = strings.ToLower(a.Hosts[i])
		}
		for i := range a.Clusters {
			a.Clusters[i] = l.clusterKey(a.Clusters[i])
			l.refer(index(path+".clusters", i), path, "cluster", a.Clusters[i], l.clusterNames())
		}
	}
	for i, m := range l.cfg.Mappings {
		path := index("mappings", i)
		for j, name := range m.Applications {
			l.refer(index(path+".applications", j), path, "application", name, sortedKeys(l.cfg.Applications))
		}
	}
	for _, name := range l.clusterNames() {
		if both := l.cfg.Node.Cell + "/" + name; l.clusterKey(both) == both && !strings.Contains(name, "/") {
			l.twice(join("clusters", name), join("clusters", both), "the cluster "+both)
		}
	}
}

// grammarServletPattern refuses what no path below a context root can fit.
func grammarServletPattern(s string) string {
	extension, isExtension := strings.CutPrefix(s, "*.")
	path := strings.TrimSuffix(s, "/*")
	switch {
	case isExtension && extension != "" && !strings.ContainsAny(extension, "*/"):
		return ""
	case strings.HasPrefix(s, "/") && !strings.Contains(path, "*"):
		return ""
	}
	return `must be "/path", "/path/*", "*.ext", or "/" for what no other pattern fits`
}
