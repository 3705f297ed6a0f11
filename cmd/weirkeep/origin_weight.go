package main

import (
	"fmt"
	"strconv"

	"github.com/spf13/cobra"

	"weirkeep/gateway/admin"
)

func newOriginWeight(a *app) *cobra.Command {
	var o operation
	var standard bool
	c := &cobra.Command{
		Use:   "weight ORIGIN... WEIGHT",
		Short: "Set the weight of origins, or take it back",
		Long: "Weight sets the weight of origins, 1 to 100, over that of the configuration; with --default it is\n" +
			"that of the configuration again, and no weight is written. It holds after reloads and restarts. Only\n" +
			"the balancer weight-based goes by it; weights of hosts are the configuration's.\n\n" + ofOrigins,
		Args:        cobra.MinimumNArgs(1),
		Annotations: map[string]string{outputs: "json yaml jsonl"},
		RunE: func(c *cobra.Command, args []string) (err error) {
			if o.Origins, o.Weight, err = weightWanted(args, standard); err != nil {
				return usage(c, err)
			}
			return a.operateOrigins(c.Context(), o)
		},
	}
	operateFlags(c.Flags(), &o)
	c.Flags().BoolVar(&standard, "default", false, "take back what was set: the configuration's weight holds")
	return c
}

// weightWanted are the origins of a command line and their weight, 0 for the default.
func weightWanted(args []string, standard bool) (names []string, weight *int, err error) {
	if standard {
		return args, new(0), nil
	}
	last := len(args) - 1
	n, err := strconv.Atoi(args[last])
	switch {
	case err != nil:
		return nil, nil, fmt.Errorf("the weight comes last, and %q is no number; --default takes one back", args[last])
	case n < 1 || n > 100:
		return nil, nil, fmt.Errorf("the weight is %d, must be 1 to 100", n)
	case last == 0:
		return nil, nil, fmt.Errorf("whose weight should be %d?", n)
	}
	return args[:last], &n, nil
}

// weighedText is what became of an origin's weight.
func weighedText(o operation, one admin.Operated) string {
	text := fmt.Sprintf("%s: weight %d", originPath(one.Cell, one.Cluster, one.Name), one.Before.Weight)
	if one.Before.Weight == one.Now.Weight {
		text += " already"
	} else {
		text += fmt.Sprintf(" -> %d", one.Now.Weight)
	}
	if o.DryRun {
		text += " (not done)"
	}
	if !one.Weighed {
		text += ": no balancer of its clusters goes by it; weight-based does"
	}
	return text
}
