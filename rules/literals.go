package rules

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"
	_ "time/tzdata" // of tz(): the machine may have none

	"github.com/expr-lang/expr/ast"

	"weirkeep/gateway/wire"
)

// checkCalls checks what types cannot say: the arguments that must be literal,
// those that may be of some types only, and that nothing is a method.
func (l *Language) checkCalls(source string, root ast.Node) []*Error {
	v := &calls{refusal: refusal{source: source, scope: l.options.Scope}, language: l}
	ast.Walk(&root, v)
	for _, n := range v.uncalled {
		v.add(n, codeLanguage, fmt.Sprintf("%s is a function", path(n)), fmt.Sprintf("call it: %s(...)", path(n)))
	}
	return v.errs
}

type calls struct {
	refusal
	language *Language
	uncalled []ast.Node // names of functions that no call was seen of
}

// Visit implements ast.Visitor.
func (v *calls) Visit(n *ast.Node) {
	switch n := (*n).(type) {
	case *ast.IdentifierNode:
		if v.language.functions[n.Value] != nil {
			v.uncalled = append(v.uncalled, n)
		}
	case *ast.CallNode:
		v.uncalled = slices.DeleteFunc(v.uncalled, func(name ast.Node) bool { return name == n.Callee })
		v.call(n)
	case *ast.MemberNode:
		v.member(n)
	case *ast.ConditionalNode:
		v.sameType(n.Exp1, n.Exp2)
	case *ast.BinaryNode:
		switch n.Operator {
		case "??":
			v.sameType(n.Left, n.Right)
		case "in":
			v.in(n)
		}
	}
}

func (v *calls) call(n *ast.CallNode) {
	fn := v.language.function(n)
	if fn == nil || len(n.Arguments) == 0 {
		return
	}
	v.argument(fn, n.Arguments[0])
	switch {
	case fn.name == "cidr" && len(n.Arguments) == 1:
		v.add(n, codeLanguage, "not enough arguments to call cidr", "name networks behind the address")
	case fn.leads:
		v.literal(fn, n, n.Arguments[0])
		if err := checkArguments(len(n.Arguments) - 1); err != nil {
			v.add(n, codeLanguage, err.Error(), "")
		}
	case fn.literal != nil && len(n.Arguments) == 1:
		v.literal(fn, n, n.Arguments[0])
	case fn.literal != nil:
		for _, argument := range n.Arguments[1:] {
			v.literal(fn, n, argument)
		}
	}
}

// argument checks a first argument that need not be literal.
func (v *calls) argument(fn *function, n ast.Node) {
	if fn.takes != nil && !slices.Contains(fn.takes, n.Type()) {
		var names []string
		for _, t := range fn.takes {
			names = append(names, plainTypes(t.String()))
		}
		kind, hint := plainTypes(n.Type().String()), ""
		if kind == "client" || kind == "peer" {
			hint = fmt.Sprintf("write %s.ip", n)
		}
		v.add(n, codeLanguage, fmt.Sprintf("%s() takes %s, not %s", fn.name, strings.Join(names, " or "), kind), hint)
	}
	if s, ok := n.(*ast.StringNode); ok && fn.named != nil {
		if err := fn.named(s.Value); err != nil {
			v.add(n, codeLiteral, fmt.Sprintf("%s(): %v", fn.name, err), "")
		}
	}
}

// literal checks an argument of a call that must be literal.
func (v *calls) literal(fn *function, call *ast.CallNode, n ast.Node) {
	s, ok := n.(*ast.StringNode)
	if !ok {
		hint := ""
		if first := call.Arguments[0]; n != first && isConstant(first) {
			hint = fmt.Sprintf("write %s(%s, %s)", fn.name, n, first)
		}
		v.add(n, codeLiteral, fmt.Sprintf("%s() takes a literal text here: it is compiled when the configuration is read", fn.name), hint)
		return
	}
	err := fn.literal(v.language, s.Value)
	if err == nil {
		return
	}
	hint := hintOf(err)
	if fn.name == "cidr" && v.language.options.Lists[s.Value] != nil {
		hint = fmt.Sprintf("did you mean in_list(%s, %q)", call.Arguments[0], s.Value)
	}
	v.add(n, codeLiteral, fmt.Sprintf("%s(): %v", fn.name, err), hint)
}

// member refuses methods of Go types, which the types would let in, and parts of
// lists that are spelt out: they could be of any type.
func (v *calls) member(n *ast.MemberNode) {
	if s, ok := n.Property.(*ast.StringNode); ok && s.Value != strings.ToLower(s.Value) {
		v.add(n, codeLanguage, fmt.Sprintf("%s has no %q", plainTypes(n.Node.Type().String()), s.Value), "")
	}
	if list, ok := n.Node.(*ast.ArrayNode); ok {
		v.refuse(list, "a list that is spelt out is for in only", "")
	}
}

// in refuses what has fields but no entries.
func (v *calls) in(n *ast.BinaryNode) {
	if t := n.Right.Type(); t.Kind() != reflect.Slice {
		v.add(n, codeLanguage, fmt.Sprintf("%s is no list", plainTypes(t.String())), `write a list such as ["a", "b"], or in_list()`)
	}
}

func (v *calls) sameType(a, b ast.Node) {
	if a.Type() != b.Type() {
		v.add(b, codeLanguage, fmt.Sprintf("it is %s, or %s: both must be of one type", plainTypes(a.Type().String()), plainTypes(b.Type().String())), "")
	}
}

// The checks of literals say what is wrong with one.

func checkPattern(compile func(string) (*pattern, error)) func(*Language, string) error {
	return func(_ *Language, s string) error {
		if _, err := compile(s); err != nil {
			return fmt.Errorf("%.60q: %w", s, err)
		}
		return nil
	}
}

func checkZone(_ *Language, s string) error {
	if _, err := time.LoadLocation(s); err != nil || s == "" || s == "Local" {
		return fmt.Errorf("%.60q is no time zone: write one such as Europe/Berlin", s)
	}
	return nil
}

func checkList(l *Language, s string) error {
	if l.options.Lists[s] == nil {
		return &unknown{"list", s, sortedKeys(l.options.Lists), "the lists of the configuration"}
	}
	return nil
}

func checkCluster(l *Language, s string) error {
	if _, ok := l.clusters[s]; !ok {
		return &unknown{"cluster", s, l.options.Clusters, "the clusters"}
	}
	return nil
}

func checkHeader(s string) error {
	if !wire.IsToken([]byte(s)) {
		return fmt.Errorf("%.60q is no name of a header field", s)
	}
	return nil
}

func checkText(_ *Language, _ string) error { return nil }
