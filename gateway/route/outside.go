package route

import (
	"slices"
	"strings"

	"weirkeep/rules"
)

// An Outside is a rule whose permit leaves nothing of a best set, so that what it
// matches there is refused (M-BEST-04).
type Outside struct {
	Rule    int // index into Options.Rules
	Mapping int // index into Options.Mappings: what it takes for the rule's path; -1: the permit leaves nothing of any best set
}

// OutsideBestSet returns the permits that surely cannot work: those that leave
// nothing of any best set of their site, and those that require a path and leave
// nothing of the best set that serves it.
func (t *Table) OutsideBestSet() (all []Outside) {
	for site, j := range t.judges {
		for _, i := range j.rules {
			if t.rules[i].permit < 0 {
				continue
			}
			if m, outside := t.outside(site, i); outside {
				all = appendOutside(all, Outside{i, m})
			}
		}
	}
	return all
}

// appendOutside adds what is found of a rule unless something is known of it.
func appendOutside(all []Outside, o Outside) []Outside {
	for i := range all {
		if all[i].Rule == o.Rule {
			return all
		}
	}
	return append(all, o)
}

// outside looks for a mapping of the site where the permit of rule i leaves nothing,
// unless the rule is for other hosts only.
func (t *Table) outside(site, i int) (mapping int, outside bool) {
	if hosts := t.rules[i].requires().Hosts; hosts != nil && !t.sites[site].hasOne(hosts) {
		return -1, false
	}
	if m := t.taking(site, i); m >= 0 {
		return m, true
	}
	some := false
	for m := range t.mappings {
		if t.mappings[m].site != site {
			continue
		}
		some = true
		if !t.leavesNothing(i, t.mappings[m].sets...) {
			return -1, false
		}
	}
	return -1, some
}

// hasOne reports whether one of some names is a host of the site, at whatever port.
func (s *site) hasOne(names []string) bool {
	return slices.ContainsFunc(s.hosts, func(h hostPattern) bool {
		return slices.ContainsFunc(names, func(name string) bool { return h.fitsHost([]byte(name)) })
	})
}

// taking is the mapping that takes the path which rule i requires, if its permit
// leaves nothing of the best set there; else -1. It is not sure if a mapping before
// that one takes some of the rule's requests, and the permit leaves something there.
func (t *Table) taking(site, i int) int {
	q := t.rules[i].requires()
	if q.Path == "" {
		return -1
	}
	r := Request{Path: []byte(q.Path)}
	if len(q.Hosts) > 0 {
		r.Host = []byte(q.Hosts[0])
	}
	for m := range t.mappings {
		c := &t.mappings[m]
		if c.site != site {
			continue
		}
		why, app := t.fit(m, &r, nil)
		switch {
		case why == Fits && t.leavesNothing(i, c.setFor(app)):
			return m
		case why == Fits, c.takesSome(q, why) && !t.leavesNothing(i, c.sets...):
			return -1
		}
	}
	return -1
}

// takesSome reports whether a mapping may take requests with the path that is
// required, though it does not fit one for that path alone.
func (m *mapping) takesSome(q rules.Requires, why Why) bool {
	return why == OtherQuery || why == OtherApplication || !q.PathIs && strings.HasPrefix(m.prefix.path, q.Path)
}

// leavesNothing reports whether the permit of rule i leaves nothing of best sets.
func (t *Table) leavesNothing(i int, sets ...int) bool {
	for _, set := range sets {
		if t.sets[set].narrowed[t.rules[i].permit].order >= 0 {
			return false
		}
	}
	return true
}
