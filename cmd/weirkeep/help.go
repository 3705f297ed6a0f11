package main

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"weirkeep/gateway"
	"weirkeep/gateway/balance"
	"weirkeep/gateway/config"
	"weirkeep/rules"
)

// codeForm is what a code looks like.
var codeForm = regexp.MustCompile(`^[EeWw]\d{3}$`)

func newHelp(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "help [COMMAND | CODE… | REASON… | WORD… | BALANCER… | NAME… | LIST]",
		Short: "Explain a command, a code such as E102, a reason of the access log, a word of the status, a balancer, or what rules are written with",
		Long: "Help explains a command; or a code, a reason of the access log, a word of status, logs and\n" +
			"configuration, a balancer, or a NAME that conditions of rules are written with.\n\n" +
			"A LIST is codes, reasons, words, functions, variables or operators, the last three those of conditions.\n" +
			"RULES is the page on them: the language, what a path is, and how to protect one.",
		Example: "  weirkeep help serve\n" +
			"  weirkeep help E102 W310\n" +
			"  weirkeep help connect_refused\n" +
			"  weirkeep help ejected capacity\n" +
			"  weirkeep help reasons\n" +
			"  weirkeep help cidr client.ip\n" +
			"  weirkeep help RULES",
		ValidArgsFunction: func(c *cobra.Command, _ []string, _ string) ([]string, cobra.ShellCompDirective) {
			return append(commandNames(c.Root()), topics()...), cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) > 0 && isTopic(args[0]) {
				return a.explainAll(args)
			}
			return helpCommand(c.Root(), args)
		},
	}
}

// isTopic reports whether help has a text for a name that is no command's.
func isTopic(name string) bool {
	_, isReason := findReason(name)
	_, isWord := findWord(name)
	return isReason || isWord || lists[name] != nil || aboutName(name) != "" || balance.About(name) != "" || codeForm.MatchString(name)
}

// lists are the topics that list others.
var lists = map[string]func(*app) error{
	"codes":   (*app).listCodes,
	"reasons": (*app).listReasons,
	"words":   (*app).listWords,

	"functions": func(a *app) error { return printFunctions(a.stdout, rules.OfRetry) },
	"variables": func(a *app) error { return printVariables(a.stdout) },
	"operators": func(a *app) error { return printOperators(a.stdout) },
	"RULES":     func(a *app) error { _, err := fmt.Fprint(a.stdout, rules.Page()); return err },
}

// explainAll explains one name after the other.
func (a *app) explainAll(names []string) error {
	for i, name := range names {
		if i > 0 {
			fmt.Fprintln(a.stdout)
		}
		if err := a.explain(name); err != nil {
			return err
		}
	}
	return nil
}

func (a *app) explain(name string) error {
	if r, ok := findReason(name); ok {
		return a.explainReason(r)
	}
	if w, ok := findWord(name); ok {
		return a.explainWord(w)
	}
	switch {
	case lists[name] != nil:
		return lists[name](a)
	case balance.About(name) != "":
		return a.explainBalancer(name)
	case codeForm.MatchString(name):
		return a.explainCode(strings.ToUpper(name))
	case aboutName(name) != "":
		_, err := fmt.Fprintln(a.stdout, aboutName(name))
		return err
	}
	return &failure{
		status: exitUsage,
		err:    fmt.Errorf("%q is neither a code, nor a reason, nor a word", name),
		hint:   didYouMean(name, topicNames(), whatLists),
	}
}

// whatLists is what to say to who asks for a topic that there is not.
const whatLists = "weirkeep help codes, reasons, words, functions, variables and operators list them"

func (a *app) explainBalancer(name string) error {
	_, err := fmt.Fprintf(a.stdout, "%s, a balancer\n\n%s\n", a.paint(a.stdout).bold(name), balance.About(name))
	return err
}

// helpCommand prints the help text of the command that args lead to.
func helpCommand(root *cobra.Command, args []string) error {
	found, rest, err := root.Find(args)
	if err != nil {
		return err
	}
	if len(rest) > 0 && found == root {
		return &failure{
			status: exitUsage,
			err:    fmt.Errorf("%q is neither a command, nor a code, nor a reason, nor a word", rest[0]),
			hint:   didYouMean(rest[0], append(commandNames(root), topicNames()...), "weirkeep --help lists the commands, weirkeep help codes, reasons, words, functions, variables and operators the rest"),
		}
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
		near := nearestCode(code)
		return &failure{status: exitUsage, err: fmt.Errorf("there is no code %s", code), hint: fmt.Sprintf("the nearest is %s, %s; weirkeep help codes lists them", near.Code, near.Title)}
	}
	ink := a.paint(a.stdout)
	_, err := fmt.Fprintf(a.stdout, "%s: %s\n\n%s\n\nFor example:\n%s\n\nWhat to do:\n%s\n",
		ink.bold(c.Code), c.Title, c.Cause, indented(c.Example), indented(c.Fix))
	return err
}

// nearestCode is the code of the same letter whose number is the least away,
// the lower of two.
func nearestCode(code string) config.Code {
	best, least := config.Codes[0], 10_000
	for _, c := range config.Codes {
		if d := between(code, c.Code); c.Code[0] == code[0] && d < least {
			best, least = c, d
		}
	}
	return best
}

// between is how far apart the numbers of two codes are.
func between(a, b string) int {
	m, _ := strconv.Atoi(a[1:])
	n, _ := strconv.Atoi(b[1:])
	return max(m-n, n-m)
}

// listCodes prints a line for each code.
func (a *app) listCodes() error {
	for _, c := range config.Codes {
		if _, err := fmt.Fprintf(a.stdout, "%s  %s\n", c.Code, c.Title); err != nil {
			return err
		}
	}
	return nil
}

// topics are what help explains besides commands, for completion.
func topics() []string {
	names := []string{
		"codes\tevery code", "reasons\tevery reason of the access log", "words\tevery word of status, logs and configuration",
		"functions\tthose of rules", "variables\tthose of rules", "operators\tthose of rules", "RULES\tthe language of rules",
	}
	for _, c := range config.Codes {
		names = append(names, c.Code+"\t"+c.Title)
	}
	for _, r := range gateway.Reasons() {
		names = append(names, r.Code+"\t"+r.Text)
	}
	for _, w := range words {
		names = append(names, w.name+"\t"+w.short())
	}
	for _, name := range balance.Names() {
		if _, isWord := findWord(name); !isWord {
			names = append(names, name+"\ta balancer")
		}
	}
	return names
}

// topicNames are the topics that one may misspell.
func topicNames() []string {
	names := slices.Concat(wordNames(), balance.Names(), languageNames())
	for _, r := range gateway.Reasons() {
		names = append(names, r.Code)
	}
	slices.Sort(names)
	return slices.Compact(names) // a balancer is called by a word
}

func indented(text string) string {
	return "  " + strings.ReplaceAll(strings.TrimRight(text, "\n"), "\n", "\n  ")
}
