package rules

import (
	"net/netip"
	"strings"

	"github.com/gaissmai/bart"

	"github.com/expr-lang/expr/ast"
)

// function is the function that a node calls; nil: it calls none.
func (l *Language) function(n *ast.CallNode) *function {
	if n == nil {
		return nil
	}
	callee, ok := n.Callee.(*ast.IdentifierNode)
	if !ok {
		return nil
	}
	return l.functions[callee.Value]
}

// constant is the text of a literal argument.
func constant(args []ast.Node, i int) (string, bool) {
	if i >= len(args) {
		return "", false
	}
	s, ok := args[i].(*ast.StringNode)
	if !ok {
		return "", false
	}
	return s.Value, true
}

// headerText and its like compile a reader whose argument is literal.
func headerText(_ leaves, args []ast.Node) (value, bool) {
	name, ok := constant(args, 0)
	name = strings.ToLower(name)
	return value{func(f *frame) []byte { return f.request.header(name) }, true}, ok
}

func cookieText(_ leaves, args []ast.Node) (value, bool) {
	name, ok := constant(args, 0)
	return value{func(f *frame) []byte { v, _ := f.request.cookie(name); return v }, true}, ok
}

func queryText(_ leaves, args []ast.Node) (value, bool) {
	name, ok := constant(args, 0)
	return value{func(f *frame) []byte { v, _ := f.query(name); return v }, true}, ok
}

func hasHeaderTest(_ leaves, args []ast.Node) test {
	name, ok := constant(args, 0)
	name = strings.ToLower(name)
	return only(ok, func(f *frame) bool { return f.request.hasHeader(name) })
}

func hasCookieTest(_ leaves, args []ast.Node) test {
	name, ok := constant(args, 0)
	return only(ok, func(f *frame) bool { _, found := f.request.cookie(name); return found })
}

func hasQueryTest(_ leaves, args []ast.Node) test {
	name, ok := constant(args, 0)
	return only(ok, func(f *frame) bool { _, found := f.query(name); return found })
}

// only is a test if its arguments are literal.
func only(ok bool, t test) test {
	if !ok {
		return nil
	}
	return t
}

func cidrTest(c leaves, args []ast.Node) test {
	if len(args) < 2 {
		return nil
	}
	a, networks := c.address(args[0]), new(bart.Lite)
	for i := range args[1:] {
		s, ok := constant(args, i+1)
		p, err := parseNetwork(s)
		if !ok || err != nil {
			return nil
		}
		networks.Insert(p)
	}
	return only(a != nil, func(f *frame) bool { x := a(f); return x.IsValid() && networks.Contains(x) })
}

func inListTest(c leaves, args []ast.Node) test {
	name, ok := constant(args, 1)
	list := c.language.options.Lists[name]
	if !ok || list == nil {
		return nil
	}
	if a := c.address(args[0]); a != nil {
		return func(f *frame) bool { return list.hasAddress(a(f)) }
	}
	t, ok := c.text(args[0])
	return only(ok, func(f *frame) bool { return list.hasText(t.open(f)) })
}

// patternTest compiles a match with a pattern.
func patternTest(compile func(string) (*pattern, error)) func(c leaves, args []ast.Node) test {
	return func(c leaves, args []ast.Node) test {
		s, ok := constant(args, 1)
		if !ok {
			return nil
		}
		p, err := compile(s)
		t, ok := c.text(args[0])
		return only(ok && err == nil, func(f *frame) bool { return p.matches(t.open(f)) })
	}
}

func like(s string) (*pattern, error) { return newLike(s, "") }

func ilike(s string) (*pattern, error) { return newLike(s, "i") }

// pluginTest asks a matcher without arguments.
func pluginTest(c leaves, args []ast.Node) test {
	name, ok := constant(args, 0)
	i, known := c.language.matchers[name]
	return only(ok && known && len(args) == 1, func(f *frame) bool { return f.ask(i, nil) })
}

func percentTest(_ leaves, args []ast.Node) test {
	if len(args) != 1 {
		return nil
	}
	share, ok := share(args[0])
	return only(ok, func(f *frame) bool { return f.percent(share) })
}

// share is a literal number from 0 to 100.
func share(n ast.Node) (float64, bool) {
	switch n := n.(type) {
	case *ast.IntegerNode:
		return float64(n.Value), 0 <= n.Value && n.Value <= 100
	case *ast.FloatNode:
		return n.Value, 0 <= n.Value && n.Value <= 100
	}
	return 0, false
}

func bucketNumber(_ leaves, args []ast.Node) number {
	salt, ok := constant(args, 0)
	if !ok {
		return nil
	}
	seed := seedOf(salt)
	return func(f *frame) int { return f.bucket(seed) }
}

// changed compiles a text made from another.
func changed(change func(f *frame, b []byte) []byte) func(c leaves, args []ast.Node) (value, bool) {
	return func(c leaves, args []ast.Node) (value, bool) {
		if len(args) != 1 {
			return value{}, false
		}
		t, ok := c.text(args[0])
		return value{read: func(f *frame) []byte { return change(f, t.open(f)) }}, ok
	}
}

// part compiles a part of a text that another, literal one bounds.
func part(cut func(b []byte, x string) []byte) func(c leaves, args []ast.Node) (value, bool) {
	return func(c leaves, args []ast.Node) (value, bool) {
		x, ok := constant(args, 1)
		if !ok {
			return value{}, false
		}
		t, ok := c.text(args[0])
		return value{read: func(f *frame) []byte { return cut(t.open(f), x) }}, ok
	}
}

func lenNumber(c leaves, args []ast.Node) number {
	if len(args) != 1 {
		return nil
	}
	t, ok := c.text(args[0])
	if !ok {
		return nil
	}
	return func(f *frame) int { return runes(t.open(f)) }
}

func intNumber(c leaves, args []ast.Node) number {
	if len(args) != 2 {
		return nil
	}
	t, ok := c.text(args[0])
	otherwise := c.number(args[1])
	if !ok || otherwise == nil {
		return nil
	}
	return func(f *frame) int { return whole(t.open(f), otherwise(f)) }
}

// matcher builds the call of a pattern whose text was not compiled: the pattern is.
func matcher(name string) func(f *frame) any {
	return func(f *frame) any {
		return func(s, p string) bool { return f.program.patterns[patternKey{name, p}].matches([]byte(s)) }
	}
}

func (f *frame) headers(name string) []string {
	values := f.request.headers(strings.ToLower(name))
	for _, v := range values {
		f.open([]byte(v))
	}
	return values
}

func (f *frame) timeIn(zone string) timeType { return timeOf(f.request.Now.In(f.program.zones[zone])) }

func (f *frame) inList(x any, name string) bool {
	list := f.language.options.Lists[name]
	switch x := x.(type) {
	case netip.Addr:
		return list.hasAddress(x)
	case string:
		return list.hasText([]byte(x))
	}
	return false // the check of types lets nothing else in
}

func inNetworks(a netip.Addr, networks ...string) bool {
	for _, n := range networks {
		if p, err := parseNetwork(n); err == nil && p.Contains(a) {
			return true
		}
	}
	return false
}

func length(x any) int {
	switch x := x.(type) {
	case string:
		return runes([]byte(x))
	case []string:
		return len(x)
	}
	return 0
}

// entry is an entry of a list, counted from its end if i is negative; empty: there
// is none.
func entry(list []string, i int) string {
	if i < 0 {
		i += len(list)
	}
	if i < 0 || i >= len(list) {
		return ""
	}
	return list[i]
}
