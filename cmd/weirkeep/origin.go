package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"
	"unicode"

	"github.com/spf13/cobra"

	"weirkeep/gateway/admin"
)

func newOrigin(a *app) *cobra.Command {
	c := &cobra.Command{
		Use:   "origin",
		Short: "How the origins of a running gateway are, and what they may be sent",
		Long: "Drain, maintain and disable close origins of a running gateway further than the configuration\n" +
			"does; enable takes that back. Weight sets their weights. It holds after reloads and restarts. Of all words, those of the\n" +
			"configuration, of roll-outs, of WebLogic's lists of servers and of operators, the most closed holds:\n" +
			"enable opens nothing that the configuration closes.",
		Args: onlyCommands,
		RunE: func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	for _, build := range originCommands {
		c.AddCommand(build(a))
	}
	return c
}

// originCommands are the commands below origin. To add one, write it and add its line
// here.
var originCommands = []func(*app) *cobra.Command{
	newOriginDisable,
	newOriginDrain,
	newOriginEnable,
	newOriginLs,
	newOriginMaintain,
	newOriginWeight,
}

func newOriginLs(a *app) *cobra.Command {
	var file string
	c := &cobra.Command{
		Use:   "ls [CLUSTER]",
		Short: "List every origin, or those of a cluster",
		Long: "Ls asks a running gateway for its origins. Load and health belong to the address: they are the\n" +
			"same in every cluster that names it.\n\n" +
			"  STATE       what it may be sent: serving, draining, maintenance or disabled; *: set by an operator\n" +
			"  HEALTH      up; down: its health check or collector says so; ejected: requests failed there. Where\n" +
			"              neither health nor ping is configured, it stays so until a request tries it\n" +
			"  LOAD        exchanges under way there, of how many it may have\n" +
			"  WAITING     exchanges in a queue that would take a slot here; one that would take any of three\n" +
			"              is counted at each of them\n" +
			"  WEIGHT      by which the balancer of the cluster goes, its host's or its own; -: it goes by none\n" +
			"  METRIC      how busy the collector of the cluster finds it: 0 is busy, 100 is idle; and where that\n" +
			"              comes from: initial is before the first sample, default when nothing is known; -: it has\n" +
			"              no collector\n" +
			"  SESSIONS    sessions that are bound to it\n" +
			"  FAILURES    attempts of this cluster that failed, since the start\n" +
			"  SINCE       how long ago its health changed; -: it has been up from the first\n" +
			"  LAST ERROR  of the last attempt or check that failed, whichever cluster made it\n\n" +
			"With -v, STATE says whose word it is, and who has set what. With --history or -v, the last changes\n" +
			"of health follow, each with what was seen then, and by whom: requests, a trial (one request that\n" +
			"tries it out), a health check, a ping or the cluster's collector; and before them where an origin\n" +
			"was found that nobody has written. weirkeep help words lists what these words mean.",
		Args:        cobra.MaximumNArgs(1),
		Annotations: map[string]string{outputs: "json yaml jsonl"},
		RunE: func(c *cobra.Command, args []string) error {
			return a.originLs(c.Context(), file, strings.Join(args, ""))
		},
	}
	fileFlag(c.Flags(), &file)
	const history = "the last changes of each origin's health, and why"
	a.verboseFlag(c.Flags(), history)
	c.Flags().BoolVar(&a.verbose, "history", false, "the same as -v: "+history)
	return c
}

// origins is what `origin ls -o json` prints.
type origins struct {
	Schema  int                  `json:"schema"`
	Origins []admin.OriginStatus `json:"origins"` // never null
}

func (a *app) originLs(ctx context.Context, file, cluster string) error {
	e, err := a.endpoint(file)
	if err != nil {
		return err
	}
	found := origins{Schema: 1}
	if err := e.get(ctx, a, "/v1/origins", &found); err != nil {
		return err
	}
	its, named, err := a.namedCluster(ctx, e, found.Origins, cluster)
	if err != nil {
		return err
	}
	found.Origins = its
	switch {
	case a.output == "jsonl":
		return a.printOrigins(found.Origins)
	case a.machine():
		return a.print(found)
	}
	if err := a.sayOrigins(found.Origins, time.Now()); err != nil {
		return err
	}
	a.sayEmpty(named, found.Origins)
	return nil
}

// capacityText is a capacity for people.
func capacityText(n int64, learned bool) string {
	if learned {
		return fmt.Sprintf("auto %d", n)
	}
	return fmt.Sprint(n)
}

// printOrigins prints one origin a line.
func (a *app) printOrigins(all []admin.OriginStatus) error {
	for _, o := range all {
		if err := a.print(o); err != nil {
			return err
		}
	}
	return nil
}

// sayOrigins prints the table for people, and the history if they want it.
func (a *app) sayOrigins(all []admin.OriginStatus, now time.Time) error {
	t := tabwriter.NewWriter(a.stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "CLUSTER\tORIGIN\tADDRESS\tSTATE\tHEALTH\tLOAD\tWAITING\tWEIGHT\tMETRIC\tSESSIONS\tFAILURES\tSINCE\tLAST ERROR")
	for _, o := range all {
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%s\t%d/%s\t%d\t%s\t%s\t%d\t%d\t%s\t%s\n",
			o.Cluster, o.Name, o.Address, a.stateText(o, now), o.Health, o.Load, capacityText(o.Capacity, o.Learned),
			o.Waiting, a.weightMark(o, now), metricText(o), o.Sessions, o.Failures, age(o.Since, now), lastError(o, now))
	}
	if err := t.Flush(); err != nil {
		return err
	}
	if !a.verbose {
		return a.sayMarked(all)
	}
	for _, o := range all {
		if err := writeHistory(a.stdout, o); err != nil {
			return err
		}
	}
	return nil
}

// numberText is a number, or "-" where there is none.
func numberText(n *int) string {
	if n == nil {
		return "-"
	}
	return strconv.Itoa(*n)
}

// metricText is a metric and where it comes from, or "-" where no collector finds one.
func metricText(o admin.OriginStatus) string {
	if o.Metric == nil {
		return "-"
	}
	return fmt.Sprintf("%d (%s)", *o.Metric, printable(o.MetricFrom))
}

// age is how long ago something happened, to two units; "-" if it did not.
func age(at, now time.Time) string {
	if at.IsZero() {
		return "-"
	}
	return durationText(max(now.Sub(at), 0))
}

// durationText is how long something takes, to two units.
func durationText(d time.Duration) string {
	switch {
	case d < time.Minute:
		return fmt.Sprintf("%ds", int(d.Seconds()))
	case d < time.Hour:
		return fmt.Sprintf("%dm%ds", int(d.Minutes()), int(d.Seconds())%60)
	case d < 48*time.Hour:
		return fmt.Sprintf("%dh%dm", int(d.Hours()), int(d.Minutes())%60)
	}
	return fmt.Sprintf("%dd%dh", int(d.Hours())/24, int(d.Hours())%24)
}

func lastError(o admin.OriginStatus, now time.Time) string {
	if o.LastError == "" {
		return "-"
	}
	return printable(o.LastError) + " (" + age(o.LastErrorAt, now) + " ago)"
}

// writeHistory writes how an origin's health has changed, the oldest first.
func writeHistory(w io.Writer, o admin.OriginStatus) error {
	if _, err := fmt.Fprintf(w, "\n%s/%s\n", o.Cluster, namedAddress(o.Name, o.Address)); err != nil {
		return err
	}
	if o.Found != "" {
		if _, err := fmt.Fprintf(w, "  found by %s\n", printable(o.Found)); err != nil {
			return err
		}
	}
	for _, t := range o.Transitions {
		if _, err := fmt.Fprintf(w, "  %s  %s -> %s  %s\n", t.At.Local().Format(time.DateTime), t.From, t.To, evidence(t)); err != nil {
			return err
		}
	}
	if len(o.Transitions) == 0 {
		_, err := fmt.Fprintf(w, "  no change of health since it was named\n")
		return err
	}
	return nil
}

// evidence is why a change happened, how often it was seen, and by whom.
func evidence(t admin.Transition) string {
	by := "by " + cmp.Or(witnesses[t.By], printable(t.By))
	if t.Cluster != "" {
		by += " of cluster " + t.Cluster
	}
	if t.Failures > 1 {
		by = fmt.Sprintf("%d in a row, ", t.Failures) + by
	}
	return cmp.Or(printable(t.Why), "-") + " (" + by + ")"
}

// witnesses are those who see a change of health, in words.
var witnesses = map[string]string{"requests": "requests", "trial": "a trial", "check": "a health check", "ping": "a ping", "collector": "a collector"}

// printable is a text without what a terminal would obey: parts of it come from
// origins.
func printable(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) {
			return r
		}
		return '?'
	}, text)
}
