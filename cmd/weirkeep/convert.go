package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"weirkeep/rules"
	"weirkeep/rules/websphere"
)

// conversion is what init was told of a file to convert.
type conversion struct {
	format string // of the file; empty: there is none
	tests  string // the file that tests go to; empty: they are not written
	strict bool   // what cannot be converted is a failure
}

// convertible are the formats that init converts.
var convertible = []string{"websphere"}

func (v *conversion) flags(c *cobra.Command) {
	c.Flags().StringVar(&v.format, "from", "", "convert FILE, which is of this `FORMAT`: "+strings.Join(convertible, ", "))
	c.Flags().StringVar(&v.tests, "tests", "", "with --from: write tests of the rules to this new `file`")
	c.Flags().BoolVar(&v.strict, "strict", false, "with --from: fail if anything cannot be converted")
	c.RegisterFlagCompletionFunc("from", cobra.FixedCompletions(convertible, cobra.ShellCompDirectiveNoFileComp))
}

// check refuses flags that do not go together.
func (v *conversion) check(c *cobra.Command, args []string) error {
	switch {
	case c.Flags().Changed("from") && v.format != "websphere":
		return usage(c, fmt.Errorf("--from is %q, must be %s", v.format, strings.Join(convertible, ", ")))
	case v.format == "" && (c.Flags().Changed("tests") || v.strict):
		return usage(c, errors.New("--tests and --strict are about what --from converts, and it is not there"))
	case v.format == "":
		return nil
	case len(args) == 0:
		return &failure{status: exitUsage, err: errors.New("--from needs the file to convert"), hint: c.CommandPath() + " --from websphere rules.xml"}
	case c.Flags().Changed("origin"):
		return usage(c, errors.New("--origin is for a new configuration, and --from converts one"))
	}
	return nil
}

// convert prints a file in our form, and reports what of it could not be
// converted.
func (a *app) convert(path string, v conversion) error {
	text, err := readLimited(path)
	if err != nil {
		return &failure{status: exitFailure, code: "E401", err: err}
	}
	done, err := websphere.Convert(text, websphere.Options{Name: filepath.Base(path), Checker: ruleChecker})
	var bad *websphere.FileError
	if errors.As(err, &bad) {
		fmt.Fprintln(a.stderr, bad.Finding().String(path))
		return &failure{status: exitFailure}
	}
	if err != nil {
		return err
	}
	a.report(path, done.Findings)
	if v.tests != "" && done.Tests != nil {
		if err := newFile(v.tests, done.Tests); err != nil {
			return err
		}
	}
	if _, err := a.stdout.Write(done.Config); err != nil {
		return err
	}
	return a.converted(path, done, v)
}

// converted says how it went.
func (a *app) converted(path string, done *websphere.Conversion, v conversion) error {
	a.say("%s: %s converted, %d disabled", path, plural(done.Rules, "rule"), done.Disabled)
	switch {
	case v.tests != "" && done.Tests == nil:
		a.say("%s is not written: there is no rule to test", v.tests)
	case v.tests != "":
		a.say("%s is written; next: %s rules test %s", v.tests, a.self, v.tests)
	}
	for _, f := range done.Findings {
		if v.strict && f.Error() {
			return &failure{status: exitFailure}
		}
	}
	return nil
}

// report prints what could not be converted and, unless that is not wanted, what
// is to be looked at.
func (a *app) report(path string, all []websphere.Finding) {
	for _, f := range all {
		if f.Error() || !a.quiet {
			fmt.Fprintln(a.stderr, f.String(path))
		}
	}
}

// readLimited reads a file to convert; one that is too large is read as far as it
// takes to see that.
func readLimited(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, websphere.MaxFile+1))
}

// ruleChecker compiles converted expressions as a configuration would.
func ruleChecker(lists map[string][]string) (websphere.Checker, error) {
	compiled := make(map[string]*rules.List, len(lists))
	for name, entries := range lists {
		l, err := rules.NewList(entries)
		if err != nil {
			return nil, fmt.Errorf("list %s: %w", name, err)
		}
		compiled[name] = l
	}
	language := rules.New(rules.Options{Lists: compiled})
	return func(rule, expression string) error {
		if _, errs := language.Compile(rule, expression); len(errs) > 0 {
			return errs[0]
		}
		return nil
	}, nil
}
