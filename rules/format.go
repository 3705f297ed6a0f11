package rules

import (
	"strings"
	"unicode/utf8"

	"github.com/expr-lang/expr/ast"
	"github.com/expr-lang/expr/file"
)

// Format writes an expression the one way that rules are written: and, or and not,
// double quotes, one blank around operators, parentheses where they change the
// meaning or where not stands beside a comparison, and one operand a line where a
// line would be longer than 100 columns. Comments stay before or behind the operand
// that they stand at. Formatting what is formatted changes nothing.
//
// The error is what Compile would say of the syntax; types are not looked at.
func Format(source string) (string, *Error) {
	tree, err := readable(source)
	if err != nil {
		return "", err
	}
	w := &layout{printer: printer{[]rune(source)}, comments: commentsOf(source)}
	w.put(tree, 0, 0, "", "")
	w.place(len(w.source)+1, 0)
	return sameAs(tree, strings.Join(w.lines, "\n"))
}

// FormatLine is Format for where there is one line only, however long it becomes.
// It refuses expressions with comments.
func FormatLine(source string) (string, *Error) {
	tree, err := readable(source)
	if err != nil {
		return "", err
	}
	if all := commentsOf(source); len(all) > 0 {
		return "", at(source, file.Location{From: all[0].at, To: all[0].at + 2}, codeLanguage, "a comment needs lines of its own", "")
	}
	return sameAs(tree, printer{[]rune(source)}.text(tree))
}

// readable parses what is to be formatted.
func readable(source string) (ast.Node, *Error) {
	if !utf8.ValidString(source) {
		return nil, ofWhole("it is not UTF-8")
	}
	tree, errs := new(Language).parse(source)
	if errs != nil {
		return nil, errs[0]
	}
	return tree.Node, nil
}

// sameAs returns what was formatted if it means the same.
func sameAs(tree ast.Node, formatted string) (string, *Error) {
	again, err := readable(formatted)
	if err != nil || shape(again) != shape(tree) {
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
