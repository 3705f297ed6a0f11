package rules

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/expr-lang/expr/ast"
)

// refused finds what rules may not use: whatever loops, makes values, or stands
// for nothing. Disabling the language's own functions does not disable these.
func refused(source string, root ast.Node) []*Error {
	v := &refusal{source: source}
	ast.Walk(&root, v)
	slices.SortStableFunc(v.errs, func(a, b *Error) int { return cmp.Or(a.Line-b.Line, a.Column-b.Column) })
	return v.errs
}

// refusal is a visitor that collects what it refuses.
type refusal struct {
	source string
	errs   []*Error
}

// Visit implements ast.Visitor.
func (v *refusal) Visit(n *ast.Node) {
	switch n := (*n).(type) {
	case *ast.BuiltinNode:
		v.builtin(n)
	case *ast.VariableDeclaratorNode:
		v.refuse(n, fmt.Sprintf("let %s: variables are not declared in rules", n.Name), "write the expression in its place")
	case *ast.SequenceNode:
		v.refuse(n, "a condition is one expression", "")
	case *ast.NilNode:
		v.refuse(n, "nil is not part of rules", `what is absent is "" or 0; has_header(), has_cookie() and has_query() tell it from what is empty`)
	case *ast.MapNode:
		v.refuse(n, "maps are not part of rules", "")
	case *ast.SliceNode:
		v.refuse(n, "slices are not part of rules", "before(s, x) and after(s, x) cut a text")
	case *ast.ChainNode:
		v.refuse(n, "?. is not part of rules", "nothing is ever nil: write .")
	case *ast.BinaryNode:
		v.binary(n)
	case *ast.UnaryNode:
		v.unary(n)
	}
}

// builtin refuses the language's own functions, but for those whose names ours have.
func (v *refusal) builtin(n *ast.BuiltinNode) {
	switch n.Name {
	case "len", "int", "lower", "upper", "trim":
		return
	}
	for _, argument := range n.Arguments {
		if _, loops := argument.(*ast.PredicateNode); loops {
			v.refuse(n, fmt.Sprintf("loops are not allowed in rules (%q)", n.Name), "write each case, or use in_list()")
			return
		}
	}
	v.refuse(n, fmt.Sprintf("%s() is not part of rules", n.Name), didYouMean(n.Name, names()))
}

func (v *refusal) binary(n *ast.BinaryNode) {
	switch n.Operator {
	case "and", "or", "&&", "||", "==", "!=", "<", "<=", ">", ">=", "in", "contains", "startsWith", "endsWith", "??":
	case "matches":
		v.matches(n)
	case "..":
		v.refuse(n, "ranges are not allowed in rules", "compare with < and >=")
	default:
		v.refuse(n, fmt.Sprintf("%q is not part of rules", n.Operator), "rules compare, they do not calculate")
	}
}

func (v *refusal) matches(n *ast.BinaryNode) {
	s, literal := n.Right.(*ast.StringNode)
	if !literal {
		v.add(n.Right, codeLiteral, "the pattern of matches must be a literal text", "")
	} else if err := checkRegex(s.Value); err != nil {
		v.add(n.Right, codeLiteral, "matches: "+err.Error(), "")
	}
}

func (v *refusal) unary(n *ast.UnaryNode) {
	switch n.Operator {
	case "not", "!":
		return
	}
	if _, literal := n.Node.(*ast.IntegerNode); !literal {
		v.refuse(n, fmt.Sprintf("%q is not part of rules", n.Operator), "")
	}
}

func (v *refusal) refuse(n ast.Node, message, hint string) { v.add(n, codeRefused, message, hint) }

func (v *refusal) add(n ast.Node, code, message, hint string) {
	v.errs = append(v.errs, at(v.source, n.Location(), code, message, hint))
}

// checkLiterals checks the arguments that must be literal, and patterns.
func (l *Language) checkLiterals(source string, root ast.Node) []*Error {
	v := &literals{refusal{source: source}, l}
	ast.Walk(&root, v)
	return v.errs
}

type literals struct {
	refusal
	language *Language
}

// Visit implements ast.Visitor.
func (v *literals) Visit(n *ast.Node) {
	if call, ok := (*n).(*ast.CallNode); ok {
		v.call(call)
	}
}

func (v *literals) call(n *ast.CallNode) {
	fn := v.language.function(n)
	switch {
	case fn == nil:
		return
	case fn.name == "percent":
		if _, ok := share(n.Arguments[0]); !ok {
			v.add(n.Arguments[0], codeLiteral, "percent() takes a literal number from 0 to 100", "")
		}
		return
	case fn.literal == nil:
		return
	}
	first := 0
	if len(n.Arguments) > 1 {
		first = 1
	}
	for _, argument := range n.Arguments[first:] {
		v.literal(fn, argument)
	}
}

func (v *literals) literal(fn *function, n ast.Node) {
	s, ok := n.(*ast.StringNode)
	if !ok {
		v.add(n, codeLiteral, fmt.Sprintf("%s() takes a literal text here: it is compiled when the configuration is read", fn.name), "")
		return
	}
	err := fn.literal(v.language, s.Value)
	if err == nil {
		return
	}
	hint := ""
	if u, ok := err.(*unknown); ok {
		hint = u.hint()
	}
	v.add(n, codeLiteral, fmt.Sprintf("%s(): %v", fn.name, err), hint)
}
