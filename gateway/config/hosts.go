package config

// Host is a machine that origins run on.
type Host struct {
	Weight int    `yaml:"weight" default:"1" range:"1..100"` // of all its origins together, for balancers that go by weights; default 1, as of hosts that are not written
	Zone   string `yaml:"zone" check:"name"`                 // for node.zone in rules; default: none
}

// lintMachines looks for machines that nothing runs on, and for weights that nothing
// goes by: the balancers that there are do not.
func (l *loader) lintMachines() {
	used := map[string]bool{l.cfg.Node.Host: true}
	for _, c := range l.cfg.Clusters {
		for _, o := range c.Origins {
			used[o.Host] = true
		}
	}
	l.unused("hosts", "W346", sortedKeys(l.cfg.Hosts), used, "no origin of a cluster is on it, and it is not node.host")
	for _, name := range sortedKeys(l.cfg.Hosts) {
		if path := join("hosts", name) + ".weight"; l.written(path) && used[name] {
			l.warn(path, "W345", path+" has no effect: no balancer goes by weights")
		}
	}
}
