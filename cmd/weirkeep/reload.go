package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"strconv"

	"github.com/spf13/cobra"

	"weirkeep/gateway/config"
)

func newReload(a *app) *cobra.Command {
	var file string
	c := &cobra.Command{
		Use:         "reload",
		Short:       "Make a running gateway read its configuration again",
		Long:        "Reload asks the admin API of a running gateway to read its files again, as SIGHUP does.\nA configuration with mistakes changes nothing.\n\nOf the file only admin and node.state_dir are read here, to find the gateway; the rest may be\nwrong, or for the gateway's user alone.\n\nThe token is WEIRKEEP_TOKEN, or what the configuration says, or in the gateway's state directory.",
		Args:        noArgs,
		Annotations: map[string]string{outputs: "json yaml"},
		RunE: func(c *cobra.Command, _ []string) error {
			return a.reload(c.Context(), file)
		},
	}
	fileFlag(c.Flags(), &file)
	return c
}

// outcome is what `reload -o json` prints.
type outcome struct {
	Schema   int             `json:"schema"`
	OK       bool            `json:"ok"`
	Revision int             `json:"revision,omitempty"` // that is current now, when OK
	Problems config.Problems `json:"problems"`           // never null
}

// reply is what the admin API answers: of a reload that was done, or a problem.
type reply struct {
	Type       string    `json:"type"`
	Revision   int       `json:"revision"`
	Warnings   []finding `json:"warnings"`
	Detail     string    `json:"detail"`
	Suggestion string    `json:"suggestion"`
	Problems   []finding `json:"problems"`
}

// finding is a problem of the configuration as the admin API shows it.
type finding struct {
	Code       string `json:"code"`
	Severity   string `json:"severity"`
	Detail     string `json:"detail"`
	Instance   string `json:"instance"` // file:line:column
	Excerpt    string `json:"excerpt"`
	Suggestion string `json:"suggestion"`
}

func (a *app) reload(ctx context.Context, file string) error {
	e, err := a.endpoint(file)
	if err != nil {
		return err
	}
	status, r, err := e.post(ctx, a, "/v1/config:reload")
	if err != nil {
		return e.unreachable(err)
	}
	switch status {
	case http.StatusOK:
		return a.sayReloaded(r)
	case http.StatusUnprocessableEntity:
		return a.sayRejected(r)
	case http.StatusUnauthorized, http.StatusForbidden:
		return e.refused(r)
	}
	return fmt.Errorf("the admin API answers %d: %s", status, r.Detail)
}

func (e endpoint) unreachable(err error) error {
	var u *url.Error
	if errors.As(err, &u) {
		err = u.Err // without the URL of the request
	}
	return &failure{
		status: exitUnreachable,
		err:    fmt.Errorf("the admin API at %s does not answer: %w", cmp.Or(e.socket, e.base), err),
		hint:   e.source,
	}
}

func (e endpoint) refused(r reply) error {
	hint := r.Suggestion
	if e.noToken != nil {
		hint = "no token was found: " + e.noToken.Error() + "; " + hint
	}
	return &failure{status: exitRefused, err: errors.New("the admin API refuses: " + r.Detail), hint: hint}
}

// post sends an empty request and reads the answer.
func (e endpoint) post(ctx context.Context, a *app, path string) (status int, r reply, err error) {
	answer, err := e.send(ctx, a, http.MethodPost, path)
	if err != nil {
		return 0, r, err
	}
	defer answer.Body.Close()
	if err := json.NewDecoder(io.LimitReader(answer.Body, maxReply)).Decode(&r); err != nil {
		r.Detail = "this is no answer of weirkeep: " + err.Error()
		if answer.StatusCode == http.StatusOK {
			return 0, r, errors.New(r.Detail)
		}
	}
	return answer.StatusCode, r, nil
}

// maxReply bounds what is read of an answer.
const maxReply = 64 << 20

func (a *app) sayReloaded(r reply) error {
	warnings := problems(r.Warnings)
	a.sayFound(warnings)
	if a.machine() {
		return a.print(outcome{Schema: 1, OK: true, Revision: r.Revision, Problems: warnings})
	}
	return a.sayResult("reloaded, revision %d is current", r.Revision)
}

func (a *app) sayRejected(r reply) error {
	ps := problems(r.Problems)
	a.sayFound(ps)
	a.sayVerdict(ps, "Nothing was changed.")
	if a.machine() {
		if err := a.print(outcome{Schema: 1, Problems: ps}); err != nil {
			return err
		}
	}
	return &failure{status: exitConfig}
}

// instanceForm is file:line:column.
var instanceForm = regexp.MustCompile(`^(.*):(\d+):(\d+)$`)

// problems are the findings as config has them.
func problems(fs []finding) config.Problems {
	ps := make(config.Problems, 0, len(fs))
	for _, f := range fs {
		p := config.Problem{Code: f.Code, Message: f.Detail, Excerpt: f.Excerpt, Hint: f.Suggestion}
		if f.Severity == config.Warning.String() {
			p.Severity = config.Warning
		}
		if m := instanceForm.FindStringSubmatch(f.Instance); m != nil {
			p.File = m[1]
			p.Line, _ = strconv.Atoi(m[2])
			p.Column, _ = strconv.Atoi(m[3])
		}
		ps = append(ps, p)
	}
	return ps
}
