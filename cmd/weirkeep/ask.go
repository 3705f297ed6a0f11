package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
)

// send sends a request without a body, with the token if there is one.
func (e endpoint) send(ctx context.Context, a *app, method, path string) (*http.Response, error) {
	return e.sendBody(ctx, a, method, path, nil)
}

// sendBody sends a request with a body of JSON, if there is one.
func (e endpoint) sendBody(ctx context.Context, a *app, method, path string, body []byte) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, method, e.base+path, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
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
	return e.read(answer, into)
}

// ask asks the admin API a question. Every error is one for people.
func (e endpoint) ask(ctx context.Context, a *app, path string, question, into any) error {
	return e.askBy(ctx, a, http.MethodPost, path, question, into)
}

// askBy is ask by another method.
func (e endpoint) askBy(ctx context.Context, a *app, method, path string, question, into any) error {
	body, err := json.Marshal(question)
	if err != nil {
		return err
	}
	answer, err := e.sendBody(ctx, a, method, path, body)
	if err != nil {
		return e.unreachable(err)
	}
	return e.read(answer, into)
}

// read reads an answer of the admin API.
func (e endpoint) read(answer *http.Response, into any) error {
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
	return &apiError{answer.StatusCode, r}
}

// apiError is an answer of the admin API that is an error.
type apiError struct {
	status int
	reply
}

// Error is what the API says; what it says of a conflict, and of what is not there, is for
// people.
func (e *apiError) Error() string {
	if e.status == http.StatusConflict || e.status == http.StatusNotFound {
		return e.Detail
	}
	return fmt.Sprintf("the admin API answers %d: %s", e.status, e.Detail)
}
