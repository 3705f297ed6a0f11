package rules

import (
	"fmt"

	"github.com/expr-lang/expr/ast"
)

// matchesCost is what the operator matches costs; the others cost nothing.
const matchesCost = 20

// costOf is the sum of what the parts of an expression cost, all of them, whether
// they are evaluated or not.
func (l *Language) costOf(root ast.Node) int {
	v := &costs{language: l, by: make(map[string]int)}
	ast.Walk(&root, v)
	return v.total
}

type costs struct {
	language *Language
	total    int
	by       map[string]int // how often a function or operator stands there
}

// Visit implements ast.Visitor.
func (v *costs) Visit(n *ast.Node) {
	name := ""
	switch n := (*n).(type) {
	case *ast.CallNode:
		if fn := v.language.function(n); fn != nil {
			name = fn.name
		}
	case *ast.BinaryNode:
		if n.Operator == "matches" {
			name = "matches"
		}
	}
	v.by[name]++
	v.total += v.language.price(name)
}

func (l *Language) price(name string) int {
	if name == "matches" {
		return matchesCost
	}
	if fn := l.functions[name]; fn != nil {
		return fn.cost
	}
	return 0
}

// tooCostly names what costs most.
func (l *Language) tooCostly(root ast.Node, cost int) *Error {
	v := &costs{language: l, by: make(map[string]int)}
	ast.Walk(&root, v)
	most, share := "", 0
	for _, name := range sortedKeys(v.by) {
		if s := v.by[name] * l.price(name); s > share {
			most, share = name, s
		}
	}
	return &Error{
		Line: 1, Column: 1, Length: 1, Code: codeCost,
		Message: fmt.Sprintf("it costs %d, the limit is %d: %d x %s at %d each", cost, l.options.CostLimit, v.by[most], most, l.price(most)),
		Hint:    "use glob(), in_list() or a list of constants, or write two rules",
	}
}
