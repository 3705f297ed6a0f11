package main

import (
	"cmp"
	"context"
	"fmt"
	"regexp"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"weirkeep/gateway"
)

// rulesCommands are the commands below rules. To add one, write its file and add
// its line here.
var rulesCommands = []func(*app) *cobra.Command{
	newRulesFmt,
	newRulesLint,
	newRulesList,
	newRulesRepl,
	newRulesTest,
}

func newRules(a *app) *cobra.Command {
	c := &cobra.Command{
		Use:   "rules",
		Short: "Tools for those who write rules",
		Args:  onlyCommands,
		RunE:  func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	for _, build := range rulesCommands {
		c.AddCommand(build(a))
	}
	return c
}

func newRulesList(a *app) *cobra.Command {
	var file string
	var live bool
	c := &cobra.Command{
		Use:   "list",
		Short: "List the rules in the order in which they are tried",
		Long: "List prints every rule: those of all sites, then those of each. The first that matches a request\n" +
			"decides it. COST is what its condition costs, of 500; a condition that is slow allocates memory for\n" +
			"every request, which -v shows in parts. With --live the running gateway answers, and HITS are the\n" +
			"requests that a rule has decided since the start.",
		Args:        noArgs,
		Annotations: map[string]string{outputs: "json yaml jsonl"},
		RunE: func(c *cobra.Command, _ []string) error {
			return a.rulesList(c.Context(), file, live)
		},
	}
	fileFlag(c.Flags(), &file)
	c.Flags().BoolVar(&live, "live", false, "ask the running gateway")
	a.verboseFlag(c.Flags(), "which parts of conditions are slow")
	return c
}

// ruleList is what `rules list -o json` prints.
type ruleList struct {
	Schema int                `json:"schema"`
	Rules  []gateway.RuleInfo `json:"rules"` // never null
}

func (a *app) rulesList(ctx context.Context, file string, live bool) error {
	list, err := a.findRules(ctx, file, live)
	if err != nil {
		return err
	}
	switch {
	case a.output == "jsonl":
		for _, r := range list.Rules {
			if err := a.print(r); err != nil {
				return err
			}
		}
		return nil
	case a.machine():
		return a.print(list)
	}
	return a.sayRules(list.Rules, live)
}

// findRules are those of the running gateway, or of the configuration.
func (a *app) findRules(ctx context.Context, file string, live bool) (ruleList, error) {
	list := ruleList{Schema: 1}
	if !live {
		e, err := a.explainer(file)
		if err != nil {
			return list, err
		}
		list.Rules = e.Rules()
		return list, nil
	}
	e, err := a.endpoint(file)
	if err != nil {
		return list, err
	}
	return list, e.get(ctx, a, "/v1/rules", &list)
}

func (a *app) sayRules(all []gateway.RuleInfo, live bool) error {
	t := tabwriter.NewWriter(a.stdout, 0, 0, 2, ' ', 0)
	fmt.Fprint(t, "#\tRULE\tSITE\tCOST\t")
	if live {
		fmt.Fprint(t, "HITS\tERRORS\t")
	}
	fmt.Fprintln(t, "ACTION\tWHEN\tAT")
	for _, r := range all {
		fmt.Fprintf(t, "%d\t%s\t%s\t%d%s\t", r.Index+1, r.Name, cmp.Or(r.Site, "all"), r.Cost, slowMark(&r))
		if live {
			fmt.Fprintf(t, "%d\t%d\t", r.Hits, r.Errors)
		}
		fmt.Fprintf(t, "%s\t%s\t%s\n", printable(r.Action), cmp.Or(conditionText(r.When, 60), "always"), r.Place)
	}
	if err := t.Flush(); err != nil || !a.verbose {
		return err
	}
	for _, r := range all {
		for _, part := range r.Slow {
			fmt.Fprintf(a.stdout, "%s is slow: %s makes a value for every request\n", r.Name, printable(part))
		}
	}
	return nil
}

func slowMark(r *gateway.RuleInfo) string {
	if len(r.Slow) > 0 {
		return ", slow"
	}
	return ""
}

// commentForm is a comment of an expression, or a text in which none can begin.
var commentForm = regexp.MustCompile("\"(?:\\\\.|[^\"\\\\])*\"|'(?:\\\\.|[^'\\\\])*'|`[^`]*`|//[^\n]*|(?s:/\\*.*?\\*/)")

// conditionText is an excerpt of a condition, without its comments: in one line the
// rest would read as if it belonged to them.
func conditionText(when string, n int) string {
	return excerpt(commentForm.ReplaceAllStringFunc(when, func(part string) string {
		if part[0] == '/' {
			return " "
		}
		return part
	}), n)
}

// excerpt is a text in one line, cut to some characters.
func excerpt(text string, n int) string {
	runes := []rune(printable(strings.Join(strings.Fields(text), " ")))
	if len(runes) <= n {
		return string(runes)
	}
	return string(runes[:n-1]) + "…"
}
