package gateway

import (
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"weirkeep/gateway/config"
)

// reportRule is a configuration with one rule, which refuses what its condition
// is true of with 410.
func reportRule(o *reportOrigin, when string) string {
	return reportYAML(o, "", fmt.Sprintf("limits: { header_bytes: 128KiB }\nrules:\n  - { name: suspect, when: '%s', reject: { status: 410 } }", strings.ReplaceAll(when, "'", "''")))
}

// reportRefused checks that a configuration whose rule is a mistake is refused
// by check and on a reload, that the problem names the rule, code and column
// (0: any), and that the rules which are current still decide.
func reportRefused(t *testing.T, when, code string, column int, message string) {
	t.Helper()
	o := newReportOKOrigin(t)
	g := startReportYAML(t, reportRule(o, `path == "/old"`))
	file := reportFile(t, reportRule(o, when))
	began := time.Now()
	cfg, problems := config.Load(file)
	if cfg != nil {
		problems = append(problems, g.Apply(cfg)...)
	}
	if problems.Errors() == 0 || problems[0].Code != code || !strings.Contains(problems[0].String(), message) {
		t.Fatalf("%.60s: the problems are %.500s; want %s %q", when, problems.Error(), code, message)
	}
	indent := len("  - { name: suspect, when: '")
	if p := problems[0]; p.Line != 7 || column > 0 && p.Column != indent+column || !strings.Contains(p.Message, `rule "suspect"`) {
		t.Errorf("%.60s: the place is %d:%d, want 7:%d and the rule's name in %q", when, p.Line, p.Column, indent+column, p.Message)
	}
	if took := time.Since(began); took > reportPatience/2 {
		t.Errorf("%.60s: refused after %v", when, took)
	}
	if a := g.do(t, reportGET("/old")); a.code != 410 {
		t.Errorf("the rule that was there answers %q", a.head)
	}
	if a := g.do(t, reportGET("/")); a.code != 200 {
		t.Errorf("other requests are answered %q", a.head)
	}
}

// What is called and is no function is a mistake with a place, never a crash.
func TestReportCallsOfWhatIsNoFunction(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, when string
		column     int
		message    string
	}{
		{"RX-02: an unknown name", `foo() > 0`, 1, `unknown name "foo"`},
		{"RX-02: a text", `host() == 1`, 1, "not callable"},
		{"RX-02: a number", `port() == 1`, 1, "not callable"},
		{"RX-02: an address", `client.ip() == 1`, 8, "not callable"},
		{"RX-02: what has fields", `client() == 1`, 1, "not callable"},
		{"RX-02: a time", `now() == 1`, 1, "now() is not part of rules"},
		{"RX-02: a list", `client.cert.san() == 1`, 13, "not callable"},
		{"RX-02: a field of a result", `cluster("app").up() == 1`, 16, "not callable"},
		{"RX-02: a literal", `"a"() == 1`, 4, "unexpected"},
		{"RX-02: nil", `nil() == 1`, 4, "unexpected"},
		{"RX-02: a result", `header("A")() == 1`, 12, "unexpected"},
		{"RX-02: a field that is not there", `client.foo() == 1`, 8, `client has no "foo"`},
		{"RX-02: a method", `client.ip.IsPrivate()`, 11, `ip has no "IsPrivate"`},
		{"RX-02: a name of the environment", `$env["foo"]() == 1`, 12, "unexpected"},
		{"RX-02: what is patched in", `#test(0)`, 1, "unexpected"},
		{"RX-02: a function that is not called", `header == "a"`, 8, "mismatched types function and string"},
		{"RX-02: nil as a value", `host == nil`, 9, "nil is not part of rules"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			code := "E301"
			if strings.Contains(tt.message, "not part of rules") {
				code = "E309"
			}
			reportRefused(t, tt.when, code, tt.column, tt.message)
		})
	}
}

// What a request does not have fails no rule, and nothing of one evaluation is left
// for another, while rules are replaced. A rule that did fail would be counted each
// time and told once.
func TestReportRulesDoNotFail(t *testing.T) {
	t.Parallel()
	t.Run("RX-03: 64 clients at once, and reloads", func(t *testing.T) {
		t.Parallel()
		const clients, each, reloads = 64, 20, 10
		o := newReportOKOrigin(t)
		log := new(reportLog)
		text := reportYAML(o, "", `rules:
  - { name: absent, when: 'headers("X-List")[1] == "b"', reject: { status: 410 } }
  - { name: slow, when: '(session.new ? host : "x") == "a.example" and lower(header("X-Kind")) == "gone"', reject: { status: 411 } }
  - { name: quick, when: 'path startsWith "/no" and query("n") != ""', reject: { status: 412 } }`)
		addr, g := start(t, text, Options{Stderr: new(reportLog), Logger: slog.New(slog.NewTextHandler(log, nil))})
		gw := &reportGateway{Gateway: g, addr: addr}
		var storm sync.WaitGroup
		for n := range clients {
			storm.Go(func() { reportAskRules(t, gw, n, each) })
		}
		for range reloads {
			apply(t, g, text)
		}
		storm.Wait()
		for _, r := range g.Rules() {
			if r.Errors != 0 {
				t.Errorf("%s failed %d times, want never", r.Name, r.Errors)
			}
		}
		snap := g.acquire()
		defer snap.release()
		for range clients {
			storm.Go(func() { snap.ruleFailed(0, errors.New("odd")) })
		}
		storm.Wait()
		if got := g.Rules()[0].Errors; got != clients {
			t.Errorf("%d failures are counted, want %d", got, clients)
		}
		if told := strings.Count(strings.Join(log.lines(), "\n"), "rule=absent"); told != 1 {
			t.Errorf("told %d times, want once", told)
		}
	})
}

// reportAskRules asks for each rule of TestReportRulesDoNotFail in turn, on one
// connection.
func reportAskRules(t *testing.T, g *reportGateway, client, each int) {
	c := g.client(t)
	defer c.Close()
	for i := range each {
		n := client + i
		ask := []struct {
			target, fields string
			want           int
		}{
			{"/", "X-List: a\r\n", 200},
			{"/", "X-List: a\r\nX-List: b\r\n", 410},
			{"/", "X-List: a\r\nX-Kind: GONE\r\n", 411},
			{fmt.Sprint("/no?n=", n), "", 412},
		}[n%4]
		c.say("GET " + ask.target + " HTTP/1.1\r\nHost: a.example\r\n" + ask.fields + "\r\n")
		if a := c.answer("GET"); a.code != ask.want {
			t.Errorf("%s with %q is answered %q, want %d", ask.target, ask.fields, a.head, ask.want)
			return
		}
	}
}

// reportConditions is a gateway whose answers tell which conditions are true of a
// request: rule n refuses /n if condition n is.
type reportConditions struct {
	*reportGateway
	conn *reportConn
}

// newReportConditions runs a gateway with a rule for each condition.
func newReportConditions(t *testing.T, conditions []string) *reportConditions {
	t.Helper()
	var rules strings.Builder
	for i, when := range conditions {
		fmt.Fprintf(&rules, "  - { name: r%d, when: 'path == \"/%d\" and (%s)', reject: { status: 410 } }\n", i, i, when)
	}
	g := startReportYAML(t, reportYAML(newReportOKOrigin(t), "", "lists: { words: [a, b] }\nrules:\n"+rules.String()))
	return &reportConditions{g, g.client(t)}
}

// holds reports whether condition i is true of a request with the fields.
func (c *reportConditions) holds(t *testing.T, i int, query, fields string) bool {
	t.Helper()
	c.conn.say(fmt.Sprintf("GET /%d%s HTTP/1.1\r\nHost: a.example\r\n%s\r\n", i, query, fields))
	a := c.conn.answer("GET")
	if a.code != 200 && a.code != 410 {
		t.Fatalf("condition %d is answered %q", i, a.head)
	}
	return a.code == 410
}

// What a condition says of a value that is absent is what it says of an empty
// one, whatever the operator and wherever the value comes from, and it is never
// an error.
func TestReportAbsentValues(t *testing.T) {
	t.Parallel()
	operators := []struct {
		form string // $: the value
		want bool
	}{
		{`$ == "a"`, false}, {`$ != "a"`, true}, {`not ($ == "a")`, true}, {`"a" == $`, false}, {`"a" != $`, true},
		{`$ == ""`, true}, {`$ != ""`, false}, {`$ in ["a", "b"]`, false}, {`$ not in ["a", "b"]`, true}, {`not ($ in ["a"])`, true},
		{`$ in ["", "a"]`, true}, {`$ contains "a"`, false}, {`not ($ contains "a")`, true}, {`$ contains ""`, true},
		{`$ startsWith "a"`, false}, {`not ($ startsWith "a")`, true}, {`$ endsWith "a"`, false}, {`not ($ endsWith "a")`, true},
		{`$ matches "a"`, false}, {`not ($ matches "a")`, true}, {`$ matches "^$"`, true}, {`$ < "a"`, true}, {`$ > "a"`, false},
		{`glob($, "a*")`, false}, {`glob($, "*")`, true}, {`like($, "%")`, true}, {`ilike($, "a%")`, false}, {`len($) == 0`, true},
		{`int($, 7) == 7`, true}, {`in_list($, "words")`, false}, {`($ ?? "a") == ""`, true}, {`before($, "a") == ""`, true},
	}
	for _, tt := range []struct{ name, value, empty string }{
		{"RX-05: a header", `header("X")`, "X:\r\n"},
		{"RX-05: a cookie", `cookie("x")`, "Cookie: x=\r\n"},
		{"RX-05: a query argument", `query("x")`, "?x="},
		{"RX-05: the query", `query_string`, "?"},
		{"RX-05: a certificate", `client.cert.subject`, ""},
		{"RX-05: a name asked for by TLS", `tls.sni`, ""},
		{"RX-05: a session", `session.id`, ""},
		{"RX-05: a part of a session", `session.secondary`, ""},
		{"RX-05: a zone", `node.zone`, ""},
		{"RX-05: what is made of a header", `lower(trim(header("X")))`, "X:\r\n"},
		{"RX-05: a part of a header", `after(header("X"), "=")`, "X: a=\r\n"},
		{"RX-05: one of two", `(session.new ? header("X") : cookie("x"))`, "X:\r\n"},
		{"RX-05: a header whose name is made", `header(lower("X"))`, "X:\r\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var conditions []string
			for _, op := range operators {
				conditions = append(conditions, strings.Replace(op.form, "$", tt.value, 1))
			}
			c := newReportConditions(t, conditions)
			query, fields := "", tt.empty
			if strings.HasPrefix(tt.empty, "?") {
				query, fields = tt.empty, ""
			}
			for i, op := range operators {
				if got := c.holds(t, i, "", ""); got != op.want {
					t.Errorf("%s is %v where there is none, want %v", conditions[i], got, op.want)
				}
				if got := c.holds(t, i, query, fields); got != op.want {
					t.Errorf("%s is %v of an empty one, want %v", conditions[i], got, op.want)
				}
			}
			for _, r := range c.Rules() {
				if r.Errors != 0 {
					t.Errorf("%s failed %d times", r.When, r.Errors)
				}
			}
		})
	}
}

// A list that is absent is empty. What is no list, or does not exist, is a
// mistake when the configuration is read.
func TestReportAbsentLists(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, when string
		bare, full bool // of a request with no X, and with two
	}{
		{"RX-04: in", `"a" in headers("X")`, false, true},
		{"RX-04: not in", `"a" not in headers("X")`, true, false},
		{"RX-04: not, around in", `not ("a" in headers("X"))`, true, false},
		{"RX-04: a value that is in none", `header("Y") in headers("X")`, false, false},
		{"RX-04: the empty text", `"" in headers("X")`, false, false},
		{"RX-04: how long it is", `len(headers("X")) == 0`, true, false},
		{"RX-04: names of a certificate", `"a" in client.cert.san`, false, false},
		{"RX-04: none of a certificate", `len(client.cert.san) == 0 and "a" not in client.cert.san`, true, true},
		{"RX-04: one of two lists", `"a" in (session.new ? headers("X") : client.cert.san)`, false, true},
		{"RX-04: a name that is made", `"a" in headers(lower("X"))`, false, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			c := newReportConditions(t, []string{tt.when})
			bare, full := c.holds(t, 0, "", ""), c.holds(t, 0, "", "X: b\r\nX: a\r\n")
			if bare != tt.bare || full != tt.full || c.Rules()[0].Errors != 0 {
				t.Errorf("%s is %v, and with fields %v, failed %d times; want %v and %v", tt.when, bare, full, c.Rules()[0].Errors, tt.bare, tt.full)
			}
		})
	}
	for _, tt := range []struct {
		name, when string
		column     int
		message    string
	}{
		{"RX-04: a list that does not exist", `"a" in req.tags`, 8, `unknown name "req"`},
		{"RX-04: a field that does not exist", `"a" in client.tags`, 15, `client has no "tags"`},
		{"RX-04: a text", `"a" in host`, 5, "mismatched types string and string"},
		{"RX-04: what has fields", `"ip" in client`, 6, "client is no list"},
		{"RX-04: a named list", `"a" in words`, 8, `unknown name "words"`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			reportRefused(t, tt.when, "E301", tt.column, tt.message)
		})
	}
}

// Conditions as people write them cost and mean what they did: a newer version
// of the language that reads one in another way is found here.
func TestReportCorpusOfConditions(t *testing.T) {
	t.Parallel()
	const fields = "User-Agent: Mobile Safari\r\nCookie: beta=1; SID=x!17!18\r\nX-Level: 12\r\nVia: 1.1 one\r\nVia: 1.1 two\r\n"
	for i, tt := range []struct {
		when string
		cost int
		slow bool
		want bool
	}{
		{`method == "GET"`, 0, false, true},
		{`method in ["GET", "HEAD"] and not (path startsWith "/api/")`, 0, false, true},
		{`host == "a.example" or host endsWith ".b.example"`, 0, false, true},
		{`header("user-agent") contains "Mobile" && cookie("beta") == "1"`, 6, false, true},
		{`header("User-Agent") matches "(?i)^mobile"`, 23, false, true},
		{`!has_cookie("beta") || query("q") == "a b"`, 6, false, true},
		{`cidr(client.ip, "127.0.0.0/8", "10.0.0.0/8") and not has_header("Authorization")`, 5, false, true},
		{`client.ip in [ip("127.0.0.1"), ip("::1")]`, 2, false, true},
		{`int(header("X-Level"), 0) >= 12`, 5, false, true},
		{`len(headers("Via")) > 1`, 5, true, true},
		{`"1.1 two" in headers("via")`, 3, true, true},
		{`(header("X-Kind") ?? "a") == ""`, 3, true, true},
		{`request.size == -1 ? scheme == "http" : false`, 0, false, true},
		{`after(cookie("SID"), "!") == "17!18"`, 5, false, true},
		{`glob(path, "/*") and like(host, "%.example")`, 8, false, true},
		{`in_list(host, "words") or percent(0)`, 5, false, false},
		{`cluster("app").up == 1 and bucket("salt") < 100`, 5, false, true},
	} {
		t.Run(fmt.Sprint("RX-04: the corpus, ", i), func(t *testing.T) {
			t.Parallel()
			c := newReportConditions(t, []string{tt.when})
			r := c.Rules()[0]
			if got := c.holds(t, 0, "?q=a+b", fields); got != tt.want || r.Cost != tt.cost || (r.Slow != nil) != tt.slow {
				t.Errorf("%s is %v, costs %d, slow %q; want %v, %d, %v", tt.when, got, r.Cost, r.Slow, tt.want, tt.cost, tt.slow)
			}
		})
	}
}
