package config

// Host is a machine that origins run on.
type Host struct {
	Weight int    `yaml:"weight" default:"1" range:"1..1000"` // its part of the requests, where a balancer goes by hosts (weighted-round-robin, weighted-random); default 1
	Zone   string `yaml:"zone" check:"name"`                  // for node.zone in rules; default: none
}

// HostWeight is the weight of a host; 1 for one of which nothing is said.
func (c *Config) HostWeight(name string) int {
	if h, said := c.Hosts[name]; said {
		return h.Weight
	}
	return 1
}

// lintMachines looks for machines that nothing runs on.
func (l *loader) lintMachines() {
	used := map[string]bool{l.cfg.Node.Host: true}
	for _, c := range l.cfg.Clusters {
		if c.Discover != nil {
			return // what is found may be on any of them
		}
		for _, o := range c.Origins {
			used[o.Host] = true
		}
	}
	l.unused("hosts", "W346", sortedKeys(l.cfg.Hosts), used, "no origin of a cluster is on it, and it is not node.host")
}
