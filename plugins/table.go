package plugins

import (
	"weirkeep/abi"
)

// table is the cluster table of an attachment, with what is looked up in it.
type table struct {
	t     *abi.ClusterTable
	size  int
	names map[string]uint16 // position by name, and by cell/cluster/name
}

func newTable(t *abi.ClusterTable) *table {
	n := &table{t: t, size: t.Size(), names: make(map[string]uint16, 2*len(t.Entries))}
	for i := range t.Entries {
		e := &t.Entries[i]
		for _, name := range [...]string{e.Name, e.Cell + "/" + e.Cluster + "/" + e.Name} {
			if _, taken := n.names[name]; !taken {
				n.names[name] = uint16(i)
			}
		}
	}
	return n
}

func (t *table) put(b []byte) (int, error) { return t.t.Put(b) }

// tableSize is how many bytes the table has that instances get.
func (a *Attachment) tableSize() int {
	if t := a.table.Load(); t != nil {
		return t.size
	}
	return 0
}

// SetTable gives the attachment another cluster table. Instances get it before they
// are called again; those whose buffer is too small for it are replaced.
// One of the same generation is the same table.
func (a *Attachment) SetTable(t *abi.ClusterTable) {
	if now := a.table.Load(); now == nil || now.t.Generation != t.Generation {
		a.table.Store(newTable(t))
	}
}
