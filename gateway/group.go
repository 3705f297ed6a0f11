package gateway

import (
	"fmt"
	"strings"

	"weirkeep/gateway/admission"
	"weirkeep/gateway/balance"
	"weirkeep/gateway/origin"
)

// group is the set of origins that a decision balances over: those of one
// cluster, or of several. It is made when a snapshot is compiled, once
// for the same clusters and balancer.
type group struct {
	lead     *cluster // gives queue, retry and, unless the mapping says, balancer
	members  []*member
	slots    []*admission.Slots // of members, in order
	index    map[int]int        // of a member, by the origin's identity
	balancer balance.Balancer
	method   string       // name of the balancer
	uses     balance.Uses // what it goes by
	by       *balance.By  // what its key is; nil: it goes by none
	locality string       // any, prefer-local or collocated
	prefer   *admission.Preference
	testers  bool   // a rule lets its requests into origins in maintenance
	away     uint64 // members by index, those past 63 left out, where clients are sent
}

func (g *group) add(m *member) {
	g.index[m.identity] = len(g.members)
	if m.location != nil && len(g.members) < 64 {
		g.away |= 1 << len(g.members)
	}
	g.members = append(g.members, m)
	g.slots = append(g.slots, m.state.slots)
}

// names are the members in full, in order.
func (g *group) names() string {
	var b strings.Builder
	for _, m := range g.members {
		fmt.Fprintf(&b, "%s/%s,", m.cluster.name, m.name)
	}
	return b.String()
}

// facts are what the group's balancer goes by of what the configuration says of the
// members, and stands still.
func (g *group) facts() string {
	var b strings.Builder
	for _, m := range g.members {
		f := &m.balanced
		if g.uses.Has(balance.UsesHostWeight) {
			fmt.Fprintf(&b, "%s=%d,", f.Host, f.HostWeight)
		}
		if g.uses.Has(balance.UsesWeight) {
			fmt.Fprintf(&b, "%d,", f.Weight)
		}
		if g.uses&(balance.UsesKey|balance.UsesMetric|balance.UsesTimes) != 0 {
			fmt.Fprintf(&b, "%s,", f.Key) // whose Live it has, too
		}
	}
	return b.String()
}

// weight is what a balancer that goes by these things weighs the origin by now; nil:
// it goes by none.
func (m *member) weight(uses balance.Uses) *int {
	switch {
	case uses.Has(balance.UsesHostWeight):
		return new(m.balanced.HostWeight)
	case uses.Has(balance.UsesWeight):
		return new(m.balanced.Weight)
	case uses.Has(balance.UsesMetric):
		return new(m.balanced.Live.Metric())
	}
	return nil
}

// letsIn reports whether the operator lets who is new into an origin by way of the
// group, whatever its health.
func (g *group) letsIn(m *member) bool {
	a := m.state.state()
	return a == serving || a == maintenance && g.testers
}

// anyUp reports whether one of the origins is in service.
func (g *group) anyUp() bool {
	for _, m := range g.members {
		if m.state.origin.Health() == origin.Up && g.letsIn(m) {
			return true
		}
	}
	return false
}

// text names the members and how full they are, for people.
func (g *group) text() string {
	var b strings.Builder
	for i, m := range g.members {
		fmt.Fprintf(&b, ", %s (%d of %s)", m.name, g.slots[i].Load(), m.state.capacityText())
	}
	return strings.TrimPrefix(b.String(), ", ")
}

// standing names the members of groups and why none takes requests, for people.
func standing(groups []*group) string {
	var b strings.Builder
	for _, g := range groups {
		for _, m := range g.members {
			why := m.state.state().String()
			if g.letsIn(m) {
				why = m.state.origin.Health().String()
			}
			fmt.Fprintf(&b, ", %s is %s", m.name, why)
		}
	}
	return strings.TrimPrefix(b.String(), ", ")
}
