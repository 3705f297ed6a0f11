package provider

import (
	"context"
	"errors"
	"io"
	"maps"
	"net/http"
	"net/http/httptrace"
	"slices"
	"sync/atomic"
	"time"

	"weirkeep/gateway/wire"
)

// Answer is what a provider has sent.
type Answer struct {
	Status int // 200 or more

	// Head has the fields, sorted by name, with their classes. Transfer-Encoding is not
	// among them. Its Length says nothing; Length of Answer does.
	Head wire.Head

	// Length is that of the body in bytes, or [wire.UntilClose] if nobody knows.
	Length int64

	// Body is the body in its content coding. It must be closed. Its errors but io.EOF are
	// of the type Error. The context that Get was given holds for it too.
	Body io.ReadCloser
}

// Get asks for a URL and waits for the head of the answer, which may have any status: a
// redirect is not followed. All errors are of the type Error.
func (c *Client) Get(ctx context.Context, r *Request) (*Answer, error) {
	var connected atomic.Bool
	ctx, cancel := context.WithCancelCause(httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		GetConn: func(string) { connected.Store(false) },
		GotConn: func(httptrace.GotConnInfo) { connected.Store(true) },
	}))
	req, refusal := r.build(ctx)
	if refusal != nil {
		cancel(nil)
		return nil, &Error{r.String(), ErrTarget, refusal}
	}
	patience := time.AfterFunc(c.o.Timeout, func() { cancel(ErrTimeout) })
	got, err := c.transport.RoundTrip(req)
	patience.Stop()
	if err != nil {
		kind := kindOf(ctx, connected.Load(), err)
		cancel(nil)
		return nil, &Error{r.String(), kind, err}
	}
	b := &body{url: r.String(), src: got.Body, ctx: ctx, cancel: cancel, idle: c.o.Idle, patience: patience, left: c.o.MaxBytes}
	return answerOf(got, b)
}

// answerOf reads the head as strictly as those of origins, and closes the body if it is of
// no use.
func answerOf(got *http.Response, b *body) (*Answer, error) {
	a := &Answer{Status: got.StatusCode, Length: got.ContentLength, Body: b}
	err := a.Head.ParseResponse(block(got.Header), 1, &wire.Rules{})
	switch {
	case got.StatusCode < 200:
		err = &Error{b.url, ErrAnswer, errors.New(got.Status + " is no final status")}
	case err != nil:
		err = &Error{b.url, ErrAnswer, err}
	case got.ContentLength > b.left:
		err = &Error{b.url, ErrBody, errLarge}
	}
	if err != nil {
		b.Close()
		return nil, err
	}
	if a.Length < 0 {
		a.Length = wire.UntilClose
	}
	return a, nil
}

// block writes fields one a line, sorted by name.
func block(h http.Header) (b []byte) {
	for _, name := range slices.Sorted(maps.Keys(h)) {
		for _, value := range h[name] {
			b = wire.AppendField(b, []byte(name), []byte(value))
		}
	}
	return b
}
