package route

import "slices"

// A bestSet is the origins that may serve what a mapping takes, or what one of
// its applications does (M-BEST-01), and what each permit leaves of them. Only
// origins of active editions are in its order; the others are for permits that
// name an edition, and for sessions that are at home there (M-EDN-01).
type bestSet struct {
	members  []Member
	order    int
	bound    int // order of a session whose origin's edition is not active: that comes last
	has      identitySet
	active   identitySet
	variants variants
	narrowed []narrowed // by permit
}

// narrowed is what a permit leaves of a best set.
type narrowed struct {
	order    int // -1: nothing
	has      identitySet
	variants variants
}

// identitySet is a set of origins.
type identitySet []uint64

func (s identitySet) contains(identity int) bool {
	return identity >= 0 && s[identity/64]&(1<<(identity%64)) != 0
}

func (t *Table) identitySet(groups ...Group) identitySet {
	s := make(identitySet, t.identities/64+1)
	for _, g := range groups {
		for _, m := range g.Members {
			id := t.origin(m).Identity
			s[id/64] |= 1 << (id % 64)
		}
	}
	return s
}

// addSets makes the best sets of all mappings.
func (t *Table) addSets(mappings []Mapping) {
	for i, m := range mappings {
		c := &t.mappings[i]
		if m.Applications == nil {
			c.sets = []int{t.addSet(m, m.Clusters, "")}
		}
		for _, app := range m.Applications {
			c.sets = append(c.sets, t.addSet(m, t.clustersOf[app], t.applications[app].name))
		}
	}
}

// addSet makes the best set of a mapping that serves an application from some
// clusters.
func (t *Table) addSet(m Mapping, clusters []int, app string) int {
	levels := []Group{{Members: t.expand(clusters...), Balancer: m.Balancer}}
	for _, c := range m.Failover {
		levels = append(levels, Group{Members: t.expand(c)})
	}
	s := bestSet{has: t.identitySet(levels...)}
	for _, l := range levels {
		for _, o := range l.Members {
			s.members = t.with(s.members, o)
		}
	}
	active := t.onlyActive(levels)
	s.order, s.active = t.order(active), t.identitySet(active...)
	s.bound = t.order(append(active, t.inactive(s.members)))
	s.variants = t.variantsOf(app, active, "", s.members)
	for _, p := range t.permits {
		s.narrowed = append(s.narrowed, t.narrow(&s, p, app, m.Balancer))
	}
	t.sets = append(t.sets, s)
	return len(t.sets) - 1
}

// onlyActive leaves out the origins whose edition is not active.
func (t *Table) onlyActive(levels []Group) []Group {
	active := make([]Group, len(levels))
	for i, l := range levels {
		active[i] = Group{Balancer: l.Balancer, Testers: l.Testers}
		for _, m := range l.Members {
			if t.isActive(m) {
				active[i].Members = append(active[i].Members, m)
			}
		}
	}
	return active
}

// inactive are the origins whose edition is not active.
func (t *Table) inactive(members []Member) (g Group) {
	for _, m := range members {
		if !t.isActive(m) {
			g.Members = append(g.Members, m)
		}
	}
	return g
}

// orderFor is the order for a request that goes to its session's origin, if it
// has one.
func (s *bestSet) orderFor(home int) int {
	if home >= 0 && !s.active.contains(home) {
		return s.bound
	}
	return s.order
}

// isActive reports whether the origin serves requests that no rule sends to an
// edition.
func (t *Table) isActive(m Member) bool {
	e := t.origin(m).Edition
	labels, managed := t.active[e.Application]
	return !managed || e.Application == "" || slices.Contains(labels, e.Label)
}

// narrow is what a permit leaves of a best set.
func (t *Table) narrow(s *bestSet, p permit, app, balancer string) narrowed {
	groups := make([]Group, 0, 1+len(p.failover))
	groups = append(groups, Group{Members: t.selected(s, p.to), Balancer: balancer, Testers: p.testers})
	for _, to := range p.failover {
		groups = append(groups, Group{Members: t.selected(s, to), Testers: p.testers})
	}
	shown := groups
	for len(shown) > 1 && len(shown[0].Members) == 0 {
		shown = shown[1:]
	}
	return narrowed{
		order:    t.order(groups),
		has:      t.identitySet(groups...),
		variants: t.variantsOf(app, shown, p.key, s.members),
	}
}

// selected are the members of the best set that one of the destinations selects,
// in the order of the destinations. An edition that is not active must be named.
func (t *Table) selected(s *bestSet, to []Destination) (members []Member) {
	for i := range to {
		for _, m := range s.members {
			if to[i].Selects(t.origin(m)) && (t.isActive(m) || to[i].namesEdition()) {
				members = t.with(members, m)
			}
		}
	}
	return members
}

// BestSet are all origins that may serve what a mapping takes, whatever the
// application and edition.
func (t *Table) BestSet(mapping int) (members []Member) {
	for _, set := range t.mappings[mapping].sets {
		for _, m := range t.sets[set].members {
			members = t.with(members, m)
		}
	}
	return members
}

// BestSetOf are the origins that may serve the request of a decision.
func (t *Table) BestSetOf(d *Decision) []Member { return t.sets[d.set].members }

// InBestSet reports whether an origin may serve the request of a decision.
func (t *Table) InBestSet(d *Decision, identity int) bool {
	return d.set >= 0 && t.sets[d.set].has.contains(identity)
}
