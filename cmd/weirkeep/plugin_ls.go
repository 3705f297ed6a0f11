package main

import (
	"cmp"
	"context"
	"fmt"
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
			"  INSTANCES  that there are, of how many there may be\n" +
			"  CALLS      since the plugin was first there; what follows is of those\n" +
			"  ERRORS     answers that were error codes\n" +
			"  FAULTS     calls that ended in a fault\n" +
			"  BREAKER    closed; open: it is not called for a while, for half of its calls faulted; trying\n" +
			"  LAST FAULT of the plugin, wherever it is attached\n\n" +
			"Counters are of the plugin, not of the place.",
		Args:        noArgs,
		Annotations: map[string]string{outputs: "json yaml jsonl"},
		RunE:        func(c *cobra.Command, _ []string) error { return a.pluginLs(c.Context(), file) },
	}
	fileFlag(c.Flags(), &file)
	return c
}

// pluginsFound is what the admin API answers, and `plugin ls -o json` prints.
type pluginsFound struct {
	Schema  int            `json:"schema"`
	Plugins []pluginStatus `json:"plugins"` // never null
}

// pluginStatus is how a plugin is.
type pluginStatus struct {
	Name        string              `json:"name"`
	Kind        string              `json:"kind"`
	Engine      string              `json:"engine"`
	SHA256      string              `json:"sha256"`
	Calls       uint64              `json:"calls"`
	Errors      uint64              `json:"errors"` // negative answers
	Faults      uint64              `json:"faults"`
	LastFault   *pluginFault        `json:"last_fault"`
	Attachments []pluginAttachments `json:"attachments"` // never null
}

// pluginFault is a fault.
type pluginFault struct {
	At      time.Time `json:"at"`
	Kind    string    `json:"kind"`
	Export  string    `json:"export"`
	Message string    `json:"message"`
}

// pluginAttachments is a place where a plugin is attached.
type pluginAttachments struct {
	Place     string `json:"place"`
	Instances int    `json:"instances"`
	Most      int    `json:"most"`
	Breaker   string `json:"breaker"`
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

func (a *app) sayPlugins(all []pluginStatus, now time.Time) error {
	t := tabwriter.NewWriter(a.stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "PLUGIN\tKIND\tENGINE\tAT\tINSTANCES\tBREAKER\tCALLS\tERRORS\tFAULTS\tLAST FAULT")
	for _, p := range all {
		places := p.Attachments
		if len(places) == 0 {
			places = []pluginAttachments{{Place: "nowhere"}}
		}
		for _, at := range places {
			fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%d of %d\t%s\t%d\t%d\t%d\t%s\n", printable(p.Name), p.Kind, p.Engine, printable(at.Place),
				at.Instances, at.Most, cmp.Or(at.Breaker, "-"), p.Calls, p.Errors, p.Faults, p.LastFault.text(now))
		}
	}
	return t.Flush()
}

// text is a fault in a line.
func (f *pluginFault) text(now time.Time) string {
	if f == nil {
		return "-"
	}
	in := ""
	if f.Export != "" {
		in = " in " + f.Export
	}
	return excerpt(strings.Join([]string{f.Kind + in, f.Message, age(f.At, now) + " ago"}, ", "), 100)
}
