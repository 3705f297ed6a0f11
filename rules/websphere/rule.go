package websphere

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// A rule is one that was read, with what it is here or why it is nothing.
type rule struct {
	*draft
	name     string
	order    int
	ordered  bool
	override bool
	cell     string
	selector condition
	when     clause
	lists    []string // that it names
	action   action
	refused  []*fault // why it cannot be taken over; nil: it can
}

// newRule understands a draft. A rule that cannot be taken over has the parts of
// it that were understood, so that it can be shown.
func newRule(d *draft, w *writer) *rule {
	r := &rule{draft: d}
	r.refuseAny(d.faults) // of reading it
	r.name, _ = d.get("name")
	r.readCell()
	r.readOrder()
	r.readOverride()
	r.readAction()
	r.readExpression(w)
	r.refuseAny(d.faults) // what it says twice
	return r
}

func (r *rule) refuseAny(all []*fault) {
	for _, f := range all {
		r.refuse(f)
	}
}

// refuse keeps a reason for which the rule cannot be taken over, once.
func (r *rule) refuse(f *fault) {
	if !slices.ContainsFunc(r.refused, func(known *fault) bool { return known.message == f.message }) {
		r.refused = append(r.refused, f)
	}
}

// lacks refuses a rule that does not say what it must, unless that may stand in what
// could not be read of it.
func (r *rule) lacks(what string) {
	if !r.garbled {
		r.refuse(badRule("", "the rule has no %s", what))
	}
}

func badRule(hint, format string, args ...any) *fault {
	return &fault{code: codeRule, message: fmt.Sprintf(format, args...), hint: hint, at: -1}
}

func (r *rule) readCell() {
	text, said := r.get("cell")
	if said && !isName(text) {
		r.refuse(badRule("a cell is named by letters, digits, dots, dashes and underscores", "the rule is of the cell %q, which no cell can be called here", text))
		return
	}
	r.cell = text
}

func (r *rule) readOrder() {
	text, said := r.get("order")
	if !said {
		return
	}
	n, err := strconv.Atoi(text)
	if err != nil {
		r.refuse(badRule("", "the order of the rule is %q, which is no whole number", text))
		return
	}
	r.order, r.ordered = n, true
}

func (r *rule) readOverride() {
	text, said := r.get("override")
	if !said {
		return
	}
	is, err := strconv.ParseBool(strings.ToLower(text))
	if err != nil {
		r.refuse(badRule("", "overrideAffinity of the rule is %q, must be true or false", text))
	}
	r.override = is
}

func (r *rule) readAction() {
	text, said := r.get("action")
	argument, _ := r.get("argument")
	spread, _ := r.get("spread")
	if !said {
		r.lacks("action")
		return
	}
	a, f := newAction(text, argument, spread)
	if f != nil {
		r.refuse(f)
	}
	r.action = a
}

func (r *rule) readExpression(w *writer) {
	text, said := r.get("expression")
	if !said {
		r.lacks("expression")
		return
	}
	c, faults := parse(text)
	if c != nil {
		r.selector = c
		var more []*fault
		r.when, more = w.translate(c)
		r.lists, faults = w.named, append(faults, more...)
	}
	for _, f := range faults {
		r.when = clause{}
		r.refuse(f.within(text))
	}
}

// within says where in an expression a fault is.
func (f *fault) within(expression string) *fault {
	if f.at < 0 || f.at > len(expression) {
		return f
	}
	column := utf8.RuneCountInString(expression[:f.at]) + 1
	return &fault{code: f.code, message: fmt.Sprintf("%s (character %d of the expression)", f.message, column), hint: f.hint, at: -1}
}

// maxName is the length of the longest name that a configuration takes.
const maxName = 64

// outsideNames are runs of characters that names here do not have.
var outsideNames = regexp.MustCompile(`[^A-Za-z0-9._-]+`)

// nameLike is a name that a configuration takes, as near to a text as there is.
func nameLike(text string) string {
	name := strings.TrimLeft(outsideNames.ReplaceAllString(text, "-"), ".-")
	return name[:min(len(name), maxName-4)]
}

// isName reports whether a configuration takes a text as a name.
func isName(text string) bool {
	return text != "" && len(text) <= maxName && !outsideNames.MatchString(text) && text[0] != '.' && text[0] != '-'
}

// named gives every rule a name of its own: those without one are called by
// their order or their place.
func named(all []*rule) {
	taken, last := map[string]bool{}, map[string]int{}
	for i, r := range all {
		name := nameLike(r.name)
		switch {
		case name != "":
		case r.ordered:
			name = "order-" + strconv.Itoa(r.order)
		default:
			name = "rule-" + strconv.Itoa(i+1)
		}
		r.name = name
		for taken[r.name] {
			last[name]++
			r.name = name + "-" + strconv.Itoa(last[name]+1)
		}
		taken[r.name] = true
	}
}

// inOrder puts the rules into the order in which they are evaluated, and reports
// whether their numbers can be kept: no two have the same. Where only some have
// numbers, the others have no place, and come last.
func inOrder(all []*rule) (kept bool) {
	some := slices.ContainsFunc(all, func(r *rule) bool { return r.ordered })
	if !some {
		return false
	}
	slices.SortStableFunc(all, func(a, b *rule) int {
		if a.ordered && b.ordered {
			return cmp.Compare(a.order, b.order)
		}
		return cmp.Compare(last(a), last(b))
	})
	for _, r := range all {
		if _, said := r.get("order"); !said && !r.garbled {
			r.refuse(badRule("", "other rules have an order, and this one has none"))
		}
	}
	return true
}

// last is 1 for a rule without a number, which comes after those with one.
func last(r *rule) int {
	if r.ordered {
		return 0
	}
	return 1
}
