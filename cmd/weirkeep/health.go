package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/spf13/cobra"
)

func newHealth(a *app) *cobra.Command {
	var file string
	var live bool
	c := &cobra.Command{
		Use:   "health",
		Short: "Ask a running gateway whether it is ready",
		Long: "Health asks the admin API of a running gateway whether new clients should be sent to it, as\n" +
			"load balancers do. The exit status is 0 if it is ready, 1 if it is not and why, 4 if it does\n" +
			"not answer. No token is needed.\n\n" +
			"It is not ready before its first configuration, while it drains, and while every origin is\n" +
			"out and all of them are checked (clusters.*.health or failover.ping). Without checks only\n" +
			"requests find out whether an origin is back.\n\n" +
			"With --live the question is only whether the process is alive: that is for who would replace\n" +
			"it, for another gateway does not bring origins back.",
		Args:        noArgs,
		Annotations: map[string]string{outputs: "json yaml"},
		RunE: func(c *cobra.Command, _ []string) error {
			return a.health(c.Context(), file, live)
		},
	}
	fileFlag(c.Flags(), &file)
	c.Flags().BoolVar(&live, "live", false, "ask whether the process is alive (/healthz), not whether it is ready (/readyz)")
	return c
}

// healthReport is what `health -o json` prints.
type healthReport struct {
	Schema int    `json:"schema"`
	OK     bool   `json:"ok"`
	Asked  string `json:"asked"`            // ready or live
	Status int    `json:"status"`           // of the answer
	Detail string `json:"detail,omitempty"` // why it is not ok
}

func (a *app) health(ctx context.Context, file string, live bool) error {
	e, err := a.openEndpoint(file)
	if err != nil {
		return err
	}
	asked, path := "ready", "/readyz"
	if live {
		asked, path = "live", "/healthz"
	}
	report, err := e.probe(ctx, a, path)
	if err != nil {
		return e.unreachable(err)
	}
	report.Asked = asked
	return a.sayHealth(report)
}

// probe asks a path that needs no token.
func (e endpoint) probe(ctx context.Context, a *app, path string) (r healthReport, err error) {
	e.token = "" // it may cross a network in the clear
	answer, err := e.send(ctx, a, http.MethodGet, path)
	if err != nil {
		return r, err
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(io.LimitReader(answer.Body, maxProbe))
	if err != nil {
		return r, err
	}
	r = healthReport{Schema: 1, OK: answer.StatusCode == http.StatusOK, Status: answer.StatusCode}
	if !r.OK {
		r.Detail = problemDetail(text)
	}
	return r, nil
}

// maxProbe bounds what is read of the answer to a probe.
const maxProbe = 16 << 10

// problemDetail is what a problem document says; another text is taken as it is.
func problemDetail(text []byte) string {
	var p struct {
		Detail string `json:"detail"`
	}
	if json.Unmarshal(text, &p) == nil && p.Detail != "" {
		return p.Detail
	}
	line, _, _ := strings.Cut(strings.TrimSpace(string(text)), "\n")
	return line
}

func (a *app) sayHealth(r healthReport) error {
	if a.machine() {
		if err := a.print(r); err != nil || r.OK {
			return err
		}
		return &failure{status: exitFailure}
	}
	if r.OK {
		return a.sayResult("%s", r.Asked)
	}
	if r.Detail == "" {
		return fmt.Errorf("not %s: the admin API answers %d", r.Asked, r.Status)
	}
	return errors.New("not " + r.Asked + ": " + r.Detail)
}
