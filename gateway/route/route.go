// Package route decides what happens to a request: which mapping takes it, and
// with the mapping which site; which application, and with it the origins that
// may serve it at all, its best set; at which of these its session is at home;
// which rule decides, and what that leaves of the best set.
//
// [Decide] is pure: the compiled [Table], the request, what is up now and the
// time go in, a [Decision] comes out. It reads nothing else, keeps nothing and
// does not allocate, so that live traffic, explain, rule tests and replay can all
// call it. With a [Trace] it also writes down every step: each mapping and
// application that did not fit and why, each rule with its value; only then it
// allocates.
//
// A mapping fits when one of its site's hosts, the port, the site's path prefix
// and the mapping's own prefix fit, and one of its applications, if it names any.
// The first in order that fits decides; nothing is ever reordered. [New] only
// sorts out beforehand which mappings a host can come to, which rules a path,
// and every group that a decision can name.
//
// Rules only narrow the best set (M-BEST-02). The first that matches decides:
// a reject or redirect for every request, a permit only if no binding shields the
// request from it.
//
// What is matched is the canonical host and path; the caller makes them. A
// request without host information goes to the default site or nowhere.
package route

import (
	"time"

	"weirkeep/gateway/session"
	"weirkeep/rules"
)

// A Request is what a decision is made from: views of the caller's bytes, read
// during Decide and not kept.
type Request = rules.Request

// View is what a decision may ask about the present. Origins are named by the
// Identity that the options give them.
type View interface {
	// Bound is the name of the origin where the session with an id is at home,
	// of those that Table.BindName gives; empty: it is not bound.
	Bound(s *session.Definition, id []byte, now time.Time) string

	// Usable reports whether the origin takes requests that are bound to it: it
	// is up, and serves or drains.
	Usable(identity int) bool

	// RuleFailed is told that a rule could not be evaluated, and so did not match.
	RuleFailed(rule int, err error)

	rules.Clusters
}

// A Decision is what Decide says of a request. Indexes are into the slices of
// Options, -1 being none.
type Decision struct {
	Site        int
	Mapping     int
	Application int    // that fits best; -1: the mapping names none
	Strip       int    // how many bytes of the canonical path strip_prefix takes off; what is left is empty or begins with "/"
	Reason      Reason // what came out
	Source      Source // where the site's name came from

	Session   *session.Definition // the mapping's; nil: none
	ID        []byte              // of the request's session, a view of its bytes; nil: it has none
	Carrier   session.Carrier     // where the id stood
	Bound     string              // name of the origin where the session is at home; empty: it is not bound
	Primary   int                 // identity of that origin; -1: there is none of that name
	Secondary int                 // identity of the one that holds a replica of the session; -1: it names none
	Home      int                 // identity of the origin that the request goes to by its binding; -1: it is balanced

	Rule     int    // that decided; -1: none matched
	Action   Action // of that rule
	Shielded bool   // the rule permits other origins, but the binding stands

	Order   int // index into Table.Orders: the groups to try, one after the other; -1: no origin serves it
	Variant int // what the answer may be shared with: see Table.Variant; -1: nothing is answered by an origin

	set int // index into Table.sets
}

// A Reason says what came out of a decision.
type Reason uint8

// The reasons of a decision. All but Matched are answered by the gateway.
const (
	NoSite      Reason = iota // no site has this host and port: 421
	NoMapping                 // a site has, but none of its mappings fits: 404
	Matched                   // an origin is to answer
	Rejected                  // a rule rejects it, with a status of its own
	Redirected                // a rule redirects it
	NoPermitted               // a rule permits only origins outside the best set: 503 (M-BEST-04)
)

// String returns the reason's code.
func (r Reason) String() string {
	return [...]string{"no_site", "no_mapping", "matched", "rejected_by_rule", "redirected_by_rule", "no_permitted_destination"}[r]
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

// Decide says what happens to the request r, and fills in what of it rules can
// ask and only a decision knows. The view may be nil: nothing is bound then, and
// everything is up. So may the trace; what it held is overwritten.
func Decide(t *Table, r *Request, v View, now time.Time, tr *Trace) Decision {
	tr.reset()
	d := t.mapped(r, tr)
	if d.Reason != Matched {
		return d
	}
	r.Site, r.Now, r.Clusters = t.sites[d.Site].name, now, v
	t.bind(&d, r, v, now)
	if tr != nil {
		tr.Home = d.Home
	}
	t.judge(&d, r, v, tr)
	t.vary(&d)
	return d
}
