package route

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

// outside looks for a mapping of the site where the permit of rule i leaves nothing.
func (t *Table) outside(site, i int) (mapping int, outside bool) {
	if m := t.taking(site, i); m >= 0 {
		return m, true
	}
	some := false
	for m := range t.mappings {
		if t.mappings[m].site != site {
			continue
		}
		some = true
		for _, set := range t.mappings[m].sets {
			if t.sets[set].narrowed[t.rules[i].permit].order >= 0 {
				return -1, false
			}
		}
	}
	return -1, some
}

// taking is the mapping that takes the path which rule i requires, if its permit
// leaves nothing of the best set there; else -1.
func (t *Table) taking(site, i int) int {
	when := t.rules[i].When
	if when == nil || when.Requires().Path == "" {
		return -1
	}
	r := Request{Path: []byte(when.Requires().Path)}
	if hosts := when.Requires().Hosts; len(hosts) > 0 {
		r.Host = []byte(hosts[0])
	}
	for m := range t.mappings {
		c := &t.mappings[m]
		if c.site != site {
			continue
		}
		if why, app := t.fit(m, &r, nil); why == Fits {
			if t.sets[c.setFor(app)].narrowed[t.rules[i].permit].order < 0 {
				return m
			}
			return -1
		}
	}
	return -1
}
