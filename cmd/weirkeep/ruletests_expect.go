package main

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"weirkeep/gateway"
	"weirkeep/gateway/config"
)

// decisionPart is a part of a decision that a test can expect something of.
type decisionPart struct {
	key  string
	must func(text string) string                           // what an expected text must be; empty: it is
	got  func(d *decided) string                            // what the part is
	fits func(d *decided, want string) bool                 // nil: both texts are equal
	why  func(d *decided, want string) (because, at string) // of a mismatch; nil: what came out says it
}

// decisionParts is every part there is. To add one, add a line.
var decisionParts = []decisionPart{
	{key: "rule", must: anything, got: (*decided).rule, why: (*decided).whyRule},
	{key: "action", must: aWordOf("permit", "redirect", "reject", ""), got: func(d *decided) string { return d.e.Action }},
	{key: "destination", must: aDestination, got: (*decided).destination, fits: (*decided).goesTo, why: (*decided).whyDestination},
	{key: "origin", must: anything, got: (*decided).destination, fits: (*decided).goesToOrigin, why: (*decided).whyDestination},
	{key: "application", must: anything, got: (*decided).application},
	{key: "edition", must: anything, got: (*decided).edition},
	{key: "status", must: aStatus, got: (*decided).status, fits: (*decided).hasStatus},
	{key: "reason", must: aReason, got: func(d *decided) string { return d.e.Outcome.Reason }},
	{key: "location", must: anything, got: func(d *decided) string { return d.e.Outcome.Location }},
	{key: "failover", must: aWordOf("true", "false"), got: (*decided).failover, why: (*decided).whyDestination},
	{key: "bound", must: anything, got: (*decided).bound, fits: (*decided).isBound, why: (*decided).whyBound},
	{key: "variant", must: anything, got: func(d *decided) string { return d.e.Variant }},
}

// decided is a decision, with the configuration that made it.
type decided struct {
	e     *gateway.Explanation
	cfg   *config.Config
	rules []gateway.RuleInfo
}

// mismatch is a part of a decision that is not what was expected, and why.
type mismatch struct {
	Key     string `json:"key"`
	Want    string `json:"want"`
	Got     string `json:"got"`
	Because string `json:"because,omitempty"`
	At      string `json:"at,omitempty"` // place in the configuration, file:line
}

// compare holds a decision against all that was expected of it.
func (d *decided) compare(expected []expectation) (wrong []mismatch) {
	for _, x := range expected {
		i := slices.IndexFunc(decisionParts, func(p decisionPart) bool { return p.key == x.key })
		p := &decisionParts[i]
		got := p.got(d)
		if p.fits == nil && got == x.want || p.fits != nil && p.fits(d, x.want) {
			continue
		}
		m := mismatch{Key: x.key, Want: x.want, Got: got}
		if p.why != nil {
			m.Because, m.At = p.why(d, x.want)
		}
		if m.Because == "" {
			m.Because, m.At = d.whatCameOut()
		}
		wrong = append(wrong, m)
	}
	return wrong
}

func (d *decided) rule() string { return d.e.Rule }

// destination is the origin that would be picked, or what there is in its place.
func (d *decided) destination() string {
	switch p := d.e.Pick; {
	case d.e.Outcome.Status != 0:
		return fmt.Sprintf("none (%d)", d.e.Outcome.Status)
	case p == nil || p.Origin == "":
		return "none, it waits"
	case !p.Sure:
		return "by chance one of " + strings.Join(d.chances(), ", ")
	}
	return d.e.Pick.Origin
}

// chances are the origins that could be picked.
func (d *decided) chances() (all []string) {
	p := d.e.Pick
	switch {
	case p == nil || p.Origin == "":
		return nil
	case p.Sure:
		return []string{p.Origin}
	}
	for _, c := range p.Candidates {
		if c.Origin == p.Origin || c.Why == "free" {
			all = append(all, c.Origin)
		}
	}
	return all
}

// everyChance reports whether there is an origin to go to, and each that could be
// picked fits.
func (d *decided) everyChance(fits func(origin string) bool) bool {
	all := d.chances()
	return len(all) > 0 && !slices.ContainsFunc(all, func(o string) bool { return !fits(o) })
}

// goesTo reports whether the request goes below cell/cluster or cell/cluster/origin.
func (d *decided) goesTo(want string) bool {
	return d.everyChance(func(o string) bool { return o == want || strings.HasPrefix(o, want+"/") })
}

// goesToOrigin reports whether it goes to an origin of a name, in full or not.
func (d *decided) goesToOrigin(want string) bool {
	return d.everyChance(func(o string) bool { return named(o, want) })
}

// named reports whether a name in full, cell/cluster/origin, ends in another.
func named(full, want string) bool { return full == want || strings.HasSuffix(full, "/"+want) }

func aDestination(text string) string {
	if n := strings.Count(text, "/"); n < 1 || n > 2 {
		return "cell/cluster or cell/cluster/origin"
	}
	return ""
}

func (d *decided) application() string {
	if d.e.BestSet == nil {
		return ""
	}
	return d.e.BestSet.Application
}

// edition is that of the origin that would be picked.
func (d *decided) edition() string {
	if d.e.Pick == nil {
		return ""
	}
	for name, cluster := range d.cfg.Clusters {
		cell, short := d.cfg.CellOf(name)
		for _, o := range cluster.Origins {
			if cell+"/"+short+"/"+o.Name == d.e.Pick.Origin {
				return o.Edition.Label
			}
		}
	}
	return ""
}

func (d *decided) status() string {
	if d.e.Outcome.Status == 0 {
		return "the origin's"
	}
	return strconv.Itoa(d.e.Outcome.Status)
}

func (d *decided) hasStatus(want string) bool { return strconv.Itoa(d.e.Outcome.Status) == want }

func (d *decided) failover() string {
	return strconv.FormatBool(d.e.Pick != nil && d.e.Pick.Failover)
}

// bound is the origin that the request goes to by its session.
func (d *decided) bound() string {
	if d.e.Binding == nil || d.e.Binding.Origin == "" {
		return "false"
	}
	return d.e.Binding.Origin
}

func (d *decided) isBound(want string) bool {
	got := d.bound()
	return want == strconv.FormatBool(got != "false") || got != "false" && named(got, want)
}

func (d *decided) whyBound(string) (because, at string) {
	if d.e.Binding == nil {
		return "the mapping has no session", ""
	}
	return d.e.Binding.Why, ""
}

// whyRule says what became of the rule that was expected to decide.
func (d *decided) whyRule(want string) (because, at string) {
	if d.noDecision() {
		return d.e.Outcome.Text, ""
	}
	i := slices.IndexFunc(d.e.Rules, func(r gateway.ExplainedRule) bool { return r.Name == want })
	switch {
	case want == "":
		return d.effect()
	case i < 0:
		return d.whyNotThere(want)
	}
	r := &d.e.Rules[i]
	return fmt.Sprintf("rule %q %s", want, d.became(r)), r.Place
}

// became is what became of a rule that did not decide, in words.
func (d *decided) became(r *gateway.ExplainedRule) string {
	switch r.Value {
	case "unreached":
		return fmt.Sprintf("was not reached: %q decided before it", d.e.Rule)
	case "error":
		return "could not be evaluated: " + r.Why
	case "skipped":
		return "was skipped: " + r.Why
	case "false":
		return "is false: " + conditionText(r.When, 100)
	}
	return "is " + r.Value + ": " + cmp.Or(r.Why, conditionText(r.When, 100))
}

// whyNotThere is why a rule is not among those of the request's site.
func (d *decided) whyNotThere(want string) (because, at string) {
	var names []string
	for _, r := range d.rules {
		if r.Name == want {
			return fmt.Sprintf("rule %q is of site %s, and the request is of site %s", want, r.Site, d.e.Mapping.Site), r.Place
		}
		names = append(names, r.Name)
	}
	return fmt.Sprintf("there is no rule %q: %s", want, didYouMean(want, names, "weirkeep rules list shows them")), ""
}

// noDecision reports whether no mapping has the request.
func (d *decided) noDecision() bool { return d.e.Mapping == nil || d.e.Mapping.Index < 0 }

// whyDestination says why the request does not go where it was expected to.
func (d *decided) whyDestination(string) (because, at string) {
	switch e := d.e; {
	case d.noDecision() || e.Action == "reject" || e.Action == "redirect":
		return "", ""
	case e.Binding != nil && e.Binding.Origin != "":
		return "its session is bound to " + e.Binding.Origin, ""
	case (e.Pick == nil || e.Pick.Origin == "") && e.Rule != "" && len(e.Groups) == 1:
		return fmt.Sprintf("rule %q has no failover", e.Rule), d.placeOf(e.Rule)
	case e.Rule != "":
		return d.effect()
	}
	return "no rule decides: it goes to all of the best set", ""
}

// effect says what the rule that decided did.
func (d *decided) effect() (because, at string) {
	for _, r := range d.e.Rules {
		if r.Name == d.e.Rule && d.e.Rule != "" {
			return fmt.Sprintf("rule %q decides: %s", r.Name, r.Effect), r.Place
		}
	}
	return "no rule decides", ""
}

func (d *decided) placeOf(rule string) string {
	for _, r := range d.e.Rules {
		if r.Name == rule {
			return r.Place
		}
	}
	return ""
}

// whatCameOut is the decision in a sentence.
func (d *decided) whatCameOut() (because, at string) {
	if d.e.Rule == "" || d.noDecision() {
		return d.e.Outcome.Text, ""
	}
	return d.effect()
}
