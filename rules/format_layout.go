package rules

import (
	"strings"
	"unicode/utf8"

	"github.com/expr-lang/expr/ast"
)

// maxColumns is the longest line that is not broken.
const maxColumns = 100

// layout writes an expression on as many lines as it needs, with the comments.
type layout struct {
	printer
	comments []comment // that are not written yet
	lines    []string
	closed   bool // the last line ends with a comment: nothing can follow on it
}

// put writes an operand between lead and tail: on one line if it fits there and
// there is no comment in it, otherwise broken.
func (w *layout) put(n ast.Node, least, indent int, lead, tail string) {
	first, last := span(n)
	w.place(first, indent)
	if w.pending(last) {
		w.hoist(head(n), indent)
	}
	text := lead + w.as(n, least) + tail
	switch {
	case !w.pending(last) && indent+utf8.RuneCountInString(text) <= maxColumns:
		w.line(indent, text)
	case binds(n) < least:
		w.line(indent, lead+"(")
		w.put(n, 0, indent+2, "", "")
		w.line(indent, ")"+tail)
	default:
		w.broken(n, least, indent, lead, tail)
	}
}

// broken writes what does not fit on a line. What has no parts to break it into is
// written on one all the same.
func (w *layout) broken(n ast.Node, least, indent int, lead, tail string) {
	switch n := n.(type) {
	case *ast.BinaryNode:
		if binds(n) == bindsAnd || binds(n) == bindsOr {
			w.chain(n, least, indent, lead, tail)
			return
		}
		w.comparison(n, word(n.Operator), indent, lead, tail)
	case *ast.UnaryNode:
		if b := negated(n); b != nil {
			w.comparison(b, "not "+b.Operator, indent, lead, tail)
			return
		}
		w.put(n.Node, leastOfNot(n.Node), indent, lead+w.prefix(n), tail)
	case *ast.CallNode:
		w.list(n.Arguments, indent, lead+w.base(n.Callee)+"(", ")"+tail)
	case *ast.BuiltinNode:
		w.list(n.Arguments, indent, lead+n.Name+"(", ")"+tail)
	case *ast.ArrayNode:
		w.list(n.Nodes, indent, lead+"[", "]"+tail)
	case *ast.ConditionalNode:
		w.conditional(n, indent, lead, tail)
	default:
		w.line(indent, lead+w.text(n)+tail)
	}
}

// prefix is an operator before its operand.
func (w *layout) prefix(n *ast.UnaryNode) string {
	if word(n.Operator) == "not" {
		return "not "
	}
	return n.Operator
}

// chain writes the operands that and or or join, one a line.
func (w *layout) chain(n *ast.BinaryNode, least, indent int, lead, tail string) {
	first, rest := unchain(n)
	rests := indent
	if least > 0 || lead != "" {
		rests += 2 // it stands in something else
	}
	w.put(first, leastLeft(rest[0]), indent, lead, "")
	for i, operand := range rest {
		end := ""
		if i == len(rest)-1 {
			end = tail
		}
		w.put(operand.Right, leastRight(operand), rests, word(n.Operator)+" ", end)
	}
}

// unchain are the operands of a chain of one operator: the first, and the rest as
// right sides.
func unchain(n *ast.BinaryNode) (first ast.Node, rest []*ast.BinaryNode) {
	first = n
	for {
		b, ok := first.(*ast.BinaryNode)
		if !ok || word(b.Operator) != word(n.Operator) {
			return first, rest
		}
		first, rest = b.Left, append([]*ast.BinaryNode{b}, rest...)
	}
}

// comparison keeps the left side and the operator on the first line.
func (w *layout) comparison(n *ast.BinaryNode, operator string, indent int, lead, tail string) {
	w.put(n.Right, leastRight(n), indent, lead+w.as(n.Left, leastLeft(n))+" "+operator+" ", tail)
}

func (w *layout) list(nodes []ast.Node, indent int, open, end string) {
	if len(nodes) == 0 {
		w.line(indent, open+end)
		return
	}
	w.line(indent, open)
	for i, n := range nodes {
		tail := ","
		if i == len(nodes)-1 {
			tail = ""
		}
		w.put(n, 0, indent+2, "", tail)
	}
	w.line(indent, end)
}

func (w *layout) conditional(n *ast.ConditionalNode, indent int, lead, tail string) {
	w.put(n.Cond, bindsOr, indent, lead, "")
	if n.Exp1 == n.Cond {
		w.put(n.Exp2, 0, indent+2, "?: ", tail)
		return
	}
	w.put(n.Exp1, 0, indent+2, "? ", "")
	w.put(n.Exp2, 0, indent+2, ": ", tail)
}

func (w *layout) line(indent int, text string) {
	w.lines = append(w.lines, strings.Repeat(" ", indent)+text)
	w.closed = false
}

// head is up to where comments cannot stand inside of an expression, since its first
// line goes so far: they stand before it.
func head(n ast.Node) int {
	first, last := span(n)
	switch n := n.(type) {
	case *ast.BinaryNode:
		if binds(n) == bindsAnd || binds(n) == bindsOr {
			return head(n.Left)
		}
		return head(n.Right)
	case *ast.UnaryNode:
		return head(n.Node)
	case *ast.ConditionalNode:
		return head(n.Cond)
	case *ast.CallNode:
		if len(n.Arguments) > 0 {
			return first
		}
	case *ast.BuiltinNode, *ast.ArrayNode:
		return first
	}
	return last
}

// span is where the words of an expression begin and where the last of them does,
// in characters of the source.
func span(n ast.Node) (first, last int) {
	v := &extent{first: n.Location().From, last: 0}
	if _, ok := n.(*ast.ConditionalNode); ok {
		v.first = 1 << 30 // its place is behind its operator
	}
	ast.Walk(&n, v)
	return v.first, v.last
}

type extent struct{ first, last int }

// Visit implements ast.Visitor.
func (v *extent) Visit(n *ast.Node) {
	if _, ok := (*n).(*ast.ConditionalNode); ok {
		return
	}
	at := (*n).Location().From
	v.first, v.last = min(v.first, at), max(v.last, at)
}
