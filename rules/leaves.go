package rules

import (
	"bytes"
	"net/netip"
	"strings"
	"time"

	"github.com/expr-lang/expr/ast"
)

// Leaves of an expression are compiled to these: they read the frame's request.
type (
	test    func(f *frame) bool
	number  func(f *frame) int
	text    func(f *frame) []byte
	address func(f *frame) netip.Addr
)

// value is a text of the request, and whether it may be sealed.
type value struct {
	read   text
	sealed bool
}

func (v value) open(f *frame) []byte {
	if v.sealed {
		return f.open(v.read(f))
	}
	return v.read(f)
}

// leaves compiles the leaves of one expression.
type leaves struct{ language *Language }

// test compiles a node to a test; nil: it is none that bytes can decide.
func (c leaves) test(n ast.Node) test {
	switch n := n.(type) {
	case *ast.BinaryNode:
		return c.comparison(n)
	case *ast.CallNode:
		if fn := c.language.function(n); fn != nil && fn.test != nil {
			return fn.test(c, n.Arguments)
		}
	case *ast.MemberNode:
		if path(n) == "session.new" {
			return func(f *frame) bool { return f.request.Session.New }
		}
	}
	return nil
}

// comparison compiles a comparison of a part of the request with a constant, or
// with another part.
func (c leaves) comparison(n *ast.BinaryNode) test {
	if n.Operator == "in" {
		return c.membership(n)
	}
	left, right, op := n.Left, n.Right, n.Operator
	if isLiteral(left) && !isLiteral(right) {
		if exchanged[op] == "" {
			return nil
		}
		left, right, op = right, left, exchanged[op]
	}
	if t := c.compareTexts(left, right, op); t != nil {
		return t
	}
	if t := c.compareNumbers(left, right, op); t != nil {
		return t
	}
	return c.compareAddresses(left, right, op)
}

// exchanged is each operator with its sides exchanged.
var exchanged = map[string]string{"==": "==", "!=": "!=", "<": ">", ">": "<", "<=": ">=", ">=": "<="}

func isLiteral(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.StringNode, *ast.IntegerNode:
		return true
	case *ast.UnaryNode:
		return n.Operator == "-" && isLiteral(n.Node)
	}
	return false
}

func (c leaves) compareTexts(left, right ast.Node, op string) test {
	a, ok := c.text(left)
	if !ok {
		return nil
	}
	if s, ok := right.(*ast.StringNode); ok {
		return compareWith(a, s.Value, op)
	}
	b, ok := c.text(right)
	switch {
	case !ok:
		return nil
	case op == "==":
		return func(f *frame) bool { return bytes.Equal(a.open(f), b.open(f)) }
	case op == "!=":
		return func(f *frame) bool { return !bytes.Equal(a.open(f), b.open(f)) }
	}
	return nil
}

// compareWith compiles the comparison of a text with a constant.
func compareWith(a value, s, op string) test {
	switch op {
	case "==":
		return func(f *frame) bool { return f.equal(a.read(f), s) }
	case "!=":
		return func(f *frame) bool { return !f.equal(a.read(f), s) }
	case "startsWith":
		return func(f *frame) bool { return hasPrefix(a.open(f), s) }
	case "endsWith":
		return func(f *frame) bool { return hasSuffix(a.open(f), s) }
	case "contains":
		want := []byte(s)
		return func(f *frame) bool { return bytes.Contains(a.open(f), want) }
	case "matches":
		re, err := compileRegex(s)
		if err != nil {
			return nil
		}
		return func(f *frame) bool { return re.Match(a.open(f)) }
	}
	want := []byte(s)
	ordered := orders[op]
	if ordered == nil {
		return nil
	}
	return func(f *frame) bool { return ordered(bytes.Compare(a.open(f), want)) }
}

// orders say what the sign of a difference means for an operator.
var orders = map[string]func(difference int) bool{
	"==": func(d int) bool { return d == 0 },
	"!=": func(d int) bool { return d != 0 },
	"<":  func(d int) bool { return d < 0 },
	"<=": func(d int) bool { return d <= 0 },
	">":  func(d int) bool { return d > 0 },
	">=": func(d int) bool { return d >= 0 },
}

func (c leaves) compareNumbers(left, right ast.Node, op string) test {
	a, b, ordered := c.number(left), c.number(right), orders[op]
	if a == nil || b == nil || ordered == nil {
		return nil
	}
	return func(f *frame) bool {
		x, y := a(f), b(f)
		switch {
		case x < y:
			return ordered(-1)
		case x > y:
			return ordered(1)
		}
		return ordered(0)
	}
}

func (c leaves) compareAddresses(left, right ast.Node, op string) test {
	a, b := c.address(left), c.address(right)
	switch {
	case a == nil || b == nil:
		return nil
	case op == "==":
		return func(f *frame) bool { return a(f) == b(f) }
	case op == "!=":
		return func(f *frame) bool { return a(f) != b(f) }
	}
	return nil
}

// membership compiles x in [constants].
func (c leaves) membership(n *ast.BinaryNode) test {
	list, ok := n.Right.(*ast.ArrayNode)
	if !ok {
		return nil
	}
	if a, ok := c.text(n.Left); ok {
		return amongTexts(a, list.Nodes)
	}
	if a := c.number(n.Left); a != nil {
		return among(a, list.Nodes, c.number)
	}
	if a := c.address(n.Left); a != nil {
		return among(a, list.Nodes, c.address)
	}
	return nil
}

func amongTexts(a value, nodes []ast.Node) test {
	var all []string
	for _, n := range nodes {
		s, ok := n.(*ast.StringNode)
		if !ok {
			return nil
		}
		all = append(all, s.Value)
	}
	return func(f *frame) bool {
		b := a.read(f)
		for _, s := range all {
			if f.equal(b, s) {
				return true
			}
		}
		return false
	}
}

// among compiles x in [x, y] for parts of the request that are no texts.
func among[V comparable, R ~func(*frame) V](x R, nodes []ast.Node, compile func(ast.Node) R) test {
	var all []R
	for _, n := range nodes {
		y := compile(n)
		if y == nil {
			return nil
		}
		all = append(all, y)
	}
	return func(f *frame) bool {
		v := x(f)
		for _, y := range all {
			if y(f) == v {
				return true
			}
		}
		return false
	}
}

// text compiles a node that is a text of the request.
func (c leaves) text(n ast.Node) (value, bool) {
	switch n := n.(type) {
	case *ast.IdentifierNode, *ast.MemberNode:
		read := texts[path(n)]
		return value{read, strings.HasPrefix(path(n), "session.")}, read != nil
	case *ast.CallNode:
		if fn := c.language.function(n); fn != nil && fn.text != nil {
			return fn.text(c, n.Arguments)
		}
	}
	return value{}, false
}

// texts are the variables that are texts.
var texts = map[string]text{
	"method":                  func(f *frame) []byte { return f.request.Method },
	"scheme":                  func(f *frame) []byte { return f.text(f.request.Scheme) },
	"host":                    func(f *frame) []byte { return f.request.Host },
	"path":                    func(f *frame) []byte { return f.request.Path },
	"raw_path":                func(f *frame) []byte { return f.request.RawPath },
	"query_string":            func(f *frame) []byte { return f.request.Query },
	"url":                     func(f *frame) []byte { return f.request.URL },
	"client.cert.subject":     func(f *frame) []byte { return f.text(certOf(f.request).Subject) },
	"client.cert.issuer":      func(f *frame) []byte { return f.text(certOf(f.request).Issuer) },
	"client.cert.fingerprint": func(f *frame) []byte { return f.text(certOf(f.request).Fingerprint) },
	"tls.version":             func(f *frame) []byte { return f.text(tlsOf(f.request).Version) },
	"tls.sni":                 func(f *frame) []byte { return f.text(tlsOf(f.request).SNI) },
	"http.version":            func(f *frame) []byte { return f.text(f.request.HTTP) },
	"site":                    func(f *frame) []byte { return f.text(f.request.Site) },
	"cell":                    func(f *frame) []byte { return f.text(f.language.options.Cell) },
	"node.name":               func(f *frame) []byte { return f.text(f.language.options.NodeName) },
	"node.zone":               func(f *frame) []byte { return f.text(f.language.options.Zone) },
	"session.id":              func(f *frame) []byte { return f.request.Session.ID },
	"session.primary":         func(f *frame) []byte { return f.ofSession(f.request.Session.Primary) },
	"session.secondary":       func(f *frame) []byte { return f.ofSession(f.request.Session.Secondary) },
	"request.id":              func(f *frame) []byte { return f.request.ID },
	"content_type":            (*frame).contentType,
}

// ofSession returns what the session's id says, which a hash of it does not.
func (f *frame) ofSession(part []byte) []byte {
	f.open(f.request.Session.ID)
	return part
}

// number compiles a node that is a whole number.
func (c leaves) number(n ast.Node) number {
	switch n := n.(type) {
	case *ast.IntegerNode:
		k := n.Value
		return func(*frame) int { return k }
	case *ast.UnaryNode:
		if k, ok := n.Node.(*ast.IntegerNode); ok && n.Operator == "-" {
			return func(*frame) int { return -k.Value }
		}
	case *ast.IdentifierNode:
		return numbers[n.Value]
	case *ast.MemberNode:
		if read := numbers[path(n)]; read != nil {
			return read
		}
		return c.numberOfCall(n)
	case *ast.CallNode:
		if fn := c.language.function(n); fn != nil && fn.number != nil {
			return fn.number(c, n.Arguments)
		}
	}
	return nil
}

// numbers are the variables that are whole numbers.
var numbers = map[string]number{
	"port":         func(f *frame) int { return f.request.port() },
	"client.port":  func(f *frame) int { return int(f.request.Client.Port()) },
	"request.size": func(f *frame) int { return int(f.request.Size) },
	"now.hour":     func(f *frame) int { return timeOf(f.request.Now.UTC()).Hour },
	"now.minute":   func(f *frame) int { return timeOf(f.request.Now.UTC()).Minute },
	"now.weekday":  func(f *frame) int { return timeOf(f.request.Now.UTC()).Weekday },
	"now.unix":     func(f *frame) int { return timeOf(f.request.Now.UTC()).Unix },
	"status":       func(f *frame) int { return f.request.Response.Status },
	"attempts":     func(f *frame) int { return f.request.Response.Attempts },
}

// numberOfCall compiles a field of what tz() or cluster() returns.
func (c leaves) numberOfCall(n *ast.MemberNode) number {
	call, ok := n.Node.(*ast.CallNode)
	field, named := n.Property.(*ast.StringNode)
	fn := c.language.function(call)
	if !ok || !named || fn == nil || len(call.Arguments) != 1 {
		return nil
	}
	literal, ok := call.Arguments[0].(*ast.StringNode)
	if !ok {
		return nil
	}
	switch fn.name {
	case "tz":
		return timeField(literal.Value, field.Value)
	case "cluster":
		return c.clusterField(literal.Value, field.Value)
	}
	return nil
}

func timeField(zone, field string) number {
	where, err := time.LoadLocation(zone)
	get := timeFields[field]
	if err != nil || get == nil {
		return nil
	}
	return func(f *frame) int { return get(timeOf(f.request.Now.In(where))) }
}

var timeFields = map[string]func(timeType) int{
	"hour":    func(t timeType) int { return t.Hour },
	"minute":  func(t timeType) int { return t.Minute },
	"weekday": func(t timeType) int { return t.Weekday },
	"unix":    func(t timeType) int { return t.Unix },
}

func (c leaves) clusterField(name, field string) number {
	i, known := c.language.clusters[name]
	get := clusterFields[field]
	if !known || get == nil {
		return nil
	}
	return func(f *frame) int { return get(f.cluster(i)) }
}

var clusterFields = map[string]func(clusterType) int{
	"up":            func(c clusterType) int { return c.Up },
	"inflight":      func(c clusterType) int { return c.Inflight },
	"capacity_left": func(c clusterType) int { return c.CapacityLeft },
}

// cluster is the state of a cluster.
func (f *frame) cluster(i int) (c clusterType) {
	if f.request.Clusters != nil {
		c.Up, c.Inflight, c.CapacityLeft = f.request.Clusters.ClusterState(i)
	}
	return c
}

// address compiles a node that is an address.
func (c leaves) address(n ast.Node) address {
	switch n := n.(type) {
	case *ast.MemberNode:
		switch path(n) {
		case "client.ip":
			return func(f *frame) netip.Addr { return f.request.Client.Addr() }
		case "peer.ip":
			return func(f *frame) netip.Addr { return f.request.Peer.Addr() }
		}
	case *ast.CallNode:
		if fn := c.language.function(n); fn != nil && fn.name == "ip" && len(n.Arguments) == 1 {
			if s, ok := n.Arguments[0].(*ast.StringNode); ok {
				a, err := parseAddress(s.Value)
				if err == nil {
					return func(*frame) netip.Addr { return a }
				}
			}
		}
	}
	return nil
}

// path is the name of a variable, or of a field of one: "client.cert.subject";
// empty: the node is something else.
func path(n ast.Node) string {
	switch n := n.(type) {
	case *ast.IdentifierNode:
		return n.Value
	case *ast.MemberNode:
		field, ok := n.Property.(*ast.StringNode)
		if before := path(n.Node); ok && before != "" {
			return before + "." + field.Value
		}
	}
	return ""
}
