package rules

import (
	"fmt"
	"strings"

	"github.com/expr-lang/expr/ast"
)

// A fact is a condition without and, or and not.
type fact struct {
	key     string // equal for facts that are the same; empty: nothing is known of it
	subject string // what it is about: path, header("x")

	// One of these is set if the fact is that the subject is in a set.
	texts     *textSet
	numbers   *numberSet
	addresses *addressSet

	present string // subject whose presence the fact is: header("x"); empty: of none
}

// within reports whether g holds whenever f does.
func (f *fact) within(g *fact) bool {
	switch {
	case f.key == g.key:
		return true
	case g.present != "":
		return f.subject == g.present && f.texts != nil && !f.texts.has("")
	case f.subject != g.subject || f.subject == "":
		return false
	case f.texts != nil && g.texts != nil:
		return f.texts.within(g.texts)
	case f.numbers != nil && g.numbers != nil:
		return f.numbers.within(g.numbers)
	case f.addresses != nil && g.addresses != nil:
		return f.addresses.within(g.addresses)
	}
	return false
}

// apart reports whether f and g never hold together.
func (f *fact) apart(g *fact) bool {
	switch {
	case f.subject != g.subject || f.subject == "":
		return false
	case f.texts != nil && g.texts != nil:
		return f.texts.apart(g.texts)
	case f.numbers != nil && g.numbers != nil:
		return f.numbers.apart(g.numbers)
	case f.addresses != nil && g.addresses != nil:
		return f.addresses.apart(g.addresses)
	}
	return false
}

// unless reports whether f holds whenever g does not: what is absent is empty, and
// what is not empty is there.
func (f *fact) unless(g *fact) bool {
	return f.emptyAt(g.present) || g.emptyAt(f.present)
}

// emptyAt reports whether the fact holds if a subject is empty.
func (f *fact) emptyAt(subject string) bool {
	return subject != "" && f.subject == subject && f.texts != nil && f.texts.has("")
}

// facts turns a tree into a claim, and notes what it sees on the way.
type facts struct {
	source string
	lists  map[string]*List
	notes  []*Error // parts that are always or never true
	doubts []*Error // other findings
}

// claim is the normal form of an expression, or of its negation.
func (v *facts) claim(n ast.Node, negative bool) claim {
	switch n := n.(type) {
	case *ast.BoolNode:
		if n.Value != negative {
			return claim{kind: always}
		}
		return claim{kind: never}
	case *ast.UnaryNode:
		if word(n.Operator) == "not" {
			return v.claim(n.Node, !negative)
		}
	case *ast.ConditionalNode:
		return v.conditional(n, negative)
	case *ast.BinaryNode:
		if k, ok := joins(n, negative); ok {
			return join(k, v.claim(n.Left, negative), v.claim(n.Right, negative))
		}
		if n.Operator == "!=" {
			equal := &ast.BinaryNode{Operator: "==", Left: n.Left, Right: n.Right}
			equal.SetLocation(n.Location())
			return v.atom(equal, !negative)
		}
	}
	return v.atom(n, negative)
}

// joins is how a chain joins its parts, by De Morgan if it is negated.
func joins(n *ast.BinaryNode, negative bool) (k kind, ok bool) {
	switch operator := word(n.Operator); {
	case operator != "and" && operator != "or":
		return atom, false
	case (operator == "and") == negative:
		return anyOf, true
	}
	return allOf, true
}

func (v *facts) conditional(n *ast.ConditionalNode, negative bool) claim {
	yes := join(allOf, v.claim(n.Cond, false), v.claim(n.Exp1, negative))
	return join(anyOf, yes, join(allOf, v.claim(n.Cond, true), v.claim(n.Exp2, negative)))
}

// atom is the claim of a fact, or what it always is.
func (v *facts) atom(n ast.Node, negative bool) claim {
	f := factOf(n)
	v.list(n)
	k, why := f.value()
	if none := v.noneListed(n); none != "" {
		k, why = never, none
	}
	if noEntries(n) {
		k, why = never, "nothing is in an empty list"
	}
	if share, ok := shareOf(n); ok && (share == 0 || share == 100) {
		k, why = never, fmt.Sprintf("percent(%v) is true for no request", share)
		if share == 100 {
			k, why = always, "percent(100) is true for every request"
		}
	}
	if k == atom {
		v.methods(n, f)
		return claim{fact: f, negative: negative}
	}
	v.notes = append(v.notes, doubt(v.source, n, CodePart, why, ""))
	if negative {
		return claim{kind: k}.not()
	}
	return claim{kind: k}
}

// value is always or never if the domain of the subject makes the fact so, and why.
func (f *fact) value() (k kind, why string) {
	switch {
	case f.texts != nil:
		return f.texts.value(f.subject)
	case f.numbers != nil:
		return f.numbers.value(f.subject)
	}
	return atom, ""
}

func noEntries(n ast.Node) bool {
	b, ok := n.(*ast.BinaryNode)
	if !ok || b.Operator != "in" {
		return false
	}
	list, ok := b.Right.(*ast.ArrayNode)
	return ok && len(list.Nodes) == 0
}

// shareOf is the argument of percent().
func shareOf(n ast.Node) (float64, bool) {
	c, ok := n.(*ast.CallNode)
	if !ok || calleeOf(c) != "percent" || len(c.Arguments) != 1 {
		return 0, false
	}
	return share(c.Arguments[0])
}

func calleeOf(n *ast.CallNode) string {
	callee, ok := n.Callee.(*ast.IdentifierNode)
	if !ok {
		return ""
	}
	return callee.Value
}

// factOf is what a condition says, as far as it is understood.
func factOf(n ast.Node) *fact {
	f := &fact{key: keyOf(n)}
	if f.key == "" {
		return f
	}
	switch n := n.(type) {
	case *ast.BinaryNode:
		f.compare(n)
	case *ast.CallNode:
		f.call(n)
	}
	return f
}

// keyOf is the same for conditions that are the same; empty for those by chance,
// which are drawn for each rule.
func keyOf(n ast.Node) string {
	chance := &finds{name: "percent"}
	ast.Walk(&n, chance)
	if chance.found {
		return ""
	}
	return subjectOf(n)
}

// finds looks for a call of a function.
type finds struct {
	name  string
	found bool
}

// Visit implements ast.Visitor.
func (v *finds) Visit(n *ast.Node) {
	if c, ok := (*n).(*ast.CallNode); ok && calleeOf(c) == v.name {
		v.found = true
	}
}

// subjectOf is an expression in words that are equal for equal values: the names of
// header fields are in lower case.
func subjectOf(n ast.Node) string {
	if c, ok := n.(*ast.CallNode); ok && len(c.Arguments) == 1 {
		switch name := calleeOf(c); name {
		case "header", "headers", "has_header":
			return "(call " + name + " " + strings.ToLower(shape(c.Arguments[0])) + ")"
		}
	}
	if name := path(n); name != "" {
		return name
	}
	if b, ok := n.(*ast.BinaryNode); ok {
		return "(" + b.Operator + " " + subjectOf(b.Left) + " " + subjectOf(b.Right) + ")"
	}
	return shape(n)
}

// compare understands comparisons with constants.
func (f *fact) compare(n *ast.BinaryNode) {
	left, right, operator := n.Left, n.Right, n.Operator
	if isConstant(left) && !isConstant(right) && mirrored[operator] != "" {
		left, right, operator = right, left, mirrored[operator]
	}
	if isConstant(left) {
		return
	}
	f.subject = subjectOf(left)
	f.texts = textsOf(operator, right)
	f.numbers = numbersOf(operator, right)
	f.addresses = addressesOf(operator, right)
}

// mirrored are operators from the other side.
var mirrored = map[string]string{"==": "==", "<": ">", ">": "<", "<=": ">=", ">=": "<="}

func isConstant(n ast.Node) bool {
	_, text := n.(*ast.StringNode)
	_, number := wholeOf(n)
	return text || number
}

// call understands functions that compare with constants.
func (f *fact) call(n *ast.CallNode) {
	name := calleeOf(n)
	switch name {
	case "has_header", "has_cookie", "has_query":
		if len(n.Arguments) == 1 {
			f.present = strings.Replace(subjectOf(n), "has_", "", 1)
		}
	case "glob", "like", "ilike":
		if pattern, ok := constant(n.Arguments, 1); ok {
			f.subject, f.texts = subjectOf(n.Arguments[0]), patternTexts(name, pattern)
		}
	case "cidr":
		if len(n.Arguments) > 1 {
			f.subject, f.addresses = subjectOf(n.Arguments[0]), networksOf(n.Arguments[1:])
		}
	}
}
