package main

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"weirkeep/gateway"
	"weirkeep/gateway/config"
)

// testOptions is what the command line of rules test says.
type testOptions struct {
	file      string // -c
	coverage  bool
	failUnder int // percent of the rules; 0: none need be covered
}

func newRulesTest(a *app) *cobra.Command {
	var o testOptions
	c := &cobra.Command{
		Use:   "test FILE…",
		Short: "Run tests of the rules",
		Long: "Test decides the requests of test files with the functions that decide live traffic, and compares\n" +
			"the decisions with what the files expect. Nothing is sent. A file is YAML:\n\n" +
			"  tests:\n" +
			"    - name: fails over when main is down\n" +
			"      request: { url: \"https://shop.example/cart\", from: 10.1.2.3 }\n" +
			"      given:   { origins: { main/shop: down } }\n" +
			"      expect:  { destination: dr/shop, failover: true }\n\n" +
			"request has url and perhaps method (GET), headers (a map), from, http (1.0 or 1.1), and id, which\n" +
			"percent() goes by (the test's name, unless it is written).\n" +
			"given has origins (cluster: state, or cluster: { origin: state }; up, down, serving, draining,\n" +
			"maintenance, disabled or full), time, and bindings (session id: origin). What it does not say:\n" +
			"every origin is up and has nothing to do, the time is now, and no session is bound.\n" +
			"expect has some of rule (\"\" for none), action, destination (cell/cluster or cell/cluster/origin),\n" +
			"origin, application, edition, status, reason, location, failover, bound (true, false or an origin)\n" +
			"and variant.\n\n" +
			"A rule is covered if its condition was true in one test and false in another.",
		Example: "  weirkeep rules test rules_test.yaml\n" +
			"  weirkeep rules test tests/*.yaml -c weirkeep.yaml --fail-under 80",
		Args:        someFiles,
		Annotations: map[string]string{outputs: "json yaml jsonl"},
		RunE: func(c *cobra.Command, args []string) error {
			if o.failUnder < 0 || o.failUnder > 100 {
				return usage(c, fmt.Errorf("--fail-under is %d, must be 0..100", o.failUnder))
			}
			return a.rulesTest(args, o)
		},
	}
	fileFlag(c.Flags(), &o.file)
	c.Flags().BoolVar(&o.coverage, "coverage", false, "say which rules the tests cover")
	c.Flags().IntVar(&o.failUnder, "fail-under", 0, "fail unless `N` percent of the rules are covered")
	return c
}

// someFiles are the arguments of a command that reads files.
func someFiles(c *cobra.Command, args []string) error {
	if len(args) == 0 {
		return usage(c, errors.New(c.CommandPath()+" needs a file"))
	}
	return nil
}

// testReport is what `rules test -o json` prints.
type testReport struct {
	Schema   int          `json:"schema"`
	Passed   int          `json:"passed"`
	Failed   int          `json:"failed"`
	Tests    []testResult `json:"tests"` // never null
	Coverage *coverage    `json:"coverage"`
}

// testResult is what came of one test.
type testResult struct {
	Name         string     `json:"name"`
	File         string     `json:"file"`
	Line         int        `json:"line"`
	OK           bool       `json:"ok"`
	Microseconds int64      `json:"microseconds"`
	Error        string     `json:"error,omitempty"` // why it could not be decided
	Mismatches   []mismatch `json:"mismatches,omitempty"`
}

func (a *app) rulesTest(files []string, o testOptions) error {
	tests, err := a.readAllTests(files)
	if err != nil {
		return err
	}
	cfg, explainer, err := a.compiled(o.file)
	if err != nil {
		return err
	}
	report := runTests(tests, cfg, explainer)
	if err := a.printTests(report, o); err != nil {
		return err
	}
	return report.verdict(o)
}

// readAllTests reads files; every mistake in any of them is told.
func (a *app) readAllTests(files []string) (tests []ruleTest, err error) {
	var problems config.Problems
	for _, file := range files {
		some, ps := readTests(file)
		tests, problems = append(tests, some...), append(problems, ps...)
	}
	if len(problems) > 0 {
		a.sayProblems(problems)
		return nil, &failure{status: exitConfig}
	}
	return tests, nil
}

func runTests(tests []ruleTest, cfg *config.Config, explainer *gateway.Explainer) *testReport {
	report := &testReport{Schema: 1, Tests: []testResult{}, Coverage: newCoverage()}
	rules := explainer.Rules()
	for _, t := range tests {
		began := time.Now()
		e, err := explainTest(t, cfg, explainer)
		result := testResult{Name: t.name, File: t.file, Line: t.line, Microseconds: time.Since(began).Microseconds()}
		if err != nil {
			result.Error = err.Error()
		} else {
			report.Coverage.note(e)
			result.Mismatches = (&decided{e, cfg, rules}).compare(t.expect)
		}
		report.add(result)
	}
	report.Coverage.sum(rules)
	return report
}

// explainTest asks the question of a test, if the origins that it binds sessions to
// are there.
func explainTest(t ruleTest, cfg *config.Config, explainer *gateway.Explainer) (*gateway.Explanation, error) {
	if err := checkBound(t.question.Bound, cfg); err != nil {
		return nil, err
	}
	return explainer.Explain(t.question)
}

// checkBound refuses bindings to origins that a configuration does not have.
func checkBound(bound map[string]string, cfg *config.Config) error {
	var known []string // in every form that people use
	for _, name := range sortedNames(cfg.Clusters) {
		cell, short := cfg.CellOf(name)
		for _, o := range cfg.Clusters[name].Origins {
			known = append(known, o.Name, o.Address, short+"/"+o.Name, cell+"/"+short+"/"+o.Name)
		}
	}
	slices.Sort(known)
	known = slices.Compact(known)
	for _, id := range sortedNames(bound) {
		if !slices.Contains(known, bound[id]) {
			hint := didYouMean(bound[id], known, "write an origin's name, cluster/origin, cell/cluster/origin, or an address")
			return fmt.Errorf("given.bindings.%s: there is no origin %q: %s", id, bound[id], hint)
		}
	}
	return nil
}

func (r *testReport) add(result testResult) {
	if result.OK = result.Error == "" && len(result.Mismatches) == 0; result.OK {
		r.Passed++
	} else {
		r.Failed++
	}
	r.Tests = append(r.Tests, result)
}

// verdict is how the program ends.
func (r *testReport) verdict(o testOptions) error {
	switch {
	case r.Failed > 0:
		return &failure{status: exitTests}
	case r.Coverage.percent() < o.failUnder:
		return &failure{status: exitTests, err: fmt.Errorf("%d%% of the rules are covered, want %d%%", r.Coverage.percent(), o.failUnder)}
	}
	return nil
}
