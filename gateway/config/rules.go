package config

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"weirkeep/gateway/unit"
)

// Rule is a condition and what happens to requests that it is true of: permit,
// redirect or reject, one of them. The first rule that matches decides.
type Rule struct {
	Name     string     `yaml:"name" required:"true" check:"name"`                 // in logs, metrics and explanations; required
	When     Expression `yaml:"when"`                                              // condition, in the language of RULES.md; default: always
	Match    string     `yaml:"match"`                                             // name of a plugin of kind matcher, instead of when
	OnError  string     `yaml:"on_error" enum:"match|no-match" foreign:"on-error"` // what the rule is when a plugin that it asks fails: match: true | no-match: false; default: what the plugin says
	Permit   *Permit    `yaml:"permit"`                                            // only some origins may serve it
	Redirect *Redirect  `yaml:"redirect"`                                          // it is sent elsewhere
	Reject   *Reject    `yaml:"reject"`                                            // it is refused

	Order            *int   `yaml:"order" range:"0..1000000"`          // lowest first; on all rules of a list or on none; default: the order in which they stand
	OverrideAffinity bool   `yaml:"override_affinity" default:"false"` // no session's binding shields from it
	ShareCache       bool   `yaml:"share_cache" default:"false"`       // stored answers are shared with requests that it does not match
	Cell             string `yaml:"cell" check:"name"`                 // that it belongs to; rules of other cells than rules_authority are ignored

	// Path is where it was written: rules are sorted by order.
	Path string `yaml:"-"`
	// Ignored says that its cell is not rules_authority.
	Ignored bool `yaml:"-"`
}

// Expression is the text of a condition.
type Expression string

// Permit says which origins of those that could serve a request may.
type Permit struct {
	To               Destinations   `yaml:"to" required:"true"`                // balanced over as one; required
	Failover         []Destinations `yaml:"failover"`                          // for when no origin of those before can be used, in order
	Sticky           bool           `yaml:"sticky" default:"false"`            // bind clients to the origin that answers, by the session's gateway-cookie
	AllowMaintenance bool           `yaml:"allow_maintenance" default:"false"` // origins in maintenance may, too
}

// Destinations are patterns that select origins: cell/cluster,
// cell/cluster/origin, cell/cluster@edition, app:NAME@edition,
// cluster=CELL,CLUSTER, server=CELL,HOST,USERDIR,ORIGIN; * stands for anything. A
// single one may stand without brackets.
type Destinations []string

// Redirect says where a request is sent.
type Redirect struct {
	Location string `yaml:"location" required:"true" check:"header-value"`   // URL, or a path on the same host; {host}, {authority} (host with the port that the client wrote), {path}, {raw_path}, {query_string} and {url} are the request's; required
	Status   int    `yaml:"status" default:"302" enum:"301|302|303|307|308"` // 301, 302 (default), 303, 307 or 308
}

// Reject says how a request is refused.
type Reject struct {
	Status     int           `yaml:"status" default:"403" range:"400..599"`     // default 403
	Body       string        `yaml:"body"`                                      // plain text; default: the site's page for the status, else a few words
	RetryAfter unit.Duration `yaml:"retry_after" default:"0s" range:"0s..365d"` // in whole seconds; default 0s: the field is not sent
}

// checkRules looks at the rules of all sites and of each.
func (l *loader) checkRules() {
	named := map[string]string{}
	l.checkRuleList(l.cfg.Rules, "rules", named)
	for _, name := range sortedKeys(l.cfg.Sites) {
		l.checkRuleList(l.cfg.Sites[name].Rules, join("sites", name)+".rules", named)
	}
}

// checkRuleList looks at one list, and puts it in order.
func (l *loader) checkRuleList(list []Rule, path string, named map[string]string) {
	for i := range list {
		r := &list[i]
		r.Path = index(path, i)
		if first, taken := named[r.Name]; taken && r.Name != "" && !l.bad[r.Path+".name"] {
			l.twice(r.Path+".name", first, "rule name "+quote(r.Name))
		}
		named[r.Name] = r.Path + ".name"
		l.checkRule(r)
	}
	l.sortRules(list)
}

// checkRule looks at one rule.
func (l *loader) checkRule(r *Rule) {
	l.checkAction(r)
	l.checkMatch(r)
	l.checkExpression(r.When, r.Path+".when", "to match every request, take the key away")
	if r.Permit != nil {
		l.checkGroups(r.Permit.Failover, r.Path+".permit.failover")
	}
	if r.Cell != "" && r.Cell != l.cfg.RulesAuthority {
		r.Ignored = true
		l.warn(r.Path+".cell", "W340", fmt.Sprintf("rule %s is ignored: it is of cell %s, and rules_authority is %s", quote(r.Name), r.Cell, l.cfg.RulesAuthority))
	}
}

// checkExpression refuses a condition that says nothing.
func (l *loader) checkExpression(e Expression, at, instead string) {
	if strings.TrimSpace(string(e)) == "" && l.written(at) && !l.bad[at] {
		l.fail(at, "E112", at+" is empty", instead)
	}
}

// checkAction refuses a rule that does nothing, or several things.
func (l *loader) checkAction(r *Rule) {
	var actions []string
	for _, a := range []struct {
		key     string
		written bool
	}{{"permit", r.Permit != nil}, {"redirect", r.Redirect != nil}, {"reject", r.Reject != nil}} {
		if l.bad[r.Path+"."+a.key] {
			return
		}
		if a.written {
			actions = append(actions, a.key)
		}
	}
	switch {
	case l.bad[r.Path]:
	case len(actions) == 0:
		l.fail(r.Path, "E106", r.Path+" has neither permit, redirect nor reject", "say what happens to the requests that it matches")
	case len(actions) > 1:
		l.fail(r.Path+"."+actions[1], "E207", r.Path+" has "+strings.Join(actions, " and "), "write a rule for each: the first that matches decides")
	}
}

// checkGroups refuses failover groups of nothing.
func (l *loader) checkGroups(groups []Destinations, path string) {
	for i, g := range groups {
		if at := index(path, i); len(g) == 0 && !l.bad[at] {
			l.fail(at, "E106", at+" is empty, must have at least one entry", "")
		}
	}
}

// sortRules puts a list in the order that its rules say, if they do.
func (l *loader) sortRules(list []Rule) {
	first := map[int]string{}
	for _, r := range list {
		at := r.Path + ".order"
		if l.bad[at] {
			return
		}
		if (r.Order == nil) != (list[0].Order == nil) {
			l.mixedOrder(r, list[0])
			return
		}
		if r.Order == nil {
			continue
		}
		if other, taken := first[*r.Order]; taken {
			l.twice(at, other, fmt.Sprintf("order %d", *r.Order))
		}
		first[*r.Order] = at
	}
	if len(first) > 0 {
		slices.SortStableFunc(list, func(a, b Rule) int { return cmp.Compare(*a.Order, *b.Order) })
	}
}

// mixedOrder refuses a rule that has an order in a list that has none, or the
// other way round.
func (l *loader) mixedOrder(r, first Rule) {
	message := r.Path + " has an order, and " + first.Path + " has none"
	if r.Order == nil {
		message = r.Path + " has no order, and " + first.Path + " has one"
	}
	l.fail(r.Path, "E207", message, "write order in all rules of the list or in none")
}
