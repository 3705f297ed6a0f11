package rules

import (
	"fmt"
	"strings"

	"github.com/expr-lang/expr"
	"github.com/expr-lang/expr/ast"
	"github.com/expr-lang/expr/file"
	"github.com/expr-lang/expr/parser"
	"github.com/expr-lang/expr/parser/lexer"
)

// The bounds of an expression: they keep its compilation short.
const (
	maxSource = 16 << 10 // bytes
	maxNodes  = 300
)

// Compile compiles an expression. The name is the rule's: percent() draws apart
// for each. The program is nil if there are mistakes; these are all of one kind:
// of syntax, or of types, or of what else is wrong.
func (l *Language) Compile(name, source string) (*Program, []*Error) {
	tree, errs := l.parse(source)
	if errs != nil {
		return nil, errs
	}
	options := l.exprOptions()
	if _, err := expr.Compile(source, append(options, expr.AsBool())...); err != nil {
		return nil, []*Error{translate(source, err)}
	}
	if errs := l.checkLiterals(source, tree.Node); errs != nil {
		return nil, errs
	}
	p := &Program{language: l, source: source, seed: seedOf(name)}
	if p.cost = l.costOf(tree.Node); p.cost > l.options.CostLimit {
		return nil, []*Error{l.tooCostly(source, tree.Node, p.cost)}
	}
	p.requires, p.reads = requiresOf(tree.Node), l.readsOf(tree.Node)
	if err := l.generate(p, options); err != nil {
		return nil, []*Error{translate(source, err)}
	}
	return p, nil
}

// exprOptions are the language's names and bounds.
func (l *Language) exprOptions() []expr.Option {
	return []expr.Option{expr.Env(newFrame(l).env), expr.DisableAllBuiltins(), expr.MaxNodes(maxNodes)}
}

// parse reads the source and refuses what rules may not use.
func (l *Language) parse(source string) (*parser.Tree, []*Error) {
	if len(source) > maxSource {
		return nil, []*Error{{Line: 1, Column: 1, Length: 1, Code: codeLarge, Message: fmt.Sprintf("it is %d bytes long, the limit is %d", len(source), maxSource)}}
	}
	if strings.TrimSpace(source) == "" {
		return nil, []*Error{{Line: 1, Column: 1, Length: 1, Code: codeLanguage, Message: "it is empty", Hint: "a rule without when always matches"}}
	}
	if errs := refusedTokens(source); errs != nil {
		return nil, errs
	}
	tree, err := parser.Parse(source)
	if err != nil {
		return nil, []*Error{translate(source, err)}
	}
	if errs := refused(source, tree.Node); errs != nil {
		return nil, errs
	}
	return tree, nil
}

// refusedTokens finds what leaves no trace in the tree: pipes.
func refusedTokens(source string) (errs []*Error) {
	tokens, err := lexer.Lex(file.NewSource(source))
	if err != nil {
		return nil // the parser says it better
	}
	for _, t := range tokens {
		if t.Kind == lexer.Operator && (t.Value == "|" || t.Value == ";") {
			errs = append(errs, at(source, t.Location, codeRefused, fmt.Sprintf("%q is not part of rules", t.Value), pipeHint(t.Value)))
		}
	}
	return errs
}

func pipeHint(operator string) string {
	if operator == "|" {
		return `write "or", or f(x) for x | f()`
	}
	return "a condition is one expression"
}

// generate compiles the program with its leaves patched in.
func (l *Language) generate(p *Program, options []expr.Option) error {
	patch := &patcher{leaves: leaves{l}, program: p}
	if !l.unpatched {
		options = append(options, expr.Patch(patch))
	}
	options = append(options, expr.AsBool())
	code, err := expr.Compile(p.source, options...)
	if err != nil {
		return err
	}
	p.code = code
	rest := &remains{language: l, program: p}
	root := code.Node()
	ast.Walk(&root, rest)
	return nil
}

// patcher puts calls of compiled tests in the place of the leaves that they
// compile.
type patcher struct {
	leaves  leaves
	program *Program
}

// Visit implements ast.Visitor.
func (v *patcher) Visit(n *ast.Node) {
	if t := v.leaves.test(*n); t != nil {
		v.program.tests = append(v.program.tests, t)
		ast.Patch(n, call(testName, len(v.program.tests)-1))
	}
}

// call is a call of a compiled leaf by its number.
func call(name string, i int) ast.Node {
	return &ast.CallNode{Callee: &ast.IdentifierNode{Value: name}, Arguments: []ast.Node{&ast.IntegerNode{Value: i}}}
}

// remains notes what of an expression was not patched: it allocates.
type remains struct {
	language *Language
	program  *Program
}

// Visit implements ast.Visitor.
func (v *remains) Visit(n *ast.Node) {
	switch n := (*n).(type) {
	case *ast.IdentifierNode:
		if variableNamed(n.Value) != nil {
			v.program.vars = appendNew(v.program.vars, n.Value)
			v.program.slow = appendNew(v.program.slow, n.Value)
		}
	case *ast.CallNode:
		if v.language.function(n) != nil {
			v.program.slow = appendNew(v.program.slow, n.String())
		}
	}
}

func appendNew(all []string, s string) []string {
	for _, known := range all {
		if known == s {
			return all
		}
	}
	return append(all, s)
}
