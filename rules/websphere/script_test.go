package websphere

import (
	"slices"
	"strings"
	"testing"
)

func TestArgumentsAreCutIntoWords(t *testing.T) {
	for _, tt := range []struct {
		text string
		want []string // nil: they cannot be read
	}{
		{`{-a b -c "d e"}`, []string{"-a", "b", "-c", "d e"}},
		{`[list -a {b c} -d [e f]]`, []string{"-a", "b c", "-d", "e f"}},
		{`-a b`, []string{"-a", "b"}},
		{`('[-a b -c "d \'e\'"]')`, []string{"-a", "b", "-c", "d 'e'"}},
		{`("-a b")`, []string{"-a", "b"}},
		{`(['-a', 'b c', "-d"])`, []string{"-a", "b c", "-d"}},
		{`("""[-a "it's"]""")`, []string{"-a", "it's"}},
		{`('web1', '[-a b]')`, []string{"web1", "-a", "b"}},
		{"('[-a b \\\n -c d]')", []string{"-a", "b", "-c", "d"}},
		{`()`, []string{}},
		{`('[-a ' + b + ']')`, nil},
		{`(options)`, nil},
		{`('[-a b]'`, nil},
		{`('[-a b]') + c`, nil},
		{`{-a "b}`, nil},
		{`{-a "b"c}`, nil},
	} {
		t.Run(tt.text, func(t *testing.T) {
			got, ok := arguments(tt.text)
			if ok != (tt.want != nil) || ok && !slices.Equal(got, tt.want) {
				t.Errorf("arguments() = %q, %v; want %q", got, ok, tt.want)
			}
		})
	}
}

// TestCommands: D-WS-01, in the spellings of both languages.
func TestCommands(t *testing.T) {
	const add = `AdminTask.addWebServerRoutingRule('[-name r -order 5 -expression "uri=\'/a\'" -action reject -code 403]')` + "\n"
	for _, tt := range []struct {
		name, script string
		want         string // in the configuration
		finding      string // code of the only one; empty: there is none
	}{
		{"add", add, "reject: { status: 403 }", ""},
		{"add in Jacl", `$AdminTask addWebServerRoutingRule {-name r -order 5 -expression "uri='/a'" -action reject -code 403}`, "reject: { status: 403 }", ""},
		{"at a prompt", "wsadmin>" + add, "reject: { status: 403 }", ""},
		{"kept in a variable", "id = " + add, "reject: { status: 403 }", ""},
		{"CRLF", strings.ReplaceAll(add, "\n", "\r\n"), "reject: { status: 403 }", ""},
		{"change of the expression", add + `AdminTask.changeWebServerRoutingRuleExpression('[-name r -expression "uri=\'/b\'"]')`, `when: path == "/b"`, ""},
		{"change of the action", add + `AdminTask.changeWebServerRoutingRuleAction('[-name r -action redirect -url /b]')`, "redirect: { location: '/b' }", codeMeaning},
		{"change of the order", add + `AdminTask.changeWebServerRoutingRuleOrder('[-name r -order 7]')`, "order: 7", ""},
		{"change of the order by the order", add + `AdminTask.changeWebServerRoutingRuleOrder('[-order 5 -newOrder 7]')`, "order: 7", ""},
		{"change of another", add + `AdminTask.changeWebServerRoutingRuleOrder('[-name s -order 7]')`, "order: 5", codeRule},
		{"change to what is not understood", add + `AdminTask.changeWebServerRoutingRuleOrder('[-name r -when noon]')`, "# disabled: E407", codeRule},
		{"removal", add + add[:len(add)-1] + "\n" + `AdminTask.removeWebServerRoutingRule('[-order 5]')`, "1 converted, 0 disabled", ""},
		{"removal of another", add + `AdminTask.removeWebServerRoutingRule('[-order 6]')`, "1 converted", codeRule},
		{"list", add + `AdminTask.listWebServerRoutingRules()`, "1 converted", ""},
		{"property by name", add + `AdminTask.setWebServerRoutingRulesProperty('[-propertyName overrideAffinity -propertyValue true]')`, "\noverride_affinity: true", ""},
		{"property as an option", add + `AdminTask.setRoutingRulesProperty('[-overrideAffinity true]')`, "\noverride_affinity: true", ""},
		{"another property", add + `AdminTask.setRoutingRulesProperty('[-colour red]')`, "1 converted", codeUnread},
		{"another command", add + `AdminTask.createCluster('[-x y]')`, "1 converted", codeUnread},
		{"save", add + "AdminConfig.save()\nprint 'done'\nimport sys\n# end", "1 converted", ""},
		{"a condition", "if production:\n  " + add, "1 converted", codeUnread},
		{"of a web server", strings.Replace(add, "-name", "-nodeName n1 -name", 1), "1 converted", codeMeaning},
		{"without an option", strings.Replace(add, "-name", "web1 -name", 1), "# disabled: E407", codeRule},
		{"an odd quote", "x = 'it\n" + add, "1 converted", codeUnread},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := converted(t, tt.script)
			if !strings.Contains(string(c.Config), tt.want) {
				t.Errorf("want %q in:\n%s", tt.want, c.Config)
			}
			if tt.finding == "" && len(c.Findings) > 0 || tt.finding != "" && (len(c.Findings) != 1 || c.Findings[0].Code != tt.finding) {
				t.Errorf("reported as %+v, want %q", c.Findings, tt.finding)
			}
		})
	}
}

// TestXMLVariants: a rule says the same by attributes, by elements, and under the
// names of all versions.
func TestXMLVariants(t *testing.T) {
	for _, text := range []string{
		`<rules><rule name="r" order="5" expression="uri='/a'" action="permit" destination="cluster=c/C1|cluster=d/C2"/></rules>`,
		`<rules><Rule Name="r" Order="5" Expression="uri='/a'" Action="permit" Destination="cluster=c/C1|cluster=d/C2"/></rules>`,
		`<x:ruleset xmlns:x="urn:x"><x:matchRules xmi:id="R_1" xmlns:xmi="http://www.omg.org/XMI" name="r" priority="5" matchExpression="uri='/a'" matchAction="permit:cluster=c/C1|cluster=d/C2"/></x:ruleset>`,
		`<rules><rule><name>r</name><order>5</order><expression>uri='/a'</expression><action>permit</action><destination>cluster=c/C1|cluster=d/C2</destination></rule></rules>`,
		`<rules><rule><name value="r"/><order value="5"/><expression><![CDATA[uri='/a']]></expression><action type="permit" value="cluster=c/C1|cluster=d/C2"/></rule></rules>`,
		`<rules><rule name="r" order="5" expression="uri='/a'"><permit>cluster=c/C1|cluster=d/C2</permit></rule></rules>`,
		`<server><dynamicRouting><routingRules><routingRule id="r" order="5" matchExpression="uri='/a'"><permitAction><loadBalanceEndPoints><endpoint>cluster=c/C1</endpoint></loadBalanceEndPoints><failoverEndPoints><endpoint destination="cluster=d/C2"/></failoverEndPoints></permitAction></routingRule></routingRules></dynamicRouting></server>`,
		`<server><routingRules><routingRule id="r" order="5" matchExpression="uri='/a'"><permitAction><loadBalanceEndPoints><endpoint cluster="c/C1"/></loadBalanceEndPoints><failoverEndPoints destination="cluster=d/C2"/></permitAction></routingRule></routingRules></server>`,
	} {
		c := converted(t, text)
		_, got, _ := strings.Cut(string(c.Config), "  - name: r\n")
		want := "    order: 5\n    when: path == \"/a\"\n    permit:\n      to: [c/C1]\n      failover: [[d/C2]]\n"
		if got != want || len(c.Findings) > 0 {
			t.Errorf("%s\nbecame:\n%s%v", text, got, c.Findings)
		}
	}
}
