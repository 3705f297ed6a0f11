package rules

import (
	"strings"
	"unicode/utf8"

	"github.com/expr-lang/expr/ast"
)

// Format writes an expression the one way that rules are written: and, or and not,
// double quotes, one blank around operators, parentheses where they change the
// meaning or where not stands beside a comparison, and one operand a line where a
// line would be longer than 100 columns. Comments stay before or behind the operand
// that they stand at. Formatting what is formatted changes nothing.
//
// The error is what Compile would say of the syntax; types are not looked at.
func Format(source string) (string, *Error) {
	if !utf8.ValidString(source) {
		return "", ofWhole("it is not UTF-8")
	}
	var l Language
	tree, errs := l.parse(source)
	if errs != nil {
		return "", errs[0]
	}
	w := &layout{printer: printer{[]rune(source)}, comments: commentsOf(source)}
	w.put(tree.Node, 0, 0, "", "")
	w.place(len(w.source)+1, 0)
	formatted := strings.Join(w.lines, "\n")
	if again, errs := l.parse(formatted); errs != nil || shape(again.Node) != shape(tree.Node) {
		return "", ofWhole("it cannot be formatted without a change of its meaning, which is a mistake of weirkeep")
	}
	return formatted, nil
}

// shape is the meaning of a tree: equal for two sources that differ in spelling and
// layout alone.
func shape(n ast.Node) string {
	switch n := n.(type) {
	case *ast.StringNode:
		return n.String()
	case *ast.UnaryNode:
		return "(" + word(n.Operator) + " " + shape(n.Node) + ")"
	case *ast.BinaryNode:
		return "(" + word(n.Operator) + shapes(n.Left, n.Right) + ")"
	case *ast.MemberNode:
		return "(." + shapes(n.Node, n.Property) + ")"
	case *ast.CallNode:
		return "(call" + shapes(append([]ast.Node{n.Callee}, n.Arguments...)...) + ")"
	case *ast.BuiltinNode:
		return "(call " + n.Name + shapes(n.Arguments...) + ")"
	case *ast.ConditionalNode:
		return "(?" + shapes(n.Cond, n.Exp1, n.Exp2) + ")"
	case *ast.ArrayNode:
		return "[" + shapes(n.Nodes...) + "]"
	}
	return n.String()
}

func shapes(nodes ...ast.Node) string {
	var b strings.Builder
	for _, n := range nodes {
		b.WriteString(" " + shape(n))
	}
	return b.String()
}
