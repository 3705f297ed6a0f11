package config

import "strings"

// clusterKey is the key of a cluster, by either of its names: in this node's
// cell its own name is enough.
func (l *loader) clusterKey(name string) string {
	if _, ok := l.cfg.Clusters[name]; ok {
		return name
	}
	home := l.cfg.Node.Cell + "/"
	other := home + name
	if bare, ok := strings.CutPrefix(name, home); ok {
		other = bare
	}
	if _, ok := l.cfg.Clusters[other]; ok {
		return other
	}
	return name
}

// CellOf is the cell of a cluster, and its name in that cell.
func (c *Config) CellOf(cluster string) (cell, name string) {
	if cell, name, ok := strings.Cut(cluster, "/"); ok {
		return cell, name
	}
	return c.Node.Cell, cluster
}

// grammarCluster is a name, or a cell's and a name.
func grammarCluster(s string) string {
	cell, name, found := strings.Cut(s, "/")
	if !found {
		return grammarName(s)
	}
	if grammarName(cell) != "" || grammarName(name) != "" {
		return "must be a name, or cell/name, of letters, digits, dots, dashes and underscores, at most 64 each"
	}
	return ""
}
