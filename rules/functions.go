package rules

import (
	"fmt"
	"net/netip"
	"regexp"
	"strings"
	"time"
	_ "time/tzdata" // of tz(): the machine may have none

	"github.com/gaissmai/bart"

	"github.com/expr-lang/expr/ast"

	"weirkeep/gateway/wire"
)

// A Function is one that expressions can call.
type Function struct {
	Name      string
	Signature string // header(name) string
	About     string
	Cost      int
	Example   string // an expression with it
}

// function is how a function is checked, compiled and, where it is not compiled,
// called.
type function struct {
	name      string
	signature string
	about     string
	cost      int
	example   string

	literal func(l *Language, s string) error // checks its literal argument, the last; nil: any expression will do
	build   func(f *frame) any                // what the expression's machine calls

	// At most one of these compiles a call.
	test   func(c leaves, args []ast.Node) test
	text   func(c leaves, args []ast.Node) (value, bool)
	number func(c leaves, args []ast.Node) number
}

// functions is every function there is. To add one, add its line here, and what it
// reads to values.go; RULES.md is made from the table, and each example is a test.
var functions = []function{
	{
		name: "header", signature: "header(name) string", cost: 3,
		about:   "first value of a header field, in any case; empty: there is none",
		example: `header("User-Agent") contains "Mobile"`,
		build: func(f *frame) any {
			return func(n string) string { return string(f.open(f.request.header(strings.ToLower(n)))) }
		},
		text: headerText,
	},
	{
		name: "cookie", signature: "cookie(name) string", cost: 3,
		about:   "first value of a cookie, without quotes around it; empty: there is none",
		example: `cookie("beta") == "1"`,
		build: func(f *frame) any {
			return func(n string) string { v, _ := f.request.cookie(n); return string(f.open(v)) }
		},
		text: cookieText,
	},
	{
		name: "query", signature: "query(name) string", cost: 3,
		about:   "first value of a query argument, decoded; empty: there is none",
		example: `query("tz") == "EST"`,
		build:   func(f *frame) any { return func(n string) string { v, _ := f.query(n); return string(f.open(v)) } },
		text:    queryText,
	},
	{
		name: "headers", signature: "headers(name) []string", cost: 3,
		about:   "all values of a header field",
		example: `"no-cache" in headers("Cache-Control")`,
		build:   func(f *frame) any { return f.headers },
	},
	{
		name: "has_header", signature: "has_header(name) bool", cost: 3,
		about:   "whether there is such a field, even an empty one",
		example: `has_header("Authorization")`,
		build:   func(f *frame) any { return func(n string) bool { return f.request.hasHeader(strings.ToLower(n)) } },
		test:    hasHeaderTest,
	},
	{
		name: "has_cookie", signature: "has_cookie(name) bool", cost: 3,
		about:   "whether there is such a cookie, even an empty one",
		example: `has_cookie("JSESSIONID")`,
		build:   func(f *frame) any { return func(n string) bool { _, found := f.request.cookie(n); return found } },
		test:    hasCookieTest,
	},
	{
		name: "has_query", signature: "has_query(name) bool", cost: 3,
		about:   "whether there is such a query argument, even an empty one",
		example: `has_query("debug")`,
		build:   func(f *frame) any { return func(n string) bool { _, found := f.query(n); return found } },
		test:    hasQueryTest,
	},
	{
		name: "ip", signature: `ip("address") ip`, cost: 1, literal: checkAddress,
		about:   "a literal address, for ==, != and in",
		example: `client.ip == ip("10.1.2.3")`,
		build:   func(*frame) any { return func(s string) netip.Addr { a, _ := parseAddress(s); return a } },
	},
	{
		name: "cidr", signature: `cidr(ip, "network", ...) bool`, cost: 2, literal: checkNetwork,
		about:   "whether an address is in one of some literal networks",
		example: `cidr(client.ip, "10.1.0.0/16", "192.0.2.7")`,
		build:   func(*frame) any { return inNetworks },
		test:    cidrTest,
	},
	{
		name: "in_list", signature: `in_list(x, "list") bool`, cost: 3, literal: checkList,
		about:   "whether an address or text is in a list of the configuration",
		example: `in_list(client.ip, "office")`,
		build:   func(f *frame) any { return f.inList },
		test:    inListTest,
	},
	{
		name: "glob", signature: `glob(s, "pattern") bool`, cost: 4, literal: checkGlob,
		about:   "* stands for anything but /, ** for anything, ? for one byte, {a,b} for one of some",
		example: `glob(path, "/shop/*/cart")`,
		build:   func(*frame) any { return func(s, p string) bool { return mustCompile(newGlob, p).matches([]byte(s)) } },
		test:    patternTest(newGlob),
	},
	{
		name: "like", signature: `like(s, "pattern") bool`, cost: 4, literal: checkLike,
		about:   "SQL's LIKE: % stands for anything, _ for one character",
		example: `like(path, "/shop/%")`,
		build:   func(*frame) any { return func(s, p string) bool { return mustCompile(like, p).matches([]byte(s)) } },
		test:    patternTest(like),
	},
	{
		name: "ilike", signature: `ilike(s, "pattern") bool`, cost: 4, literal: checkLike,
		about:   "the same, whatever the case of letters",
		example: `ilike(header("User-Agent"), "%mobile%")`,
		build:   func(*frame) any { return func(s, p string) bool { return mustCompile(ilike, p).matches([]byte(s)) } },
		test:    patternTest(ilike),
	},
	{
		name: "tz", signature: `tz("zone") time`, cost: 2, literal: checkZone,
		about:   "the time of the request in a zone, with the fields of now",
		example: `tz("Europe/Berlin").hour == 14`,
		build:   func(f *frame) any { return f.timeIn },
	},
	{
		name: "cluster", signature: `cluster("name") cluster`, cost: 2, literal: checkCluster,
		about:   "state of a cluster: .up origins in service, .inflight exchanges, .capacity_left",
		example: `cluster("main/shop").up < 2`,
		build:   func(f *frame) any { return func(s string) clusterType { return f.cluster(f.language.clusters[s]) } },
	},
	{
		name: "bucket", signature: `bucket("salt") int`, cost: 3, literal: checkText,
		about:   "0..99, the same for the same client: its session, else its address",
		example: `bucket("beta") < 100`,
		build:   func(f *frame) any { return func(s string) int { return f.bucket(seedOf(s)) } },
		number:  bucketNumber,
	},
	{
		name: "percent", signature: "percent(n) bool", cost: 2,
		about:   "true for n of 100 requests; the same for the same request id and rule",
		example: `percent(100)`,
		build:   func(f *frame) any { return f.percent },
		test:    percentTest,
	},
	{
		name: "lower", signature: "lower(s) string", cost: 2,
		about:   "ASCII letters in lower case",
		example: `lower(header("X-Kind")) == "beta"`,
		build:   func(f *frame) any { return func(s string) string { return string(f.lower([]byte(s))) } },
		text:    changed((*frame).lower),
	},
	{
		name: "upper", signature: "upper(s) string", cost: 2,
		about:   "ASCII letters in upper case",
		example: `upper(header("X-Kind")) == "BETA"`,
		build:   func(f *frame) any { return func(s string) string { return string(f.upper([]byte(s))) } },
		text:    changed((*frame).upper),
	},
	{
		name: "trim", signature: "trim(s) string", cost: 2,
		about:   "without blanks and tabs at its ends",
		example: `trim(query("q")) == "red shoes"`,
		build:   func(*frame) any { return func(s string) string { return string(wire.TrimBlanks([]byte(s))) } },
		text:    changed(func(_ *frame, b []byte) []byte { return wire.TrimBlanks(b) }),
	},
	{
		name: "after", signature: `after(s, x) string`, cost: 2,
		about:   "what follows the first x; empty: there is no x",
		example: `after(path, "/shop/") == "7/cart"`,
		build:   func(*frame) any { return func(s, x string) string { return string(after([]byte(s), x)) } },
		text:    part(after),
	},
	{
		name: "before", signature: `before(s, x) string`, cost: 2,
		about:   "what stands before the first x; all of it if there is no x",
		example: `before(host, ".") == "shop"`,
		build:   func(*frame) any { return func(s, x string) string { return string(before([]byte(s), x)) } },
		text:    part(before),
	},
	{
		name: "len", signature: "len(s) int", cost: 2,
		about:   "characters of a text, or entries of a list",
		example: `len(query_string) > 5`,
		build:   func(*frame) any { return length },
		number:  lenNumber,
	},
	{
		name: "int", signature: "int(s, default) int", cost: 2,
		about:   "a text as a whole number; default: it is none",
		example: `int(header("X-Level"), 0) >= 3`,
		build:   func(*frame) any { return func(s string, d int) int { return whole([]byte(s), d) } },
		number:  intNumber,
	},
}

// Functions are the functions that expressions can call.
func Functions() (all []Function) {
	for _, f := range functions {
		all = append(all, Function{f.name, f.signature, f.about, f.cost, f.example})
	}
	return all
}

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

// parseAddress reads a literal address.
func parseAddress(s string) (netip.Addr, error) {
	a, err := netip.ParseAddr(s)
	if err != nil || a.Zone() != "" {
		return a, fmt.Errorf("%q is no address", s)
	}
	return a.Unmap(), nil
}

// The checks of literals say what is wrong with one.

func checkAddress(_ *Language, s string) error { _, err := parseAddress(s); return err }

func checkNetwork(_ *Language, s string) error {
	if _, err := parseNetwork(s); err != nil {
		return fmt.Errorf("%q: %w", s, err)
	}
	return nil
}

func checkGlob(_ *Language, s string) error { return checkPattern(newGlob, s) }

func checkLike(_ *Language, s string) error { return checkPattern(like, s) }

func checkPattern(compile func(string) (*pattern, error), s string) error {
	if _, err := compile(s); err != nil {
		return fmt.Errorf("%q: %w", s, err)
	}
	return nil
}

func checkRegex(s string) error {
	_, err := regexp.Compile(s)
	if err == nil {
		return nil
	}
	return fmt.Errorf("%q: %s", s, strings.TrimPrefix(err.Error(), "error parsing regexp: "))
}

func checkZone(_ *Language, s string) error {
	if _, err := time.LoadLocation(s); err != nil || s == "" || s == "Local" {
		return fmt.Errorf("%q is no time zone: write one such as Europe/Berlin", s)
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

func checkHeader(_ *Language, s string) error {
	if !isName(s) {
		return fmt.Errorf("%q is no name of a header field", s)
	}
	return nil
}

func checkText(_ *Language, _ string) error { return nil }

// mustCompile is for the machine: its patterns were checked.
func mustCompile(compile func(string) (*pattern, error), s string) *pattern {
	p, err := compile(s)
	if err != nil {
		panic(err)
	}
	return p
}

func (f *frame) headers(name string) []string {
	values := f.request.headers(strings.ToLower(name))
	for _, v := range values {
		f.open([]byte(v))
	}
	return values
}

func (f *frame) timeIn(zone string) timeType {
	where, err := time.LoadLocation(zone)
	if err != nil {
		panic(err)
	}
	return timeOf(f.request.Now.In(where))
}

func (f *frame) inList(x any, name string) bool {
	list := f.language.options.Lists[name]
	switch x := x.(type) {
	case netip.Addr:
		return list.hasAddress(x)
	case string:
		return list.hasText([]byte(x))
	}
	return false
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
