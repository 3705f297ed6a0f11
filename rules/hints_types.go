package rules

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/expr-lang/expr/ast"
)

// operands are those of a comparison: b is the literal, if one of them is, and the
// operator is turned with them.
type operands struct {
	operator     string
	a, b         ast.Node
	kindA, kindB string
}

// mismatched is about two operands of types that do not go together.
func mismatched(c clue) (message, hint string) {
	n, ok := nodeAt[*ast.BinaryNode](c)
	if !ok {
		return "", ""
	}
	o := operands{n.Operator, n.Left, n.Right, c.said[2], c.said[3]}
	turned := mirrored[n.Operator]
	if n.Operator == "!=" {
		turned = "!="
	}
	if isConstant(n.Left) && !isConstant(n.Right) && turned != "" {
		o = operands{turned, n.Right, n.Left, c.said[3], c.said[2]}
	}
	return "", o.hint()
}

func (o operands) hint() string {
	switch {
	case slices.Contains([]string{"and", "or", "&&", "||"}, o.operator):
		return conditionHint(o)
	case o.kindA == "function":
		return "call it: " + exampleOf(path(o.a))
	case len(fieldsOf(o.kindA)) > 0:
		return structHint(o)
	case o.operator == "in" && o.kindB == "string":
		return notIn(o)
	case o.kindA == "string" && o.kindB == "[]any":
		return fmt.Sprintf("write %s in %s", o.a, o.b)
	case o.kindA == "[]string":
		return listHint(o)
	case o.kindA == "ip":
		return addressHint(o)
	case o.kindA == "int" && o.kindB == "string":
		return numberHint(o)
	case o.kindA == "bool":
		return boolHint(o)
	case o.kindA == "string":
		return textHint(o)
	}
	return ""
}

func exampleOf(name string) string {
	if f := functionNamed(name); f != nil {
		return f.Example
	}
	return name + "(...)"
}

// conditionHint is about what is joined and is no condition.
func conditionHint(o operands) string {
	for _, n := range []struct {
		node ast.Node
		kind string
	}{{o.a, o.kindA}, {o.b, o.kindB}} {
		if n.kind == "string" {
			return fmt.Sprintf(`compare it with something: %s != ""`, n.node)
		}
	}
	return ""
}

// structHint is about what has fields, and is compared as a whole.
func structHint(o operands) string {
	if o.kindA != "client" && o.kindA != "peer" {
		return "compare one of its fields: " + strings.Join(fieldsOf(o.kindA), ", ")
	}
	ip := &ast.MemberNode{Node: o.a, Property: &ast.StringNode{Value: "ip"}}
	if o.kindB != "string" {
		return "write " + ip.String()
	}
	return addressHint(operands{o.operator, ip, o.b, "ip", "string"})
}

// notIn is about in with a text on its right.
func notIn(o operands) string {
	switch _, literal := o.b.(*ast.StringNode); {
	case o.kindA == "ip":
		return addressHint(o)
	case literal:
		return fmt.Sprintf("write a list: %s in [%s]", o.a, o.b)
	}
	return fmt.Sprintf("write %s contains %s", o.b, o.a)
}

// listHint is about values of a header field, which are compared with a text.
func listHint(o operands) string {
	switch o.operator {
	case "==", "contains":
		return fmt.Sprintf("write %s in %s", o.b, o.a)
	case "!=":
		return fmt.Sprintf("write %s not in %s", o.b, o.a)
	}
	return "header() is the first value; of all values in alone asks, for one that is equal"
}

// numberHint is about a number that is compared with a text.
func numberHint(o operands) string {
	if k, ok := constantNumber(o.b); ok {
		return fmt.Sprintf("numbers stand without quotes: %s %s %d", o.a, o.operator, k)
	}
	return fmt.Sprintf("%s is a number: compare it with one", o.a)
}

// constantNumber is the number that a literal text looks like.
func constantNumber(n ast.Node) (int, bool) {
	s, ok := n.(*ast.StringNode)
	if !ok {
		return 0, false
	}
	k, err := strconv.Atoi(s.Value)
	return k, err == nil
}

// boolHint is about what is true or false and is compared with something else.
func boolHint(o operands) string {
	s, _ := o.b.(*ast.StringNode)
	no := s != nil && s.Value == "false"
	if no == (o.operator == "!=") {
		return fmt.Sprintf("it is true or false by itself: %s", o.a)
	}
	return fmt.Sprintf("it is true or false by itself: not %s", o.a)
}

// textHint is about a text that is compared with a number, or with true.
func textHint(o operands) string {
	_, number := wholeOf(o.b)
	equality := o.operator == "==" || o.operator == "!="
	switch {
	case number && !equality:
		return fmt.Sprintf("write int(%s, 0) %s %s: 0 stands for what is no number", o.a, o.operator, o.b)
	case equality && spelt(o.b):
		return fmt.Sprintf("texts stand in quotes: %s %s %q", o.a, o.operator, o.b.String())
	}
	return ""
}

func spelt(n ast.Node) bool {
	_, truth := n.(*ast.BoolNode)
	return truth || isConstant(n)
}

// addressForm is how an address is written where nothing better is known.
const addressForm = `write an address as ip("10.1.2.3")`

func cidrForm(address ast.Node) string { return fmt.Sprintf(`cidr(%s, "10.0.0.0/8")`, address) }

// addressHint is about an address that is compared with a text.
func addressHint(o operands) string {
	s, literal := o.b.(*ast.StringNode)
	switch {
	case o.kindB == "ip" && o.operator == "in":
		return fmt.Sprintf("write %s == %s", o.a, o.b)
	case o.kindB == "ip":
		return fmt.Sprintf("write %s", cidrForm(o.a))
	case !literal:
		return addressForm
	}
	not, operator := "", o.operator
	if operator == "!=" {
		not = "not "
	}
	if operator == "in" {
		operator = "=="
	}
	switch _, bad := parseAddress(s.Value); {
	case slices.Contains(textOperators, operator):
		return fmt.Sprintf("write cidr(%s, %q)", o.a, networkOf(s.Value))
	case bad == nil:
		return fmt.Sprintf("write %s %s ip(%q)", o.a, operator, s.Value)
	case checkNetwork(nil, s.Value) == nil:
		return fmt.Sprintf("write %scidr(%s, %q)", not, o.a, s.Value)
	}
	return addressForm
}

var octets = regexp.MustCompile(`^\^?(\d+(?:\\?\.\d+){0,2})\\?\.`)

// networkOf is the network that a text as 10.1. stands for, or any.
func networkOf(text string) string {
	if m := octets.FindStringSubmatch(text); m != nil {
		parts := strings.Split(strings.ReplaceAll(m[1], `\`, ""), ".")
		network := padded(parts) + "/" + strconv.Itoa(8*len(parts))
		if checkNetwork(nil, network) == nil {
			return network
		}
	}
	return "10.0.0.0/8"
}

// padded is an address whose last numbers are 0.
func padded(parts []string) string {
	for len(parts) < 4 {
		parts = append(parts, "0")
	}
	return strings.Join(parts, ".")
}

// wrongEntry is about a list whose entries are of another type than what is looked
// for among them.
func wrongEntry(c clue) (message, hint string) {
	n, ok := nodeAt[*ast.BinaryNode](c)
	if !ok {
		return "", ""
	}
	list, _ := n.Right.(*ast.ArrayNode)
	if list == nil || len(list.Nodes) == 0 {
		return "", ""
	}
	switch kinds := c.said[1] + " " + c.said[2]; {
	case kinds == "ip string":
		return "", addressesHint(n.Left, list.Nodes)
	case kinds == "int string":
		return "", "numbers stand without quotes"
	case c.said[1] == "string" && spelt(list.Nodes[0]):
		return "", fmt.Sprintf("texts stand in quotes: %q", list.Nodes[0].String())
	case c.said[1] == "[]string":
		return "", fmt.Sprintf("write %s in %s", list.Nodes[0], n.Left)
	}
	return "", ""
}

// addressesHint is about texts among which an address is looked for.
func addressesHint(address ast.Node, entries []ast.Node) string {
	literals := make([]string, len(entries))
	networks := false
	for i := range entries {
		s, ok := constant(entries, i)
		if !ok {
			return addressForm
		}
		literals[i] = fmt.Sprintf("ip(%q)", s)
		networks = networks || strings.Contains(s, "/")
	}
	if networks {
		return fmt.Sprintf("write cidr(%s, %s)", address, joined(entries))
	}
	return fmt.Sprintf("write %s in [%s]", address, strings.Join(literals, ", "))
}

// wrongArgument is about an argument of another type than the function takes.
func wrongArgument(c clue) (message, hint string) {
	kind, wants, name := c.said[1], c.said[2], c.said[3]
	n, ok := nodeAt[ast.Node](c)
	switch {
	case !ok:
		return "", ""
	case wants == "ip" && (kind == "client" || kind == "peer"):
		return "", fmt.Sprintf("write %s.ip", n)
	}
	call, _ := c.parent(n).(*ast.CallNode)
	switch {
	case call == nil || !slices.Contains(call.Arguments, n):
		return "", ""
	case name == "cidr" && kind == "string":
		return "", c.subjectFirst(call)
	case kind == "ip" && len(call.Arguments) == 2 && call.Arguments[1] == n:
		return "", fmt.Sprintf("write %s(%s, %s)", name, n, call.Arguments[0])
	}
	return "", ""
}

// subjectFirst is about cidr() without the address, which stands before in, or behind
// the network, or nowhere.
func (c clue) subjectFirst(call *ast.CallNode) string {
	last := len(call.Arguments) - 1
	if b, ok := c.parent(call).(*ast.BinaryNode); ok && b.Operator == "in" {
		return fmt.Sprintf("write cidr(%s, %s)", b.Left, joined(call.Arguments))
	}
	if !isConstant(call.Arguments[last]) {
		return fmt.Sprintf("write cidr(%s, %s)", call.Arguments[last], joined(call.Arguments[:last]))
	}
	return fmt.Sprintf("write cidr(client.ip, %s)", joined(call.Arguments))
}

// wrongCount is about a call with too few or too many arguments.
func wrongCount(c clue) (message, hint string) {
	name := c.said[1]
	call, ok := nodeAt[*ast.BuiltinNode](c) // int() is one of the language's own, too
	switch f := functionNamed(name); {
	case ok && name == "int" && len(call.Arguments) == 1:
		return "", fmt.Sprintf("write int(%s, 0): 0 stands for what is no number", call.Arguments[0])
	case f != nil:
		return "", fmt.Sprintf("it is %s, as in %s", f.Signature, f.Example)
	}
	return "", ""
}

// notCallable is about a variable that is called.
func notCallable(c clue) (message, hint string) {
	call, ok := nodeAt[*ast.CallNode](c)
	if !ok || path(call.Callee) == "" {
		return "", ""
	}
	name := path(call.Callee)
	hint = "write it without ()"
	if len(call.Arguments) == 1 {
		hint = fmt.Sprintf("write %s == %s", name, call.Arguments[0])
	}
	return name + " is not callable", hint
}
