package route

// mapped decides which mapping takes the request.
func (t *Table) mapped(r *Request, tr *Trace) Decision {
	if len(r.Host) == 0 {
		return t.withoutHost(r, tr)
	}
	return t.byHost(r, tr)
}

// byHost decides in two passes. The sites that fit as they are written go
// first; only what none of them takes goes to the default site without its
// path prefix, if it is one of the default site's hosts.
func (t *Table) byHost(r *Request, tr *Trace) Decision {
	port, d := portOf(r), t.door(r.Host)
	if m, app := t.first(d, r, port, tr); m >= 0 {
		return t.matched(m, app, FromHost)
	}
	if !t.atDefault(d, r.Host, port) {
		return t.refused(t.siteOf(d, r, port), FromHost)
	}
	if m, app := t.firstOfDefault(r, tr); m >= 0 {
		return t.matched(m, app, FromHost)
	}
	return t.refused(t.siteOf(d, r, port), FromHost)
}

// withoutHost gives the request to the default site, whatever its port.
func (t *Table) withoutHost(r *Request, tr *Trace) Decision {
	if m, app := t.firstOfDefault(r, tr); m >= 0 {
		return t.matched(m, app, FromDefault)
	}
	return t.refused(t.defaultSite, FromDefault)
}

// matched is the decision for a mapping, of whose applications one fits; -1: it
// names none.
func (t *Table) matched(m, app int, from Source) Decision {
	c := &t.mappings[m]
	return Decision{
		Site: c.site, Mapping: m, Application: app, Strip: c.strip, Reason: Matched, Source: from, Session: c.session,
		Primary: -1, Secondary: -1, Home: -1, Rule: -1, Order: -1, Variant: -1, set: c.setFor(app),
	}
}

// refused is the decision when no mapping fits; site is -1 when no site does.
func (t *Table) refused(site int, from Source) Decision {
	d := Decision{
		Site: site, Mapping: -1, Application: -1, Reason: NoMapping, Source: from,
		Primary: -1, Secondary: -1, Home: -1, Rule: -1, Order: -1, Variant: -1, set: -1,
	}
	if site < 0 {
		d.Reason, d.Source = NoSite, FromNothing
	}
	return d
}

// portOf returns the port that the client asked for.
func portOf(r *Request) int {
	switch {
	case r.Port != 0:
		return r.Port
	case r.Scheme == "https":
		return 443
	}
	return 80
}

// door returns what the host can come to.
func (t *Table) door(host []byte) *door {
	if d := t.doors[string(host)]; d != nil {
		return d
	}
	return &t.elsewhere
}

// first returns the first mapping behind the door that fits, or -1, and its
// application. Mappings of one site often stand together, so what its hosts said
// is kept for the next.
func (t *Table) first(d *door, r *Request, port int, tr *Trace) (m, app int) {
	asked, said := -1, Fits
	for i := range d.mappings {
		c := &d.mappings[i]
		if c.site != asked {
			asked, said = c.site, t.siteFit(c, r, port)
		}
		why, app := said, -1
		if why == Fits {
			why, app = t.fit(c.mapping, r, tr)
		}
		if tr != nil {
			tr.note(t, c.mapping, why)
		}
		if why == Fits {
			return c.mapping, app
		}
	}
	tr.noteRest(t)
	return -1, -1
}

// fit says whether the mapping's prefix fits, and one of its applications, if it
// names any; that one is app.
func (t *Table) fit(m int, r *Request, tr *Trace) (why Why, app int) {
	c := &t.mappings[m]
	if why := c.prefix.fit(r); why != Fits || c.apps == nil {
		return why, -1
	}
	app, pattern := bestApplication(t.applications, c.apps, r)
	if tr != nil {
		tr.noteApplications(t, c.apps, r, app, pattern)
	}
	if app < 0 {
		return OtherApplication, -1
	}
	return Fits, app
}

// siteFit says whether the request is one of the candidate's site.
func (t *Table) siteFit(c *candidate, r *Request, port int) Why {
	if why := hostFit(c.hosts, r.Host, port); why != Fits {
		return why
	}
	if !t.sites[c.site].path.fitsPath(r.Path) {
		return OutsideSite
	}
	return Fits
}

// atDefault reports whether the default site has this host and port.
func (t *Table) atDefault(d *door, host []byte, port int) bool {
	for i := range d.sites {
		if c := &d.sites[i]; c.site == t.defaultSite {
			return hostFit(c.hosts, host, port) == Fits
		}
	}
	return false
}

// firstOfDefault returns the default site's first mapping that fits when the
// site's path prefix does not count, or -1.
func (t *Table) firstOfDefault(r *Request, tr *Trace) (m, app int) {
	for _, m := range t.ofDefault {
		why, app := t.fit(m, r, tr)
		if tr != nil {
			tr.add(t, m, why, true)
		}
		if why == Fits {
			return m, app
		}
	}
	return -1, -1
}

// siteOf returns the first site that has the host and port, one whose path
// prefix fits before one where it does not; -1 when there is none.
func (t *Table) siteOf(d *door, r *Request, port int) int {
	found := -1
	for i := range d.sites {
		c := &d.sites[i]
		switch why := t.siteFit(c, r, port); {
		case why == Fits:
			return c.site
		case why == OutsideSite && found < 0:
			found = c.site
		}
	}
	return found
}
