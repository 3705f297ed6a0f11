package main

import (
	"fmt"
	"slices"
	"strings"

	"weirkeep/gateway"
	"weirkeep/gateway/config"
	"weirkeep/gateway/session"
	"weirkeep/rules"
)

// A decider makes the decisions of a log again, with one configuration.
type decider struct {
	cfg      *config.Config
	explain  func(gateway.Question) (*gateway.Explanation, error)
	reads    ruleReads
	sessions []session.Definition
	recorded map[string]bool // inputs that the log has of every request that has them
	seal     *logSeal
}

// newDecider compiles a configuration; its mistakes are told.
func (a *app) newDecider(file string) (*decider, error) {
	cfg, _, err := a.compiled(file)
	if err != nil {
		return nil, err
	}
	d := &decider{cfg: cfg, reads: readsOf(cfg), sessions: definitionsOf(cfg), seal: new(logSeal)}
	forReplay(cfg)
	e, problems := gateway.NewExplainer(cfg)
	if problems.Errors() > 0 {
		return nil, problems
	}
	d.explain = e.Explain
	return d, nil
}

// undecided is why a decision cannot be made again.
type undecided string

func (u undecided) Error() string { return string(u) }

// lacking is that a decision depends on inputs that the log does not hold.
type lacking struct {
	rule     string   // the first that reads one
	inputs   []string // "header:x-user"
	recorded bool     // the record has others
}

func (l *lacking) Error() string {
	return fmt.Sprintf("rule %q reads %s, which the log does not hold", l.rule, inputText(l.inputs[0]))
}

// maxAssumed is how many inputs that the log lacks are tried both ways.
const maxAssumed = 4

// decide makes the decision of a record. The error is an undecided, a lacking, or of
// a question that cannot be asked.
//
// Of an input that the log lacks it is tried whether it makes a difference: the
// decision stands if it is the same without the input, and with one of which
// nothing is known.
func (d *decider) decide(rec logRecord) (*gateway.Explanation, error) {
	bound := tie(d.sessions, d.cfg, &rec)
	e, err := d.ask(&rec, bound, nil)
	if err != nil {
		return nil, err
	}
	missing, rule := d.missing(e, &rec)
	if len(missing) == 0 {
		return e, nil
	}
	doubt := &lacking{rule, missing, rec.Inputs != nil}
	if len(missing) > maxAssumed {
		return nil, doubt
	}
	for set := 1; set < 1<<len(missing); set++ {
		other, err := d.ask(&rec, bound, subset(missing, set))
		if err != nil || d.seal.unknown || !sameDecision(e, other) {
			return nil, doubt
		}
	}
	return e, nil
}

// subset are the names whose bits are set.
func subset(names []string, set int) (some []string) {
	for i, name := range names {
		if set&(1<<i) != 0 {
			some = append(some, name)
		}
	}
	return some
}

// ask explains a record with inputs that are assumed.
func (d *decider) ask(rec *logRecord, bound map[string]string, assumed []string) (*gateway.Explanation, error) {
	d.seal.reset()
	q := rec.question(assumed, d.seal)
	q.Bound = bound
	e, err := d.explain(q)
	switch {
	case err != nil:
		return nil, undecided("it cannot be decided: " + err.Error())
	case len(assumed) == 0 && d.seal.unknown:
		return nil, undecided("a rule looks at the session id, which the log does not hold")
	}
	return e, d.doubt(e, rec)
}

// doubt is what stands against a decision.
func (d *decider) doubt(e *gateway.Explanation, rec *logRecord) error {
	if d.seal.keyless {
		return undecided("a rule compares a value of which the log holds a hash, and there is no key: --inputs-key names it")
	}
	for i := range e.Rules {
		r := &e.Rules[i]
		if r.Value == "skipped" || r.Value == "unreached" {
			continue
		}
		if what := d.reads.lacks(r, rec); what != "" {
			return undecided(fmt.Sprintf("rule %q reads %s", r.Name, what))
		}
		if r.Value == "error" && r.Why == rules.ErrSealed.Error() && !d.seal.unknown {
			return undecided(fmt.Sprintf("rule %q needs more of a value than its hash, which is all that the log holds", r.Name))
		}
	}
	return nil
}

// missing are the inputs that the rules up to the one that decides may read and the
// log lacks, and the first rule that does. Those behind it are reached only if the
// decision is another.
func (d *decider) missing(e *gateway.Explanation, rec *logRecord) (names []string, rule string) {
	for i := range e.Rules {
		r := &e.Rules[i]
		if r.Value == "skipped" || r.Value == "unreached" {
			continue
		}
		for _, name := range d.reads.inputs[r.Name] {
			if rec.has(name, d.recorded) || slices.Contains(names, name) {
				continue
			}
			if names = append(names, name); rule == "" {
				rule = r.Name
			}
		}
	}
	return names, rule
}

// sameDecision reports whether two decisions are the same.
func sameDecision(a, b *gateway.Explanation) bool {
	return a.Rule == b.Rule && siteOf(a) == siteOf(b) && destinationOf(a) == destinationOf(b) && sameGroups(a.Groups, b.Groups)
}

func sameGroups(a, b []gateway.ExplainedGroup) bool {
	return slices.EqualFunc(a, b, func(a, b gateway.ExplainedGroup) bool { return slices.Equal(a.Origins, b.Origins) })
}

func siteOf(e *gateway.Explanation) string {
	if e.Mapping == nil {
		return ""
	}
	return e.Mapping.Site
}

// destinationOf is where a request goes, in words: the first group, the origin of
// its session, or the answer that it gets.
func destinationOf(e *gateway.Explanation) string {
	switch {
	case refusedByDecision(e):
		return strings.TrimSpace(fmt.Sprintf("%d %s %s", e.Outcome.Status, e.Outcome.Reason, e.Outcome.Location))
	case boundTo(e) != "":
		return boundTo(e) + " (bound)"
	case len(e.Groups) > 0:
		return groupOf(e, &e.Groups[0])
	}
	return "nobody"
}

// groupOf names a group: by its clusters, and by origins where a rule leaves only
// some of a cluster.
func groupOf(e *gateway.Explanation, g *gateway.ExplainedGroup) string {
	var texts []string
	for _, cluster := range g.Clusters {
		some := namesIn(g, cluster)
		switch {
		case e.BestSet == nil || len(some) == len(namesIn(&e.BestSet.Group, cluster)):
			texts = append(texts, cluster)
		case len(some) == 1:
			texts = append(texts, cluster+"/"+some[0])
		default:
			texts = append(texts, fmt.Sprintf("%s [%s]", cluster, strings.Join(some, " ")))
		}
	}
	return strings.Join(texts, " + ")
}

func refusedByDecision(e *gateway.Explanation) bool {
	return e.Refused != "" || slices.Contains(decisions, e.Outcome.Reason)
}

// boundTo is the origin that the request goes to by its session; empty: none.
func boundTo(e *gateway.Explanation) string {
	if e.Binding == nil || refusedByDecision(e) {
		return ""
	}
	return e.Binding.Origin
}
