package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
)

// send sends a request without a body, with the token if there is one.
func (e endpoint) send(ctx context.Context, a *app, method, path string) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, method, e.base+path, nil)
	if err != nil {
		return nil, err
	}
	if e.token != "" {
		req.Header.Set("Authorization", "Bearer "+e.token)
	}
	return e.client(a).Do(req)
}

// get reads what the admin API has at a path. Every error is one for people.
func (e endpoint) get(ctx context.Context, a *app, path string, into any) error {
	answer, err := e.send(ctx, a, http.MethodGet, path)
	if err != nil {
		return e.unreachable(err)
	}
	defer answer.Body.Close()
	body := json.NewDecoder(io.LimitReader(answer.Body, maxReply))
	if answer.StatusCode == http.StatusOK {
		if err := body.Decode(into); err != nil {
			return e.unreachable(fmt.Errorf("this is no answer of weirkeep: %w", err))
		}
		return nil
	}
	var r reply
	if err := body.Decode(&r); err != nil {
		r.Detail = "this is no answer of weirkeep: " + err.Error()
	}
	if answer.StatusCode == http.StatusUnauthorized || answer.StatusCode == http.StatusForbidden {
		return e.refused(r)
	}
	return fmt.Errorf("the admin API answers %d: %s", answer.StatusCode, r.Detail)
}
