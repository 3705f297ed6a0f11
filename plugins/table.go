package plugins

import (
	"weirkeep/abi"
)

// table is a cluster table of an attachment, with what is looked up in it.
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

// find is the position of a name. No table has none.
func (t *table) find(name []byte) (position uint16, known bool) {
	if t == nil {
		return 0, false
	}
	position, known = t.names[string(name)]
	return position, known
}

// bytes is how many bytes the table has.
func (t *table) bytes() int {
	if t == nil {
		return 0
	}
	return t.size
}

// tables are the table that is current, and the one before: requests that began with
// that one go on with its positions.
type tables struct{ now, before *table }

// SetTable gives the attachment another cluster table. Instances get it before they
// are called again; those whose buffer is too small for it are replaced. One of the
// same generation is the same table. It is not to be called by several goroutines at
// once.
func (a *Attachment) SetTable(t *abi.ClusterTable) {
	old := a.tables.Load()
	switch {
	case old == nil:
		a.tables.Store(&tables{now: newTable(t)})
	case old.now.t.Generation != t.Generation:
		a.tables.Store(&tables{now: newTable(t), before: old.now})
	}
}

// current is the table that instances get; nil: there is none.
func (a *Attachment) current() *table {
	if t := a.tables.Load(); t != nil {
		return t.now
	}
	return nil
}

// tableOf is the table of a generation, if it is still known; else the current one.
func (a *Attachment) tableOf(generation uint32) *table {
	t := a.tables.Load()
	switch {
	case t == nil:
		return nil
	case t.before != nil && t.before.t.Generation == generation && t.now.t.Generation != generation:
		return t.before
	}
	return t.now
}
