package rules

import (
	"net/netip"
	"reflect"
	"strings"

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
	Result    string // of the example, for the request that RULES.md shows
	Scope     Scope  // from which on it can be called
}

// function is how a function is checked, compiled and, where it is not compiled,
// called.
type function struct {
	name      string
	signature string
	about     string
	cost      int
	example   string
	result    string
	scope     Scope

	literal func(l *Language, s string) error // checks its arguments that must be literal: all but the first of several; nil: any expression will do
	leads   bool                              // only the first argument must be literal
	named   func(s string) error              // checks its first argument if that is literal
	takes   []reflect.Type                    // what its first argument can be, where the machine would take anything
	pattern func(s string) (*pattern, error)  // compiles its second argument
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
		name: "header", signature: "header(name) string", cost: 3, named: checkHeader,
		about:   "first value of a header field, in any case; empty: there is none",
		example: `header("User-Agent")`, result: `"Mobile Safari"`,
		build: func(f *frame) any {
			return func(n string) string { return string(f.open(f.request.header(strings.ToLower(n)))) }
		},
		text: headerText,
	},
	{
		name: "cookie", signature: "cookie(name) string", cost: 3,
		about:   "first value of a cookie, without quotes around it; empty: there is none",
		example: `cookie("beta")`, result: `"1"`,
		build: func(f *frame) any {
			return func(n string) string { v, _ := f.request.cookie(n); return string(f.open(v)) }
		},
		text: cookieText,
	},
	{
		name: "query", signature: "query(name) string", cost: 3,
		about:   "first value of a query argument, %XX and + decoded; empty: there is none",
		example: `query("q")`, result: `" red shoes"`,
		build: func(f *frame) any { return func(n string) string { v, _ := f.query(n); return string(f.open(v)) } },
		text:  queryText,
	},
	{
		name: "headers", signature: "headers(name) []string", cost: 3, named: checkHeader,
		about:   "all values of a header field",
		example: `headers("Cache-Control")`, result: `["max-age=0", "no-cache"]`,
		build: func(f *frame) any { return f.headers },
	},
	{
		name: "has_header", signature: "has_header(name) bool", cost: 3, named: checkHeader,
		about:   "whether there is such a field, even an empty one",
		example: `has_header("Authorization")`, result: `true`,
		build: func(f *frame) any { return func(n string) bool { return f.request.hasHeader(strings.ToLower(n)) } },
		test:  hasHeaderTest,
	},
	{
		name: "has_cookie", signature: "has_cookie(name) bool", cost: 3,
		about:   "whether there is such a cookie, even an empty one",
		example: `has_cookie("JSESSIONID")`, result: `true`,
		build: func(f *frame) any { return func(n string) bool { _, found := f.request.cookie(n); return found } },
		test:  hasCookieTest,
	},
	{
		name: "has_query", signature: "has_query(name) bool", cost: 3,
		about:   "whether there is such a query argument, even an empty one",
		example: `has_query("tz")`, result: `true`,
		build: func(f *frame) any { return func(n string) bool { _, found := f.query(n); return found } },
		test:  hasQueryTest,
	},
	{
		name: "ip", signature: `ip("address") ip`, cost: 1, literal: checkAddress,
		about:   "a literal address, for ==, != and in",
		example: `client.ip == ip("10.1.2.3")`, result: `true`,
		build: func(*frame) any { return func(s string) netip.Addr { a, _ := parseAddress(s); return a } },
	},
	{
		name: "cidr", signature: `cidr(ip, "network", ...) bool`, cost: 2, literal: checkNetwork,
		about:   "whether an address is in one of some literal networks",
		example: `cidr(client.ip, "10.1.0.0/16", "192.0.2.7")`, result: `true`,
		build: func(*frame) any { return inNetworks },
		test:  cidrTest,
	},
	{
		name: "in_list", signature: `in_list(x, "list") bool`, cost: 3, literal: checkList, takes: []reflect.Type{addressType, textType},
		about:   "whether an address or text is in a list of the configuration",
		example: `in_list(client.ip, "office")`, result: `true`,
		build: func(f *frame) any { return f.inList },
		test:  inListTest,
	},
	{
		name: "glob", signature: `glob(s, "pattern") bool`, cost: 4, literal: checkPattern(newGlob), pattern: newGlob,
		about:   "* stands for anything but /, ** for anything, ? for one character but /, {a,b} for one of some",
		example: `glob(path, "/shop/*/{cart,order}")`, result: `true`,
		build: matcher("glob"),
		test:  patternTest(newGlob),
	},
	{
		name: "like", signature: `like(s, "pattern") bool`, cost: 4, literal: checkPattern(like), pattern: like,
		about:   "SQL's LIKE: % stands for anything, _ for one character",
		example: `like(path, "/shop/%")`, result: `true`,
		build: matcher("like"),
		test:  patternTest(like),
	},
	{
		name: "ilike", signature: `ilike(s, "pattern") bool`, cost: 4, literal: checkPattern(ilike), pattern: ilike,
		about:   "the same, whatever the case of letters",
		example: `ilike(header("User-Agent"), "%mobile%")`, result: `true`,
		build: matcher("ilike"),
		test:  patternTest(ilike),
	},
	{
		name: "tz", signature: `tz("zone") time`, cost: 2, literal: checkZone,
		about:   "the time of the request in a zone, with the fields of now",
		example: `tz("Europe/Berlin").hour`, result: `14`,
		build: func(f *frame) any { return f.timeIn },
	},
	{
		name: "cluster", signature: `cluster("name") cluster`, cost: 2, literal: checkCluster,
		about:   "state of a cluster: .up origins in service, .inflight exchanges, .capacity_left",
		example: `cluster("main/shop").up`, result: `1`,
		build: func(f *frame) any { return func(s string) clusterType { return f.cluster(f.language.clusters[s]) } },
	},
	{
		name: "plugin", signature: `plugin("name", args...) bool`, cost: 50, literal: checkMatcher, leads: true,
		about:   "what a plugin of kind matcher says of the request, and up to 8 texts",
		example: `plugin("automated")`, result: `true`,
		build: func(f *frame) any { return f.askNamed },
		test:  pluginTest,
	},
	{
		name: "bucket", signature: `bucket("salt") int`, cost: 3, literal: checkText,
		about:   "0..99, the same for the same client: its session, else its address",
		example: `bucket("beta")`, result: `21`,
		build:  func(f *frame) any { return func(s string) int { return f.bucket(seedOf(s)) } },
		number: bucketNumber,
	},
	{
		name: "percent", signature: "percent(n) bool", cost: 2,
		about:   "true for n of 100 requests; the same for the same request id and rule",
		example: `percent(50)`, result: `true`,
		build: func(f *frame) any { return f.percent },
		test:  percentTest,
	},
	{
		name: "lower", signature: "lower(s) string", cost: 2,
		about:   "ASCII letters in lower case",
		example: `lower(header("X-Kind"))`, result: `"beta"`,
		build: func(f *frame) any { return func(s string) string { return string(f.lower([]byte(s))) } },
		text:  changed((*frame).lower),
	},
	{
		name: "upper", signature: "upper(s) string", cost: 2,
		about:   "ASCII letters in upper case",
		example: `upper(header("X-Kind"))`, result: `"BETA"`,
		build: func(f *frame) any { return func(s string) string { return string(f.upper([]byte(s))) } },
		text:  changed((*frame).upper),
	},
	{
		name: "trim", signature: "trim(s) string", cost: 2,
		about:   "without blanks and tabs at its ends",
		example: `trim(query("q"))`, result: `"red shoes"`,
		build: func(*frame) any { return func(s string) string { return string(wire.TrimBlanks([]byte(s))) } },
		text:  changed(func(_ *frame, b []byte) []byte { return wire.TrimBlanks(b) }),
	},
	{
		name: "after", signature: `after(s, x) string`, cost: 2,
		about:   "what follows the first x; empty: there is no x",
		example: `after(path, "/shop/")`, result: `"7/cart"`,
		build: func(*frame) any { return func(s, x string) string { return string(after([]byte(s), x)) } },
		text:  part(after),
	},
	{
		name: "before", signature: `before(s, x) string`, cost: 2,
		about:   "what stands before the first x; all of it if there is no x",
		example: `before(host, ".")`, result: `"shop"`,
		build: func(*frame) any { return func(s, x string) string { return string(before([]byte(s), x)) } },
		text:  part(before),
	},
	{
		name: "len", signature: "len(s) int", cost: 2, takes: []reflect.Type{textType, textsType},
		about:   "characters of a text, or entries of a list",
		example: `len(headers("Cache-Control"))`, result: `2`,
		build:  func(*frame) any { return length },
		number: lenNumber,
	},
	{
		name: "int", signature: "int(s, default) int", cost: 2,
		about:   "a text as a whole number; default: it is none",
		example: `int(header("X-Level"), 0)`, result: `12`,
		build:  func(*frame) any { return func(s string, d int) int { return whole([]byte(s), d) } },
		number: intNumber,
	},
	{
		name: "response_header", signature: "response_header(name) string", cost: 3, named: checkHeader, scope: OfAnswer,
		about:   "first value of a header field of the answer, in any case; empty: there is none",
		example: `response_header("X-Cache")`, result: `"MISS"`,
		build: func(f *frame) any { return f.responseHeader },
		text:  responseHeaderText,
	},
}

// Functions are the functions that expressions of a scope can call.
func Functions(in Scope) (all []Function) {
	for _, f := range functions {
		if in.holds(f.name, f.scope) {
			all = append(all, Function{f.name, f.signature, f.about, f.cost, f.example, f.result, f.scope})
		}
	}
	return all
}

// The types of arguments.
var (
	textType    = reflect.TypeFor[string]()
	textsType   = reflect.TypeFor[[]string]()
	addressType = reflect.TypeFor[netip.Addr]()
)
