package main

import (
	"context"
	"fmt"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"weirkeep/gateway/rollout"
)

func newEditionStatus(a *app) *cobra.Command {
	var file string
	var wait bool
	c := &cobra.Command{
		Use:   "status [APPLICATION]",
		Short: "How roll-outs stand",
		Long: "Status shows every roll-out that runs, or is over and still holds.\n\n" +
			"  STAGE     pending; draining: its sessions are waited for; waiting-for-ready: closed, so that\n" +
			"            somebody renews it; ready: renewed, and closed until its half is; done\n" +
			"  SESSIONS  bound to it; ?: nobody counts them\n" +
			"  WAITS     what has to happen until it goes on\n\n" +
			"With --wait every change is shown until the roll-out is over.",
		Args:        cobra.MaximumNArgs(1),
		Annotations: map[string]string{outputs: "json yaml jsonl"},
		RunE: func(c *cobra.Command, args []string) error {
			return a.rolloutStatus(c.Context(), file, strings.Join(args, ""), wait)
		},
	}
	fileFlag(c.Flags(), &file)
	waitFlag(c.Flags(), &wait)
	return c
}

func waitFlag(f *pflag.FlagSet, wait *bool) {
	f.BoolVarP(wait, "wait", "w", false, "show what happens until the roll-out is over")
}

// rolloutsFound is what `edition status -o json` prints.
type rolloutsFound struct {
	Schema   int              `json:"schema"`
	Rollouts []rollout.Status `json:"rollouts"` // never null
}

func (a *app) rolloutStatus(ctx context.Context, file, application string, wait bool) error {
	e, err := a.endpoint(file)
	if err != nil {
		return err
	}
	found, err := a.findRollouts(ctx, e, application)
	switch {
	case err != nil:
		return err
	case wait && len(found.Rollouts) == 1:
		return a.followRollout(ctx, e, found.Rollouts[0])
	case wait:
		return &failure{status: exitUsage, err: fmt.Errorf("there are %d roll-outs: say of which application to wait for the end", len(found.Rollouts))}
	case a.output == "jsonl":
		return a.printRollouts(found.Rollouts)
	case a.machine():
		return a.print(found)
	case len(found.Rollouts) == 0:
		return a.sayResult("there is no roll-out: the configuration says which editions serve")
	}
	for _, s := range found.Rollouts {
		if err := a.sayRollout(s); err != nil {
			return err
		}
	}
	return nil
}

// printRollouts prints one roll-out a line.
func (a *app) printRollouts(all []rollout.Status) error {
	for _, s := range all {
		if err := a.print(rolloutShown{1, s}); err != nil {
			return err
		}
	}
	return nil
}

// findRollouts asks for all roll-outs, or that of one application.
func (a *app) findRollouts(ctx context.Context, e endpoint, application string) (rolloutsFound, error) {
	found := rolloutsFound{Schema: 1}
	if err := e.get(ctx, a, "/v1/rollouts", &found); err != nil || application == "" {
		return found, err
	}
	var names []string
	for _, s := range found.Rollouts {
		if s.Application == application {
			return rolloutsFound{Schema: 1, Rollouts: []rollout.Status{s}}, nil
		}
		names = append(names, s.Application)
	}
	return found, &failure{status: exitUsage, err: fmt.Errorf("there is no roll-out of %q", application),
		hint: didYouMean(application, names, "weirkeep edition rollout "+application+" begins one")}
}

// followPause is how often a roll-out that is followed is looked at.
const followPause = time.Second

// followRollout shows every change of a roll-out until it is over. A roll-out that
// did not finish is an error.
func (a *app) followRollout(ctx context.Context, e endpoint, s rollout.Status) error {
	shown := rolloutProgress{}
	for {
		if err := a.sayProgress(&shown, s); err != nil || s.Phase == rollout.Finished {
			return err
		}
		if s.Phase == rollout.Cancelled {
			return fmt.Errorf("the roll-out of %s from %s to %s was cancelled", s.Application, s.From, s.To)
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(followPause):
		}
		found, err := a.findRollouts(ctx, e, s.Application)
		if err != nil {
			return err
		}
		s = found.Rollouts[0]
	}
}

// rolloutProgress is what has been shown of a roll-out.
type rolloutProgress struct {
	stages map[string]rollout.Stage
	held   string
}

// sayProgress shows what has changed: a line for people, all of it for machines.
func (a *app) sayProgress(shown *rolloutProgress, s rollout.Status) error {
	stages := make(map[string]rollout.Stage, len(s.Origins))
	var lines []string
	for _, o := range s.Origins {
		if stages[o.Name] = o.Stage; shown.stages[o.Name] != o.Stage {
			lines = append(lines, fmt.Sprintf("%s  %s %s%s", o.Since.Local().Format(time.TimeOnly), o.Name, o.Stage, waits(o)))
		}
	}
	if s.Held != shown.held && s.Held != "" {
		lines = append(lines, "held: "+s.Held)
	}
	first := shown.stages == nil
	shown.stages, shown.held = stages, s.Held
	switch over := s.Phase != rollout.Running; {
	case over, a.output == "jsonl" && (first || len(lines) > 0):
		return a.sayRollout(s)
	case a.machine():
		return nil
	}
	for _, line := range lines {
		fmt.Fprintf(a.stdout, "%d of %d  %s\n", s.Done, s.Total, printable(line))
	}
	return nil
}

func waits(o rollout.MemberStatus) string {
	if o.Waits == "" {
		return ""
	}
	return ": waits " + o.Waits
}

// rolloutShown is what `edition rollout -o json` and its like print.
type rolloutShown struct {
	Schema int `json:"schema"`
	rollout.Status
}

// sayRollout says how a roll-out stands.
func (a *app) sayRollout(s rollout.Status) error {
	if a.machine() {
		return a.print(rolloutShown{1, s})
	}
	fmt.Fprintf(a.stdout, "%s %s -> %s, %s: %s, %d of %d origins done%s\n",
		s.Application, s.From, s.To, s.Strategy, s.Phase, s.Done, s.Total, batchOf(s))
	if s.Held != "" {
		fmt.Fprintln(a.stdout, "held: "+printable(s.Held))
	}
	t := tabwriter.NewWriter(a.stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "ORIGIN\tEDITION\tSTAGE\tSTATE\tSINCE\tSESSIONS\tIN FLIGHT\tUP\tWAITS")
	for _, o := range s.Origins {
		sessions := fmt.Sprint(o.Sessions)
		if o.Sessions < 0 {
			sessions = "?"
		}
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%s\t%s\t%d\t%s\t%s\n", o.Name, o.Label, o.Stage, o.State,
			age(o.Since, time.Now()), sessions, o.InFlight, yesNo(o.Up), printable(o.Waits))
	}
	if err := t.Flush(); err != nil {
		return err
	}
	return a.sayAfterwards(s)
}

func batchOf(s rollout.Status) string {
	if s.Batch == 0 {
		return ""
	}
	return fmt.Sprintf(", batch %d of %d, over at about %s (by %s)", s.Batch, s.Batches, s.Expected.Local().Format(time.TimeOnly), s.Basis)
}

// sayAfterwards says what is left to do when a roll-out is over.
func (a *app) sayAfterwards(s rollout.Status) error {
	switch {
	case s.Phase == rollout.Finished:
		return a.sayResult("finished: write active: %q in editions.%s, and the label of the origins; until the file says so, the gateway goes by the roll-out", s.To, s.Application)
	case s.Left == nil:
		return nil
	case len(s.Left.Unsure) > 0:
		fmt.Fprintf(a.stdout, "nobody knows what runs on %s: look, and set their labels in the configuration\n", printable(strings.Join(s.Left.Unsure, ", ")))
	}
	return a.sayResult("cancelled: %d origins run %s and %d run %s", len(s.Left.Old), s.From, len(s.Left.New), s.To)
}

func yesNo(b bool) string {
	if b {
		return "yes"
	}
	return "no"
}
