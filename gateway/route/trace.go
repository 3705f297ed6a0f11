package route

import "fmt"

// A Trace is filled by [Decide] with the steps of one decision.
type Trace struct {
	// Steps are the mappings in the order in which they were considered, up to
	// the one that decided. The default site's may come twice, the second time
	// without its path prefix.
	Steps []Step

	next int // the mapping after the last one noted
}

// A Step is one mapping that was considered.
type Step struct {
	Mapping  int    // index into Options.Mappings
	Site     int    // index into Options.Sites
	Why      Why    // Fits in the last step of a decision that matched
	What     string // what Why speaks of: the site's name, its path prefix, or the mapping's prefix
	Unprefix bool   // the default site's path prefix did not count
}

// String says in words why the step's mapping did or did not fit.
func (s Step) String() string {
	return fmt.Sprintf([...]string{
		Fits:        "prefix %q matches",
		OtherHost:   "site %q has no such host",
		OtherPort:   "site %q has the host at other ports",
		OutsideSite: "path prefix %q of the site does not match",
		OtherPath:   "prefix %q does not match",
		OtherQuery:  "query of prefix %q does not match",
	}[s.Why], s.What)
}

// Why says whether a mapping fits, or what about it does not.
type Why uint8

// What can be found out about a mapping, in the order in which it is asked.
const (
	Fits        Why = iota
	OtherHost       // its site does not have the request's host
	OtherPort       // its site has the host, but not at the request's port
	OutsideSite     // its site's path prefix does not fit
	OtherPath       // the path of its own prefix does not fit
	OtherQuery      // the path does, the query does not
)

func (tr *Trace) reset() {
	if tr != nil {
		tr.Steps, tr.next = tr.Steps[:0], 0
	}
}

// note records what was found out about mapping m. The mappings between it and
// the last one are not behind the request's door: they have another host.
func (tr *Trace) note(t *Table, m int, why Why) {
	for ; tr.next < m; tr.next++ {
		tr.add(t, tr.next, OtherHost, false)
	}
	tr.next = m + 1
	tr.add(t, m, why, false)
}

// noteRest records the mappings after the last one behind the door.
func (tr *Trace) noteRest(t *Table) {
	if tr == nil {
		return
	}
	for ; tr.next < len(t.mappings); tr.next++ {
		tr.add(t, tr.next, OtherHost, false)
	}
}

func (tr *Trace) noteDefault(t *Table, m int, why Why) {
	tr.add(t, m, why, true)
}

func (tr *Trace) add(t *Table, m int, why Why, unprefix bool) {
	site := t.mappings[m].site
	step := Step{Mapping: m, Site: site, Why: why, Unprefix: unprefix}
	switch why {
	case OtherHost, OtherPort:
		step.What = t.sites[site].name
	case OutsideSite:
		step.What = t.sites[site].path.text
	default:
		step.What = t.mappings[m].prefix.text
	}
	tr.Steps = append(tr.Steps, step)
}

// HostOf returns the host of the site, as it is written in the configuration,
// through which it has the request's host and port; empty when it has not.
func (t *Table) HostOf(site int, r *Request) string {
	for _, h := range t.sites[site].hosts {
		if h.fitsHost(r.Host) && h.fitsPort(r.port()) {
			return h.text
		}
	}
	return ""
}
