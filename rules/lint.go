package rules

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/expr-lang/expr/ast"
	"github.com/expr-lang/expr/file"
)

// A Linted is a rule as Lint looks at it.
type Linted struct {
	Name string
	Site string // that it is of; empty: of all sites
	When string // empty: it always matches
	Cost int    // of the condition, by Program.Cost
}

// A Finding is something about a rule that can hardly be meant.
type Finding struct {
	Rule  int // index of the rule
	Error     // Line 0: it is the rule as a whole
}

// The codes of findings.
const (
	CodeUnreachable = "W350" // an earlier rule takes whatever it would
	CodeDuplicate   = "W351" // an earlier rule has the same condition
	CodeNever       = "W352" // it is never true
	CodeAlways      = "W353" // it is always true
	CodePart        = "W354" // a part of it is always or never true
	CodeRegex       = "W355" // something cheaper says the same
	CodeUnanchored  = "W356" // a pattern of hosts that fits others', too
	CodeDot         = "W357" // a pattern of hosts whose dot stands for anything
	CodeNearLimit   = "W358" // nearly as costly as is allowed
	CodeKind        = "W359" // it is in a list of what it cannot be
	CodeMethod      = "W360" // a method in lower case
)

// CostLimit is what a condition may cost unless [Options] say otherwise.
const CostLimit = defaultCostLimit

// nearLimit is how many percent of the cost limit are near it.
const nearLimit = 80

// Lint finds what is written in rules and can hardly be meant. The rules are those
// of a configuration in the order in which they are asked, those of all sites and
// those of each; their conditions compile. What Lint is not sure of, it does not
// report. The language is that which the conditions are compiled in. A condition of
// another scope than that of rules is linted by itself: no other takes its requests.
func Lint(all []Linted, in *Language) []Finding {
	l := &linter{in: in, steps: maxSteps}
	for i, r := range all {
		l.rule(i, r)
	}
	for i := range all {
		l.values = append(l.values, l.valueOf(l.claims[i]))
		l.reach(all, i)
	}
	slices.SortStableFunc(l.found, func(a, b Finding) int {
		return cmp.Or(a.Rule-b.Rule, a.Line-b.Line, a.Column-b.Column, strings.Compare(a.Code, b.Code))
	})
	return slices.Compact(l.found) // a condition of ?: is looked at twice
}

// maxSteps bounds how many comparisons of conditions are made: what comes after
// them is not found.
const maxSteps = 20_000_000

type linter struct {
	in     *Language
	claims []claim // of each rule, in normal form
	values []kind  // of each: always, never, or atom if neither
	steps  int     // comparisons that may still be made
	found  []Finding
}

func (l *linter) add(rule int, e *Error) { l.found = append(l.found, Finding{rule, *e}) }

// whole is a finding about a rule as a whole.
func (l *linter) whole(rule int, code, message, hint string) {
	l.add(rule, &Error{Code: code, Message: message, Hint: hint})
}

// condition is a finding about a condition as a whole.
func (l *linter) condition(rule int, when, code, message, hint string) {
	line, _, _ := strings.Cut(when, "\n")
	l.add(rule, at(when, file.Location{To: utf8.RuneCountInString(line)}, code, message, hint))
}

// rule looks at one rule by itself.
func (l *linter) rule(i int, r Linted) {
	if r.When == "" {
		l.claims = append(l.claims, claim{kind: always})
		return
	}
	tree, errs := l.in.parse(r.When)
	if errs != nil { // it does not compile: others say why
		l.claims = append(l.claims, claim{kind: atom, fact: &fact{}})
		return
	}
	v := &facts{source: r.When, lists: l.in.options.Lists}
	c := v.claim(tree.Node, false)
	l.claims = append(l.claims, c)
	l.value(i, r, c, v.notes)
	for _, e := range append(patternDoubts(r.When, tree.Node), v.doubts...) {
		l.add(i, e)
	}
	if limit := l.in.options.CostLimit; r.Cost*100 > limit*nearLimit {
		l.condition(i, r.When, CodeNearLimit, fmt.Sprintf("it costs %d, and the limit is %d", r.Cost, limit), "glob(), startsWith and in_list() cost less than matches")
	}
}

// value says that a condition, or what parts of it, are the same for all requests.
func (l *linter) value(i int, r Linted, c claim, notes []*Error) {
	whole := l.valueOf(c)
	if whole == atom {
		for _, note := range notes {
			l.add(i, note)
		}
		return
	}
	code, message, hint := CodeNever, "it is never true", "delete the rule, or correct the condition"
	if whole == always {
		code, message, hint = CodeAlways, "it is always true", "leave out when, if that is meant"
	}
	if l.in.options.Scope != OfRequest {
		hint = "delete it, or correct it"
	}
	if len(notes) > 0 && strings.TrimSpace(r.When) != "true" {
		message += ": " + notes[0].Message
	}
	l.condition(i, r.When, code, message, hint)
}

// valueOf is always or never, if a claim is so; else atom.
func (l *linter) valueOf(c claim) kind {
	switch {
	case c.kind == always || c.kind == never:
		return c.kind
	case c.kind == allOf && l.clash(c.parts):
		return never
	case c.kind == anyOf && l.clash(negations(c.parts)):
		return always
	}
	return atom
}

// clash reports whether two claims cannot both be true.
func (l *linter) clash(parts []claim) bool {
	for i, a := range parts {
		for _, b := range parts[:i] {
			if l.proves(a, b.not()) {
				return true
			}
		}
	}
	return false
}

// reach looks for an earlier rule that takes whatever a rule would. It is said
// once, of the first such; that one is taken itself is said there.
func (l *linter) reach(rules []Linted, i int) {
	if l.values[i] == never {
		return
	}
	for j := range i {
		sees := rules[j].Site == "" || rules[j].Site == rules[i].Site
		if !sees || l.values[j] == never || !l.proves(l.claims[i], l.claims[j]) {
			continue
		}
		if l.proves(l.claims[j], l.claims[i]) {
			l.whole(i, CodeDuplicate, fmt.Sprintf("it can never match: %s has the same condition and comes first", nameOf(rules, j)), "delete one of the two")
			return
		}
		l.whole(i, CodeUnreachable, fmt.Sprintf("it can never match: %s comes first and takes every request that it would", nameOf(rules, j)), "put it before that rule, or delete it")
		return
	}
}

func nameOf(rules []Linted, i int) string {
	if rules[i].Name == "" {
		return fmt.Sprintf("rule %d", i+1)
	}
	return fmt.Sprintf("rule %q", rules[i].Name)
}

// doubt is a finding about a part of a source. Its column is where the operator or
// the name of the part stands.
func doubt(source string, n ast.Node, code, message, hint string) *Error {
	return at(source, n.Location(), code, message, hint)
}
