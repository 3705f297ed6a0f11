package route

import (
	"fmt"
	"time"
)

// A Trace is filled by [Decide] with the steps of one decision.
type Trace struct {
	// Steps are the mappings in the order in which they were considered, up to
	// the one that decided. The default site's may come twice, the second time
	// without its path prefix.
	Steps []Step

	// Applications are those of the last mapping that was considered.
	Applications []ApplicationStep

	// Rules are those that could be of the request, in order.
	Rules []RuleStep

	// Home is the identity of the origin that the request would go to by its
	// binding, before any rule; -1: none.
	Home int

	next int // the mapping after the last one noted
}

// An ApplicationStep is one application that was considered.
type ApplicationStep struct {
	Application int    // index into Options.Applications
	Fits        bool   // better than all others
	What        string // its pattern that fits, or why it does not, in words
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

		OtherApplication: "none of its applications fits below %q",
	}[s.Why], s.What)
}

// A RuleStep is one rule that could be of the request.
type RuleStep struct {
	Rule  int // index into Options.Rules
	Value RuleValue
	Why   string        // it was skipped or could not be evaluated, in words
	Took  time.Duration // to evaluate it
}

// RuleValue says what became of a rule.
type RuleValue uint8

// What can become of a rule.
const (
	False     RuleValue = iota
	True                // it decided
	Failed              // it could not be evaluated, and so did not match
	Skipped             // by the index: what it requires does not hold
	Shielded            // by the request's binding, from every rule that does not lift it
	Unreached           // an earlier one decided
)

// String returns the value in a word.
func (v RuleValue) String() string {
	return [...]string{"false", "true", "error", "skipped", "shielded", "unreached"}[v]
}

func valueOf(matched bool) RuleValue {
	if matched {
		return True
	}
	return False
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

	OtherApplication // both do, but none of its applications fits
)

func (tr *Trace) reset() {
	if tr != nil {
		tr.Steps, tr.Applications, tr.Rules, tr.next = tr.Steps[:0], tr.Applications[:0], tr.Rules[:0], 0
		tr.Home = -1
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

// noteApplications records how the applications of a mapping fit.
func (tr *Trace) noteApplications(t *Table, list []int, r *Request, best int, pattern string) {
	tr.Applications = tr.Applications[:0]
	for _, i := range list {
		step := ApplicationStep{Application: i, Fits: i == best, What: pattern}
		if i != best {
			step.What = t.applications[i].why(r)
		}
		tr.Applications = append(tr.Applications, step)
	}
}

// clock is the time, if a trace is kept.
func (tr *Trace) clock() (now time.Time) {
	if tr != nil {
		now = time.Now()
	}
	return now
}

// noteRule records what a rule said that was evaluated from the time began on.
func (tr *Trace) noteRule(i int, value RuleValue, err error, began time.Time) {
	if tr == nil {
		return
	}
	step := RuleStep{Rule: i, Value: value}
	if !began.IsZero() {
		step.Took = time.Since(began)
	}
	if err != nil {
		step.Value, step.Why = Failed, err.Error()
	}
	tr.Rules = append(tr.Rules, step)
}

// noteOtherRules records, in their places, the rules that were not evaluated.
func (tr *Trace) noteOtherRules(t *Table, j *judge, r *Request) {
	if tr == nil {
		return
	}
	noted, decided := tr.Rules, false
	tr.Rules = nil
	for _, i := range j.rules {
		if len(noted) > 0 && noted[0].Rule == i {
			tr.Rules = append(tr.Rules, noted[0])
			decided = noted[0].Value == True
			noted = noted[1:]
			continue
		}
		step := RuleStep{Rule: i, Value: Unreached}
		if !decided {
			step.Value, step.Why = Skipped, skipReason(t.rules[i].requires(), r)
		}
		tr.Rules = append(tr.Rules, step)
	}
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
		if h.fitsHost(r.Host) && h.fitsPort(portOf(r)) {
			return h.text
		}
	}
	return ""
}
