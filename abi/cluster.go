package abi

import (
	"errors"
	"strings"
)

// ErrLabelOrder means that the labels of a cluster entry are not sorted by the
// bytes of their keys, or that a key is there twice. Nothing was written.
var ErrLabelOrder = errors.New("labels must be sorted by key")

// ClusterTable is what gw_on_cluster is told: the origins of an attachment. The
// positions in it are those that views name origins by.
type ClusterTable struct {
	Generation uint32 // from 1, one more whenever anything of it has changed
	Cluster    string
	Cell       string
	Entries    []ClusterEntry
}

// ClusterEntry is one origin. An empty string is absent.
type ClusterEntry struct {
	Name, Address string // address is scheme://host:port
	Host, Zone    string
	Cell          string
	Edition       string // edition label
	Cluster       string
	Labels        []Label // sorted by the bytes of their keys
	Weight        uint32
	HostWeight    uint32
	Capacity      uint32
	Flags         uint32 // FlagOnThisHost
}

// Label is a key and a value that configuration gave an origin.
type Label struct{ Key, Value string }

// Size returns how many bytes the table has.
func (t *ClusterTable) Size() int {
	size := clusterHead + len(t.Cluster) + len(t.Cell)
	for i := range t.Entries {
		e := &t.Entries[i]
		size += memberEntry + labelEntry*len(e.Labels) + len(e.Name) + len(e.Address) + len(e.Host) +
			len(e.Zone) + len(e.Cell) + len(e.Edition) + len(e.Cluster)
		for _, l := range e.Labels {
			size += len(l.Key) + len(l.Value)
		}
	}
	return size
}

// Put writes the table to the start of b and returns how many bytes it has. It
// writes to no other byte; when it returns ErrTooLarge or ErrLabelOrder it has
// written nothing.
func (t *ClusterTable) Put(b []byte) (size int, err error) {
	for i := range t.Entries {
		if !sorted(t.Entries[i].Labels) {
			return 0, ErrLabelOrder
		}
	}
	size = t.Size()
	labels := clusterHead + memberEntry*len(t.Entries)
	w, err := room(b, size, size, labels)
	if err != nil {
		return 0, err
	}
	w.at = labels
	for i := range t.Entries {
		w.at += labelEntry * len(t.Entries[i].Labels)
	}
	t.putHead(&w)
	for i := range t.Entries {
		t.Entries[i].put(&w, clusterHead+memberEntry*i, labels)
		labels += labelEntry * len(t.Entries[i].Labels)
	}
	return size, nil
}

func (t *ClusterTable) putHead(w *writer) {
	le.PutUint32(w.b[clusterGeneration:], t.Generation)
	le.PutUint32(w.b[clusterCount:], uint32(len(t.Entries)))
	le.PutUint32(w.b[clusterEntriesOff:], clusterHead)
	le.PutUint32(w.b[clusterEntrySize:], memberEntry)
	w.named(clusterCluster, t.Cluster)
	w.named(clusterCell, t.Cell)
}

// put writes the entry at the given place, and its labels' entries at theirs.
func (e *ClusterEntry) put(w *writer, at, labels int) {
	w.table(at+memberLabels, len(e.Labels), labels)
	le.PutUint32(w.b[at+memberWeight:], e.Weight)
	le.PutUint32(w.b[at+memberHostWeight:], e.HostWeight)
	le.PutUint32(w.b[at+memberCapacity:], e.Capacity)
	le.PutUint32(w.b[at+memberFlags:], e.Flags)
	w.named(at+memberName, e.Name)
	w.named(at+memberAddress, e.Address)
	w.named(at+memberHost, e.Host)
	w.named(at+memberZone, e.Zone)
	w.named(at+memberCell, e.Cell)
	w.named(at+memberEdition, e.Edition)
	w.named(at+memberCluster, e.Cluster)
	for i, l := range e.Labels {
		w.text(labels+labelEntry*i+labelKey, l.Key)
		w.text(labels+labelEntry*i+labelValue, l.Value)
	}
}

// sorted reports whether each key is above the one before it.
func sorted(labels []Label) bool {
	for i := 1; i < len(labels); i++ {
		if strings.Compare(labels[i-1].Key, labels[i].Key) >= 0 {
			return false
		}
	}
	return true
}

// DecodeClusterTable reads a cluster table; b is the table alone.
func DecodeClusterTable(b []byte) (*ClusterTable, error) {
	r, err := newReader("cluster table", b, clusterHead)
	if err != nil {
		return nil, err
	}
	t := &ClusterTable{
		Generation: r.u32(clusterGeneration),
		Cluster:    string(r.bytes(clusterCluster)),
		Cell:       string(r.bytes(clusterCell)),
		Entries:    r.members(),
	}
	if r.err != nil {
		return nil, r.err
	}
	return t, nil
}

// members reads the entries, of which a later minor may have larger ones.
func (r *reader) members() []ClusterEntry {
	count, off, entry := uint64(r.u32(clusterCount)), uint64(r.u32(clusterEntriesOff)), uint64(r.u32(clusterEntrySize))
	if count == 0 {
		return nil
	}
	if entry < memberEntry || entry > uint64(len(r.b)) || off < clusterHead || off+count*entry > uint64(len(r.b)) {
		r.fail(clusterCount, uint32(off), count*entry)
		return nil
	}
	entries := make([]ClusterEntry, count)
	for i := range entries {
		entries[i] = r.member(int(off + entry*uint64(i)))
	}
	return entries
}

func (r *reader) member(at int) ClusterEntry {
	return ClusterEntry{
		Name: string(r.bytes(at + memberName)), Address: string(r.bytes(at + memberAddress)),
		Host: string(r.bytes(at + memberHost)), Zone: string(r.bytes(at + memberZone)),
		Cell: string(r.bytes(at + memberCell)), Edition: string(r.bytes(at + memberEdition)),
		Cluster: string(r.bytes(at + memberCluster)), Labels: r.labels(at + memberLabels),
		Weight: r.u32(at + memberWeight), HostWeight: r.u32(at + memberHostWeight),
		Capacity: r.u32(at + memberCapacity), Flags: r.u32(at + memberFlags),
	}
}

func (r *reader) labels(at int) []Label {
	n, off := r.table(at, labelEntry)
	if n == 0 {
		return nil
	}
	labels := make([]Label, n)
	for i := range labels {
		e := off + labelEntry*i
		labels[i] = Label{Key: string(r.bytes(e + labelKey)), Value: string(r.bytes(e + labelValue))}
	}
	return labels
}
