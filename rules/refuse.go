package rules

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/expr-lang/expr/ast"
)

// refused finds what rules may not use: whatever loops, makes values, or stands
// for nothing. Disabling the language's own functions does not disable these.
func refused(source string, root ast.Node, in Scope) []*Error {
	v := &refusal{source: source, scope: in}
	ast.Walk(&root, v)
	slices.SortStableFunc(v.errs, func(a, b *Error) int { return cmp.Or(a.Line-b.Line, a.Column-b.Column) })
	return v.errs
}

// refusal is a visitor that collects what it refuses.
type refusal struct {
	source string
	scope  Scope
	errs   []*Error
	work   int // for the classes of all patterns
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
		v.refuse(n, "nil is not part of rules", absentHint)
	case *ast.IdentifierNode:
		v.name(n)
	case *ast.CallNode:
		v.percent(n)
	case *ast.BytesNode:
		v.refuse(n, "texts of bytes are not part of rules", `write "..." without the b`)
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

// name refuses the environment as a whole. Nothing else begins with a dollar sign.
func (v *refusal) name(n *ast.IdentifierNode) {
	if strings.HasPrefix(n.Value, "$") {
		v.refuse(n, fmt.Sprintf("%s is not part of rules", n.Value), "")
	}
}

// percent checks a share here, since the check of types makes other nodes of numbers.
func (v *refusal) percent(n *ast.CallNode) {
	if path(n.Callee) != "percent" || len(n.Arguments) != 1 {
		return
	}
	if _, ok := share(n.Arguments[0]); !ok {
		v.add(n.Arguments[0], codeLiteral, "percent() takes a literal number from 0 to 100", "")
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
	v.refuse(n, fmt.Sprintf("%s() is not part of rules", n.Name), cmp.Or(asOperator(n.Name, n.Arguments), didYouMean(n.Name, names(v.scope))))
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
		return
	}
	if v.work += classWork(s.Value); v.work > maxClassWork {
		v.add(n.Right, codeLiteral, `matches: there are too many classes of characters beyond ASCII, such as \pL, in the expression's patterns`, "write two rules")
	} else if err := checkRegex(s.Value); err != nil {
		v.add(n.Right, codeLiteral, "matches: "+err.Error(), hintOf(err))
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
