package rules

import (
	"regexp"
	"slices"
	"strings"

	"github.com/expr-lang/expr/ast"
)

// Requires is what must hold of a request for an expression to be true. It need
// not be enough: it is for an index, which finds the rules that may match.
type Requires struct {
	Methods []string // one of these; nil: any
	Hosts   []string // one of these; nil: any
	Path    string   // the path begins with it; empty: any
	PathIs  bool     // the path is Path
}

// Allows reports whether an expression that requires this may still be true of a request.
func (r Requires) Allows(q *Request) bool {
	switch {
	case r.Methods != nil && !slices.Contains(r.Methods, string(q.Method)):
		return false
	case r.Hosts != nil && !slices.Contains(r.Hosts, string(q.Host)):
		return false
	case r.PathIs:
		return string(q.Path) == r.Path
	}
	return strings.HasPrefix(string(q.Path), r.Path)
}

// requiresOf finds what every part of a conjunction requires.
func requiresOf(n ast.Node) Requires {
	b, ok := n.(*ast.BinaryNode)
	if !ok {
		if call, ok := n.(*ast.CallNode); ok {
			return requiredByGlob(call)
		}
		return Requires{}
	}
	switch b.Operator {
	case "and", "&&":
		return both(requiresOf(b.Left), requiresOf(b.Right))
	case "or", "||":
		return eitherOf(requiresOf(b.Left), requiresOf(b.Right))
	}
	return requiredBy(b)
}

// requiredBy is what a comparison with a constant requires.
func requiredBy(b *ast.BinaryNode) (r Requires) {
	left, right := b.Left, b.Right
	if _, ok := left.(*ast.StringNode); ok && b.Operator == "==" {
		left, right = right, left
	}
	words := constants(right)
	if words == nil || b.Operator != "==" && b.Operator != "in" && b.Operator != "startsWith" && b.Operator != "matches" {
		return r
	}
	whole := b.Operator == "==" || b.Operator == "in"
	switch name := path(left); {
	case name == "method" && whole:
		r.Methods = words
	case name == "host" && whole:
		r.Hosts = words
	case name == "path" && b.Operator == "matches":
		r.Path = regexPrefix(words[0])
	case name == "path" && len(words) == 1:
		r.Path, r.PathIs = words[0], whole
	case name == "path":
		r.Path = commonPrefix(words)
	}
	return r
}

// constants are the texts of a literal, or of a list of them; nil: it is neither.
func constants(n ast.Node) (all []string) {
	switch n := n.(type) {
	case *ast.StringNode:
		return []string{n.Value}
	case *ast.ArrayNode:
		for _, entry := range n.Nodes {
			s, ok := entry.(*ast.StringNode)
			if !ok {
				return nil
			}
			all = append(all, s.Value)
		}
	}
	return all
}

// requiredByGlob is the literal beginning of a pattern of paths.
func requiredByGlob(n *ast.CallNode) (r Requires) {
	callee, ok := n.Callee.(*ast.IdentifierNode)
	if !ok || len(n.Arguments) != 2 || path(n.Arguments[0]) != "path" {
		return r
	}
	pattern, ok := n.Arguments[1].(*ast.StringNode)
	if !ok {
		return r
	}
	switch callee.Value {
	case "glob":
		r.Path = upTo(pattern.Value, `*?{\`)
	case "like":
		r.Path = upTo(pattern.Value, `%_\`)
	}
	return r
}

func upTo(s, wild string) string {
	if i := strings.IndexAny(s, wild); i >= 0 {
		return s[:i]
	}
	return s
}

// regexPrefix is the literal beginning of an expression that is anchored.
func regexPrefix(expression string) string {
	rest, anchored := strings.CutPrefix(expression, "^")
	if !anchored || strings.Contains(expression, "|") || strings.HasPrefix(rest, "(?") {
		return ""
	}
	re, err := regexp.Compile(rest)
	if err != nil {
		return ""
	}
	prefix, _ := re.LiteralPrefix()
	return prefix
}

func commonPrefix(words []string) string {
	prefix := words[0]
	for _, w := range words[1:] {
		for !strings.HasPrefix(w, prefix) {
			prefix = prefix[:len(prefix)-1]
		}
	}
	return prefix
}

// both is what is required if both are.
func both(a, b Requires) Requires {
	if a.Methods == nil {
		a.Methods = b.Methods
	}
	if a.Hosts == nil {
		a.Hosts = b.Hosts
	}
	if b.PathIs && !a.PathIs || b.PathIs == a.PathIs && len(b.Path) > len(a.Path) {
		a.Path, a.PathIs = b.Path, b.PathIs
	}
	return a
}

// eitherOf is what is required if one of the two is.
func eitherOf(a, b Requires) (r Requires) {
	if a.Methods != nil && b.Methods != nil {
		r.Methods = union(a.Methods, b.Methods)
	}
	if a.Hosts != nil && b.Hosts != nil {
		r.Hosts = union(a.Hosts, b.Hosts)
	}
	if r.Path = commonPrefix([]string{a.Path, b.Path}); a.PathIs && b.PathIs && a.Path == b.Path {
		r.PathIs = true
	}
	return r
}

func union(a, b []string) []string {
	all := slices.Concat(a, b)
	slices.Sort(all)
	return slices.Compact(all)
}

// Reads is which parts of a request an expression looks at, beyond its first line
// and its connection.
type Reads struct {
	Headers  []string // lower case, sorted
	Cookies  []string
	Queries  []string
	All      bool // a name that is not literal: any part
	Session  bool
	Cert     bool
	Clusters bool
	Matchers []string // plugins that it asks
}

// readsOf finds what an expression reads.
func readsOf(root ast.Node) Reads {
	v := &reading{}
	ast.Walk(&root, v)
	for _, names := range []*[]string{&v.Headers, &v.Cookies, &v.Queries, &v.Matchers} {
		*names = union(*names, nil)
	}
	return v.Reads
}

type reading struct{ Reads }

// Visit implements ast.Visitor.
func (v *reading) Visit(n *ast.Node) {
	switch n := (*n).(type) {
	case *ast.IdentifierNode:
		v.Session = v.Session || n.Value == sessionName
	case *ast.MemberNode:
		v.Cert = v.Cert || strings.HasPrefix(path(n), "client.cert")
	case *ast.CallNode:
		v.call(n)
	}
}

func (v *reading) call(n *ast.CallNode) {
	callee, ok := n.Callee.(*ast.IdentifierNode)
	if !ok {
		return
	}
	name, literal := constant(n.Arguments, 0)
	switch callee.Value {
	case "header", "headers", "has_header":
		v.name(&v.Headers, strings.ToLower(name), literal)
	case "cookie", "has_cookie":
		v.name(&v.Cookies, name, literal)
	case "query", "has_query":
		v.name(&v.Queries, name, literal)
	case "bucket":
		v.Session = true
	case "cluster":
		v.Clusters = true
	case "plugin":
		v.Matchers = append(v.Matchers, name)
	}
}

// name notes a name, if it is known.
func (v *reading) name(names *[]string, name string, literal bool) {
	if literal {
		*names = append(*names, name)
	}
	v.All = v.All || !literal
}
