package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"
)

func newPluginLs(a *app) *cobra.Command {
	var file string
	c := &cobra.Command{
		Use:   "ls",
		Short: "List the plugins of a running gateway",
		Long: "Ls asks a running gateway for its plugins, with one line for each place where one is attached.\n\n" +
			"  LOADED     how often the plugin was loaded since it was first named: a reload that changes it is one\n" +
			"  INSTANCES  that there are, of how many there may be; IDLE: of these, those that nobody has in use\n" +
			"  MEMORY     of all instances\n" +
			"  CALLS      since the plugin was first there; what follows is of those\n" +
			"  ERRORS     answers that were error codes\n" +
			"  FAULTS     calls that ended in a fault\n" +
			"  BREAKER    closed; open: it is not called for a while, for half of its calls faulted; half-open: one call tries it\n" +
			"  LAST FAULT of the plugin, wherever it is attached\n\n" +
			"Counters are of the plugin, not of the place. With --faults or -v the last 20 faults of each follow,\n" +
			"with the stack of the guest and the end of what it wrote to stderr; -o json has all of both.",
		Args:        noArgs,
		Annotations: map[string]string{outputs: "json yaml jsonl"},
		RunE:        func(c *cobra.Command, _ []string) error { return a.pluginLs(c.Context(), file) },
	}
	fileFlag(c.Flags(), &file)
	const faults = "the last faults of each plugin, with stack and stderr"
	a.verboseFlag(c.Flags(), faults)
	c.Flags().BoolVar(&a.verbose, "faults", false, "the same as -v: "+faults)
	return c
}

func (a *app) pluginLs(ctx context.Context, file string) error {
	e, err := a.endpoint(file)
	if err != nil {
		return err
	}
	found, err := e.plugins(ctx, a)
	switch {
	case err != nil:
		return err
	case a.output == "jsonl":
		for _, p := range found.Plugins {
			if err := a.print(p); err != nil {
				return err
			}
		}
		return nil
	case a.machine():
		return a.print(found)
	case len(found.Plugins) == 0:
		return a.sayResult("the gateway has no plugins")
	}
	return a.sayPlugins(found.Plugins, time.Now())
}

// plugins asks for the plugins. A gateway that does not know the question is older
// than this program.
func (e endpoint) plugins(ctx context.Context, a *app) (found pluginsFound, err error) {
	const path = "/v1/plugins"
	answer, err := e.send(ctx, a, http.MethodGet, path)
	if err != nil {
		return found, e.unreachable(err)
	}
	if answer.StatusCode == http.StatusNotFound {
		answer.Body.Close()
		return found, &failure{status: exitFailure, err: fmt.Errorf("the running gateway does not know of plugins: it has no %s", path),
			hint: "weirkeep version says which version this program is; a gateway that is older is to be upgraded"}
	}
	found.Schema = 1
	return found, e.read(answer, &found)
}

// sayPlugins prints the table for people, and the last faults if they want them.
func (a *app) sayPlugins(all []pluginStatus, now time.Time) error {
	t := tabwriter.NewWriter(a.stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "PLUGIN\tKIND\tENGINE\tLOADED\tAT\tINSTANCES\tIDLE\tMEMORY\tBREAKER\tCALLS\tERRORS\tFAULTS\tLAST FAULT")
	for _, p := range all {
		places := p.Attachments
		if len(places) == 0 {
			places = []pluginAttachments{{Place: "nowhere"}}
		}
		for _, at := range places {
			fmt.Fprintf(t, "%s\t%s\t%s\t%d\t%s\t%d of %d\t%d\t%s\t%s\t%d\t%d\t%d\t%s\n", printable(p.Name), p.Kind, p.Engine, p.Generation, printable(at.at()),
				at.Instances, at.Most, at.Idle, sizeText(int(at.Memory)), cmp.Or(at.Breaker, "-"), p.Calls, p.Errors, p.Faults, p.LastFault.text(now))
		}
	}
	if err := t.Flush(); err != nil || !a.verbose {
		return err
	}
	for _, p := range all {
		if err := a.sayFaults(&p, now); err != nil {
			return err
		}
	}
	return nil
}

// text is a fault in a line.
func (f *pluginFault) text(now time.Time) string {
	if f == nil {
		return "-"
	}
	return excerpt(strings.Join([]string{f.what(), f.Message, age(f.At, now) + " ago"}, ", "), 100)
}

// what is the kind of a fault, and in which call it was.
func (f *pluginFault) what() string {
	if f.Export == "" {
		return f.Kind
	}
	return f.Kind + " in " + f.Export
}

// sayFaults prints the last faults of a plugin, the newest first.
func (a *app) sayFaults(p *pluginStatus, now time.Time) error {
	var b strings.Builder
	if len(p.LastFaults) > 0 {
		fmt.Fprintf(&b, "\n%s: the last faults, of %d\n", printable(p.Name), p.Faults)
	}
	for _, f := range p.LastFaults {
		of := ""
		if f.Request != "" {
			of = ", request " + f.Request
		}
		fmt.Fprintf(&b, "  %s, %s ago, at %s%s: %s: %s\n", f.At.Format(time.RFC3339), age(f.At, now), printable(f.Place), of, f.what(), printable(f.Message))
		sayLines(&b, "stack", firstLines(f.Stack))
		sayLines(&b, "stderr", lastLines(f.Stderr))
	}
	_, err := io.WriteString(a.stdout, b.String())
	return err
}

// shownLines is how many lines of a stack or of stderr people get; -o json has all.
const shownLines = 8

// sayLines writes lines under a heading.
func sayLines(b *strings.Builder, heading string, lines []string) {
	for _, line := range lines {
		fmt.Fprintf(b, "    %-6s  %s\n", heading, printable(line))
		heading = ""
	}
}

// firstLines are the first lines of a text; how many there are beyond is the last.
func firstLines(text string) []string {
	lines := linesOf(text)
	if over := len(lines) - shownLines; over > 0 {
		return append(lines[:shownLines:shownLines], fmt.Sprintf("… %d more", over))
	}
	return lines
}

// lastLines are the last lines of a text.
func lastLines(text string) []string {
	lines := linesOf(text)
	return lines[max(0, len(lines)-shownLines):]
}

// linesOf are the lines of a text; none, if it has nothing in it.
func linesOf(text string) []string {
	if text = strings.TrimSpace(text); text == "" {
		return nil
	}
	return strings.Split(text, "\n")
}
