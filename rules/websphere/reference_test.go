package websphere

import (
	"fmt"
	"net/netip"
	"net/url"
	"regexp"
	"strconv"
	"strings"

	"pgregory.net/rapid"

	"weirkeep/gateway/wire"
	"weirkeep/rules"
)

// What follows is the original's logic written a second time: it shares nothing
// with the code under test. A selector is made together with its value, which is
// true, false, or nil for unknown.

var yes, no = new(true), new(false)

func kleene(b bool) *bool {
	if b {
		return yes
	}
	return no
}

func kleeneNot(v *bool) *bool {
	if v == nil {
		return nil
	}
	return kleene(!*v)
}

func kleeneAnd(a, b *bool) *bool {
	switch {
	case a == no || b == no:
		return no
	case a == nil || b == nil:
		return nil
	}
	return yes
}

// visitor is a request as the original sees it: what is not in a map is null.
type visitor struct {
	fixed                     map[string]string // operands that every request has
	headers, cookies, queries map[string]string
	port                      int
	client                    netip.Addr
}

// names and texts are few, so that comparisons often hold.
var (
	names = []string{"A", "b-c", "D.e"}
	texts = []string{"", "a", "b", "A", "ab", "abc", "a%b", "a_b", `a\b`, "it's", "é"}
	uris  = []string{"/", "/a", "/a/b", "/ab", "/A"}
	ipv4s = []string{"10.0.0.1", "10.0.0.9", "10.0.1.0", "10.1.2.3", "255.255.255.255", "0.0.0.0"}
	ipv6s = []string{"::", "2001:db8::1", "2001:db8:1::", "2001:db9::", "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff"}
)

func drawVisitor(t *rapid.T) *visitor {
	some := func(label string) map[string]string {
		m := map[string]string{}
		for _, n := range names {
			if rapid.Bool().Draw(t, label+" has "+n) {
				m[n] = rapid.SampledFrom(texts).Draw(t, label+" "+n)
			}
		}
		return m
	}
	v := &visitor{
		fixed: map[string]string{
			"uri":        rapid.SampledFrom(uris).Draw(t, "uri"),
			"httpmethod": rapid.SampledFrom([]string{"GET", "POST"}).Draw(t, "method"),
			"protocol":   rapid.SampledFrom([]string{"http", "https"}).Draw(t, "scheme"),
		},
		headers: some("header"), cookies: some("cookie"), queries: some("query"),
		port:   rapid.SampledFrom([]int{79, 80, 81, 443}).Draw(t, "port"),
		client: netip.MustParseAddr(rapid.SampledFrom(append(ipv4s, ipv6s...)).Draw(t, "client")),
	}
	if rapid.Bool().Draw(t, "has host") {
		v.fixed["virtualhost"] = rapid.SampledFrom([]string{"a.example", "b.example"}).Draw(t, "host")
	}
	if rapid.Bool().Draw(t, "has type") {
		v.headers["Content-Type"] = rapid.SampledFrom(texts).Draw(t, "type")
	}
	return v
}

// request is the same request as our language sees it.
func (v *visitor) request() *rules.Request {
	r := &rules.Request{
		Method: []byte(v.fixed["httpmethod"]), Scheme: v.fixed["protocol"], Host: []byte(v.fixed["virtualhost"]),
		Port: v.port, Path: []byte(v.fixed["uri"]), RawPath: []byte(v.fixed["uri"]), URL: []byte(v.fixed["uri"]),
		Client: netip.AddrPortFrom(v.client, 1), Peer: netip.AddrPortFrom(v.client, 1), HTTP: "1.1", ID: []byte("1"), Size: -1,
	}
	for name, value := range v.headers {
		r.Fields = append(r.Fields, wire.Field{Name: []byte(strings.ToLower(name)), Value: []byte(value)})
	}
	for name, value := range v.cookies {
		r.Fields = append(r.Fields, wire.Field{Name: []byte("Cookie"), Value: []byte(name + "=" + value)})
	}
	var query []string
	for name, value := range v.queries {
		query = append(query, name+"="+url.QueryEscape(value))
	}
	r.Query = []byte(strings.Join(query, "&"))
	return r
}

// textOperand draws an operand that is a text, and its value; nil: null.
func (v *visitor) textOperand(t *rapid.T) (string, *string) {
	kind := rapid.SampledFrom([]string{"uri", "httpmethod", "mimetype", "header$", "cookie$", "queryparm$", "queryparam$"}).Draw(t, "operand")
	name := rapid.SampledFrom(names).Draw(t, "name")
	switch kind {
	case "header$":
		return anyCase(t, "header") + "$" + anyCase(t, name), lookup(v.headers, name)
	case "cookie$":
		return kind + name, lookup(v.cookies, name)
	case "queryparm$", "queryparam$":
		return kind + name, lookup(v.queries, name)
	case "mimetype":
		return "MIMEtype", lookup(v.headers, "Content-Type")
	}
	return anyCase(t, kind), lookup(v.fixed, kind)
}

func lookup(m map[string]string, name string) *string {
	if text, ok := m[name]; ok {
		return &text
	}
	return nil
}

func anyCase(t *rapid.T, s string) string {
	switch rapid.IntRange(0, 2).Draw(t, "case") {
	case 0:
		return strings.ToUpper(s)
	case 1:
		return strings.ToLower(s)
	}
	return s
}

func quoted(s string) string { return "'" + strings.ReplaceAll(s, "'", "''") + "'" }

var orders = []string{"=", "<>", "<", "<=", ">", ">="}

func inOrderOf(sign int, op string) *bool {
	switch op {
	case "=":
		return kleene(sign == 0)
	case "<>":
		return kleene(sign != 0)
	case "<":
		return kleene(sign < 0)
	case "<=":
		return kleene(sign <= 0)
	case ">":
		return kleene(sign > 0)
	}
	return kleene(sign >= 0)
}

// drawSelector makes a selector and its value for the visitor.
func (v *visitor) drawSelector(t *rapid.T, depth int) (string, *bool) {
	if depth == 0 {
		return v.drawComparison(t)
	}
	switch rapid.IntRange(0, 4).Draw(t, "shape") {
	case 0:
		s, is := v.drawSelector(t, depth-1)
		return anyCase(t, "not") + " (" + s + ")", kleeneNot(is)
	case 1, 2:
		a, x := v.drawSelector(t, depth-1)
		b, y := v.drawSelector(t, depth-1)
		return "(" + a + ") " + anyCase(t, "and") + " (" + b + ")", kleeneAnd(x, y)
	case 3:
		a, x := v.drawSelector(t, depth-1)
		b, y := v.drawSelector(t, depth-1)
		return "(" + a + ") " + anyCase(t, "or") + " (" + b + ")", kleeneNot(kleeneAnd(kleeneNot(x), kleeneNot(y)))
	}
	return v.drawComparison(t)
}

// drawComparison makes one comparison of any kind.
func (v *visitor) drawComparison(t *rapid.T) (string, *bool) {
	return rapid.SampledFrom([]func(*rapid.T) (string, *bool){
		v.drawTexts, v.drawTexts, v.drawPair, v.drawLike, v.drawIn, v.drawNull, v.drawTextRange, v.drawFold,
		v.drawPort, v.drawHost, v.drawAddress, v.drawAddressRange, v.drawAddressLike, v.drawProtocol, v.drawConstant,
	}).Draw(t, "comparison")(t)
}

func (v *visitor) drawTexts(t *rapid.T) (string, *bool) {
	o, has := v.textOperand(t)
	text := rapid.SampledFrom(append(texts, uris...)).Draw(t, "text")
	op := rapid.SampledFrom(orders).Draw(t, "op")
	if rapid.Bool().Draw(t, "mirrored") {
		if has == nil {
			return quoted(text) + op + o, nil
		}
		return quoted(text) + op + o, inOrderOf(strings.Compare(text, *has), op)
	}
	if has == nil {
		return o + op + quoted(text), nil
	}
	return o + " " + op + " " + quoted(text), inOrderOf(strings.Compare(*has, text), op)
}

func (v *visitor) drawPair(t *rapid.T) (string, *bool) {
	a, x := v.textOperand(t)
	b, y := v.textOperand(t)
	op := rapid.SampledFrom(orders).Draw(t, "op")
	if x == nil || y == nil {
		return a + " " + op + " " + b, nil
	}
	return a + " " + op + " " + b, inOrderOf(strings.Compare(*x, *y), op)
}

// drawLike makes a LIKE whose value a regular expression says.
func (v *visitor) drawLike(t *rapid.T) (string, *bool) {
	o, has := v.textOperand(t)
	var pattern, re strings.Builder
	for range rapid.IntRange(0, 4).Draw(t, "pieces") {
		piece := rapid.SampledFrom([]string{"%", "_", "a", "b", "/", "é", `\`, "!%", "!_", "!!"}).Draw(t, "piece")
		pattern.WriteString(piece)
		switch piece {
		case "%":
			re.WriteString("(.|\n)*")
		case "_":
			re.WriteString("(.|\n)")
		default:
			re.WriteString(regexp.QuoteMeta(strings.TrimPrefix(piece, "!")))
		}
	}
	word, negated := rapid.SampledFrom([]string{"LIKE", "not like"}).Draw(t, "word"), false
	negated = word == "not like"
	s := o + " " + word + " " + quoted(pattern.String()) + " escape '!'"
	if has == nil {
		return s, nil
	}
	return s, kleene(regexp.MustCompile("^(?:"+re.String()+")$").MatchString(*has) != negated)
}

func (v *visitor) drawIn(t *rapid.T) (string, *bool) {
	o, has := v.textOperand(t)
	list := rapid.SliceOfN(rapid.SampledFrom(texts), 1, 4).Draw(t, "list")
	not := rapid.Bool().Draw(t, "not")
	s, found := "", false
	for i, text := range list {
		if i > 0 {
			s += ","
		}
		s += quoted(text)
		found = found || has != nil && *has == text
	}
	s = o + map[bool]string{true: " NOT IN (", false: " in ("}[not] + s + ")"
	if has == nil {
		return s, nil
	}
	return s, kleene(found != not)
}

func (v *visitor) drawNull(t *rapid.T) (string, *bool) {
	o, has := v.textOperand(t)
	if rapid.Bool().Draw(t, "host") {
		o, has = "virtualhost", lookup(v.fixed, "virtualhost")
	}
	if rapid.Bool().Draw(t, "not") {
		return o + " is not null", kleene(has != nil)
	}
	return o + " IS NULL", kleene(has == nil)
}

func (v *visitor) drawTextRange(t *rapid.T) (string, *bool) {
	o, has := v.textOperand(t)
	low, high := rapid.SampledFrom(texts).Draw(t, "low"), rapid.SampledFrom(texts).Draw(t, "high")
	not := rapid.Bool().Draw(t, "not")
	s := o + map[bool]string{true: " not between ", false: " BETWEEN "}[not] + quoted(low) + " and " + quoted(high)
	if has == nil {
		return s, nil
	}
	return s, kleene((low <= *has && *has <= high) != not)
}

func (v *visitor) drawFold(t *rapid.T) (string, *bool) {
	o, has := v.textOperand(t)
	text := rapid.SampledFrom(texts).Draw(t, "text")
	s := o + " EqualsIgnoreCase " + quoted(text)
	if has == nil {
		return s, nil
	}
	return s, kleene(strings.EqualFold(*has, text))
}

func (v *visitor) drawPort(t *rapid.T) (string, *bool) {
	n := rapid.IntRange(78, 82).Draw(t, "n")
	op := rapid.SampledFrom(orders).Draw(t, "op")
	sign := 0
	switch {
	case v.port < n:
		sign = -1
	case v.port > n:
		sign = 1
	}
	number := rapid.SampledFrom([]string{"%d", "%d.0", "%dL", "%d - 1 + 1", "(%d) * 1", "+%d", "2 * %d / 2"}).Draw(t, "spelling")
	port := rapid.SampledFrom([]string{"virtualport", "(virtualport)", "+VirtualPort"}).Draw(t, "port")
	return port + " " + op + " " + fmt.Sprintf(number, n), inOrderOf(sign, op)
}

func (v *visitor) drawHost(t *rapid.T) (string, *bool) {
	text := rapid.SampledFrom([]string{"a.example", "B.Example"}).Draw(t, "text")
	op := rapid.SampledFrom([]string{"=", "<>"}).Draw(t, "op")
	has := lookup(v.fixed, "virtualhost")
	s := "virtualHost" + op + quoted(text)
	if has == nil {
		return s, nil
	}
	return s, kleene((*has == strings.ToLower(text)) == (op == "="))
}

func (v *visitor) drawProtocol(t *rapid.T) (string, *bool) {
	text := rapid.SampledFrom([]string{"HTTP", "https", "HTTP%"}).Draw(t, "text")
	if text == "HTTP%" {
		return "protocol like 'HTTP%'", yes
	}
	return "protocol = " + quoted(text), kleene(v.fixed["protocol"] == strings.ToLower(text))
}

func (v *visitor) drawConstant(t *rapid.T) (string, *bool) {
	return rapid.SampledFrom([]string{"TRUE", "'a' = 'a'", "1 < 2"}).Draw(t, "constant"), yes
}

// family draws an operand for addresses, and those that it is compared with.
func (v *visitor) family(t *rapid.T) (operand string, all []string, has bool) {
	if rapid.Bool().Draw(t, "v6") {
		return "clientipv6", ipv6s, v.client.Is6()
	}
	return "ClientIPv4", ipv4s, v.client.Is4()
}

func (v *visitor) drawAddress(t *rapid.T) (string, *bool) {
	o, all, has := v.family(t)
	a := rapid.SampledFrom(all).Draw(t, "address")
	op := rapid.SampledFrom(append(orders, "in")).Draw(t, "op")
	if op == "in" {
		s := o + " in (" + quoted(a) + ", " + quoted(all[0]) + ")"
		if !has {
			return s, nil
		}
		return s, kleene(v.client.String() == a || v.client.String() == all[0])
	}
	s := o + " " + op + " " + quoted(a)
	if !has {
		return s, nil
	}
	return s, inOrderOf(v.client.Compare(netip.MustParseAddr(a)), op)
}

func (v *visitor) drawAddressRange(t *rapid.T) (string, *bool) {
	o, all, has := v.family(t)
	a, b := rapid.SampledFrom(all).Draw(t, "low"), rapid.SampledFrom(all).Draw(t, "high")
	s := o + " between " + quoted(a) + " and " + quoted(b)
	if !has {
		return s, nil
	}
	low, high := netip.MustParseAddr(a), netip.MustParseAddr(b)
	return s, kleene(low.Compare(v.client) <= 0 && v.client.Compare(high) <= 0)
}

func (v *visitor) drawAddressLike(t *rapid.T) (string, *bool) {
	p := rapid.SampledFrom([]string{"10.%", "10.0.0._", "10.0.0.1", "%", "10.0%", "1%", "0.0.0.%", "10.1.%.3", "nothing%"}).Draw(t, "pattern")
	s := "clientipv4 LIKE " + quoted(p)
	if !v.client.Is4() {
		return s, nil
	}
	re := strings.NewReplacer("%", ".*", "_", ".").Replace(regexp.QuoteMeta(p))
	return s, kleene(regexp.MustCompile("^" + re + "$").MatchString(v.client.String()))
}

func describeTruth(v *bool) string {
	if v == nil {
		return "unknown"
	}
	return strconv.FormatBool(*v)
}
