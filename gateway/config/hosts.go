package config

// Host is a machine that origins run on.
type Host struct {
	Zone string `yaml:"zone" check:"name"` // for node.zone in rules; default: none
}

// lintMachines looks for machines that nothing runs on.
func (l *loader) lintMachines() {
	used := map[string]bool{l.cfg.Node.Host: true}
	for _, c := range l.cfg.Clusters {
		for _, o := range c.Origins {
			used[o.Host] = true
		}
	}
	l.unused("hosts", "W346", sortedKeys(l.cfg.Hosts), used, "no origin of a cluster is on it, and it is not node.host")
}
