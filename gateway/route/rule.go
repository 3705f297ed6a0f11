package route

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"weirkeep/rules"
)

// An Action is what a rule does with a request.
type Action uint8

// The actions (M-RULE-03).
const (
	NoAction Action = iota // no rule decided
	Permit                 // only some origins may serve it
	Redirect               // it is sent elsewhere
	Reject                 // it is refused
)

// String returns the action's key in the configuration; empty: none.
func (a Action) String() string {
	return [...]string{"", "permit", "redirect", "reject"}[a]
}

// A Rule is a condition and an action.
type Rule struct {
	Name   string
	Site   int            // index into Options.Sites; -1: every site's
	When   *rules.Program // nil: always
	Action Action

	// Of a permit:
	To               []Destination   // the group that is balanced over
	Failover         [][]Destination // groups for when no origin of those before can be used
	AllowMaintenance bool            // origins in maintenance serve it, too
	ShareCache       bool            // what it permits is no part of the variant

	OverrideAffinity bool // no binding shields from it
}

// rule is a compiled [Rule].
type rule struct {
	Rule
	permit int  // index into Table.permits; -1: it is none
	lifts  bool // no binding shields from it, unless that is to one of its destinations
}

// permit is what permits of different rules may have in common.
type permit struct {
	key      string // what it adds to the variant
	to       []Destination
	failover [][]Destination
	testers  bool
}

// Rule is a rule as it was given to New.
func (t *Table) Rule(i int) *Rule { return &t.rules[i].Rule }

// judge is the rules of a site, in order.
type judge struct {
	rules []int // indexes into Table.rules
	index *ruleIndex
}

func (t *Table) addRules(all []Rule) {
	known := make(map[string]int)
	for _, r := range all {
		c := rule{Rule: r, permit: -1}
		c.lifts = t.override || r.OverrideAffinity || namesEdition(r)
		if r.Action == Permit {
			p := permit{key: r.Permits(), to: r.To, failover: r.Failover, testers: r.AllowMaintenance}
			key := fmt.Sprint(p.key, p.testers, r.ShareCache)
			if r.ShareCache {
				p.key = ""
			}
			c.permit = intern(&known, &t.permits, key, p)
		}
		t.rules = append(t.rules, c)
	}
	t.seatJudges(all)
}

// seatJudges gives each site its rules, those of every site first, and indexes
// them by what their conditions require. Sites without rules of their own share.
func (t *Table) seatJudges(all []Rule) {
	common := t.newJudge(all, -1)
	for site := range t.sites {
		j := common
		if slices.ContainsFunc(all, func(r Rule) bool { return r.Site == site }) {
			j = t.newJudge(all, site)
		}
		t.judges = append(t.judges, j)
	}
}

func (t *Table) newJudge(all []Rule, site int) *judge {
	j := new(judge)
	var required []rules.Requires
	for i, r := range all {
		if r.Site != -1 && r.Site != site {
			continue
		}
		j.rules, required = append(j.rules, i), append(required, r.requires())
	}
	j.index = newRuleIndex(required)
	return j
}

// namesEdition reports whether a rule sends its requests to an edition.
func namesEdition(r Rule) bool {
	for _, group := range append([][]Destination{r.To}, r.Failover...) {
		for i := range group {
			if group[i].namesEdition() {
				return true
			}
		}
	}
	return false
}

// Permits is what a permit names, in words.
func (r *Rule) Permits() string {
	groups := []string{join(r.To)}
	for _, g := range r.Failover {
		groups = append(groups, join(g))
	}
	return strings.Join(groups, ", failover ")
}

func join(to []Destination) string {
	var all []string
	for i := range to {
		all = append(all, to[i].String())
	}
	return strings.Join(all, " + ")
}

// judge lets the rules of the site decide: the first that matches does. What a
// binding shields from every rule is shown only those that lift the shield.
func (t *Table) judge(d *Decision, r *Request, v View, tr *Trace) {
	d.Order = t.sets[d.set].orderFor(d.Home)
	j := t.judges[d.Site]
	deaf := t.shieldsAll && d.Home >= 0
	var c ruleCursor
	j.index.begin(&c, r)
	for {
		pos, ok := j.index.next(&c)
		if !ok {
			break
		}
		if i := j.rules[pos]; t.matches(i, deaf, r, v, tr) {
			t.obey(d, i)
			break
		}
	}
	tr.noteOtherRules(t, j, r)
}

// matches reports whether the rule is for the request. One that cannot be
// evaluated is not.
func (t *Table) matches(i int, deaf bool, r *Request, v View, tr *Trace) bool {
	rule := &t.rules[i]
	if deaf && !rule.lifts {
		tr.noteRule(i, Shielded, nil, time.Time{})
		return false
	}
	began := tr.clock()
	matched, err := rule.evaluate(r)
	tr.noteRule(i, valueOf(matched), err, began)
	if err != nil && v != nil {
		v.RuleFailed(i, err)
	}
	return matched
}

// requires is what must hold of a request that the rule matches.
func (c *Rule) requires() (q rules.Requires) {
	if c.When != nil {
		q = c.When.Requires()
	}
	return q
}

func (c *Rule) evaluate(r *Request) (bool, error) {
	if c.When == nil {
		return true, nil
	}
	matched, err := c.When.Match(r)
	return matched && err == nil, err
}

// obey does what the rule says. A permit moves a session from its origin only if
// it lifts the shield and does not permit that origin itself.
func (t *Table) obey(d *Decision, i int) {
	rule := &t.rules[i]
	d.Rule, d.Action = i, rule.Action
	switch rule.Action {
	case Reject:
		d.Reason = Rejected
	case Redirect:
		d.Reason = Redirected
	case Permit:
		t.permit(d, rule)
	}
}

func (t *Table) permit(d *Decision, rule *rule) {
	n := &t.sets[d.set].narrowed[rule.permit]
	if !n.has.contains(d.Home) {
		if d.Shielded = d.Home >= 0 && !rule.lifts; d.Shielded {
			return
		}
		d.Home = -1
	}
	if d.Order = n.order; d.Order < 0 {
		d.Reason = NoPermitted
	}
}
