package main

import (
	"fmt"
	"net/netip"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/goccy/go-yaml/ast"

	"weirkeep/gateway"
	"weirkeep/gateway/config"
)

// ruleTest is one test of the rules: a request, what is given, and what is
// expected of the decision.
type ruleTest struct {
	name     string
	file     string
	line     int
	question gateway.Question
	expect   []expectation
}

// expectation is what one part of a decision must be.
type expectation struct{ key, want string }

// readTests reads a file of tests.
func readTests(file string) ([]ruleTest, config.Problems) {
	info, err := os.Stat(file)
	if err == nil && !info.Mode().IsRegular() {
		err = fmt.Errorf("%s is not a regular file", file)
	}
	var text []byte
	if err == nil {
		text, err = os.ReadFile(file)
	}
	if err != nil {
		return nil, config.Problems{{Code: "E101", Message: "cannot read the tests: " + err.Error()}}
	}
	return parseTests(file, text)
}

// parseTests reads the tests of a text; with every mistake that is in it.
func parseTests(file string, text []byte) ([]ruleTest, config.Problems) {
	f, body := parseYAML(file, text)
	if body == nil {
		if len(f.problems) == 0 {
			f.failAt(1, 1, "E101", "the file holds no tests", "")
		}
		return nil, f.problems
	}
	var tests []ruleTest
	has := f.fields(body, wholeFile, []yamlField{{"tests", func(f *yamlFile, n ast.Node, what string) {
		f.list(n, what, func(n ast.Node, what string) { tests = append(tests, f.test(n, what)) })
	}}})
	if !has["tests"] {
		f.fail(body, "E106", "tests is missing", "")
	}
	f.checkNames(tests)
	f.problems.Sort()
	return tests, f.problems
}

// checkNames refuses two tests of one name: a report could not tell them apart.
func (f *yamlFile) checkNames(tests []ruleTest) {
	first := make(map[string]int)
	for _, t := range tests {
		if line, taken := first[t.name]; taken && t.name != "" {
			f.failAt(t.line, 1, "E201", fmt.Sprintf("a test is called %q already, in line %d", t.name, line), "")
		}
		first[t.name] = t.line
	}
}

// test reads one test.
func (f *yamlFile) test(n ast.Node, what string) (t ruleTest) {
	t.file = f.name
	t.line, _ = placeOf(n)
	has := f.fields(n, what, []yamlField{
		{"name", func(f *yamlFile, n ast.Node, what string) { t.name, _ = f.text(n, what) }},
		{"request", func(f *yamlFile, n ast.Node, what string) { f.request(n, what, &t.question) }},
		{"given", func(f *yamlFile, n ast.Node, what string) { f.given(n, what, &t.question) }},
		{"expect", func(f *yamlFile, n ast.Node, what string) { t.expect = f.expectations(n, what) }},
	})
	for _, key := range []string{"name", "request", "expect"} {
		if !has[key] {
			f.fail(n, "E106", what+"."+key+" is missing", "")
		}
	}
	if t.question.RequestID == "" {
		t.question.RequestID = t.name // so that percent() says the same each time
	}
	return t
}

// testRequest is the request of a test as it was written.
type testRequest struct {
	method, url, version string
	headers              []string
	from                 string
	at                   ast.Node // of the url
}

func (f *yamlFile) request(n ast.Node, what string, q *gateway.Question) {
	r := testRequest{method: "GET", version: "1.1"}
	text := func(into *string) func(*yamlFile, ast.Node, string) {
		return func(f *yamlFile, n ast.Node, what string) { *into, _ = f.text(n, what) }
	}
	has := f.fields(n, what, []yamlField{
		{"method", text(&r.method)},
		{"url", func(f *yamlFile, n ast.Node, what string) { r.at = n; r.url, _ = f.text(n, what) }},
		{"headers", func(f *yamlFile, n ast.Node, what string) { r.headers = f.headers(n, what) }},
		{"from", func(f *yamlFile, n ast.Node, what string) { q.From = f.address(n, what) }},
		{"http", func(f *yamlFile, n ast.Node, what string) { r.version = f.oneOf(n, what, "1.0", "1.1") }},
		{"id", text(&q.RequestID)},
	})
	switch {
	case !has["url"]:
		f.fail(n, "E106", what+".url is missing", "")
	case r.url != "":
		head, secure, err := headOf(r.method, r.url, r.version, r.headers)
		if err != nil {
			f.fail(r.at, "E112", what+": "+err.Error(), "")
		}
		q.Raw, q.Secure = head, secure
	}
}

// headers reads a map of header fields; a value may be a list of several.
func (f *yamlFile) headers(n ast.Node, what string) (fields []string) {
	f.entries(n, what, func(name string, _, value ast.Node) {
		add := func(n ast.Node, what string) {
			if text, ok := f.text(n, what); ok {
				fields = append(fields, name+": "+text)
			}
		}
		if _, several := value.(*ast.SequenceNode); several {
			f.list(value, what+"."+name, add)
			return
		}
		add(value, what+"."+name)
	})
	return fields
}

func (f *yamlFile) address(n ast.Node, what string) netip.AddrPort {
	text, ok := f.text(n, what)
	if !ok {
		return netip.AddrPort{}
	}
	from, err := parseAddress(text)
	if err != nil {
		f.fail(n, "E112", what+" is "+err.Error(), "for example 10.1.2.3")
	}
	return from
}

// oneOf reads one of some words.
func (f *yamlFile) oneOf(n ast.Node, what string, words ...string) string {
	text, ok := f.text(n, what)
	if ok && !slices.Contains(words, text) {
		f.fail(n, "E110", fmt.Sprintf("%s is %q, must be one of %s", what, text, strings.Join(words, ", ")), didYouMean(text, words, ""))
	}
	return text
}

// given reads what is taken for granted.
func (f *yamlFile) given(n ast.Node, what string, q *gateway.Question) {
	q.States, q.Bound = make(map[string]string), make(map[string]string)
	f.fields(n, what, []yamlField{
		{"origins", func(f *yamlFile, n ast.Node, what string) { f.states(n, what, q.States) }},
		{"time", func(f *yamlFile, n ast.Node, what string) { q.Now = f.time(n, what) }},
		{"bindings", func(f *yamlFile, n ast.Node, what string) {
			f.entries(n, what, func(id string, _, value ast.Node) { q.Bound[id], _ = f.text(value, what+"."+id) })
		}},
	})
}

// originStates are what origins can be said to be.
var originStates = []string{"up", "down", "serving", "draining", "maintenance", "disabled", "full"}

// states reads what origins are: of each cluster, or of each origin of it.
func (f *yamlFile) states(n ast.Node, what string, states map[string]string) {
	f.entries(n, what, func(name string, _, value ast.Node) {
		path := what + "." + name
		if !f.isMap(value) {
			states[name] = f.oneOf(value, path, originStates...)
			return
		}
		f.entries(value, path, func(origin string, _, value ast.Node) {
			states[name+"/"+origin] = f.oneOf(value, path+"."+origin, originStates...)
		})
	})
}

func (f *yamlFile) time(n ast.Node, what string) time.Time {
	text, ok := f.text(n, what)
	t, err := time.Parse(time.RFC3339, text)
	if ok && err != nil {
		f.fail(n, "E112", fmt.Sprintf("%s is %q, must be a time", what, text), `for example "2026-11-29T12:00:00Z"`)
	}
	return t
}

// expectations reads what a decision must be, in the order of the file.
func (f *yamlFile) expectations(n ast.Node, what string) (all []expectation) {
	var known []yamlField
	for _, p := range decisionParts {
		known = append(known, yamlField{p.key, func(f *yamlFile, n ast.Node, what string) {
			text, ok := f.text(n, what)
			if !ok {
				return
			}
			if must := p.must(text); must != "" {
				f.fail(n, "E110", fmt.Sprintf("%s is %q, must be %s", what, text, must), "")
			}
			all = append(all, expectation{p.key, text})
		}})
	}
	if has := f.fields(n, what, known); len(has) == 0 && len(f.problems) == 0 {
		f.fail(n, "E106", what+" expects nothing", "")
	}
	return all
}

// These say what a text must be that it is not; empty: it is.
func anything(string) string { return "" }

func aWordOf(words ...string) func(string) string {
	return func(text string) string {
		if slices.Contains(words, text) {
			return ""
		}
		shown := strings.Join(words, ", ")
		if less, ok := strings.CutSuffix(shown, ", "); ok { // the last word is no word
			shown = less + `, or "" for none`
		}
		return "one of " + shown
	}
}

func aStatus(text string) string {
	if n, err := strconv.Atoi(text); err != nil || n < 100 || n > 599 {
		return "a status"
	}
	return ""
}

func aReason(text string) string {
	if _, ok := findReason(text); !ok {
		return "a reason; weirkeep help reasons lists them"
	}
	return ""
}
