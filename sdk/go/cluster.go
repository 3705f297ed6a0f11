package gw1

// Cluster is the cluster table: the origins that a router or a collector is
// told of, in the order of their positions. It is good until the call ends.
type Cluster struct{ b blob }

// Generation returns the table's number: one more whenever anything of it has
// changed.
func (c Cluster) Generation() uint32 { return c.b.u32(ClusterGeneration) }

// Name returns the name of the cluster.
func (c Cluster) Name() []byte { return c.b.bytes(ClusterCluster) }

// Cell returns the cluster's cell.
func (c Cluster) Cell() []byte { return c.b.bytes(ClusterCell) }

// entries returns the entries; a later host may have longer ones.
func (c Cluster) entries() table {
	entry := max(uint64(c.b.u32(ClusterEntrySize)), MemberEntry)
	return c.b.entries(uint64(c.b.u32(ClusterCount)), uint64(c.b.u32(ClusterEntriesOff)), entry)
}

// Len returns how many origins there are.
func (c Cluster) Len() int { return c.entries().n }

// At returns the origin at a position: one without a name if there is none.
func (c Cluster) At(position int) Member { return Member{c.b, c.entries().at(position)} }

// Find returns the position of the first origin of a name, -1 if there is none.
func (c Cluster) Find(name string) (position int) {
	for i := range c.Len() {
		if string(c.At(i).Name()) == name {
			return i
		}
	}
	return -1
}

// Member is an origin of the cluster table.
type Member struct {
	b  blob
	at uint64
}

// Name returns the origin's name.
func (m Member) Name() []byte { return m.b.bytes(m.at + MemberName) }

// Address returns scheme://host:port.
func (m Member) Address() []byte { return m.b.bytes(m.at + MemberAddress) }

// Host returns the machine that the origin runs on.
func (m Member) Host() []byte { return m.b.bytes(m.at + MemberHost) }

// Zone returns the origin's zone.
func (m Member) Zone() []byte { return m.b.bytes(m.at + MemberZone) }

// Cell returns the origin's cell.
func (m Member) Cell() []byte { return m.b.bytes(m.at + MemberCell) }

// Edition returns the origin's edition label.
func (m Member) Edition() []byte { return m.b.bytes(m.at + MemberEdition) }

// Cluster returns the name of the origin's cluster, which need not be the one
// that the plugin is attached to.
func (m Member) Cluster() []byte { return m.b.bytes(m.at + MemberCluster) }

// Weight returns the origin's weight.
func (m Member) Weight() int { return int(m.b.u32(m.at + MemberWeight)) }

// HostWeight returns the weight of the origin's host.
func (m Member) HostWeight() int { return int(m.b.u32(m.at + MemberHostWeight)) }

// Capacity returns how many exchanges the origin can take at a time.
func (m Member) Capacity() int { return int(m.b.u32(m.at + MemberCapacity)) }

// OnThisHost reports whether the origin runs on the gateway's own host.
func (m Member) OnThisHost() bool { return m.b.u32(m.at+MemberFlags)&FlagOnThisHost != 0 }

// Label returns the value of a label.
func (m Member) Label(key string) (value []byte, found bool) {
	labels := m.b.table(m.at+MemberLabels, LabelEntry)
	for i := range labels.n {
		if at := labels.at(i); string(m.b.bytes(at+LabelKey)) == key {
			return m.b.bytes(at + LabelValue), true
		}
	}
	return nil, false
}
