package route

import (
	"fmt"
	"slices"
	"strings"
)

// A Group is the set of origins that is balanced over at once: those of one
// cluster, or of several. Groups are made by New, once for the same origins
// in the same order; which of them live is found out when one is picked.
type Group struct {
	Members  []Member // no origin twice; the first one's cluster leads
	Balancer string   // the mapping's; empty: that of the lead cluster
	Testers  bool     // a rule lets its requests into origins in maintenance
}

// A Member is an origin of a cluster, by its indexes in Options.
type Member struct {
	Cluster, Origin int
}

// Groups are all groups that decisions name.
func (t *Table) Groups() []Group { return t.groups }

// Orders are all orders in which decisions have groups tried, as indexes into
// Groups.
func (t *Table) Orders() [][]int { return t.orders }

// interned finds what New has made already.
type interned struct {
	groups, orders, variants map[string]int
}

// intern returns the index of the thing with a key in a list to which make adds
// it if it is new.
func intern[T any](known *map[string]int, list *[]T, key string, thing T) int {
	if i, ok := (*known)[key]; ok {
		return i
	}
	if *known == nil {
		*known = make(map[string]int)
	}
	*list = append(*list, thing)
	(*known)[key] = len(*list) - 1
	return len(*list) - 1
}

// group returns the index of the group with some members.
func (t *Table) group(g Group) int {
	return intern(&t.interned.groups, &t.groups, fmt.Sprint(g), g)
}

// order returns the index of the order that tries some groups, leaving out those
// without members; -1: all have none.
func (t *Table) order(groups []Group) int {
	var order []int
	for _, g := range groups {
		if len(g.Members) > 0 {
			order = append(order, t.group(g))
		}
	}
	if order == nil {
		return -1
	}
	return intern(&t.interned.orders, &t.orders, fmt.Sprint(order), order)
}

func (t *Table) origin(m Member) *Origin { return &t.clusters[m.Cluster].Origins[m.Origin] }

// nameOrigins finds out by which names, ids and identities origins are known.
func (t *Table) nameOrigins() {
	t.byName, t.byID = make(map[string]int), make(map[string]int)
	shared := make(map[string]int) // identity by plain name; -1: several have it
	t.eachOrigin(func(_ Member, o *Origin) {
		if known, ok := shared[o.Name]; ok && known != o.Identity {
			shared[o.Name] = -1
			return
		}
		shared[o.Name] = o.Identity
	})
	t.names = make([][]string, len(t.clusters))
	t.eachOrigin(func(m Member, o *Origin) {
		name := o.Name
		if shared[name] < 0 {
			name = o.Path()
		}
		t.names[m.Cluster] = append(t.names[m.Cluster], name)
		t.byName[name] = o.Identity
		t.identities = max(t.identities, o.Identity+1)
		for _, id := range o.IDs {
			t.byID[id] = o.Identity
		}
	})
}

func (t *Table) eachOrigin(do func(m Member, o *Origin)) {
	for c := range t.clusters {
		for i := range t.clusters[c].Origins {
			do(Member{c, i}, &t.clusters[c].Origins[i])
		}
	}
}

// BindName is the name by which sessions are bound to an origin: its own, or
// "cell/cluster/origin" where another address has the same.
func (t *Table) BindName(m Member) string { return t.names[m.Cluster][m.Origin] }

// Path is the origin's name in full: "cell/cluster/origin".
func (o *Origin) Path() string { return strings.Join([]string{o.Cell, o.Cluster, o.Name}, "/") }

// expand returns the origins of some clusters, each once.
func (t *Table) expand(clusters ...int) (members []Member) {
	for _, c := range clusters {
		for i := range t.clusters[c].Origins {
			members = t.with(members, Member{c, i})
		}
	}
	return members
}

// with adds a member unless its origin is among them.
func (t *Table) with(members []Member, m Member) []Member {
	id := t.origin(m).Identity
	if slices.ContainsFunc(members, func(o Member) bool { return t.origin(o).Identity == id }) {
		return members
	}
	return append(members, m)
}
