package rules

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/expr-lang/expr/ast"
)

// A clue is what is known of a mistake that the language has found.
type clue struct {
	source string
	scope  Scope
	root   ast.Node // the tree as it was read, without types; nil: it could not be read
	from   int      // where the mistake is, in characters from 0
	said   []string // what the language says of it: the whole, and its groups
}

// before and rest are the source up to the mistake, and from it on.
func (c clue) before() string { return string([]rune(c.source)[:c.from]) }

func (c clue) rest() string { return string([]rune(c.source)[c.from:]) }

// mistakes are those of the language's own that are told in our words: an empty
// message leaves the language's.
var mistakes = []struct {
	said *regexp.Regexp
	tell func(c clue) (message, hint string)
}{
	{regexp.MustCompile(`^unexpected token EOF$`), func(clue) (string, string) { return "unexpected end of the expression", "" }},
	{regexp.MustCompile(`^unexpected token \w+\((".*")\)$`), unexpectedToken},
	{regexp.MustCompile(`^unrecognized character: U\+\S+ '(.+)'$`), unrecognized},
	{regexp.MustCompile(`^invalid char escape$`), badEscape},
	{regexp.MustCompile(`^literal not terminated$`), unclosed},
	{regexp.MustCompile(`^unknown name (.+)$`), unknownName},
	{regexp.MustCompile(`^type (\S+) has no (?:field|method) (.+)$`), unknownField},
	{regexp.MustCompile(`^invalid operation: (\S+) \(mismatched types (.+) and (.+)\)$`), mismatched},
	{regexp.MustCompile(`^invalid operation: (not|!) \(mismatched type .+\)$`), func(clue) (string, string) { return "", "write not (a == b), or a != b" }},
	{regexp.MustCompile(`^cannot use (\S+) as type (\S+) in array$`), wrongEntry},
	{regexp.MustCompile(`^cannot use (\S+) as argument \(type (\S+)\) to call (\w+)$`), wrongArgument},
	{regexp.MustCompile(`^(?:not enough|too many) arguments to call (\w+)$`), wrongCount},
	{regexp.MustCompile(`^\S+ is not callable$`), notCallable},
}

// tell is a mistake in our words, and what to write instead.
func (c clue) tell(said string) (message, hint string) {
	for _, m := range mistakes {
		if groups := m.said.FindStringSubmatch(said); groups != nil {
			c.said = groups
			message, hint = m.tell(c)
			break
		}
	}
	return cmp.Or(message, said), hint
}

// nodeAt is the node of a kind at a place of the source.
func nodeAt[N ast.Node](c clue) (N, bool) {
	f := &finder[N]{from: c.from}
	if c.root != nil {
		ast.Walk(&c.root, f)
	}
	return f.found, f.ok
}

type finder[N ast.Node] struct {
	from  int
	found N
	ok    bool
}

// Visit implements ast.Visitor.
func (f *finder[N]) Visit(n *ast.Node) {
	if m, is := (*n).(N); is && m.Location().From == f.from {
		f.found, f.ok = m, true
	}
}

// parent is the node that another is part of; nil: it is of none.
func (c clue) parent(child ast.Node) ast.Node {
	f := &family{child: child}
	if c.root != nil {
		ast.Walk(&c.root, f)
	}
	return f.parent
}

type family struct{ child, parent ast.Node }

// Visit implements ast.Visitor.
func (f *family) Visit(n *ast.Node) {
	if slices.Contains(children(*n), f.child) {
		f.parent = *n
	}
}

func children(n ast.Node) []ast.Node {
	switch n := n.(type) {
	case *ast.BinaryNode:
		return []ast.Node{n.Left, n.Right}
	case *ast.CallNode:
		return append([]ast.Node{n.Callee}, n.Arguments...)
	case *ast.BuiltinNode:
		return n.Arguments
	case *ast.MemberNode:
		return []ast.Node{n.Node, n.Property}
	case *ast.ArrayNode:
		return n.Nodes
	}
	return nil
}

// textOperators stand between two texts; people write them as functions, too.
var textOperators = []string{"startsWith", "endsWith", "contains", "matches"}

// otherWords are what the operators and functions are called elsewhere.
var otherWords = map[string]string{
	"hasprefix": "startsWith", "has_prefix": "startsWith", "hassuffix": "endsWith", "has_suffix": "endsWith",
	"includes": "contains", "match": "matches", "tolower": "lower", "tolowercase": "lower", "toupper": "upper", "touppercase": "upper",
}

// operatorFor is the operator of texts that a name stands for; empty: none.
func operatorFor(name string) string {
	if other := otherWords[strings.ToLower(name)]; other != "" {
		name = other
	}
	return nearest(name, textOperators)
}

// asOperator is a call of what is an operator, written as it should be; empty: it is no
// such call.
func asOperator(name string, args []ast.Node) string {
	if operator := operatorFor(name); operator != "" && len(args) == 2 {
		return fmt.Sprintf("write %s %s %s", args[0], operator, args[1])
	}
	return ""
}

// asCall is a method of a text, as the operator or the function that it should be.
func asCall(name string, subject ast.Node, args []ast.Node) string {
	all := append([]ast.Node{subject}, args...)
	if hint := asOperator(name, all); hint != "" {
		return hint
	}
	name = cmp.Or(otherWords[strings.ToLower(name)], name)
	if functionNamed(name) == nil {
		return ""
	}
	return fmt.Sprintf("write %s(%s)", name, joined(all))
}

func joined(all []ast.Node) string {
	texts := make([]string, len(all))
	for i, n := range all {
		texts[i] = n.String()
	}
	return strings.Join(texts, ", ")
}

// functionNamed is the function of a name; nil: there is none.
func functionNamed(name string) *Function {
	all := Functions(widest)
	if i := slices.IndexFunc(all, func(f Function) bool { return f.Name == name }); i >= 0 {
		return &all[i]
	}
	return nil
}
