package main

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/spf13/cobra"

	"weirkeep/gateway/config"
)

// codeForm is what a code looks like.
var codeForm = regexp.MustCompile(`^[EeWw]\d{3}$`)

func newHelp(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "help [COMMAND | CODE]",
		Short: "Explain a command, or a code such as E102",
		ValidArgsFunction: func(c *cobra.Command, _ []string, _ string) ([]string, cobra.ShellCompDirective) {
			return append(commandNames(c.Root()), codes()...), cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) == 1 && codeForm.MatchString(args[0]) {
				return a.explainCode(strings.ToUpper(args[0]))
			}
			return helpCommand(c.Root(), args)
		},
	}
}

// helpCommand prints the help text of the command that args lead to.
func helpCommand(root *cobra.Command, args []string) error {
	found, rest, err := root.Find(args)
	if err != nil {
		return err
	}
	if len(rest) > 0 {
		return onlyCommands(found, rest)
	}
	found.InitDefaultHelpFlag() // it is part of the text
	return found.Help()
}

// explainCode prints cause, example and cure of a problem.
func (a *app) explainCode(code string) error {
	c, known := config.Explain(code)
	if !known {
		return &failure{status: exitUsage, err: fmt.Errorf("there is no code %s", code), hint: "codes stand behind error: and warning: in what weirkeep check prints"}
	}
	ink := a.paint(a.stdout)
	_, err := fmt.Fprintf(a.stdout, "%s: %s\n\n%s\n\nFor example:\n%s\n\nWhat to do:\n%s\n",
		ink.bold(c.Code), c.Title, c.Cause, indented(c.Example), indented(c.Fix))
	return err
}

func codes() []string {
	var names []string
	for _, c := range config.Codes {
		names = append(names, c.Code+"\t"+c.Title)
	}
	return names
}

func indented(text string) string {
	return "  " + strings.ReplaceAll(strings.TrimRight(text, "\n"), "\n", "\n  ")
}
