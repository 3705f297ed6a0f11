package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"weirkeep/gateway"
	"weirkeep/gateway/config"
	"weirkeep/rules"
)

func newRulesLint(a *app) *cobra.Command {
	var file string
	var strict bool
	c := &cobra.Command{
		Use:   "lint",
		Short: "Find what is written in rules and can hardly be meant",
		Long: "Lint looks for what check lets pass, since it is no mistake by itself, in rules and in the conditions\n" +
			"of retries:\n\n" +
			"  - rules that can never match, since an earlier one takes every request that they would\n" +
			"  - conditions, and parts of them, that are true of every request or of none\n" +
			"  - regular expressions that startsWith, in or glob() could stand for, which cost less\n" +
			"  - patterns of hosts that fit hosts of others, too\n" +
			"  - conditions that cost nearly as much as is allowed\n\n" +
			"It says what it is sure of: what it does not understand, it does not report. Findings are no\n" +
			"failure, unless --strict is given.",
		Args:        noArgs,
		Annotations: map[string]string{outputs: "json yaml jsonl"},
		RunE: func(*cobra.Command, []string) error {
			return a.rulesLint(file, strict)
		},
	}
	fileFlag(c.Flags(), &file)
	c.Flags().BoolVar(&strict, "strict", false, "fail if something is found")
	return c
}

func (a *app) rulesLint(named string, strict bool) error {
	file, err := findFile(named)
	if err != nil {
		return err
	}
	cfg, e, err := a.compiled(file)
	if err != nil {
		return err
	}
	all := e.Rules()
	found := findings(cfg, all)
	a.sayFound(found)
	switch {
	case a.output == "jsonl":
		err = a.printEach(found)
	case a.machine():
		err = a.print(newVerdict(file, found))
	default:
		err = a.sayResult("%s: %s, %s", file, plural(len(all), "rule"), plural(len(found), "finding"))
	}
	if err == nil && strict && len(found) > 0 {
		return &failure{status: exitFailure}
	}
	return err
}

// findings are what lint finds, with places in the configuration.
func findings(cfg *config.Config, all []gateway.RuleInfo) config.Problems {
	linted := make([]rules.Linted, len(all))
	for i, r := range all {
		linted[i] = rules.Linted{Name: r.Name, Site: r.Site, When: r.When, Cost: r.Cost}
	}
	var found config.Problems
	for _, f := range rules.Lint(linted, languageOf(cfg, rules.OfRequest)) {
		r := all[f.Rule]
		found = append(found, placed(cfg, fmt.Sprintf("rule %q", r.Name), r.Path, f))
	}
	found = append(found, retryFindings(cfg)...)
	found.Sort()
	return found
}

// retryFindings are those in conditions of retries, each by itself.
func retryFindings(cfg *config.Config) (found config.Problems) {
	for _, c := range retryConditions(cfg) {
		linted := []rules.Linted{{When: c.text, Cost: compiledRetry(cfg, c).Cost()}}
		for _, f := range rules.Lint(linted, languageOf(cfg, rules.OfRetry)) {
			found = append(found, placed(cfg, c.of, strings.TrimSuffix(c.path, ".when"), f))
		}
	}
	return found
}

// placed is a finding with its place, in the when of what stands at a path.
func placed(cfg *config.Config, of, path string, f rules.Finding) config.Problem {
	message := of + ": " + f.Message
	if f.Line == 0 {
		return cfg.At(path, config.Warning, f.Code, message, f.Hint)
	}
	return cfg.Inside(path+".when", f.Line, f.Column, f.Length, config.Warning, f.Code, message, f.Hint)
}
