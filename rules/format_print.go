package rules

import (
	"strconv"
	"strings"
	"unicode"

	"github.com/expr-lang/expr/ast"
	"github.com/expr-lang/expr/file"
	"github.com/expr-lang/expr/parser/utils"
)

// How tightly an expression holds together. An operand that is looser than its
// place allows stands in parentheses.
const (
	bindsConditional = iota
	bindsOr
	bindsAnd
	bindsComparison
	bindsNot
	bindsMinus
	bindsCoalesce
	bindsName
)

// binds is how tightly an expression holds together.
func binds(n ast.Node) int {
	switch n := n.(type) {
	case *ast.ConditionalNode:
		return bindsConditional
	case *ast.BinaryNode:
		return operatorBinds(n.Operator)
	case *ast.UnaryNode:
		if negated(n) != nil {
			return bindsComparison
		}
		if word(n.Operator) == "not" {
			return bindsNot
		}
		return bindsMinus
	}
	return bindsName
}

func operatorBinds(operator string) int {
	switch word(operator) {
	case "or":
		return bindsOr
	case "and":
		return bindsAnd
	case "??":
		return bindsCoalesce
	}
	return bindsComparison
}

// word is an operator as rules write it.
func word(operator string) string {
	switch operator {
	case "&&":
		return "and"
	case "||":
		return "or"
	case "!":
		return "not"
	}
	return operator
}

// negated is the comparison in a "not in" and its like; nil: it is none.
func negated(n *ast.UnaryNode) *ast.BinaryNode {
	b, ok := n.Node.(*ast.BinaryNode)
	if !ok || word(n.Operator) != "not" {
		return nil
	}
	switch b.Operator {
	case "in", "contains", "matches", "startsWith", "endsWith":
		return b
	}
	return nil
}

// printer writes expressions on one line.
type printer struct {
	source []rune
}

// as writes an expression, in parentheses if it is looser than that.
func (p printer) as(n ast.Node, least int) string {
	if binds(n) < least {
		return "(" + p.text(n) + ")"
	}
	return p.text(n)
}

// text writes an expression.
func (p printer) text(n ast.Node) string {
	switch n := n.(type) {
	case *ast.StringNode:
		return p.quoted(n)
	case *ast.IntegerNode, *ast.FloatNode, *ast.BytesNode:
		return p.written(n.Location())
	case *ast.UnaryNode:
		return p.unary(n)
	case *ast.BinaryNode:
		return p.binary(n, word(n.Operator))
	case *ast.MemberNode:
		return p.member(n)
	case *ast.CallNode:
		return p.base(n.Callee) + "(" + p.list(n.Arguments) + ")"
	case *ast.BuiltinNode:
		return n.Name + "(" + p.list(n.Arguments) + ")"
	case *ast.ConditionalNode:
		return p.conditional(n)
	case *ast.ArrayNode:
		return "[" + p.list(n.Nodes) + "]"
	}
	return n.String() // a name, true, false
}

// written is a part of the source as it stands there.
func (p printer) written(at file.Location) string { return string(p.source[at.From:at.To]) }

// quoted writes a text in double quotes. One between backquotes stays there if
// double quotes would need escapes, as many regular expressions would.
func (p printer) quoted(n *ast.StringNode) string {
	written := p.written(n.Location())
	plain := !strings.ContainsFunc(n.Value, func(c rune) bool { return !unicode.IsPrint(c) })
	if strings.HasPrefix(written, "`") && plain && strings.ContainsAny(n.Value, `"\`) {
		return written
	}
	return strconv.Quote(n.Value)
}

func (p printer) list(nodes []ast.Node) string {
	all := make([]string, len(nodes))
	for i, n := range nodes {
		all[i] = p.text(n)
	}
	return strings.Join(all, ", ")
}

func (p printer) unary(n *ast.UnaryNode) string {
	if b := negated(n); b != nil {
		return p.binary(b, "not "+b.Operator)
	}
	if word(n.Operator) == "not" {
		return "not " + p.notOperand(n.Node)
	}
	return n.Operator + p.as(n.Node, bindsName)
}

// notOperand is what not stands before.
func (p printer) notOperand(n ast.Node) string { return p.as(n, leastOfNot(n)) }

// leastOfNot is how tightly the operand of not must hold together.
func leastOfNot(n ast.Node) int {
	if binds(n) == bindsCoalesce {
		return bindsName
	}
	return bindsNot
}

func (p printer) binary(n *ast.BinaryNode, operator string) string {
	return p.as(n.Left, leastLeft(n)) + " " + operator + " " + p.as(n.Right, leastRight(n))
}

// leastLeft is how tightly the left operand must hold together. The language reads
// a < b < c as a < b and b < c, mixes ?? with nothing, and people read
// not a == b as not (a == b), which it is not.
func leastLeft(n *ast.BinaryNode) int {
	own, left := operatorBinds(n.Operator), binds(n.Left)
	switch {
	case left == bindsCoalesce && own != bindsCoalesce, left == bindsNot && own == bindsComparison:
		return bindsName
	case isOrder(n.Left) && isOrder(n):
		return own + 1
	}
	return own
}

// leastRight is how tightly the right operand must: operators of a kind are read
// from the left.
func leastRight(n *ast.BinaryNode) int {
	own, right := operatorBinds(n.Operator), binds(n.Right)
	if right == bindsCoalesce || right == bindsNot && own == bindsComparison {
		return bindsName
	}
	return own + 1
}

// isOrder reports whether an expression compares by order.
func isOrder(n ast.Node) bool {
	b, ok := n.(*ast.BinaryNode)
	return ok && strings.ContainsAny(b.Operator, "<>")
}

// base is what a field or a call hangs on.
func (p printer) base(n ast.Node) string {
	switch n.(type) {
	case *ast.IntegerNode, *ast.FloatNode, *ast.BoolNode:
		return "(" + p.text(n) + ")"
	}
	return p.as(n, bindsName)
}

func (p printer) member(n *ast.MemberNode) string {
	if s, ok := n.Property.(*ast.StringNode); ok && utils.IsValidIdentifier(s.Value) {
		return p.base(n.Node) + "." + s.Value
	}
	return p.base(n.Node) + "[" + p.text(n.Property) + "]"
}

func (p printer) conditional(n *ast.ConditionalNode) string {
	condition := p.as(n.Cond, bindsOr)
	if n.Exp1 == n.Cond {
		return condition + " ?: " + p.text(n.Exp2)
	}
	return condition + " ? " + p.text(n.Exp1) + " : " + p.text(n.Exp2)
}
