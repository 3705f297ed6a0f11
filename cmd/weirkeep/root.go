package main

import (
	"errors"
	"fmt"
	"io"
	"os"
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
	newCache,
	newCheck,
	newCompletion,
	newConfig,
	newESI,
	newEdition,
	newExplain,
	newHealth,
	newHelp,
	newInit,
	newMetric,
	newOrigin,
	newPlugin,
	newReload,
	newReplay,
	newRules,
	newServe,
	newVersion,
}

// app is one run of the program: its streams and its global flags.
type app struct {
	self   string // the program as it was called, so that advice can be pasted
	stdin  io.Reader
	stdout io.Writer // results
	stderr io.Writer // talk

	admin   string        // URL of the admin API; empty: from the configuration
	output  string        // form of the result; empty: for people
	noColor bool          // never colour
	quiet   bool          // say only what went wrong
	verbose bool          // say more; of commands that have more to say
	timeout time.Duration // longest wait for an answer of the admin API

	running bool // the command line was understood: an error is the command's
}

// run is the program: it understands args, does what they ask, and returns the
// exit status.
func run(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	a := &app{self: os.Args[0], stdin: stdin, stdout: stdout, stderr: stderr}
	root := a.root()
	root.SetArgs(append([]string{}, args...))
	return a.end(root.Execute())
}

// purpose is what the program is, as the README says it.
const purpose = "weirkeep is an HTTP gateway: it stands in front of your servers, takes every request, decides where it goes, and can say why."

func (a *app) root() *cobra.Command {
	root := &cobra.Command{
		Use:               "weirkeep",
		Short:             "An HTTP gateway that can say why",
		Long:              purpose + "\n\nStart with:  weirkeep serve --demo",
		Version:           version,
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
	root.SetVersionTemplate(thisBuild().String() + "\n")
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
	f.StringVar(&a.admin, "admin", "", "`URL` of the admin API, http://host:port, host:port or unix:///path (default from WEIRKEEP_ADMIN, else the configuration)")
	f.StringVarP(&a.output, "output", "o", "", "`FORM` of the result: table, json, yaml or jsonl")
	f.BoolVar(&a.noColor, "no-color", false, "no colour, even on a terminal")
	f.BoolVarP(&a.quiet, "quiet", "q", false, "say only what went wrong")
	f.DurationVar(&a.timeout, "timeout", 10*time.Second, "longest wait for an answer of the admin API")
	f.SortFlags = false
}

// start is called when a command line has been understood, before its command.
func (a *app) start(c *cobra.Command, _ []string) error {
	if err := a.checkOutput(c); err != nil {
		return err
	}
	if a.timeout <= 0 {
		return usage(c, fmt.Errorf("--timeout is %s, must be more than 0s", a.timeout))
	}
	a.running = true
	return nil
}

// usage is a mistake of the command line of c.
func usage(c *cobra.Command, err error) error {
	return &failure{status: exitUsage, err: err, hint: c.CommandPath() + " --help lists the flags"}
}

// otherCommands are commands that people know from elsewhere, and what does
// that here.
var otherCommands = map[string]string{
	"lint":     "weirkeep check says everything that is wrong with a configuration",
	"restart":  "SIGTERM ends a gateway, after its exchanges; weirkeep serve starts one",
	"run":      "weirkeep serve runs the gateway",
	"start":    "weirkeep serve runs the gateway; weirkeep serve --demo needs no configuration",
	"status":   "weirkeep health asks a running gateway whether it is ready",
	"stop":     "SIGTERM ends a gateway, after its exchanges: systemctl stop, or kill",
	"test":     "weirkeep check says everything that is wrong with a configuration",
	"upgrade":  "SIGUSR2 starts the program anew and leaves its place to it: kill -USR2, or install the new package",
	"validate": "weirkeep check says everything that is wrong with a configuration",
}

// onlyCommands are the arguments of a command that only holds other commands.
func onlyCommands(c *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	hint := otherCommands[args[0]]
	if hint == "" || c.HasParent() {
		hint = didYouMean(args[0], commandNames(c), c.CommandPath()+" --help lists the commands")
	}
	return &failure{status: exitUsage, err: fmt.Errorf("unknown command %q for %q", args[0], c.CommandPath()), hint: hint}
}

// noArgs are the arguments of a command that has flags alone.
func noArgs(c *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	err := fmt.Errorf("%s takes no arguments, and there is %q", c.CommandPath(), args[0])
	if c.Flags().Lookup("config") != nil {
		return &failure{status: exitUsage, err: err, hint: fmt.Sprintf("a file is named by -c: %s -c %s", c.CommandPath(), args[0])}
	}
	return usage(c, err)
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
		return usage(c, err)
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
