// Package route decides what happens to a request: which mapping takes it, and
// with the mapping which site, which group and which session.
//
// [Decide] is pure: the compiled [Table], the request, what is up now and the
// time go in, a [Decision] comes out. It reads nothing else, keeps nothing and
// does not allocate, so that live traffic, explain and tests can all call it.
// With a [Trace] it also writes down every mapping it looked at, and why that
// one did not fit; only then it allocates.
//
// A mapping fits when one of its site's hosts, the port, the site's path prefix
// and the mapping's own prefix fit. The first in order that fits decides;
// nothing is ever reordered. [New] only sorts out beforehand which mappings a
// host can come to at all.
//
// A mapping may have a session definition. Then the decision also says which
// session the request is of, and, as the view knows it, at which origin that is
// at home: who has a home goes there, whatever balances the others.
//
// What is matched is the canonical host and path; the caller makes them. A
// request without host information goes to the default site or nowhere.
package route

import (
	"time"

	"weirkeep/gateway/session"
	"weirkeep/gateway/wire"
)

// A Request is what a decision is made from: views of the caller's bytes,
// read during Decide and not kept.
type Request struct {
	Method []byte
	Scheme string // "http" or "https": how the request arrived
	Host   []byte // canonical: lower case, no port, no brackets, no final dot; empty: no host information
	Port   int    // of the authority; 0: none written, the scheme's default counts
	Path   []byte // canonical: unreserved bytes not escaped, hex digits of other escapes in upper case
	Query  []byte // as received, without the "?"; nil: none

	Fields []wire.Field // of the header, for the session id
}

// port returns the port that the client asked for.
func (r *Request) port() int {
	switch {
	case r.Port != 0:
		return r.Port
	case r.Scheme == "https":
		return 443
	}
	return 80
}

// View is what a decision may ask about the present.
type View interface {
	// Bound is the name of the origin where the session with an id is at home;
	// empty: it is not bound.
	Bound(s *session.Definition, id []byte, now time.Time) string
}

// A Decision is what Decide says of a request.
type Decision struct {
	Site    int    // index into Options.Sites; -1: none
	Mapping int    // index into Options.Mappings; -1: none
	Group   int    // the mapping's Group; -1: none
	Strip   int    // how many bytes of the canonical path strip_prefix takes off; what is left is empty or begins with "/"
	Reason  Reason // what came out
	Source  Source // where the site's name came from

	Session *session.Definition // the mapping's; nil: none
	ID      []byte              // of the request's session, a view of its bytes; nil: it has none
	Carrier session.Carrier     // where the id stood
	Bound   string              // name of the origin where the session is at home; empty: it is not bound
}

// A Reason says what came out of a decision.
type Reason uint8

// The reasons of a decision. All but Matched are refusals.
const (
	NoSite    Reason = iota // no site has this host and port: 421
	NoMapping               // a site has, but none of its mappings fits: 404
	Matched                 // a mapping fits
)

// String returns the reason's code.
func (r Reason) String() string {
	return [...]string{"no_site", "no_mapping", "matched"}[r]
}

// A Source says what named the site.
type Source uint8

// The sources of a site's name. Whether the authority stood in the Host field
// or in the target, the caller knows.
const (
	FromNothing Source = iota // no site was found
	FromHost                  // the request's authority
	FromDefault               // the request had no host information: the default site
)

// String returns the source in words.
func (s Source) String() string {
	return [...]string{"nothing", "host", "default site"}[s]
}

// Decide says what happens to the request r. The view may be nil: nothing is
// bound then. So may the trace; what it held is overwritten.
func Decide(t *Table, r *Request, v View, now time.Time, tr *Trace) Decision {
	tr.reset()
	d := t.mapped(r, tr)
	if s := d.Session; s != nil {
		if d.ID, d.Carrier = s.Find(r.Fields, r.Path, r.Query); d.ID != nil && v != nil {
			d.Bound = v.Bound(s, d.ID, now)
		}
	}
	return d
}

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
	port, d := r.port(), t.door(r.Host)
	if m := t.first(d, r, port, tr); m >= 0 {
		return t.matched(m, FromHost)
	}
	if !t.atDefault(d, r.Host, port) {
		return t.refused(t.siteOf(d, r, port), FromHost)
	}
	if m := t.firstOfDefault(r, tr); m >= 0 {
		return t.matched(m, FromHost)
	}
	return t.refused(t.siteOf(d, r, port), FromHost)
}

// withoutHost gives the request to the default site, whatever its port.
func (t *Table) withoutHost(r *Request, tr *Trace) Decision {
	if m := t.firstOfDefault(r, tr); m >= 0 {
		return t.matched(m, FromDefault)
	}
	return t.refused(t.defaultSite, FromDefault)
}

func (t *Table) matched(m int, from Source) Decision {
	c := &t.mappings[m]
	return Decision{Site: c.site, Mapping: m, Group: c.group, Strip: c.strip, Reason: Matched, Source: from, Session: c.session}
}

// refused is the decision when no mapping fits; site is -1 when no site does.
func (t *Table) refused(site int, from Source) Decision {
	if site < 0 {
		return Decision{Site: -1, Mapping: -1, Group: -1, Reason: NoSite, Source: FromNothing}
	}
	return Decision{Site: site, Mapping: -1, Group: -1, Reason: NoMapping, Source: from}
}

// door returns what the host can come to.
func (t *Table) door(host []byte) *door {
	if d := t.doors[string(host)]; d != nil {
		return d
	}
	return &t.elsewhere
}

// first returns the first mapping behind the door that fits, or -1. Mappings of
// one site often stand together, so what its hosts said is kept for the next.
func (t *Table) first(d *door, r *Request, port int, tr *Trace) int {
	asked, said := -1, Fits
	for i := range d.mappings {
		c := &d.mappings[i]
		if c.site != asked {
			asked, said = c.site, t.siteFit(c, r, port)
		}
		why := said
		if why == Fits {
			why = t.mappings[c.mapping].prefix.fit(r)
		}
		if tr != nil {
			tr.note(t, c.mapping, why)
		}
		if why == Fits {
			return c.mapping
		}
	}
	tr.noteRest(t)
	return -1
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
func (t *Table) firstOfDefault(r *Request, tr *Trace) int {
	for _, m := range t.ofDefault {
		why := t.mappings[m].prefix.fit(r)
		if tr != nil {
			tr.noteDefault(t, m, why)
		}
		if why == Fits {
			return m
		}
	}
	return -1
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
