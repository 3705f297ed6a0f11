package main

import (
	"fmt"
	"maps"
	"slices"

	"weirkeep/gateway/config"
	"weirkeep/rules"
)

// condition is an expression of a configuration.
type condition struct {
	of   string // for people: rule "office"
	path string
	text string
}

// allConditions are those of rules, of all sites and of each, and those of retries.
func allConditions(cfg *config.Config) (all []condition) {
	list := cfg.Rules
	for _, name := range slices.Sorted(maps.Keys(cfg.Sites)) {
		list = append(list[:len(list):len(list)], cfg.Sites[name].Rules...)
	}
	for _, r := range list {
		if r.When != "" {
			all = append(all, condition{fmt.Sprintf("rule %q", r.Name), r.Path + ".when", string(r.When)})
		}
	}
	return append(all, retryConditions(cfg)...)
}

// retryConditions are those of retries, in the order of the clusters' names.
func retryConditions(cfg *config.Config) (all []condition) {
	for _, name := range slices.Sorted(maps.Keys(cfg.Clusters)) {
		if when := cfg.Clusters[name].Retry.When; when != "" {
			path := "clusters." + name + ".retry.when"
			all = append(all, condition{path, path, string(when)})
		}
	}
	return all
}

// compiledRetry compiles a condition of a retry; nil: it has mistakes, which others tell.
func compiledRetry(cfg *config.Config, c condition) *rules.Program {
	program, _ := languageOf(cfg, rules.OfRetry).Compile(c.path, c.text)
	return program
}
