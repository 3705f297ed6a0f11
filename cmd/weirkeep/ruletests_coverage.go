package main

import (
	"fmt"
	"strings"

	"weirkeep/gateway"
)

// coverage is what tests have seen of each rule. A rule is covered if its
// condition was true in one test and false in another; one without a condition
// can only be true. That a rule was listed, or could not be evaluated, or stood
// behind the one that decided, says nothing of its condition.
type coverage struct {
	Rules      int      `json:"rules"`
	Covered    int      `json:"covered"`
	NeverTrue  []string `json:"never_true,omitempty"`
	NeverFalse []string `json:"never_false,omitempty"`

	wasTrue, wasFalse map[string]bool // by name of the rule
}

func newCoverage() *coverage {
	return &coverage{wasTrue: make(map[string]bool), wasFalse: make(map[string]bool)}
}

// note takes a decision into account.
func (c *coverage) note(e *gateway.Explanation) {
	for _, r := range e.Rules {
		switch r.Value {
		case "true":
			c.wasTrue[r.Name] = true
		case "false", "skipped": // a rule is skipped if what it requires does not hold
			c.wasFalse[r.Name] = true
		}
	}
}

// sum counts what was seen of all rules.
func (c *coverage) sum(rules []gateway.RuleInfo) {
	c.Rules = len(rules)
	for _, r := range rules {
		isTrue, isFalse := c.wasTrue[r.Name], c.wasFalse[r.Name] || r.When == ""
		if !isTrue {
			c.NeverTrue = append(c.NeverTrue, r.Name)
		}
		if !isFalse {
			c.NeverFalse = append(c.NeverFalse, r.Name)
		}
		if isTrue && isFalse {
			c.Covered++
		}
	}
}

// percent is the covered part of the rules; of none, all are.
func (c *coverage) percent() int {
	if c.Rules == 0 {
		return 100
	}
	return c.Covered * 100 / c.Rules
}

// String is as in "rules covered 5 of 7 (never true: legacy; never false: beta)".
func (c *coverage) String() string {
	text := fmt.Sprintf("rules covered %d of %d", c.Covered, c.Rules)
	var missing []string
	if len(c.NeverTrue) > 0 {
		missing = append(missing, "never true: "+strings.Join(c.NeverTrue, ", "))
	}
	if len(c.NeverFalse) > 0 {
		missing = append(missing, "never false: "+strings.Join(c.NeverFalse, ", "))
	}
	if len(missing) == 0 {
		return text
	}
	return text + " (" + strings.Join(missing, "; ") + ")"
}
