package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/spf13/cobra"
)

// outputs is every form of a result. A command names those it has under the
// annotation of this name; "table" is the one for people, which all have.
const outputs = "output"

var knownOutputs = []string{"table", "json", "yaml", "jsonl"}

// machine reports whether the result is for a program.
func (a *app) machine() bool { return a.output != "" && a.output != "table" }

// checkOutput refuses a form that there is not, or that the command has not.
func (a *app) checkOutput(c *cobra.Command) error {
	if !slices.Contains(knownOutputs, a.output) && a.output != "" {
		return &failure{
			status: exitUsage,
			err:    fmt.Errorf("unknown output %q", a.output),
			hint:   didYouMean(a.output, knownOutputs, "-o is one of "+strings.Join(knownOutputs, ", ")),
		}
	}
	forms := strings.Fields(c.Annotations[outputs])
	if !a.machine() || slices.Contains(forms, a.output) {
		return nil
	}
	return &failure{
		status: exitUsage,
		err:    fmt.Errorf("%s has no output %q", c.CommandPath(), a.output),
		hint:   "it has " + strings.Join(append([]string{"table"}, forms...), ", "),
	}
}

// print writes a result in the form that was asked for. The names of the
// fields are those of its JSON form everywhere.
func (a *app) print(result any) error {
	text, err := json.Marshal(result)
	if err != nil {
		return err
	}
	switch a.output {
	case "yaml":
		text, err = yaml.JSONToYAML(text)
	case "json":
		text, err = indent(text)
	default:
		text = append(text, '\n')
	}
	if err != nil {
		return err
	}
	_, err = a.stdout.Write(text)
	return err
}

func indent(text []byte) ([]byte, error) {
	var b bytes.Buffer
	err := json.Indent(&b, text, "", "  ")
	b.WriteByte('\n')
	return b.Bytes(), err
}

// sayResult prints a result for people, who can do without when all is well.
func (a *app) sayResult(format string, args ...any) error {
	if a.quiet {
		return nil
	}
	_, err := fmt.Fprintf(a.stdout, format+"\n", args...)
	return err
}

// say writes a line of talk, unless the operator wants none.
func (a *app) say(format string, args ...any) {
	if !a.quiet {
		fmt.Fprintf(a.stderr, format+"\n", args...)
	}
}
