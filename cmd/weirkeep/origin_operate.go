package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"weirkeep/gateway/admin"
)

// operation is what is wanted of origins, as the admin API takes it.
type operation struct {
	Origins []string `json:"origins"`
	State   string   `json:"state,omitempty"`
	Weight  *int     `json:"weight,omitempty"` // 0: the configuration's
	Force   bool     `json:"force,omitempty"`
	DryRun  bool     `json:"dry_run,omitempty"`

	file string // of the configuration
}

// operateFlags are those of every command that says what origins may be sent.
func operateFlags(f *pflag.FlagSet, o *operation) {
	fileFlag(f, &o.file)
	f.BoolVar(&o.DryRun, "dry-run", false, "say what would happen, and do nothing")
	if o.State != "serving" && o.State != "" {
		f.BoolVar(&o.Force, "force", false, "also if a cluster has no origin left then that takes new clients")
	}
}

// ofOrigins is how origins are named.
const ofOrigins = "An origin is named by its name, cluster/name, cell/cluster/name or its address; or several are, by a\n" +
	"pattern of these, in quotes: 'shop/*'. All are changed, or none."

func newOriginMaintain(a *app) *cobra.Command {
	return a.newOperation("maintain", "maintenance", "Send origins only what a rule lets in",
		"Maintain sends origins only what a rule with allow_maintenance lets in, so that they can be tried out;\nsessions that are bound to them go elsewhere. What is in flight ends where it is.")
}

func newOriginDisable(a *app) *cobra.Command {
	return a.newOperation("disable", "disabled", "Send origins nothing",
		"Disable sends origins nothing any more; sessions that are bound to them go elsewhere. What is in\nflight ends where it is. Drain lets sessions end before.")
}

func newOriginEnable(a *app) *cobra.Command {
	return a.newOperation("enable", "serving", "Take back what was set by drain, maintain or disable",
		"Enable makes origins again what the configuration and roll-outs say. What these close stays closed,\nand it is said who does.")
}

// newOperation is a command that says what origins may be sent.
func (a *app) newOperation(verb, state, short, long string) *cobra.Command {
	o := operation{State: state}
	c := &cobra.Command{
		Use: verb + " ORIGIN...", Short: short, Long: long + "\n\n" + ofOrigins,
		Args:        cobra.MinimumNArgs(1),
		Annotations: map[string]string{outputs: "json yaml jsonl"},
		RunE: func(c *cobra.Command, args []string) error {
			o.Origins = args
			return a.operateOrigins(c.Context(), o)
		},
	}
	operateFlags(c.Flags(), &o)
	return c
}

func (a *app) operateOrigins(ctx context.Context, o operation) error {
	e, err := a.endpoint(o.file)
	if err != nil {
		return err
	}
	done, err := a.operate(ctx, e, o)
	if err != nil {
		return err
	}
	return a.sayOperated(o, done)
}

// operatedFound is what `origin enable -o json` and its like print.
type operatedFound struct {
	Schema  int              `json:"schema"`
	DryRun  bool             `json:"dry_run"`
	Origins []admin.Operated `json:"origins"` // never null
}

// operate asks for an operation. Every error is one for people.
func (a *app) operate(ctx context.Context, e endpoint, o operation) (operatedFound, error) {
	done := operatedFound{Schema: 1}
	err := e.askBy(ctx, a, http.MethodPatch, "/v1/origins", o, &done)
	var refused *apiError
	switch {
	case !errors.As(err, &refused):
		return done, err
	case strings.HasSuffix(refused.Type, ":last-origin"):
		return done, &failure{status: exitFailure, err: errors.New(refused.Detail), hint: "--force does it all the same"}
	case refused.status == http.StatusNotFound:
		return done, a.noOrigin(ctx, e, o, refused)
	}
	return done, err
}

// noOrigin says which origin was probably meant.
func (a *app) noOrigin(ctx context.Context, e endpoint, o operation, refused *apiError) error {
	f := &failure{status: exitUsage, err: errors.New(refused.Detail), hint: "weirkeep origin ls lists them"}
	var all origins
	if err := e.get(ctx, a, "/v1/origins", &all); err != nil {
		return f
	}
	for _, name := range o.Origins {
		if strings.Contains(refused.Detail, fmt.Sprintf("%q", name)) {
			f.hint = didYouMean(name, namesOf(all.Origins), f.hint)
		}
	}
	return f
}

// namesOf are all the names that origins go by.
func namesOf(all []admin.OriginStatus) (names []string) {
	for _, o := range all {
		names = append(names, o.Name, o.Address, shortCluster(o)+"/"+o.Name, originPath(o.Cell, shortCluster(o), o.Name))
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// shortCluster is the cluster of an origin without its cell.
func shortCluster(o admin.OriginStatus) string {
	return strings.TrimPrefix(o.Cluster, o.Cell+"/")
}

func originPath(cell, cluster, name string) string { return cell + "/" + cluster + "/" + name }

// sayOperated says what became of origins.
func (a *app) sayOperated(o operation, done operatedFound) error {
	if a.output == "jsonl" {
		for _, one := range done.Origins {
			if err := a.print(one); err != nil {
				return err
			}
		}
		return nil
	}
	if a.machine() {
		return a.print(done)
	}
	for _, one := range done.Origins {
		if err := a.sayResult("%s", printable(operatedText(o, one))); err != nil {
			return err
		}
	}
	return nil
}

// operatedText is what became of an origin, and why that is not what was wanted.
func operatedText(o operation, one admin.Operated) string {
	if one.Cluster == "" {
		return fmt.Sprintf("%s: no cluster has it now; what was set is %s", namedAddress(one.Name, one.Address), would(o.DryRun, "forgotten"))
	}
	if o.Weight != nil {
		return weighedText(o, one)
	}
	text := originPath(one.Cell, one.Cluster, one.Name) + ": " + one.Before.State
	switch {
	case one.Before.State != one.Now.State:
		text += " -> " + one.Now.State
	case one.Now.State == o.State:
		text += " already"
	default:
		text += " still"
	}
	if o.DryRun {
		text += " (not done)"
	}
	return text + whyNot(o.State, one)
}

// whyNot says who keeps an origin from what is wanted.
func whyNot(wanted string, one admin.Operated) string {
	if one.Now.State == wanted {
		return ""
	}
	why := ": " + whoCloses[one.Now.StateBy]
	if wanted != "serving" {
		why += "; " + wanted + " holds when that is over"
	}
	return why
}

// whoCloses says what keeps an origin closed, and what opens it.
var whoCloses = map[string]string{
	byConfiguration: "the configuration says so; a changed state there and weirkeep reload open it",
	"rollout":       "a roll-out closes it; weirkeep edition status says for how long",
	"servers":       "its WebLogic cluster lists it no more",
	"discovery":     "it is found no more",
}

// would is what is done, or would be.
func would(dry bool, what string) string {
	if dry {
		return "to be " + what
	}
	return what
}
