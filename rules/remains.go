package rules

import (
	"slices"
	"strings"
	"time"

	"github.com/expr-lang/expr/ast"
)

// remains notes what of an expression was not patched: it runs on the expression's
// machine, and allocates.
type remains struct {
	program *Program
	written *strings.Replacer // restores what was patched
	slow    []ast.Node        // none of them is a part of another
}

// Visit implements ast.Visitor. Parts come before the whole.
func (v *remains) Visit(n *ast.Node) {
	switch n := (*n).(type) {
	case *ast.IdentifierNode:
		if read := variableNamed(n.Value); read != nil {
			v.note(n)
			if !slices.Contains(v.program.vars, read) {
				v.program.vars = append(v.program.vars, read)
			}
		}
	case *ast.MemberNode:
		if path(n) != "" {
			v.note(n)
		}
	case *ast.CallNode:
		if fn := v.program.language.function(n); fn != nil {
			v.note(n)
			v.prepare(fn, n)
		}
	}
}

// note notes a slow node in the place of its parts.
func (v *remains) note(n ast.Node) {
	parts := &within{}
	ast.Walk(&n, parts)
	v.slow = slices.DeleteFunc(v.slow, func(noted ast.Node) bool { return slices.Contains(parts.nodes, noted) })
	v.slow = append(v.slow, n)
}

// within collects the nodes of a tree.
type within struct{ nodes []ast.Node }

// Visit implements ast.Visitor.
func (v *within) Visit(n *ast.Node) { v.nodes = append(v.nodes, *n) }

// prepare makes what a call needs, so that it is not made for each request.
func (v *remains) prepare(fn *function, n *ast.CallNode) {
	p := v.program
	text, _ := constant(n.Arguments, len(n.Arguments)-1)
	switch {
	case fn.pattern != nil:
		if p.patterns == nil {
			p.patterns = make(map[patternKey]*pattern)
		}
		p.patterns[patternKey{fn.name, text}], _ = fn.pattern(text) // it was checked
	case fn.name == "tz":
		if p.zones == nil {
			p.zones = make(map[string]*time.Location)
		}
		p.zones[text], _ = time.LoadLocation(text)
	}
}

// texts are the slow parts, each once.
func (v *remains) texts() (all []string) {
	for _, n := range v.slow {
		if s := v.written.Replace(n.String()); !slices.Contains(all, s) {
			all = append(all, s)
		}
	}
	return all
}
