package route

import "slices"

// A Shadow is a mapping that no request can reach, because an earlier one takes
// all that fit it.
type Shadow struct {
	Mapping int // index into Options.Mappings
	By      int // the first mapping that takes them all, earlier in order
}

// Unreachable returns the mappings that surely are never reached, in order. One
// whose requests are taken by several earlier mappings together is not found.
func (t *Table) Unreachable() []Shadow {
	var shadows []Shadow
	for m := range t.mappings {
		if by := t.shadowOf(m); by >= 0 {
			shadows = append(shadows, Shadow{Mapping: m, By: by})
		}
	}
	return shadows
}

func (t *Table) shadowOf(m int) int {
	for by := range m {
		if t.mappings[by].servesAll(&t.mappings[m]) && t.takesAll(&t.mappings[by], &t.mappings[m]) {
			return by
		}
	}
	return -1
}

// servesAll reports whether by has an application for each request that fits m. A
// mapping that names applications leaves the rest to those after it.
func (by *mapping) servesAll(m *mapping) bool {
	if by.apps == nil {
		return true
	}
	missing := func(app int) bool { return !slices.Contains(by.apps, app) }
	return m.apps != nil && !slices.ContainsFunc(m.apps, missing)
}

// takesAll reports whether by, standing before m, surely leaves nothing to it.
// To the default site come requests that no other site sees, and its path
// prefix does not always count.
func (t *Table) takesAll(by, m *mapping) bool {
	switch {
	case by.site == m.site && by.prefix.covers(&m.prefix):
		return true
	case m.site == t.defaultSite, !by.prefix.covers(t.narrowed(m)):
		return false
	case by.site == m.site:
		return true
	}
	return t.sites[by.site].path.covers(t.narrowed(m)) && t.hostsCovered(by.site, m.site)
}

// narrowed returns the narrower of the mapping's prefix and its site's: what
// fits both.
func (t *Table) narrowed(m *mapping) *prefix {
	if path := &t.sites[m.site].path; m.prefix.covers(path) {
		return path
	}
	return &m.prefix
}

// hostsCovered reports whether each host and port of a site is one of by's.
func (t *Table) hostsCovered(by, site int) bool {
	for i := range t.sites[site].hosts {
		if !t.hostCovered(by, &t.sites[site].hosts[i]) {
			return false
		}
	}
	return true
}

func (t *Table) hostCovered(by int, h *hostPattern) bool {
	for i := range t.sites[by].hosts {
		if t.sites[by].hosts[i].covers(h) {
			return true
		}
	}
	return false
}
