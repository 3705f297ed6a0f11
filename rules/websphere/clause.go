package websphere

import "strings"

// binding is how tightly the outermost operator of a clause binds, in our
// language.
type binding uint8

const (
	bindsOr binding = iota
	bindsAnd
	bindsComparison
	bindsNot // tighter than a comparison: not a == b is (not a) == b
)

// A clause is an expression of our language, and what holds it together.
type clause struct {
	text  string
	binds binding
}

var (
	always = clause{"true", bindsNot}
	never  = clause{"false", bindsNot}
)

func call(text string) clause    { return clause{text, bindsNot} }
func compare(text string) clause { return clause{text, bindsComparison} }

// inside is the text of a clause as part of one that binds so tightly.
func (c clause) inside(b binding) string {
	if c.binds < b {
		return "(" + c.text + ")"
	}
	return c.text
}

func allOf(a, b clause) clause {
	switch {
	case a == never || b == never:
		return never
	case a == always:
		return b
	case b == always:
		return a
	}
	return clause{a.inside(bindsAnd) + " and " + b.inside(bindsAnd), bindsAnd}
}

func anyOf(a, b clause) clause {
	switch {
	case a == always || b == always:
		return always
	case a == never:
		return b
	case b == never:
		return a
	}
	return clause{a.inside(bindsOr) + " or " + b.inside(bindsOr), bindsOr}
}

func not(c clause) clause {
	switch c {
	case always:
		return never
	case never:
		return always
	}
	if c.binds == bindsNot && strings.HasPrefix(c.text, "not ") {
		return call(strings.TrimPrefix(c.text, "not "))
	}
	return call("not " + c.inside(bindsNot))
}

// guarded is the clause for requests that have the operand. It need not say so
// if it is false for those that have not, whose value here is empty.
func guarded(o operand, c clause, holdsForEmpty bool) clause {
	present := o.present()
	switch {
	case present == "" || !holdsForEmpty:
		return c
	case strings.Contains(present, " != "):
		return allOf(compare(present), c)
	}
	return allOf(call(present), c)
}
