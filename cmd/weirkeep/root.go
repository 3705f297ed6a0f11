package main

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/agnivade/levenshtein"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// commands is every command there is. To add one, write its file and add its
// line here.
var commands = []func(*app) *cobra.Command{
	newCheck,
	newCompletion,
	newConfig,
	newHelp,
	newInit,
	newReload,
	newServe,
	newVersion,
}

// app is one run of the program: its streams and its global flags.
type app struct {
	stdin  io.Reader
	stdout io.Writer // results
	stderr io.Writer // talk

	admin   string        // URL of the admin API; empty: from the configuration
	output  string        // form of the result; empty: for people
	noColor bool          // never colour
	quiet   bool          // say only what went wrong
	verbose bool          // say more
	timeout time.Duration // longest wait for an answer of the admin API

	running bool // the command line was understood: an error is the command's
}

// run is the program: it understands args, does what they ask, and returns the
// exit status.
func run(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	a := &app{stdin: stdin, stdout: stdout, stderr: stderr}
	root := a.root()
	root.SetArgs(append([]string{}, args...))
	return a.end(root.Execute())
}

func (a *app) root() *cobra.Command {
	root := &cobra.Command{
		Use:               "weirkeep",
		Short:             "A programmable HTTP gateway",
		Long:              "weirkeep is a programmable HTTP gateway.\n\nStart with:  weirkeep serve --demo",
		Args:              onlyCommands,
		RunE:              func(c *cobra.Command, _ []string) error { return c.Help() },
		PersistentPreRunE: a.start,
		SilenceErrors:     true,
		SilenceUsage:      true,
		CompletionOptions: cobra.CompletionOptions{DisableDefaultCmd: true},
	}
	root.SetIn(a.stdin)
	root.SetOut(a.stdout)
	root.SetErr(a.stderr)
	root.SetFlagErrorFunc(flagError)
	a.globalFlags(root.PersistentFlags())
	root.RegisterFlagCompletionFunc("output", cobra.FixedCompletions(knownOutputs, cobra.ShellCompDirectiveNoFileComp))
	for _, build := range commands {
		c := build(a)
		root.AddCommand(c)
		if c.Name() == "help" {
			root.SetHelpCommand(c)
		}
	}
	return root
}

func (a *app) globalFlags(f *pflag.FlagSet) {
	f.StringVar(&a.admin, "admin", "", "`URL` of the admin API, http://host:port or unix:///path (default from WEIRKEEP_ADMIN, else the configuration)")
	f.StringVarP(&a.output, "output", "o", "", "`FORM` of the result: table, json, yaml or jsonl")
	f.BoolVar(&a.noColor, "no-color", false, "no colour, even on a terminal")
	f.BoolVarP(&a.quiet, "quiet", "q", false, "say only what went wrong")
	f.BoolVarP(&a.verbose, "verbose", "v", false, "say more")
	f.DurationVar(&a.timeout, "timeout", 10*time.Second, "longest wait for an answer of the admin API")
	f.SortFlags = false
}

// start is called when a command line has been understood, before its command.
func (a *app) start(c *cobra.Command, _ []string) error {
	if err := a.checkOutput(c); err != nil {
		return err
	}
	if a.timeout <= 0 {
		return fmt.Errorf("--timeout is %s, must be more than 0s", a.timeout)
	}
	a.running = true
	return nil
}

// onlyCommands are the arguments of a command that only holds other commands.
func onlyCommands(c *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	return &failure{
		status: exitUsage,
		err:    fmt.Errorf("unknown command %q for %q", args[0], c.CommandPath()),
		hint:   didYouMean(args[0], commandNames(c), c.CommandPath()+" --help lists the commands"),
	}
}

// noArgs are the arguments of a command that has flags alone.
func noArgs(c *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	return &failure{
		status: exitUsage,
		err:    fmt.Errorf("%s takes no arguments, and there is %q", c.CommandPath(), args[0]),
		hint:   c.CommandPath() + " --help lists the flags",
	}
}

func commandNames(c *cobra.Command) []string {
	var names []string
	for _, sub := range c.Commands() {
		if sub.IsAvailableCommand() || sub.Name() == "help" {
			names = append(names, sub.Name())
		}
	}
	return names
}

// flagError says which flag was probably meant.
func flagError(c *cobra.Command, err error) error {
	if c.HasSubCommands() && c.Flags().NArg() > 0 {
		return onlyCommands(c, c.Flags().Args()) // the flag is that of a command there is not
	}
	var unknown *pflag.NotExistError
	if !errors.As(err, &unknown) {
		return err
	}
	var names []string
	c.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, "--"+f.Name) })
	return &failure{
		status: exitUsage,
		err:    err,
		hint:   didYouMean("--"+unknown.GetSpecifiedName(), names, c.CommandPath()+" --help lists the flags"),
	}
}

// didYouMean names the known words that are near the written one, or else says
// where to look.
func didYouMean(written string, known []string, otherwise string) string {
	var near []string
	for _, k := range known {
		short := len(written) > 2 && strings.HasPrefix(k, written)
		if short || levenshtein.ComputeDistance(written, k) <= 1+len(written)/4 {
			near = append(near, fmt.Sprintf("%q", k))
		}
	}
	if len(near) == 0 {
		return otherwise
	}
	slices.Sort(near)
	return "did you mean " + strings.Join(near, " or ") + "?"
}
