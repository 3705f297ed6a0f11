package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"weirkeep/gateway"
	"weirkeep/gateway/config"
)

const goodTests = `# a comment
tests:
  - name: first
    request: &office { url: "https://shop.example/cart?a=1", from: 10.1.2.3 }
    expect: { rule: office, failover: false }
  - name: second
    request:
      method: POST
      url: /x
      from: "[2001:db8::1]:99"
      http: 1.0
      id: abc
      headers: { X-A: 1, X-B: [b, c], Host: shop.example }
    given:
      origins: { main/shop: down, dr/shop: { west1: draining } }
      time: 2026-11-29T12:00:00Z
      bindings: { 7Gh: web2 }
    expect: { rule: "", status: 503 }
  - { name: third, request: *office, expect: { reason: no-origin } }
`

func TestTestsAreRead(t *testing.T) {
	tests, problems := parseTests("t.yaml", []byte(goodTests))
	if len(problems) > 0 || len(tests) != 3 {
		t.Fatalf("%d tests, %v", len(tests), problems)
	}
	for i, want := range []struct {
		name, head, id, from string
		secure               bool
		line                 int
		expect               []expectation
	}{
		{"first", "GET /cart?a=1 HTTP/1.1|Host: shop.example||", "first", "10.1.2.3:0", true, 3, []expectation{{"rule", "office"}, {"failover", "false"}}},
		{"second", "POST /x HTTP/1.0|X-A: 1|X-B: b|X-B: c|Host: shop.example||", "abc", "[2001:db8::1]:99", false, 6, []expectation{{"rule", ""}, {"status", "503"}}},
		{"third", "GET /cart?a=1 HTTP/1.1|Host: shop.example||", "third", "10.1.2.3:0", true, 19, []expectation{{"reason", "no-origin"}}},
	} {
		got := tests[i]
		head := strings.ReplaceAll(string(got.question.Raw), "\r\n", "|")
		if got.name != want.name || head != want.head || got.question.RequestID != want.id || got.question.From.String() != want.from {
			t.Errorf("test %d is %s: %s from %v, id %s", i, got.name, head, got.question.From, got.question.RequestID)
		}
		if got.question.Secure != want.secure || got.line != want.line || !slices.Equal(got.expect, want.expect) {
			t.Errorf("test %d in line %d, secure %v, expects %v", i, got.line, got.question.Secure, got.expect)
		}
	}
	q := tests[1].question
	states := map[string]string{"main/shop": "down", "dr/shop/west1": "draining"}
	if !maps.Equal(q.States, states) || q.Bound["7Gh"] != "web2" || q.Now.Unix() != 1795953600 {
		t.Errorf("given %v, %v, %v", q.States, q.Bound, q.Now)
	}
}

func TestEveryMistakeInTestsIsTold(t *testing.T) {
	const request = `request: { url: "http://a/" }`
	test := func(text string) string { return "tests:\n  - { " + text + " }\n" }
	for _, tt := range []struct {
		name, text string
		want       []string // place, code and message of each
	}{
		{"nothing", "# no tests\n", []string{"1:1: error E101: the file holds no tests"}},
		{"no YAML", "tests: [", []string{"1:8: error E100: "}},
		{"no text", "tests: \xff", []string{"1:1: error E109: it is not UTF-8"}},
		{"a module", "\x00asm\x01\x00\x00\x00", []string{"1:1: error E109: it is a WebAssembly module: name the file of tests"}},
		{"deep", "tests: " + strings.Repeat("[", 200), []string{"1:72: error E109: nested more than 64 deep"}},
		{"entries in a line", "tests:\n" + strings.Repeat("- ", 200), []string{"2:129: error E109: nested"}},
		{"two documents", "tests: []\n---\ntests: []\n", []string{"3:1: error E108: a second document"}},
		{"no list", "tests: { a: 1 }\n", []string{"1:8: error E104: tests must be a list"}},
		{"without", test(`name: a`), []string{"2:5: error E106: tests[0].request is missing", "2:5: error E106: tests[0].expect is missing"}},
		{"misspelt", test(`nmae: a, ` + request + `, expect: { rule: a }`), []string{
			`2:7: error E102: unknown key "nmae" in tests[0]`, `did you mean "name"?`,
		}},
		{"twice", test(`name: a, name: b, ` + request + `, expect: { rule: a }`), []string{`2:16: error E103: "name" is written twice`}},
		{"no value", test(`name: , ` + request + `, expect: { rule: }`), []string{"error E105: tests[0].name has no value", "error E105: tests[0].expect.rule has no value"}},
		{"expects nothing", test(`name: a, ` + request + `, expect: { }`), []string{"error E106: tests[0].expect expects nothing"}},
		{"bad request", test(`name: a, request: { method: G T, url: "http://a/", from: here, http: 2 }, expect: { rule: a }`), []string{
			`error E112: tests[0].request.from is "here", which is no address`, `error E110: tests[0].request.http is "2", must be one of 1.0, 1.1`,
			`error E112: tests[0].request: "G T" is no method`,
		}},
		{"no url", test(`name: a, request: { method: GET }, expect: { rule: a }`), []string{"error E106: tests[0].request.url is missing"}},
		{"bad given", test(`name: a, ` + request + `, given: { origins: { s: dwon, t: { w: x } }, time: noon }, expect: { rule: a }`), []string{
			`error E110: tests[0].given.origins.s is "dwon"`, `error E110: tests[0].given.origins.t.w is "x"`, `error E112: tests[0].given.time is "noon"`,
		}},
		{"bad expectations", test(`name: a, ` + request + `, expect: { action: deny, status: 5xx, reason: why, failover: yes, destination: shop }`), []string{
			`expect.action is "deny", must be one of permit, redirect, reject, or "" for none`, `expect.status is "5xx", must be a status`, `expect.reason is "why", must be a reason`,
			`expect.failover is "yes", must be one of true, false`, `expect.destination is "shop", must be cell/cluster`,
		}},
		{"one name", test(`name: a, `+request+`, expect: { rule: a }`) + strings.TrimPrefix(test(`name: a, `+request+`, expect: { rule: a }`), "tests:\n"), []string{`3:1: error E201: a test is called "a" already, in line 2`}},
		{"aliases", "tests: *none\n", []string{"1:8: error E108: alias *none has no anchor"}},
		{"many values", "tests:\n  - &t { name: a, request: { url: /, headers: { " + manyHeaders(1000) + " } }, expect: { rule: a } }\n" + strings.Repeat("  - *t\n", 1000), []string{"error E109: more than 300000 values"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, problems := parseTests("t.yaml", []byte(tt.text))
			if len(problems) == 0 {
				t.Fatalf("problems: %v", problems)
			}
			for _, want := range tt.want {
				if !strings.Contains(problems.Error(), want) {
					t.Errorf("%s\nis not in\n%v", want, problems)
				}
			}
		})
	}
}

func manyHeaders(n int) string {
	var all []string
	for i := range n {
		all = append(all, fmt.Sprintf("h%d: x", i))
	}
	return strings.Join(all, ", ")
}

// FuzzParseTests: any bytes either hold tests that can be run, or mistakes that have
// a place in them.
func FuzzParseTests(f *testing.F) {
	f.Add([]byte(goodTests))
	f.Add([]byte("tests: [{ name: &a *a, request: { url: 'http://a', headers: { <<: x } }, expect: [] }]"))
	f.Add([]byte("? [a]\n: {b: !!x y}\n---\n%YAML"))
	f.Fuzz(func(t *testing.T, text []byte) {
		tests, problems := parseTests("t.yaml", text)
		for _, p := range problems {
			if lines := strings.Count(string(text), "\n") + 1; p.Line < 1 || p.Line > lines || p.Column < 1 || p.Code == "" {
				t.Errorf("place %d:%d of %d lines: %v", p.Line, p.Column, lines, p)
			}
		}
		for _, test := range tests {
			if len(problems) == 0 && (len(test.question.Raw) == 0 || len(test.expect) == 0) {
				t.Errorf("test %q has no request or expects nothing", test.name)
			}
		}
	})
}

// picking is a decision that goes to one origin, by a rule.
func picking(pick gateway.ExplainedPick) *gateway.Explanation {
	return &gateway.Explanation{
		Mapping: &gateway.ExplainedMapping{Site: "shop"}, BestSet: &gateway.ExplainedBestSet{Application: "store"},
		Rules: []gateway.ExplainedRule{
			{Name: "banned", Value: "false", When: "false", Place: "w.yaml:1"},
			{Name: "partners", Value: "skipped", Why: "only for host b", Place: "w.yaml:2"},
			{Name: "odd", Value: "error", Why: "out of range", Place: "w.yaml:3"},
			{Name: "office", Value: "true", Effect: "permit main/shop", Place: "w.yaml:4"},
			{Name: "late", Value: "unreached", Place: "w.yaml:5"},
		},
		Rule: "office", Action: "permit", Variant: "application store",
		Groups: []gateway.ExplainedGroup{{Clusters: []string{"main/shop"}}}, Pick: &pick,
		Outcome: gateway.ExplainedOutcome{Reason: "served", Text: "would be sent"},
	}
}

func TestExpectationsAreCompared(t *testing.T) {
	web1 := picking(gateway.ExplainedPick{Origin: "main/shop/web1", Sure: true})
	failed := picking(gateway.ExplainedPick{Origin: "dr/shop/west1", Sure: true, Failover: true})
	nobody := picking(gateway.ExplainedPick{Sure: true})
	nobody.Outcome = gateway.ExplainedOutcome{Status: 503, Reason: "no_origin", Text: "nobody is there"}
	chance := picking(gateway.ExplainedPick{Origin: "main/shop/web1", Candidates: []gateway.ExplainedCandidate{
		{Origin: "main/shop/web1", Why: "picked"}, {Origin: "main/shop/web2", Why: "free"}, {Origin: "dr/shop/west1", Why: "out"},
	}})
	bound := picking(gateway.ExplainedPick{Origin: "main/shop/web2", Sure: true})
	bound.Binding = &gateway.ExplainedBinding{Origin: "main/shop/web2", Why: "its origin can be used"}
	lost := &gateway.Explanation{Mapping: &gateway.ExplainedMapping{Index: -1}, Outcome: gateway.ExplainedOutcome{Status: 421, Reason: "no_site", Text: "no site has it"}}
	sent := picking(gateway.ExplainedPick{})
	sent.Pick, sent.Action, sent.Outcome = nil, "redirect", gateway.ExplainedOutcome{Status: 302, Reason: "redirected_by_rule", Location: "/new"}
	for _, tt := range []struct {
		name string
		e    *gateway.Explanation
		key  string
		want string
		got  string // empty: as expected
		why  string
	}{
		{name: "rule", e: web1, key: "rule", want: "office"},
		{name: "false", e: web1, key: "rule", want: "banned", got: "office", why: `rule "banned" is false: false w.yaml:1`},
		{name: "skipped", e: web1, key: "rule", want: "partners", got: "office", why: `rule "partners" was skipped: only for host b w.yaml:2`},
		{name: "error", e: web1, key: "rule", want: "odd", got: "office", why: `rule "odd" could not be evaluated: out of range w.yaml:3`},
		{name: "unreached", e: web1, key: "rule", want: "late", got: "office", why: `rule "late" was not reached: "office" decided before it w.yaml:5`},
		{name: "of another site", e: web1, key: "rule", want: "beta", got: "office", why: `rule "beta" is of site portal, and the request is of site shop w.yaml:9`},
		{name: "misspelt", e: web1, key: "rule", want: "offise", got: "office", why: `there is no rule "offise": did you mean "office"?`},
		{name: "no rule", e: web1, key: "rule", want: "", got: "office", why: `rule "office" decides: permit main/shop w.yaml:4`},
		{name: "no site", e: lost, key: "rule", want: "office", got: "", why: "no site has it"},
		{name: "action", e: web1, key: "action", want: "reject", got: "permit", why: `rule "office" decides: permit main/shop w.yaml:4`},
		{name: "cluster", e: web1, key: "destination", want: "main/shop"},
		{name: "origin of a cluster", e: web1, key: "destination", want: "main/shop/web1"},
		{name: "part of a name", e: web1, key: "destination", want: "main/sho", got: "main/shop/web1", why: `rule "office" decides: permit main/shop w.yaml:4`},
		{name: "nobody", e: nobody, key: "destination", want: "dr/shop", got: "none (503)", why: `rule "office" has no failover w.yaml:4`},
		{name: "cluster by chance", e: chance, key: "destination", want: "main/shop"},
		{name: "origin by chance", e: chance, key: "origin", want: "web1", got: "by chance one of main/shop/web1, main/shop/web2", why: `rule "office" decides: permit main/shop w.yaml:4`},
		{name: "origin", e: web1, key: "origin", want: "web1"},
		{name: "origin in full", e: web1, key: "origin", want: "main/shop/web1"},
		{name: "end of a name", e: web1, key: "origin", want: "eb1", got: "main/shop/web1", why: `rule "office" decides: permit main/shop w.yaml:4`},
		{name: "application", e: web1, key: "application", want: "store"},
		{name: "edition", e: web1, key: "edition", want: "2.0"},
		{name: "edition of nobody", e: nobody, key: "edition", want: "2.0", got: "", why: `rule "office" decides: permit main/shop w.yaml:4`},
		{name: "status", e: nobody, key: "status", want: "503"},
		{name: "status of the origin", e: web1, key: "status", want: "200", got: "the origin's", why: `rule "office" decides: permit main/shop w.yaml:4`},
		{name: "reason", e: lost, key: "reason", want: "no_site"},
		{name: "location", e: sent, key: "location", want: "/new"},
		{name: "failover", e: failed, key: "failover", want: "true"},
		{name: "no failover", e: web1, key: "failover", want: "true", got: "false", why: `rule "office" decides: permit main/shop w.yaml:4`},
		{name: "bound", e: bound, key: "bound", want: "true"},
		{name: "bound to", e: bound, key: "bound", want: "web2"},
		{name: "bound elsewhere", e: bound, key: "bound", want: "web1", got: "main/shop/web2", why: "its origin can be used"},
		{name: "destination of a bound one", e: bound, key: "destination", want: "dr/shop", got: "main/shop/web2", why: "its session is bound to main/shop/web2"},
		{name: "not bound", e: web1, key: "bound", want: "false"},
		{name: "no session", e: web1, key: "bound", want: "true", got: "false", why: "the mapping has no session"},
		{name: "variant", e: web1, key: "variant", want: "application store"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			d := &decided{tt.e, twoEditions(), []gateway.RuleInfo{{Name: "office"}, {Name: "beta", Site: "portal", Place: "w.yaml:9"}}}
			wrong := d.compare([]expectation{{tt.key, tt.want}})
			switch {
			case tt.why == "" && len(wrong) > 0:
				t.Errorf("%v, want none", wrong)
			case tt.why != "" && (len(wrong) != 1 || wrong[0].Got != tt.got || strings.TrimSpace(wrong[0].Because+" "+wrong[0].At) != tt.why):
				t.Errorf("%+v, want %s because %s", wrong, tt.got, tt.why)
			}
		})
	}
}

func twoEditions() *config.Config {
	cfg := &config.Config{Clusters: map[string]config.Cluster{"shop": {Origins: []config.Origin{
		{Name: "web1", Edition: config.EditionLabel{Application: "store", Label: "2.0"}}, {Name: "web2"},
	}}}}
	cfg.Node.Cell = "main"
	return cfg
}

func TestCoverageIsHonest(t *testing.T) {
	rule := func(name, value string) gateway.ExplainedRule { return gateway.ExplainedRule{Name: name, Value: value} }
	both := gateway.RuleInfo{Name: "both", When: "a"}
	for _, tt := range []struct {
		name  string
		rules []gateway.RuleInfo
		seen  []gateway.ExplainedRule
		want  string
	}{
		{"no rules", nil, nil, "rules covered 0 of 0"},
		{"true and false", []gateway.RuleInfo{both}, []gateway.ExplainedRule{rule("both", "true"), rule("both", "false")}, "rules covered 1 of 1"},
		{"true and skipped", []gateway.RuleInfo{both}, []gateway.ExplainedRule{rule("both", "skipped"), rule("both", "true")}, "rules covered 1 of 1"},
		{"true alone", []gateway.RuleInfo{both}, []gateway.ExplainedRule{rule("both", "true")}, "rules covered 0 of 1 (never false: both)"},
		{"false alone", []gateway.RuleInfo{both}, []gateway.ExplainedRule{rule("both", "false")}, "rules covered 0 of 1 (never true: both)"},
		{"listed alone", []gateway.RuleInfo{both}, []gateway.ExplainedRule{rule("both", "unreached"), rule("both", "error"), rule("both", "shielded")}, "rules covered 0 of 1 (never true: both; never false: both)"},
		{"without a condition", []gateway.RuleInfo{{Name: "all"}}, []gateway.ExplainedRule{rule("all", "true")}, "rules covered 1 of 1"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := newCoverage()
			c.note(&gateway.Explanation{Rules: tt.seen})
			c.sum(tt.rules)
			if got := c.String(); got != tt.want {
				t.Errorf("%s, want %s", got, tt.want)
			}
		})
	}
}

func TestReportOfTests(t *testing.T) {
	r := &testReport{Coverage: newCoverage()}
	r.add(testResult{Name: "stays", File: "t.yaml", Line: 2, Microseconds: 38})
	r.add(testResult{Name: "moves\x1b", File: "t.yaml", Line: 6, Mismatches: []mismatch{
		{Key: "destination", Want: "dr/shop", Got: "none (503)", Because: `rule "office" has no failover`, At: "w.yaml:23"},
		{Key: "failover", Want: "true", Got: "false", Because: `rule "office" has no failover`, At: "w.yaml:23"},
		{Key: "rule", Want: "", Got: "office", Because: "it decides", At: ""},
	}})
	r.add(testResult{Name: "odd", File: "t.yaml", Line: 9, Error: "there is no origin"})
	r.Coverage.sum([]gateway.RuleInfo{{Name: "office"}})
	const failures = `FAIL  moves?                                                        t.yaml:6
        destination: want dr/shop, got none (503)
        failover: want true, got false
        because: rule "office" has no failover                      w.yaml:23
        rule: want none, got office
        because: it decides
FAIL  odd                                                           t.yaml:9
        it cannot be decided: there is no origin
1 passed, 2 failed`
	for _, tt := range []struct {
		name  string
		quiet bool
		o     testOptions
		want  string
	}{
		{"all", false, testOptions{coverage: true}, "ok    stays                                                         38 µs\n" + failures + " · rules covered 0 of 1 (never true: office)\n"},
		{"quiet", true, testOptions{}, failures + "\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var out strings.Builder
			if err := r.write(&out, false, tt.quiet, tt.o); err != nil || out.String() != tt.want {
				t.Errorf("%v, got\n%s\nwant\n%s", err, &out, tt.want)
			}
		})
	}
}
