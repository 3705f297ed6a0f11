package websphere

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// A book is the rules of one file while they are converted.
type book struct {
	options  Options
	reading  *reading
	rules    []*rule // in the order of evaluation
	numbered bool    // the rules keep their order numbers
	writer   writer
	judges   []*rule // the rules that decide tests
	truths   int     // expressions that were evaluated for them
}

// understand converts the rules that were read.
func (b *book) understand() error {
	for _, d := range b.reading.drafts {
		b.rules = append(b.rules, newRule(d, &b.writer))
	}
	b.numbered = inOrder(b.rules)
	named(b.rules)
	if err := b.accept(); err != nil {
		return err
	}
	b.writer.lists = b.used()
	b.order()
	b.authority()
	for _, r := range b.rules {
		b.report(r)
	}
	return nil
}

// active are the rules that could be converted.
func (b *book) active() (all []*rule) {
	for _, r := range b.rules {
		if r.refused == nil {
			all = append(all, r)
		}
	}
	return all
}

// accept asks whether our language takes the rules' expressions.
func (b *book) accept() error {
	if b.options.Checker == nil {
		return nil
	}
	check, err := b.options.Checker(b.writer.lists.entries())
	if err != nil {
		return err
	}
	for _, r := range b.active() {
		if err := check(r.name, r.when.text); err != nil {
			r.refuse(&fault{code: codeRefused, message: "the expression is not accepted here: " + err.Error(), at: -1})
		}
	}
	return nil
}

// used are the lists that active rules name.
func (b *book) used() (kept lists) {
	named := map[string]bool{}
	for _, r := range b.active() {
		for _, name := range r.lists {
			named[name] = true
		}
	}
	for _, l := range b.writer.lists {
		if named[l.name] {
			kept = append(kept, l)
		}
	}
	return kept
}

// entries are the lists as a configuration has them.
func (l lists) entries() map[string][]string {
	all := make(map[string][]string, len(l))
	for _, one := range l {
		for _, n := range one.networks {
			all[one.name] = append(all[one.name], n.String())
		}
	}
	return all
}

// maxOrder is the largest order number that a configuration takes.
const maxOrder = 1_000_000

// order gives up the numbers where they cannot be ours.
func (b *book) order() {
	b.ties()
	for _, r := range b.active() {
		if b.numbered && (r.order < 0 || r.order > maxOrder) {
			b.numbered = false
			b.meaning(r, "", "rule %q has the order %d, and a number here is from 0 to %d: numbers are left out, and the place of a rule is its order", r.name, r.order, maxOrder)
		}
	}
}

// ties notes active rules of the same order: the original does not say which of
// them is first. Numbers are not kept then, for ours must differ.
func (b *book) ties() {
	all := b.active()
	for i := 1; i < len(all) && b.numbered; i++ {
		if all[i].order == all[i-1].order {
			b.numbered = false
			b.meaning(all[i], "put the rules into the order that is meant", "rules %q and %q both have the order %d; they stand as in the file, and numbers are left out", all[i-1].name, all[i].name, all[i].order)
		}
	}
}

// authority settles whose rules count: that is said, or it is the first of several
// cells.
func (b *book) authority() {
	r := b.reading
	if r.authority == "" && len(r.cells) > 0 {
		r.authority = r.cells[0]
	}
	if r.authority != "" && !isName(r.authority) {
		b.add(Finding{Code: codeRule, Message: fmt.Sprintf("the rules are those of the cell %q, which no cell can be called here: rules_authority is not written", r.authority)})
		r.authority = ""
	}
}

func (b *book) meaning(r *rule, hint, format string, args ...any) {
	b.add(Finding{Line: r.line, Column: r.column, Code: codeMeaning, Rule: r.name, Message: fmt.Sprintf(format, args...), Hint: hint})
}

func (b *book) add(f Finding) { b.reading.findings = append(b.reading.findings, f) }

// report notes why a rule was not converted, or what of it is to be looked at.
func (b *book) report(r *rule) {
	for _, f := range r.refused {
		b.add(Finding{Line: r.line, Column: r.column, Code: f.code, Rule: r.name, Message: fmt.Sprintf("rule %q is disabled: %s", r.name, f.message), Hint: f.hint})
	}
	if r.refused != nil {
		return
	}
	if whose := r.scopes(); len(whose) > 0 {
		b.meaning(r, "", "rule %q is of the %s, and what is written is for every node that reads it", r.name, strings.Join(whose, ", the "))
	}
	for _, d := range r.action.all() {
		if !strings.ContainsAny(d, "/=") {
			b.meaning(r, "write CELL/"+d+" if it is another's", "rule %q names the cluster %s without a cell: it is one of the node's own cell", r.name, d)
		}
	}
	if r.action.sticky {
		b.meaning(r, "give its sites a session with binding: gateway-cookie", "rule %q binds clients to the server that answers, by a cookie of the gateway", r.name)
	}
	if strings.HasPrefix(r.action.location, "/") {
		b.meaning(r, "", "rule %q redirects to a path, which stays on the host that the client asked", r.name)
	}
}

// all are the destinations of every group.
func (a action) all() []string {
	return slices.Concat(append([][]string{a.to}, a.failover...)...)
}

// sorted are the findings in the order of the file.
func (b *book) sorted() []Finding {
	slices.SortStableFunc(b.reading.findings, func(x, y Finding) int { return cmp.Compare(x.Line, y.Line) })
	return b.reading.findings
}
