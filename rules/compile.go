package rules

import (
	"fmt"
	"reflect"
	"strings"

	"github.com/expr-lang/expr"
	"github.com/expr-lang/expr/ast"
	"github.com/expr-lang/expr/checker"
	"github.com/expr-lang/expr/conf"
	"github.com/expr-lang/expr/file"
	"github.com/expr-lang/expr/parser"
	"github.com/expr-lang/expr/parser/lexer"
)

// The bounds of an expression: they keep its compilation short.
const (
	maxSource  = 16 << 10 // bytes
	maxNodes   = 300
	maxNesting = 100 // brackets in brackets
)

// Compile compiles an expression. The name is the rule's: percent() draws apart
// for each. The program is nil if there are mistakes; these are all of one kind:
// of syntax, or of types, or of what else is wrong.
func (l *Language) Compile(name, source string) (*Program, []*Error) {
	tree, errs := l.check(source)
	if errs != nil {
		return nil, errs
	}
	if t := tree.Node.Type(); t.Kind() != reflect.Bool {
		return nil, []*Error{noCondition(tree.Node)}
	}
	cost := l.costOf(tree.Node)
	if cost > l.options.CostLimit {
		return nil, []*Error{l.tooCostly(tree.Node, cost)}
	}
	return l.generate(name, source, tree.Node)
}

// check reads the source and finds every mistake but those of conditions: that it
// is none, and that it costs too much. The tree that it returns has types.
func (l *Language) check(source string) (*parser.Tree, []*Error) {
	read, errs := l.parse(source)
	if errs != nil {
		return nil, errs
	}
	c := conf.CreateNew()
	for _, option := range l.exprOptions() {
		option(c)
	}
	clear(c.Builtins)
	tree, err := checker.ParseCheck(source, c)
	if err != nil {
		return nil, []*Error{l.translate(source, read, err)}
	}
	if errs := l.checkCalls(source, tree.Node); errs != nil {
		return nil, errs
	}
	return tree, nil
}

// exprOptions are the language's names and bounds.
func (l *Language) exprOptions() []expr.Option {
	return []expr.Option{expr.Env(l.names), expr.DisableAllBuiltins(), expr.MaxNodes(maxNodes)}
}

// parse reads the source and refuses what rules may not use.
func (l *Language) parse(source string) (*parser.Tree, []*Error) {
	if len(source) > maxSource {
		return nil, []*Error{{Line: 1, Column: 1, Length: 1, Code: codeLarge, Message: fmt.Sprintf("it is %d bytes long, the limit is %d", len(source), maxSource), Hint: "put the values into a list of the configuration, and ask in_list()"}}
	}
	if strings.TrimSpace(source) == "" {
		return nil, []*Error{{Line: 1, Column: 1, Length: 1, Code: codeLanguage, Message: "it is empty", Hint: scopes[l.options.Scope].absent}}
	}
	if errs := refusedTokens(source); errs != nil {
		return nil, errs
	}
	bounded := conf.CreateNew()
	bounded.MaxNodes = maxNodes
	tree, err := parser.ParseWithConfig(source, bounded)
	if err != nil {
		return nil, []*Error{l.translate(source, nil, err)}
	}
	if errs := refused(source, tree.Node, l.options.Scope); errs != nil {
		return nil, errs
	}
	return tree, nil
}

// refusedTokens finds what leaves no trace in the tree, or a confusing one.
func refusedTokens(source string) (errs []*Error) {
	tokens, err := lexer.Lex(file.NewSource(source))
	if err != nil {
		return nil // the parser says it better
	}
	if e := tooDeep(source, tokens); e != nil {
		return []*Error{e}
	}
	for _, t := range tokens {
		if t.Kind != lexer.Operator {
			continue
		}
		switch t.Value {
		case "let":
			return []*Error{at(source, t.Location, codeRefused, "variables are not declared in rules", "write the expression in its place")}
		case "|":
			errs = append(errs, at(source, t.Location, codeRefused, `"|" is not part of rules`, `write "or", or f(x) for x | f()`))
		case ";":
			errs = append(errs, at(source, t.Location, codeRefused, `";" is not part of rules`, "a condition is one expression"))
		}
	}
	return errs
}

// tooDeep finds the bracket that is inside of too many: the parser recurses.
func tooDeep(source string, tokens []lexer.Token) *Error {
	depth := 0
	for _, t := range tokens {
		switch {
		case t.Kind != lexer.Bracket:
		case strings.ContainsAny(t.Value, "([{"):
			depth++
		default:
			depth--
		}
		if depth > maxNesting {
			return at(source, t.Location, codeLarge, fmt.Sprintf("its brackets are nested more than %d deep", maxNesting), "write two rules")
		}
	}
	return nil
}

// generate compiles an expression without mistakes, with its leaves patched in.
func (l *Language) generate(name, source string, tree ast.Node) (*Program, []*Error) {
	p := &Program{language: l, name: name, source: source, seed: seedOf(name)}
	p.cost, p.requires, p.reads = l.costOf(tree), requiresOf(tree), readsOf(tree)
	patch, options := &patcher{leaves: leaves{l}, program: p}, l.exprOptions()
	options = append(options, expr.Patch(entries{}))
	if !l.unpatched {
		options = append(options, expr.Patch(patch))
	}
	code, err := expr.Compile(source, options...)
	if err != nil {
		return nil, []*Error{l.translate(source, nil, err)}
	}
	p.code = code
	rest := &remains{program: p, written: strings.NewReplacer(patch.written...)}
	root := code.Node()
	ast.Walk(&root, rest)
	p.slow = rest.texts()
	return p, nil
}

// entries puts calls in the place of entries of lists: one that is absent is "". An
// error would be no match, and who sends no such field would walk past a reject.
type entries struct{}

// Visit implements ast.Visitor.
func (entries) Visit(n *ast.Node) {
	if m, ok := (*n).(*ast.MemberNode); ok && m.Node.Type() == textsType {
		ast.Patch(n, &ast.CallNode{Callee: &ast.IdentifierNode{Value: entryName}, Arguments: []ast.Node{m.Node, m.Property}})
	}
}

// patcher puts calls of compiled tests in the place of the leaves that they
// compile.
type patcher struct {
	leaves  leaves
	program *Program
	written []string // the calls, and what was in their place
}

// Visit implements ast.Visitor.
func (v *patcher) Visit(n *ast.Node) {
	t := v.leaves.test(*n)
	if t == nil {
		return
	}
	v.program.tests = append(v.program.tests, t)
	patched := call(testName, len(v.program.tests)-1)
	v.written = append(v.written, patched.String(), (*n).String())
	ast.Patch(n, patched)
}

// call is a call of a compiled leaf by its number.
func call(name string, i int) ast.Node {
	return &ast.CallNode{Callee: &ast.IdentifierNode{Value: name}, Arguments: []ast.Node{&ast.IntegerNode{Value: i}}}
}
