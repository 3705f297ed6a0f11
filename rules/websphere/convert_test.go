package websphere

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
)

// TestExpressionBecomes: M-RULE-02, D-WS-05 and D-WS-06, one row for each operand
// and operator; what is guarded and what need not be.
func TestExpressionBecomes(t *testing.T) {
	for _, tt := range []struct{ original, want string }{
		{`uri = '/a'`, `path == "/a"`},
		{`uri LIKE '/shop/%'`, `path startsWith "/shop/"`},
		{`uri LIKE '%.jsp'`, `path endsWith ".jsp"`},
		{`uri LIKE '%/admin/%'`, `path contains "/admin/"`},
		{`uri LIKE '/a_b%c'`, `like(path, "/a_b%c")`},
		{`uri LIKE '/a!_b%c' ESCAPE '!'`, `like(path, "/a\\_b%c")`},
		{`uri LIKE '/a!_b%' ESCAPE '!'`, `path startsWith "/a_b"`},
		{`uri LIKE '/plain'`, `path == "/plain"`},
		{`uri NOT LIKE '/a%'`, `not (path startsWith "/a")`},
		{`uri LIKE '%'`, `true`},
		{`HTTPMethod <> 'GET'`, `method != "GET"`},
		{`protocol = 'HTTPS'`, `scheme == "https"`},
		{`MIMEtype = 'text/html'`, `header("Content-Type") == "text/html"`},
		{`virtualhost = 'Shop.Example'`, `host == "shop.example"`},
		{`virtualhost <> 'a'`, `host != "" and host != "a"`},
		{`virtualhost IS NULL`, `host == ""`},
		{`virtualport BETWEEN 80 AND 90`, `port >= 80 and port <= 90`},
		{`virtualport IN (80, 0x50, 443)`, `port in [80, 443]`},
		{`80 < virtualport`, `port > 80`},
		{`clientipv4 = '10.1.2.3'`, `client.ip == ip("10.1.2.3")`},
		{`clientipv4 <> '10.1.2.3'`, `cidr(client.ip, "0.0.0.0/0") and client.ip != ip("10.1.2.3")`},
		{`clientipv4 LIKE '10.1.%'`, `cidr(client.ip, "10.1.0.0/16")`},
		{`clientipv4 LIKE '10.1.2._'`, `cidr(client.ip, "10.1.2.0/29", "10.1.2.8/31")`},
		{`clientipv4 IN ('10.0.0.1', '10.0.0.2')`, `cidr(client.ip, "10.0.0.1/32", "10.0.0.2/32")`},
		{`clientipv4 BETWEEN '10.1.0.0' AND '10.1.255.255'`, `cidr(client.ip, "10.1.0.0/16")`},
		{`clientipv4 BETWEEN '10.1.0.1' AND '10.1.0.6'`, `in_list(client.ip, "10.1.0.1-10.1.0.6")`},
		{`NOT clientipv4 BETWEEN '10.1.0.1' AND '10.1.0.6'`, `cidr(client.ip, "0.0.0.0/0") and not in_list(client.ip, "10.1.0.1-10.1.0.6")`},
		{`clientipv4 BETWEEN '10.1.0.6' AND '10.1.0.1'`, `false`},
		{`clientipv4 >= '255.0.0.0'`, `cidr(client.ip, "255.0.0.0/8")`},
		{`clientipv6 LIKE '2001:db8:%'`, `cidr(client.ip, "2001:db8::/32")`},
		{`clientipv6 IS NULL`, `not cidr(client.ip, "::/0")`},
		{`header$Host = 'x'`, `header("Host") == "x"`},
		{`NOT header$X = 'a'`, `has_header("X") and header("X") != "a"`},
		{`header$X = ''`, `has_header("X") and header("X") == ""`},
		{`header$X IS NULL`, `not has_header("X")`},
		{`header$X < 'm'`, `has_header("X") and header("X") < "m"`},
		{`header$X > 'm'`, `header("X") > "m"`},
		{`header$X LIKE '%'`, `has_header("X")`},
		{`header$A = header$B`, `has_header("A") and has_header("B") and header("A") == header("B")`},
		{`header$X EQUALSIGNORECASE 'Abc'`, `lower(header("X")) == "abc"`},
		{`cookie$C IS NOT NULL`, `has_cookie("C")`},
		{`cookie$C NOT IN ('a', 'b')`, `has_cookie("C") and not (cookie("C") in ["a", "b"])`},
		{`queryparm$tz = 'EST'`, `query("tz") == "EST"`},
		{`queryparam$tz = 'it''s'`, `query("tz") == "it's"`},
		{`percentage$25`, `percent(25)`},
		{`not percentage$25`, `not percent(25)`},
		{`NOT (uri = '/a' AND header$X = 'b')`, `path != "/a" or has_header("X") and header("X") != "b"`},
		{`NOT (uri = '/a' OR header$X = 'b')`, `path != "/a" and has_header("X") and header("X") != "b"`},
		{`NOT NOT uri = '/a'`, `path == "/a"`},
		{`(uri = '/a' or uri = '/b') and TRUE`, `path == "/a" or path == "/b"`},
		{`(uri = '/a' or uri = '/b') and virtualport = 2*40`, `(path == "/a" or path == "/b") and port == 80`},
		{`uri = '${env:HOME}'`, `path == "\u0024{env:HOME}"`},
	} {
		t.Run(tt.original, func(t *testing.T) {
			c, f := parse(tt.original)
			if f != nil {
				t.Fatal(f)
			}
			var w writer
			got, f := w.translate(c)
			if f != nil || got.text != tt.want {
				t.Fatalf("became %s, %v; want %s", got.text, f, tt.want)
			}
			if _, errs := languageFor(t, w.lists).Compile("r", got.text); len(errs) > 0 {
				t.Errorf("%s is refused: %v", got.text, errs[0])
			}
		})
	}
}

func TestExpressionIsRefused(t *testing.T) {
	for _, tt := range []struct{ original, code, said string }{
		{``, codeSyntax, "is empty"},
		{`uri = `, codeSyntax, "ends where an operand"},
		{`uri = '/a`, codeSyntax, "no closing quote"},
		{`uri = "/a"`, codeSyntax, `" is no part`},
		{`uri != '/a'`, codeSyntax, "!= is no part"},
		{`uri == '/a'`, codeSyntax, `"=" stands where`},
		{`uri = '/a' uri = '/b'`, codeSyntax, `"uri" stands where AND, OR or the end is wanted`},
		{`(uri = '/a'`, codeSyntax, `where ")" is wanted`},
		{`uri`, codeSyntax, "a comparison"},
		{`uri LIKE /a`, codeSyntax, "a text in single quotes"},
		{`uri LIKE 'a!' ESCAPE '!'`, codeSyntax, "escape character"},
		{`uri LIKE 'a' ESCAPE 'xy'`, codeSyntax, "one character"},
		{`uri IN ()`, codeSyntax, "operand, a text or a number"},
		{`'a' IN ('b')`, codeSyntax, "stand after an operand"},
		{`header = 'a'`, codeSyntax, "needs a name"},
		{`uri$x = 'a'`, codeSyntax, "takes no name"},
		{`clientipv4 = 10.1.2.3`, codeSyntax, "is no number"},
		{`virtualport = 0x`, codeSyntax, "is no number"},
		{`virtualport = 99999999999`, codeSyntax, "is no number"},
		{strings.Repeat("(", 5000), codeSyntax, "nested more than"},
		{strings.Repeat("not ", 5000) + "uri = 'a'", codeSyntax, "nested more than"},
		{strings.Repeat("x", maxSelector+1), codeSyntax, "at most"},
		{"uri = '\xff'", codeSyntax, "not UTF-8"},
		{`clienthost LIKE '%.ibm.com'`, codeOperand, "names of clients"},
		{`userid = 'a'`, codeOperand, "users are not known"},
		{`uid IS NULL`, codeOperand, "users are not known"},
		{`groupid = 'a'`, codeOperand, "groups of users"},
		{`gid$x = 'a'`, codeOperand, "groups of users"},
		{`serverhost = 'a'`, codeOperand, "machine"},
		{`port = 80`, codeOperand, "arrived at"},
		{`time > '09:00'`, codeOperand, "time is not known"},
		{`uri = '/a' OR userid = 'x'`, codeOperand, "users"},
		{`uri = 5`, codeValue, "a text and a number"},
		{`virtualport = '80'`, codeValue, "a number and a text"},
		{`virtualport LIKE '8%'`, codeValue, "is a number"},
		{`virtualport + 1 = 81`, codeValue, "do not calculate"},
		{`virtualport = 1/0`, codeValue, "no value"},
		{`virtualhost = 'a.example:80'`, codeValue, "has no port"},
		{`virtualhost = header$X`, codeValue, "lower case"},
		{`clientipv4 = '10.1.2'`, codeValue, "no address"},
		{`clientipv4 = '::1'`, codeValue, "no address"},
		{`clientipv6 = '10.1.2.3'`, codeValue, "no address"},
		{`clientipv4 = clientipv4`, codeValue, "cannot be compared"},
		{`clientipv4 LIKE '%.5'`, codeValue, "too many networks"},
		{`clientipv4 LIKE '%x'`, codeValue, "too many networks"},
		{`clientipv6 LIKE '2001:0db8:%'`, codeValue, "spelled"},
		{`clientipv6 LIKE '%:1'`, codeValue, "spelled"},
		{`percentage$101`, codeValue, "from 0 to 100"},
		{`percentage$ = 5`, codeValue, "from 0 to 100"},
	} {
		t.Run(shortened(tt.original), func(t *testing.T) {
			c, f := parse(tt.original)
			if f == nil {
				_, f = new(writer).translate(c)
			}
			if f == nil || f[0].code != tt.code || !strings.Contains(f[0].message, tt.said) {
				t.Errorf("refused with %v, want %s with %q", f, tt.code, tt.said)
			}
		})
	}
}

// xmlRule is a file with one rule that has these attributes beside its name.
func xmlRule(attributes string) string {
	return "<routingRules>\n  <rule name='r' " + attributes + "/>\n</routingRules>"
}

// TestActionBecomes: D-WS-02 and D-WS-03.
func TestActionBecomes(t *testing.T) {
	for _, tt := range []struct{ attributes, want string }{
		{`action="permit" destination="cluster=c/C1&amp;cluster=c/C2"`, `to: [c/C1, c/C2]`},
		{`action="permit" destination="cluster=c/C1|cluster=d/C2&amp;cluster=d/C3|cluster=e/C4"`, `failover: [[d/C2, d/C3], [e/C4]]`},
		{`action="permit" destination="cluster=c/C1&amp;cluster=d/C2" multiclusterAction="Failover"`, `failover: [[d/C2]]`},
		{`action="permit:cluster=c/C1"`, `to: [c/C1]`},
		{`action="permit" destination="cluster=c,*"`, `to: ['cluster=c,*']`},
		{`action="permit" destination="server=c/n1/s1"`, `to: ['server=c,n1,*,s1']`},
		{`action="permit" destination="server=c,h,*,prod*"`, `to: ['server=c,h,*,prod*']`},
		{`action="permit" destination="cluster=C1"`, `to: [C1]`},
		{`action="permitsticky" destination="cluster=c/C1"`, `sticky: true`},
		{`action="permitMM" destination="cluster=c/C1"`, `allow_maintenance: true`},
		{`action="redirect" url="https://x.example/a?b=c"`, `redirect: { location: 'https://x.example/a?b=c' }`},
		{`action="redirect:http://x.example/"`, `redirect: { location: 'http://x.example/' }`},
		{`action="redirect" url="/"`, `redirect: { location: '/' }`},
		{`action="reject" code="503"`, `reject: { status: 503 }`},
		{`action="reject:404"`, `reject: { status: 404 }`},
	} {
		t.Run(tt.attributes, func(t *testing.T) {
			c := converted(t, xmlRule("expression=\"uri='/a'\" order='1' "+tt.attributes))
			if c.Rules != 1 || !strings.Contains(string(c.Config), tt.want) {
				t.Errorf("want %q in:\n%s%v", tt.want, c.Config, c.Findings)
			}
		})
	}
}

func converted(t *testing.T, text string) *Conversion {
	t.Helper()
	c, err := Convert([]byte(text), Options{Name: "f"})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// TestRuleIsDisabled: nothing is guessed. A disabled rule is a comment and an
// error of the report, with the place where it stands.
func TestRuleIsDisabled(t *testing.T) {
	const good = ` expression="uri='/a'" action="reject" code="403"`
	for _, tt := range []struct{ attributes, code, said string }{
		{`expression="uri='/a'"`, codeRule, "no action"},
		{`action="reject" code="403"`, codeRule, "no expression"},
		{`order="x"` + good, codeRule, "no whole number"},
		{`enabled="false"` + good, codeRule, "what enabled of a rule means"},
		{`overrideAffinity="maybe"` + good, codeRule, "must be true or false"},
		{`cell="no good"` + good, codeRule, "no cell can be called"},
		{`matchExpression="uri='/b'"` + good, codeRule, "says two things of its expression"},
		{`expression="uri='/a'" action="localResource"`, codeAction, "does not serve files"},
		{`expression="uri='/a'" action="teleport"`, codeAction, "not known"},
		{`expression="uri='/a'" action="reject"`, codeAction, "does not say with which status"},
		{`expression="uri='/a'" action="reject" code="200"`, codeAction, "rejects with"},
		{`expression="uri='/a'" action="reject" code="999"`, codeAction, "rejects with"},
		{`expression="uri='/a'" action="redirect"`, codeAction, "does not say where"},
		{`expression="uri='/a'" action="redirect" url="x.example"`, codeAction, "does not say where that is"},
		{`expression="uri='/a'" action="redirect" url="http://x/{path}"`, codeAction, "no location"},
		{`expression="uri='/a'" action="redirect" url="http://x/ü"`, codeAction, "no location"},
		{`expression="uri='/a'" action="redirect" url="http://me@x/"`, codeAction, "no location"},
		{`expression="uri='/a'" action="redirect" url="//x.example/"`, codeAction, "does not say where that is"},
		{`expression="uri='/a'" action="redirect" url="ftp://x.example/"`, codeAction, "does not say where that is"},
		{`expression="uri='/a'" action="permit"`, codeAction, "names no destination"},
		{`expression="uri='/a'" action="permit" destination="cluster=a, b"`, codeDestination, "is no destination"},
		{`expression="uri='/a'" action="permit" destination="cluster=a,"`, codeDestination, "is no destination"},
		{`expression="uri='/a'" action="permit" destination="cluster=a/b|"`, codeDestination, "is no destination"},
		{`expression="uri='/a'" action="permit" destination="|cluster=a/b"`, codeAction, "loadBalanceEndpoints, are missing"},
		{`expression="uri='/a'" action="permit" destination="module=c/app"`, codeDestination, "is no destination"},
		{`expression="uri='/a'" action="permit" destination="server=a,b,c"`, codeDestination, "is no destination"},
		{`expression="uri='/a'" action="permit" destination="cluster=c/C" multiclusterAction="x"`, codeAction, "multicluster"},
		{`expression="uri==1" action="reject" code="403"`, codeSyntax, "character 5 of the expression"},
	} {
		t.Run(tt.attributes, func(t *testing.T) {
			c := converted(t, xmlRule(tt.attributes))
			if c.Rules != 0 || c.Disabled != 1 || !strings.Contains(string(c.Config), "rules: []\n") || !strings.Contains(string(c.Config), "# disabled: "+tt.code) {
				t.Errorf("the rule is not disabled:\n%s", c.Config)
			}
			i := slices.IndexFunc(c.Findings, Finding.Error)
			if i < 0 || c.Findings[i].Code != tt.code || c.Findings[i].Line != 2 || c.Findings[i].Column != 3 || !strings.Contains(c.Findings[i].Message, tt.said) {
				t.Errorf("reported as %+v, want %s at 2:3 with %q", c.Findings, tt.code, tt.said)
			}
		})
	}
}

// Every mistake of a rule is told, once.
func TestEveryMistakeOfARuleIsTold(t *testing.T) {
	for _, tt := range []struct {
		attributes string
		want       []string // parts of the messages, in order
	}{
		{`order="x" colour="red" expression="uri='/a'" action="reject"`, []string{"what colour of a rule means", "no whole number", "does not say with which status"}},
		{`expression="userid='a' OR gid='b' AND userid='c'" action="reject" code="403"`, []string{"userid cannot be asked here: users are not known to rules (character 1", "gid cannot be asked", "userid cannot be asked here: users are not known to rules (character 27"}},
		{`expression="userid IN (1) OR userid LIKE 'a' OR clientipv4='10.1.2' OR clientipv4='x'" action="reject" code="403"`, []string{"(character 1 ", "(character 18 ", "'10.1.2' is no address", "'x' is no address"}},
		{`expression="userid='a' OR" action="teleport"`, []string{"teleport", "userid", "the expression ends"}},
	} {
		c := converted(t, xmlRule(tt.attributes))
		if len(c.Findings) != len(tt.want) || strings.Count(string(c.Config), "# disabled: ") != len(tt.want) {
			t.Errorf("%s: %+v, want %q\n%s", tt.attributes, c.Findings, tt.want, c.Config)
			continue
		}
		for i, want := range tt.want {
			if !strings.Contains(c.Findings[i].Message, want) {
				t.Errorf("%s: %s, want %q", tt.attributes, c.Findings[i].Message, want)
			}
		}
	}
}

// A network that is written as elsewhere says how it is written in a rule.
func TestNetworksThatAreNoAddresses(t *testing.T) {
	for text, want := range map[string]string{
		`clientipv4 = '10.1.0.0/16'`:    "a network is asked for by BETWEEN '10.1.0.0' AND '10.1.255.255' or LIKE '10.1.%'",
		`clientipv4 IN ('10.1.2.9/29')`: "a network is asked for by BETWEEN '10.1.2.8' AND '10.1.2.15'",
		`clientipv4 = '10.1.*'`:         "write LIKE '10.1.%', where % stands for any characters, or BETWEEN two addresses",
		`clientipv6 = '2001:db8::/32'`:  "a network is asked for by BETWEEN '2001:db8::' AND '2001:db8:ffff:ffff:ffff:ffff:ffff:ffff'",
		`clientipv4 = 'here'`:           "",
	} {
		c, _ := parse(text)
		if _, f := new(writer).translate(c); len(f) != 1 || f[0].hint != want {
			t.Errorf("%s: %v, want the hint %q", text, f, want)
		}
	}
}

// What says whose rules they are is told, and changes nothing.
func TestWhoseRulesTheyAre(t *testing.T) {
	for _, tt := range []struct{ options, want string }{
		{`-odrname odr -nodename node1`, `rule "r" is of the on demand router odr, the node node1, and`},
		{`-server ihs1 -cluster c1`, `rule "r" is of the web server ihs1, the cluster c1, and`},
		{`-server *`, ""},
		{``, ""},
	} {
		c := converted(t, `AdminTask.addWebServerRoutingRule('[-name r -expression "uri=\'/a\'" -action reject -code 403 `+tt.options+`]')`)
		switch {
		case c.Rules != 1:
			t.Errorf("%s: the rule is disabled: %+v", tt.options, c.Findings)
		case tt.want == "" && len(c.Findings) > 0, tt.want != "" && (len(c.Findings) != 1 || !strings.HasPrefix(c.Findings[0].Message, tt.want) || c.Findings[0].Error()):
			t.Errorf("%s: %+v, want %q", tt.options, c.Findings, tt.want)
		}
	}
}

// Conditions are written as rules fmt would, and none is tested where none is left.
func TestConditionsAreFormatted(t *testing.T) {
	long := strings.Repeat("uri NOT LIKE '/a%' AND ", 4) + "header$X = '${a}'"
	want := "    when: |-\n      path not startsWith \"/a\"\n" + strings.Repeat("      and path not startsWith \"/a\"\n", 3) + "      and header(\"X\") == \"\\u0024{a}\"\n"
	if c := converted(t, xmlRule(`expression="`+long+`" action="reject" code="403"`)); !strings.Contains(string(c.Config), want) {
		t.Errorf("want\n%s in\n%s", want, c.Config)
	}
	if c := converted(t, xmlRule(`expression="" action="reject" code="403"`)); c.Tests != nil {
		t.Errorf("tests of no rule:\n%s", c.Tests)
	}
}

// TestRefusedByTheLanguageIsDisabled: what passes here and not there is reported.
func TestRefusedByTheLanguageIsDisabled(t *testing.T) {
	c, err := Convert([]byte(xmlRule(`expression="uri='/a'" action="reject" code="403"`)), Options{
		Checker: func(map[string][]string) (Checker, error) {
			return func(rule, expression string) error { return fmt.Errorf("%s of %s is too much", expression, rule) }, nil
		},
	})
	if err != nil || c.Disabled != 1 || c.Findings[0].Code != codeRefused || !strings.Contains(c.Findings[0].Message, `path == "/a" of r is too much`) {
		t.Errorf("Convert() = %+v, %v", c, err)
	}
}

// TestOrder: M-RULE-04, X-22.
func TestOrder(t *testing.T) {
	rule := func(name, order string) string {
		return "<rule name='" + name + "' " + order + ` expression="uri='/a'" action="reject" code="403"/>`
	}
	for _, tt := range []struct {
		name     string
		rules    string
		want     []string
		finding  string
		numbered bool
	}{
		{name: "lowest first", rules: rule("a", "order='10'") + rule("b", "order='5'") + rule("c", "order='7'"), want: []string{"b", "c", "a"}, numbered: true},
		{name: "as in the file", rules: rule("b", "") + rule("a", ""), want: []string{"b", "a"}},
		{name: "twice the same", rules: rule("a", "order='5'") + rule("b", "order='5'") + rule("c", "order='1'"), want: []string{"c", "a", "b"}, finding: codeMeaning},
		{name: "too large", rules: rule("a", "order='1000001'") + rule("b", "order='5'"), want: []string{"b", "a"}, finding: codeMeaning},
		{name: "some without", rules: rule("a", "") + rule("b", "order='5'"), want: []string{"b"}, finding: codeRule, numbered: true},
		{name: "one name twice", rules: rule("a", "") + rule("a", ""), want: []string{"a", "a-2"}},
		{name: "no name", rules: rule("", "order='5'"), want: []string{"order-5"}, numbered: true},
		{name: "a name with blanks", rules: rule("a b: ü", "order='5'"), want: []string{"a-b-"}, numbered: true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := converted(t, "<rules>"+tt.rules+"</rules>")
			var got []string
			for line := range strings.SplitSeq(string(c.Config), "\n") {
				if name, ok := strings.CutPrefix(line, "  - name: "); ok {
					got = append(got, name)
				}
			}
			if !slices.Equal(got, tt.want) || strings.Contains(string(c.Config), "\n    order: ") != tt.numbered {
				t.Errorf("the rules are %v, want %v:\n%s", got, tt.want, c.Config)
			}
			if (tt.finding == "") != (len(c.Findings) == 0) || tt.finding != "" && c.Findings[0].Code != tt.finding {
				t.Errorf("reported as %+v, want %q", c.Findings, tt.finding)
			}
		})
	}
}

// TestAffinityAndAuthority: M-AFFI-01, M-AFFI-02, M-IM-06, D-WS-07.
func TestAffinityAndAuthority(t *testing.T) {
	const rule = `<rule name="r" expression="uri='/a'" action="reject" code="403"/>`
	for _, tt := range []struct {
		name, text string
		want, not  string
	}{
		{"the original's default", "<rules>" + rule + "</rules>", "\naffinity_shields: all\n", "\noverride_affinity"},
		{"said of all", "<rules overrideAffinity='true'>" + rule + "</rules>", "\noverride_affinity: true\n", "affinity_shields"},
		{"said of some", "<x><rules overrideAffinity='true'>" + rule + "</rules><rules>" + rule + "</rules></x>", "\n    override_affinity: true\n", "\noverride_affinity"},
		{"said as a property", "<rules><property name='overrideAffinity' value='TRUE'/>" + rule + "</rules>", "\noverride_affinity: true\n", "affinity_shields"},
		{"the authority is said", "<rules><Property Name='RoutingRulesConnectorClusterName' Value='c2'/><connectorCluster name='c1'/>" + rule + "</rules>", "\nrules_authority: c2\n", "c1\n"},
		{"the authority is the first", "<rules><connectorCluster name='c1'/><connectorCluster name='c2'/>" + rule + "</rules>", "\nrules_authority: c1\n", "c2\n"},
		{"a cell that cannot be", "<rules><connectorCluster name='c 1'/>" + rule + "</rules>", "rules:", "\nrules_authority"},
		{"rules of a cell", "<rules cell='c1'>" + rule + "</rules>", "\n    cell: c1\n", "\nrules_authority"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := string(converted(t, tt.text).Config)
			if !strings.Contains(got, tt.want) || strings.Contains(got, tt.not) {
				t.Errorf("want %q and not %q in:\n%s", tt.want, tt.not, got)
			}
		})
	}
}

func TestFileIsRefused(t *testing.T) {
	for _, tt := range []struct {
		name, text, said string
		line             int
	}{
		{"empty", "", "none that is read", 0},
		{"something else", "rules: []", "none that is read", 0},
		{"binary", "\xff\xfe\x00", "neither XML nor", 0},
		{"no rules", "<server/>", "no routing rules", 0},
		{"no commands", "# AdminTask", "no routing rules", 0},
		{"an element that does not end", "<rules>\n <rule>\n</rules>", "not XML: element <rule> closed by </rules>", 3},
		{"cut off", "<rules>\n", "unexpected EOF", 2},
		{"two elements", "<a/>\n<b/>", "two elements", 2},
		{"a comment alone", "<!-- -->", "no element", 1},
		{"an entity", "<!DOCTYPE a [<!ENTITY x 'y'>]>\n<a b='&x;'/>", "invalid character entity", 2},
		{"too deep", strings.Repeat("<a>", 500), "too large", 1},
		{"an encoding", "<?xml version='1.0' encoding='UTF-16'?><a/>", `"UTF-16" is not read`, 1},
		{"too many rules", "<a>" + strings.Repeat("<rule order='1'/>", maxRules+1) + "</a>", "rules", 0},
		{"too large", strings.Repeat(" ", MaxFile+1), "more than", 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := Convert([]byte(tt.text), Options{Name: "f"})
			var bad *FileError
			if !errors.As(err, &bad) || bad.Line != tt.line || !strings.Contains(bad.Message, tt.said) {
				t.Errorf("Convert() = %+v, want line %d and %q", err, tt.line, tt.said)
			}
		})
	}
}

// TestOldEncodingIsRead: files that were written before UTF-8.
func TestOldEncodingIsRead(t *testing.T) {
	c := converted(t, "<?xml version='1.0' encoding='ISO-8859-1'?>\n<rules><rule name='r' expression=\"header$X = 'caf\xe9'\" action='reject' code='403'/></rules>")
	if want := `header("X") == "café"`; !strings.Contains(string(c.Config), want) {
		t.Errorf("want %s in:\n%s", want, c.Config)
	}
}

// TestManyRulesTakeNoTime: the work is bounded, also where every rule is tested
// against all before it.
func TestManyRulesTakeNoTime(t *testing.T) {
	var b strings.Builder
	b.WriteString("<rules>")
	for i := range maxRules {
		fmt.Fprintf(&b, `<rule name="r%d" order="%d" expression="header$A%d = 'x' AND NOT cookie$B = 'y'" action="reject" code="403"/>`, i, i, i)
	}
	b.WriteString("</rules>")
	begun := time.Now()
	if c := converted(t, b.String()); c.Rules != maxRules {
		t.Errorf("%d rules were converted", c.Rules)
	}
	if took := time.Since(begun); took > 60*time.Second {
		t.Errorf("it took %s", took)
	}
}
