package rules

import (
	"fmt"
	"net/netip"
	"strings"
	"testing"
	"time"

	"weirkeep/gateway/wire"
)

// request is what most tests ask about: Sunday, 14 minutes past one in UTC.
func request() *Request {
	return &Request{
		Method: []byte("GET"), Scheme: "https", Host: []byte("shop.example.com"), Port: 8443,
		Path: []byte("/shop/7/cart"), RawPath: []byte("/shop/%37/cart"),
		Query: []byte("tz=EST&q=+red%20shoes&debug"), URL: []byte("/shop/%37/cart?tz=EST&q=+red%20shoes&debug"),
		Fields: fields("User-Agent", "Mobile Safari", "Cookie", `a=1; beta="1"`, "cookie", "JSESSIONID=x!17!18", "X-Kind", "Beta",
			"X-Level", "12", "Cache-Control", "max-age=0", "Cache-Control", "no-cache", "Authorization", "", "X-Empty", ""),
		Client: netip.MustParseAddrPort("10.1.2.3:4711"), Peer: netip.MustParseAddrPort("192.0.2.7:80"),
		TLS: &TLS{Version: "1.3", SNI: "shop.example.com", Cert: &Cert{
			Subject: "CN=ann", Issuer: "CN=ca", Fingerprint: "ab12", SAN: []string{"ann.example.com"}}},
		HTTP: "1.1", ID: []byte("r-1"), Size: -1, Site: "shop",
		Session:  Session{ID: []byte("x!17!18"), Primary: []byte("17"), Secondary: []byte("18")},
		Now:      time.Date(2026, 11, 29, 13, 14, 15, 0, time.UTC),
		Clusters: clusterStates{{1, 12, 38}},
		Matchers: yesman{},
		Response: Response{Status: 503, Fields: fields("Content-Type", "Text/HTML; charset=utf-8", "X-Cache", "MISS", "x-cache", "HIT"), Attempts: 2},
	}
}

func fields(pairs ...string) (all []wire.Field) {
	for i := 0; i < len(pairs); i += 2 {
		all = append(all, wire.Field{Name: []byte(pairs[i]), Value: []byte(pairs[i+1])})
	}
	return all
}

type clusterStates [][3]int

func (c clusterStates) ClusterState(i int) (up, inflight, capacityLeft int) {
	return c[i][0], c[i][1], c[i][2]
}

func language(tb testing.TB) *Language { return languageOf(tb, OfRequest) }

func languageOf(tb testing.TB, scope Scope) *Language {
	tb.Helper()
	lists := make(map[string]*List)
	for name, entries := range map[string][]string{
		"office": {"10.1.0.0/16", "2001:db8::/32"}, "hosts": {"*.example.com", "example.org"}, "words": {"Beta", "Gamma"},
	} {
		list, err := NewList(entries)
		if err != nil {
			tb.Fatal(err)
		}
		lists[name] = list
	}
	return New(Options{Scope: scope, Lists: lists, Clusters: []string{"main/shop"}, Matchers: []string{"automated"}, Cell: "main", NodeName: "edge-1", Zone: "z1"})
}

func compile(tb testing.TB, l *Language, source string) *Program {
	tb.Helper()
	p, errs := l.Compile("test", source)
	if errs != nil {
		tb.Fatalf("%s: %v", source, errs[0])
	}
	return p
}

func matches(tb testing.TB, source string, r *Request) bool {
	tb.Helper()
	got, err := compile(tb, language(tb), source).Match(r)
	if err != nil {
		tb.Errorf("%s: %v", source, err)
	}
	return got
}

// M-RULE-02: each part of a request, there and not there.
func TestVariables(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		source string
		full   bool // of the request that has everything
		empty  bool // of the one that has nothing
	}{
		{`method == "GET"`, true, false},
		{`method in ["POST", "GET"]`, true, false},
		{`scheme == "https"`, true, false},
		{`host == "shop.example.com"`, true, false},
		{`host endsWith ".example.com"`, true, false},
		{`port == 8443`, true, false},
		{`port == 80`, false, true},
		{`path == "/shop/7/cart"`, true, false},
		{`raw_path == "/shop/%37/cart"`, true, false},
		{`query_string startsWith "tz="`, true, false},
		{`url contains "?tz=EST"`, true, false},
		{`client.ip == ip("10.1.2.3")`, true, false},
		{`client.ip in [ip("10.9.9.9"), ip("10.1.2.3")]`, true, false},
		{`client.ip != peer.ip`, true, false},
		{`client.port == 4711`, true, false},
		{`peer.ip == ip("192.0.2.7")`, true, false},
		{`client.cert.subject == "CN=ann"`, true, false},
		{`client.cert.issuer == "CN=ca"`, true, false},
		{`client.cert.fingerprint == "ab12"`, true, false},
		{`"ann.example.com" in client.cert.san`, true, false},
		{`tls.version == "1.3"`, true, false},
		{`tls.sni == host`, true, true},
		{`http.version == "1.1"`, true, false},
		{`site == "shop"`, true, false},
		{`cell == "main"`, true, true},
		{`node.name == "edge-1" and node.zone == "z1"`, true, true},
		{`session.id != ""`, true, false},
		{`session.primary == "17"`, true, false},
		{`session.secondary == "18"`, true, false},
		{`session.new`, false, false},
		{`now.hour == 13 and now.minute == 14 and now.weekday == 7`, true, false},
		{`now.unix == 1795958055`, true, false},
		{`request.id == "r-1"`, true, false},
		{`request.size == -1`, true, false},
		{`cluster("main/shop").up == 1 and cluster("shop").inflight == 12 and cluster("shop").capacity_left > 37`, true, false},
		{`header("user-agent") == "Mobile Safari"`, true, false},
		{`header("X-Empty") == ""`, true, true},
		{`has_header("X-Empty")`, true, false},
		{`cookie("beta") == "1" and cookie("JSESSIONID") startsWith "x!"`, true, false},
		{`has_cookie("a")`, true, false},
		{`query("q") == " red shoes"`, true, false},
		{`query("debug") == ""`, true, true},
		{`has_query("debug")`, true, false},
		{`len(headers("cache-control")) == 2`, true, false},
		{`int(header("X-Level"), 0) > 11`, true, false},
		{`int(header("X-None"), 7) == 7`, true, true},
		{`lower(header("X-Kind")) matches "^b.t"`, true, false},
		{`in_list(client.ip, "office")`, true, false},
		{`in_list(host, "hosts")`, true, false},
		{`in_list(header("X-Kind"), "words")`, true, false},
		{`method == "GET" ? path startsWith "/shop" : false`, true, false},
		{`(cookie("none") ?? "x") == ""`, true, true},
	} {
		if got := matches(t, tt.source, request()); got != tt.full {
			t.Errorf("%s is %v of a request that has it, want %v", tt.source, got, tt.full)
		}
		if got := matches(t, tt.source, &Request{}); got != tt.empty {
			t.Errorf("%s is %v of a request that has nothing, want %v", tt.source, got, tt.empty)
		}
	}
}

// Each function's example is what the table says, for people who try it out and as a
// rule.
func TestExamples(t *testing.T) {
	t.Parallel()
	for _, f := range Functions(widest) {
		if !strings.Contains(f.Example, f.Name+"(") {
			t.Errorf("the example of %s does not call it: %s", f.Name, f.Example)
		}
		v, errs := languageOf(t, f.Scope).Eval(f.Example, request())
		if errs != nil || v.Text != f.Result {
			t.Errorf("%s is %s (%v), the table says %s", f.Example, v.Text, errs, f.Result)
		}
		asRule := f.Example
		switch v.Type {
		case "string", "int":
			asRule += " == " + f.Result
		case "[]string":
			asRule = strings.Split(strings.Trim(f.Result, "[]"), ", ")[0] + " in " + asRule
		}
		p, errs := languageOf(t, f.Scope).Compile("", asRule)
		if errs != nil {
			t.Errorf("%s: %v", asRule, errs[0])
		} else if got, err := p.Match(request()); err != nil || !got && f.Result != "false" {
			t.Errorf("%s is %v, %v", asRule, got, err)
		}
	}
}

func TestMistakes(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ source, want string }{
		{`header("A") startWith "de"`, `1:13 E301 unexpected "startWith": did you mean "startsWith"`},
		{`clinet.ip == ip("10.0.0.1")`, `1:1 E301 unknown name "clinet": did you mean "client"`},
		{`client.contry == "de"`, `1:8 E301 client has no "contry": there is ip, port, cert.subject, cert.issuer, cert.fingerprint, cert.san`},
		{`client.prot == 1`, `1:8 E301 client has no "prot": did you mean "port"`},
		{`method == 1`, `1:8 E301 invalid operation: == (mismatched types string and int): texts stand in quotes: method == "1"`},
		{`method`, `1:1 E302 the condition is a string, it must be true or false: compare it with something, as in header("X") == "a"`},
		{`(method == "GET"`, `1:16 E301 unexpected end of the expression`},
		{``, `1:1 E301 it is empty: a rule without when always matches`},
		{`cidr(client.ip, "10.0.0.0/33")`, `1:17 E307 cidr(): "10.0.0.0/33": the length of a network is from 0 to 32, not "33"`},
		{`cidr(client.ip, "10.0.0.1/8")`, `1:17 E307 cidr(): "10.0.0.1/8": it has bits behind its length: did you mean "10.0.0.0/8"`},
		{`cidr(client.ip, host)`, `1:17 E307 cidr() takes a literal text here: it is compiled when the configuration is read`},
		{`client.ip == ip("x")`, `1:17 E307 ip(): "x" is no address`},
		{`glob(path, "/{a")`, `1:12 E307 glob(): "/{a": a "}" is missing`},
		{`path matches "("`, "1:14 E307 matches: \"(\": missing closing ): `(`"},
		{`path matches host`, `1:14 E307 the pattern of matches must be a literal text`},
		{`in_list(client.ip, "offce")`, `1:20 E307 in_list(): there is no list "offce": did you mean "office"`},
		{`cluster("shp").up > 1`, `1:9 E307 cluster(): there is no cluster "shp": the clusters are: main/shop`},
		{`tz("Berlin").hour > 1`, `1:4 E307 tz(): "Berlin" is no time zone: write one such as Europe/Berlin`},
		{`percent(101)`, `1:9 E307 percent() takes a literal number from 0 to 100`},
		{`all(1..1000000, # > 0)`, `1:1 E309 loops are not allowed in rules ("all"): write each case, or use in_list()`},
		{`len(filter([1], # > 0)) == 1`, `1:5 E309 loops are not allowed in rules ("filter"): write each case, or use in_list()`},
		{`1 in 1..10`, `1:7 E309 ranges are not allowed in rules: compare with < and >=`},
		{`path | lower() == "a"`, `1:6 E309 "|" is not part of rules: write "or", or f(x) for x | f()`},
		{`let a = 1; a == 1`, `1:1 E309 variables are not declared in rules: write the expression in its place`},
		{`true; false`, `1:5 E309 ";" is not part of rules: a condition is one expression`},
		{`$env.method == "GET"`, `1:1 E309 $env is not part of rules`},
		{`client?.port == 1`, `1:9 E309 ?. is not part of rules: nothing is ever nil: write .`},
		{`method[0:1] == "G"`, `1:7 E309 slices are not part of rules: before(s, x) and after(s, x) cut a text`},
		{`{"a": 1} == 1`, `1:1 E309 maps are not part of rules`},
		{`b"a" == "a"`, `1:1 E309 texts of bytes are not part of rules: write "..." without the b`},
		{`["a"][0] == "a"`, `1:1 E309 a list that is spelt out is for in only`},
		{`client.ip.IsPrivate()`, `1:11 E301 ip has no "IsPrivate"`},
		{`client.ip == "10.1.2.3"`, `1:11 E301 invalid operation: == (mismatched types ip and string): write client.ip == ip("10.1.2.3")`},
		{`!method == "GET"`, `1:1 E301 invalid operation: ! (mismatched type string): write not (a == b), or a != b`},
		{`method in [header]`, `1:8 E301 cannot use string as type function in array`},
		{`header == header`, `1:1 E301 header is a function: call it: header(...)`},
		{`header["X"] == ""`, `1:7 E301 header is a function: write header("X")`},
		{`len(port) == 0`, `1:5 E301 len() takes string or []string, not int`},
		{`in_list(port, "words")`, `1:9 E301 in_list() takes ip or string, not int`},
		{`"ip" in client`, `1:6 E301 client is no list: write a list such as ["a", "b"], or in_list()`},
		{`glob(port, "/")`, `1:6 E301 cannot use int as argument (type string) to call glob`},
		{`cidr(client.ip)`, `1:1 E301 not enough arguments to call cidr: name networks behind the address`},
		{`session.new ? true : "x"`, `1:22 E301 it is bool, or string: both must be of one type`},
		{`lower(method ?? 1) == ""`, `1:17 E301 it is string, or int: both must be of one type`},
		{`method = "GET"`, `1:8 E301 unexpected "=": did you mean "=="`},
		{`matches(path, "a")`, `1:1 E301 unexpected "matches": write path matches "a"`},
		{`mtches(path, "a")`, `1:1 E301 unknown name "mtches": write path matches "a"`},
		{`header("a b") == ""`, `1:8 E307 header(): "a b" is no name of a header field`},
		{`has_header("") or true`, `1:12 E307 has_header(): "" is no name of a header field`},
		{`like(path, host)`, `1:12 E307 like() takes a literal text here: it is compiled when the configuration is read`},
		{`bucket(host) < 5`, `1:8 E307 bucket() takes a literal text here: it is compiled when the configuration is read`},
		{`percent(port)`, `1:9 E307 percent() takes a literal number from 0 to 100`},
		{`path matches "(x{999}y){1,5}"`, "1:14 E307 matches: \"(x{999}y){1,5}\": it may be repeated at most 1000 times, those within each other multiplied: `{1,5}`: write + or *, or ask for the length by len()"},
		{`path matches "x{999}x{999}x{999}"`, `1:14 E307 matches: "x{999}x{999}x{999}": it is too large: about 2997 steps, the limit is 2000`},
		{`method == "é" and pth == "/"`, `1:19 E301 unknown name "pth": did you mean "path"`},
		{strings.Repeat(`path matches "a" or `, 30) + "true", `1:1 E312 it costs 600, the limit is 500: 30 x matches at 20 each: use glob(), in_list() or a list of constants, or write two rules`},
		{strings.Repeat(`method == "a" or `, 100) + "true", `1:1290 E313 it has more than 300 parts: use in, or in_list(), or write two rules`},
		{strings.Repeat("not ", 4000) + "true", `1:16004 E313 it has more than 300 parts: use in, or in_list(), or write two rules`},
		{strings.Repeat("(", 100) + "true" + strings.Repeat(")", 100) + ` and pth == ""`, `1:210 E301 unknown name "pth": did you mean "path"`},
		{strings.Repeat("(", 5000) + "true" + strings.Repeat(")", 5000), `1:101 E313 its brackets are nested more than 100 deep: write two rules`},
		{strings.Repeat("path in [", 101), `1:909 E313 its brackets are nested more than 100 deep: write two rules`},
		{strings.Repeat(" ", 20_000), `1:1 E313 it is 20000 bytes long, the limit is 16384: put the values into a list of the configuration, and ask in_list()`},
		{`header("a") == nil`, `1:16 E309 nil is not part of rules: what is absent is "" or 0; has_header(), has_cookie() and has_query() tell it from what is empty`},
		{`port + 1 == 2`, `1:6 E309 "+" is not part of rules: rules compare, they do not calculate`},
		{"method == \"GET\"\n  and pth == \"/\"", `2:7 E301 unknown name "pth": did you mean "path"`},
		{`host() == 1`, `1:1 E301 host is not callable: write it without ()`},
		{`client.ip() == 1`, `1:8 E301 client.ip is not callable: write it without ()`},
		{`now() == 1`, `1:1 E309 now() is not part of rules: did you mean "now"`},
		{`req.header("x") == ""`, `1:1 E301 unknown name "req": write header("x")`},
	} {
		_, errs := language(t).Compile("r", tt.source)
		if errs == nil {
			t.Errorf("%.80s compiles", tt.source)
			continue
		}
		e := errs[0]
		if got := fmt.Sprintf("%d:%d %s %v", e.Line, e.Column, e.Code, e); got != tt.want {
			t.Errorf("%.80s:\n got %s\nwant %s", tt.source, got, tt.want)
		}
	}
}

// A network of IPv4 that is written as one of IPv6 is that of IPv4, as an address is.
func TestMappedNetworks(t *testing.T) {
	t.Parallel()
	lists := make(map[string]*List)
	for name, entries := range map[string][]string{"mapped": {"::ffff:10.1.0.0/112"}, "all": {"::ffff:0.0.0.0/96"}, "wider": {"::/0"}} {
		list, err := NewList(entries)
		if err != nil {
			t.Fatal(err)
		}
		lists[name] = list
	}
	l, r := New(Options{Lists: lists}), &Request{Client: netip.MustParseAddrPort("10.1.2.3:1")}
	for source, want := range map[string]bool{
		`cidr(client.ip, "::ffff:10.1.0.0/112")`: true, `cidr(client.ip, "::ffff:10.2.0.0/112")`: false, `cidr(client.ip, "::ffff:10.1.2.3")`: true,
		`cidr(session.new ? client.ip : client.ip, "::ffff:10.1.0.0/112")`: true, `client.ip == ip("::ffff:10.1.2.3")`: true,
		`in_list(client.ip, "mapped")`: true, `in_list(client.ip, "all")`: true, `in_list(client.ip, "wider")`: false,
	} {
		if got, err := compile(t, l, source).Match(r); got != want || err != nil {
			t.Errorf("%s is %v, %v; want %v", source, got, err, want)
		}
	}
}

// yesman is a matcher that says yes.
type yesman struct{}

func (yesman) Ask(int, string, []string) Answer { return Yes }
