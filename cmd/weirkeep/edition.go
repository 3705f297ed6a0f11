package main

import (
	"context"
	"fmt"
	"net/url"

	"github.com/spf13/cobra"

	"weirkeep/gateway/rollout"
)

// editionCommands are the commands below edition. To add one, write it and add its
// line here.
var editionCommands = []func(*app) *cobra.Command{
	newEditionCancel,
	newEditionConfirm,
	newEditionForget,
	newEditionRollout,
	newEditionStatus,
}

func newEdition(a *app) *cobra.Command {
	c := &cobra.Command{
		Use:   "edition",
		Short: "Roll out editions of applications",
		Long: "An edition of an application is brought to its origins some at a time: those take no new sessions,\n" +
			"are waited for (for rollout.drain at most), and are closed. Then somebody renews them, which\n" +
			"is not the gateway's work. When a health answer says X-Edition: LABEL, or \"edition confirm\" says\n" +
			"so, they are opened with the new label, and the next ones follow.\n\n" +
			"  editions: { shop: { active: \"1.0\", next: \"2.0\", rollout: { strategy: grouped, drain: 30m } } }\n\n" +
			"grouped takes group_size origins at a time, and both editions serve meanwhile. atomic takes one\n" +
			"half and then the other; from the moment when the first half is ready, all that is new goes there.\n\n" +
			"A roll-out goes on after a restart of the gateway. When it is over, what it says holds until the\n" +
			"configuration says another active edition; write it there, and the labels of the origins.",
		Args: onlyCommands,
		RunE: func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	for _, build := range editionCommands {
		c.AddCommand(build(a))
	}
	return c
}

func newEditionRollout(a *app) *cobra.Command {
	var file, to string
	var wait bool
	c := &cobra.Command{
		Use:         "rollout APPLICATION",
		Short:       "Begin to bring the next edition to an application's origins",
		Long:        "Rollout begins with the first origins at once, and returns; with --wait it shows what happens until\nthe roll-out is over. To roll back is to roll out the edition before, with --to.",
		Args:        cobra.ExactArgs(1),
		Annotations: map[string]string{outputs: "json yaml jsonl"},
		RunE: func(c *cobra.Command, args []string) error {
			return a.changeRollout(c.Context(), file, args[0], "start", map[string]string{"to": to}, wait)
		},
	}
	fileFlag(c.Flags(), &file)
	c.Flags().StringVar(&to, "to", "", "`LABEL` of the edition (default: what the configuration says is next)")
	waitFlag(c.Flags(), &wait)
	return c
}

func newEditionConfirm(a *app) *cobra.Command {
	var file string
	var wait bool
	c := &cobra.Command{
		Use:         "confirm APPLICATION [ORIGIN...]",
		Short:       "Say that origins run the new edition",
		Long:        "Confirm is for origins whose health answers have no X-Edition. Without names it is said of all that\nare waiting-for-ready. One that still says that it runs the old edition is not believed to be new.",
		Args:        cobra.MinimumNArgs(1),
		Annotations: map[string]string{outputs: "json yaml jsonl"},
		RunE: func(c *cobra.Command, args []string) error {
			return a.changeRollout(c.Context(), file, args[0], "confirm", map[string][]string{"origins": args[1:]}, wait)
		},
	}
	fileFlag(c.Flags(), &file)
	waitFlag(c.Flags(), &wait)
	return c
}

func newEditionCancel(a *app) *cobra.Command {
	var file string
	c := &cobra.Command{
		Use:         "cancel APPLICATION",
		Short:       "End a roll-out where it is",
		Long:        "Cancel opens again what was drained or closed, with the edition that it runs. Nothing is rolled\nback: that is another roll-out, with --to. Origins that were being renewed and do not say what they\nrun are named.",
		Args:        cobra.ExactArgs(1),
		Annotations: map[string]string{outputs: "json yaml jsonl"},
		RunE: func(c *cobra.Command, args []string) error {
			return a.changeRollout(c.Context(), file, args[0], "cancel", nil, false)
		},
	}
	fileFlag(c.Flags(), &file)
	return c
}

func newEditionForget(a *app) *cobra.Command {
	var file string
	c := &cobra.Command{
		Use:         "forget APPLICATION",
		Short:       "Go by the configuration alone again, after a roll-out",
		Long:        "Forget takes away a roll-out that is over, at once: which edition is active, and what the origins\nrun, is then what the configuration says. That is done by itself when the configuration says another\nactive edition than when the roll-out began.",
		Args:        cobra.ExactArgs(1),
		Annotations: map[string]string{outputs: "json yaml"},
		RunE: func(c *cobra.Command, args []string) error {
			return a.forgetRollout(c.Context(), file, args[0])
		},
	}
	fileFlag(c.Flags(), &file)
	return c
}

// changeRollout asks for a change of a roll-out and says how that stands then.
func (a *app) changeRollout(ctx context.Context, file, application, what string, body any, wait bool) error {
	e, err := a.endpoint(file)
	if err != nil {
		return err
	}
	var s rollout.Status
	if err := e.ask(ctx, a, rolloutPath(application, what), body, &s); err != nil {
		return err
	}
	if wait {
		return a.followRollout(ctx, e, s)
	}
	return a.sayRollout(s)
}

// rolloutPath is where a change of a roll-out is asked for.
func rolloutPath(application, what string) string {
	return "/v1/rollouts/" + url.PathEscape(application) + "/" + what
}

// forgottenRollout is what `edition forget -o json` prints.
type forgottenRollout struct {
	Schema      int    `json:"schema"`
	Application string `json:"application"`
}

func (a *app) forgetRollout(ctx context.Context, file, application string) error {
	e, err := a.endpoint(file)
	if err != nil {
		return err
	}
	done := forgottenRollout{Schema: 1}
	if err := e.ask(ctx, a, rolloutPath(application, "forget"), nil, &done); err != nil {
		return err
	}
	if a.machine() {
		return a.print(done)
	}
	return a.sayResult("the roll-out of %s is forgotten: the configuration says which edition serves", fmt.Sprint(done.Application))
}
