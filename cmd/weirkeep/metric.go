package main

import (
	"context"
	"fmt"
	"math"
	"net/url"
	"strconv"

	"github.com/spf13/cobra"
)

func newMetric(a *app) *cobra.Command {
	c := &cobra.Command{
		Use:   "metric",
		Short: "Tell a running gateway how busy origins are",
		Args:  onlyCommands,
		RunE:  func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	c.AddCommand(newMetricPush(a))
	return c
}

func newMetricPush(a *app) *cobra.Command {
	var file, collector string
	c := &cobra.Command{
		Use:   "push CLUSTER ORIGIN NUMBER",
		Short: "Push the number that the metric of an origin is made of",
		Long: "Push is for clusters whose metric is pushed: something that knows how busy an origin is tells the\n" +
			"gateway, at least once an interval, or the default metric is in force (stale_after).\n\n" +
			"  clusters: { shop: { metric: { collector: value, source: push }, … } }\n\n" +
			"By the collector value the number is the metric, from 0, busy, to 100, idle, unless idle and busy\n" +
			"say what else it is, and the very next request goes by it. By log-delta it is one that only\n" +
			"grows. A number below zero stands behind --, so that it is no flag. weirkeep origin ls shows\n" +
			"what came of it. Programs push with POST /v1/metrics/CLUSTER/ORIGIN and {\"value\": NUMBER}.",
		Args:        cobra.ExactArgs(3),
		Annotations: map[string]string{outputs: "json yaml"},
		RunE: func(c *cobra.Command, args []string) error {
			return a.pushMetric(c.Context(), file, args, collector)
		},
	}
	fileFlag(c.Flags(), &file)
	c.Flags().StringVar(&collector, "collector", "", "what makes the number, as `TEXT`: the gateway tells when origins of a cluster have different ones")
	return c
}

// pushedMetric is what `metric push -o json` prints.
type pushedMetric struct {
	Schema  int    `json:"schema"`
	Cluster string `json:"cluster"`
	Origin  string `json:"origin"`
	Metric  int    `json:"metric"`
	From    string `json:"metric_from"`
}

func (a *app) pushMetric(ctx context.Context, file string, args []string, collector string) error {
	n, err := strconv.ParseFloat(args[2], 64)
	if err != nil || math.IsNaN(n) || math.IsInf(n, 0) {
		return &failure{status: exitUsage, err: fmt.Errorf("%q is no number", args[2]), hint: "0 is busy, 100 is idle"}
	}
	e, err := a.endpoint(file)
	if err != nil {
		return err
	}
	body := map[string]any{"value": n}
	if collector != "" {
		body["collector"] = collector
	}
	done := pushedMetric{Schema: 1}
	if err := e.ask(ctx, a, "/v1/metrics/"+url.PathEscape(args[0])+"/"+url.PathEscape(args[1]), body, &done); err != nil {
		return err
	}
	if a.machine() {
		return a.print(done)
	}
	return a.sayResult("the metric of %s/%s is %d (%s)", printable(done.Cluster), printable(done.Origin), done.Metric, printable(done.From))
}
