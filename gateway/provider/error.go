package provider

import (
	"context"
	"errors"
	"io"
	"net"
)

// The kinds of failures. Another one is [context.Canceled]: the caller has given up.
var (
	// ErrTarget means that the URL is none that may be asked. The error holds a [Refusal].
	ErrTarget = errors.New("may not be asked")
	// ErrName means that the host has no address.
	ErrName = errors.New("name does not resolve")
	// ErrUnreachable means that there was no connection, or it broke before an answer.
	ErrUnreachable = errors.New("not reached")
	// ErrTimeout means that nothing came for too long, or the caller's time is up.
	ErrTimeout = errors.New("too slow")
	// ErrAnswer means that the head of the answer is malformed or too large.
	ErrAnswer = errors.New("not an answer")
	// ErrBody means that the body broke off, or is too large.
	ErrBody = errors.New("body of no use")
)

// Error is a request that failed.
type Error struct {
	URL  string
	Kind error // one of the kinds above
	Err  error // what happened
}

func (e *Error) Error() string {
	return "provider " + e.URL + ": " + e.Kind.Error() + ": " + e.Err.Error()
}

// Unwrap returns both the kind and what happened.
func (e *Error) Unwrap() []error { return []error{e.Kind, e.Err} }

// Refusal says why a URL is not asked.
type Refusal struct {
	Rule   string // one word: authority, target, spelling, port, or what kind of address it is
	Detail string // for people
}

func (r *Refusal) Error() string { return r.Detail }

// kindOf is what kind of failure an error is that came before the head of an answer.
func kindOf(ctx context.Context, connected bool, err error) error {
	if kind := waitedFor(ctx); kind != nil {
		return kind
	}
	if _, ok := errors.AsType[*Refusal](err); ok {
		return ErrTarget
	}
	unresolved, isName := errors.AsType[*net.DNSError](err)
	network, isNetwork := errors.AsType[net.Error](err)
	switch {
	case isName && !unresolved.IsTimeout:
		return ErrName
	case isNetwork && network.Timeout():
		return ErrTimeout
	case connected && !isNetwork && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF):
		return ErrAnswer
	}
	return ErrUnreachable
}

// waitedFor is the kind of failure if it is the context that ended a request; else nil.
func waitedFor(ctx context.Context) error {
	switch {
	case ctx.Err() == nil:
		return nil
	case errors.Is(context.Cause(ctx), ErrTimeout), errors.Is(context.Cause(ctx), context.DeadlineExceeded):
		return ErrTimeout
	}
	return context.Canceled
}
