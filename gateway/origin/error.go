package origin

import (
	"errors"
	"fmt"
	"strings"
	"syscall"

	"weirkeep/gateway/metrics"
)

// Phase is how far an attempt had come.
type Phase = metrics.Phase

var (
	// ErrTimeout means the origin was silent for as long as it may be.
	ErrTimeout = errors.New("timed out")

	// ErrLate is the [ErrTimeout] of [Timeouts.Attempt]: somebody else may be asked.
	ErrLate = fmt.Errorf("too slow for one attempt: %w", ErrTimeout)

	// ErrGone means the client went away while the origin was waited for.
	ErrGone = errors.New("client gone")

	// ErrHeadLarge means the head of an answer has more than 128 KiB.
	ErrHeadLarge = errors.New("response header too large")

	// ErrInterims means more than 16 interim answers came before the final one.
	ErrInterims = errors.New("too many interim answers")

	// ErrUpgrade means a 101 came that was not asked for, or for another protocol.
	ErrUpgrade = errors.New("switched protocols unasked")

	// ErrConnect means a proxy did not answer CONNECT with success.
	ErrConnect = errors.New("proxy refused to connect")
)

// BodyError means reading the request's body failed: the fault is the client's.
type BodyError struct{ Err error }

func (e *BodyError) Error() string { return "request body: " + e.Err.Error() }
func (e *BodyError) Unwrap() error { return e.Err }

// HandshakeError means that TLS could not be agreed on, or that the certificate
// is not one to believe.
type HandshakeError struct{ Err error }

func (e *HandshakeError) Error() string {
	if text := e.Err.Error(); strings.HasPrefix(text, "tls: ") {
		return text
	}
	return "tls: handshake: " + e.Err.Error()
}

func (e *HandshakeError) Unwrap() error { return e.Err }

// Error is a failed attempt at one origin.
type Error struct {
	Address  string // host:port of the origin
	Phase    Phase
	Reused   bool  // the connection had served another request before
	Written  int64 // bytes of the request that the socket took
	Answered bool  // at least one byte of an answer arrived
	Beyond   bool  // the origin is a proxy, and was reached: the failure is of somebody behind it
	Err      error
}

func (e *Error) Error() string {
	return "origin " + e.Address + ": " + e.Phase.String() + ": " + e.Err.Error()
}

func (e *Error) Unwrap() error { return e.Err }

// Retryable reports whether the same request may be sent once more: if
// the connect failed, if the socket took no byte of it, or if no byte of an
// answer came and repeating the request is harmless. A silent origin is no
// reason: it may still be at work, and the client has waited already; unless the
// attempt had a limit of its own ([ErrLate]). What cannot be sent twice (a body
// that is gone) is the caller's to know.
func (e *Error) Retryable(harmless bool) bool {
	switch {
	case errors.Is(e.Err, ErrGone) || isBodyError(e.Err):
		return false
	case e.Phase == metrics.Connect || e.Written == 0:
		return true
	}
	return harmless && !e.Answered && (!errors.Is(e.Err, ErrTimeout) || errors.Is(e.Err, ErrLate))
}

func isBodyError(err error) bool {
	_, ok := errors.AsType[*BodyError](err)
	return ok
}

// Local reports whether the failure was this machine's (no descriptors, no
// ports, no memory) and says nothing of the origin.
func (e *Error) Local() bool {
	for _, local := range [...]syscall.Errno{
		syscall.EMFILE, syscall.ENFILE, syscall.ENOBUFS, syscall.ENOMEM, syscall.EADDRNOTAVAIL,
	} {
		if errors.Is(e.Err, local) {
			return true
		}
	}
	return false
}
