package main

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"weirkeep/gateway/config"
	"weirkeep/rules"
)

func newRulesFmt(a *app) *cobra.Command {
	var file string
	var check, write bool
	c := &cobra.Command{
		Use:   "fmt [-]",
		Short: "Write conditions the way that all are written",
		Long: "Fmt writes and, or and not in words, texts in double quotes, one blank around operators, no\n" +
			"parentheses that are not needed, and one operand a line where a line would be longer than 100\n" +
			"columns. Comments stay where they are. What a condition means does not change.\n\n" +
			"It prints every condition of the configuration that it would write in another way. With --write\n" +
			"it does so in the file, and in those that it includes: all but the conditions stays as it is, byte\n" +
			"for byte. With - it formats one expression, from standard input to standard output.",
		Args: cobra.MaximumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			switch {
			case len(args) == 1 && args[0] != "-":
				return noArgs(c, args)
			case check && write:
				return usage(c, errors.New("give --check or --write, not both"))
			case len(args) == 1:
				return a.formatInput(check || write, c)
			}
			return a.rulesFmt(file, check, write)
		},
	}
	fileFlag(c.Flags(), &file)
	c.Flags().BoolVar(&check, "check", false, "fail if something is not formatted")
	c.Flags().BoolVar(&write, "write", false, "rewrite the files")
	return c
}

// formatInput formats the expression on standard input.
func (a *app) formatInput(flags bool, c *cobra.Command) error {
	if flags {
		return usage(c, errors.New("--check and --write are for files, not for -"))
	}
	text, err := readAll(a.stdin)
	if err != nil {
		return err
	}
	formatted, bad := rules.Format(string(text))
	if bad != nil {
		return &failure{status: exitFailure, code: bad.Code, err: fmt.Errorf("%d:%d: %s", bad.Line, bad.Column, bad.Message), hint: bad.Hint}
	}
	_, err = fmt.Fprintln(a.stdout, formatted)
	return err
}

func (a *app) rulesFmt(named string, check, write bool) error {
	file, err := findFile(named)
	if err != nil {
		return err
	}
	cfg, problems := fileSource(file).read()
	if problems.Errors() > 0 {
		a.sayProblems(problems)
		return &failure{status: exitConfig}
	}
	changes, total, problems := conditionsOf(cfg)
	if len(problems) > 0 {
		a.sayProblems(problems)
		return &failure{status: exitConfig, err: errors.New("nothing is formatted: not every condition can be read")}
	}
	files, changes, err := rewritten(changes)
	if err != nil {
		return err
	}
	if write {
		return a.writeFormatted(files, len(changes), total)
	}
	return a.sayChanges(changes, total, check)
}

// change is a condition that is to be written in another way.
type change struct {
	of           string // whose it is: rule "office"
	file         string
	line, column int // of the value, from 1, in characters
	old, new     string
}

// conditionsOf are the conditions that are not formatted, of how many there are.
func conditionsOf(cfg *config.Config) (changes []change, total int, problems config.Problems) {
	all := allConditions(cfg)
	for _, c := range all {
		formatted, bad := rules.Format(c.text)
		if bad != nil {
			problems = append(problems, cfg.Inside(c.path, bad.Line, bad.Column, bad.Length, config.Error, bad.Code, c.of+": "+bad.Message, bad.Hint))
			continue
		}
		if formatted == strings.TrimRight(c.text, "\n") {
			continue
		}
		at := cfg.At(c.path, config.Warning, "", "", "")
		changes = append(changes, change{of: c.of, file: at.File, line: at.Line, column: at.Column, old: c.text, new: formatted})
	}
	problems.Sort()
	return changes, len(all), problems
}

// sayChanges prints what is not formatted, and how it would be.
func (a *app) sayChanges(changes []change, total int, check bool) error {
	ink := a.paint(a.stdout)
	for _, c := range changes {
		text := fmt.Sprintf("%s:%d: %s\n%s\n%s\n", c.file, c.line, c.of,
			ink.red(marked("- ", c.old)), ink.cyan(marked("+ ", c.new)))
		if _, err := fmt.Fprint(a.stdout, text); err != nil {
			return err
		}
	}
	if len(changes) == 0 {
		return a.sayResult("%s, all formatted", plural(total, "condition"))
	}
	a.say("%d of %s would be written in another way; --write does it", len(changes), plural(total, "condition"))
	if check {
		return &failure{status: exitFailure}
	}
	return nil
}

// marked is a text with a mark before each line.
func marked(mark, text string) string {
	return mark + strings.ReplaceAll(strings.TrimRight(text, "\n"), "\n", "\n"+mark)
}

// writeFormatted replaces the files.
func (a *app) writeFormatted(files map[string][]byte, changed, total int) error {
	for _, file := range slices.Sorted(maps.Keys(files)) {
		if err := replaceFile(file, files[file]); err != nil {
			return err
		}
		a.say("wrote %s", file)
	}
	return a.sayResult("%s, %d rewritten", plural(total, "condition"), changed)
}

// replaceFile puts new contents in the place of a file, all at once. Where the name
// is a symbolic link, the file behind it is replaced.
func replaceFile(name string, text []byte) error {
	name, err := filepath.EvalSymlinks(name)
	if err != nil {
		return err
	}
	info, err := os.Stat(name)
	if err != nil {
		return err
	}
	f, err := os.CreateTemp(filepath.Dir(name), ".weirkeep-fmt-")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name()) // once it is renamed, there is none
	_, err = f.Write(text)
	err = errors.Join(err, keepOwner(f, info), f.Chmod(info.Mode().Perm()), f.Sync(), f.Close())
	if err != nil {
		return err
	}
	return os.Rename(f.Name(), name)
}

// keepOwner gives a new file the owner and group of that in whose place it comes.
func keepOwner(f *os.File, old os.FileInfo) error {
	s, ok := old.Sys().(*syscall.Stat_t)
	if !ok {
		return nil
	}
	return f.Chown(int(s.Uid), int(s.Gid))
}
