package origin

import (
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"syscall"
	"testing"

	"weirkeep/gateway/metrics"
)

var refusedErr = os.NewSyscallError("connect", syscall.ECONNREFUSED)

// When a request may be sent once more.
func TestRetryable(t *testing.T) {
	for _, tt := range []struct {
		name               string
		err                Error
		always, ifHarmless bool
	}{
		{"no connection", Error{Phase: metrics.Connect, Err: refusedErr}, true, true},
		{"no connection in time", Error{Phase: metrics.Connect, Err: os.ErrDeadlineExceeded}, true, true},
		{"the socket took nothing", Error{Phase: metrics.Send, Reused: true, Err: syscall.EPIPE}, true, true},
		{"the socket took some", Error{Phase: metrics.Send, Written: 1, Err: syscall.EPIPE}, false, true},
		{"closed before an answer", Error{Phase: metrics.Wait, Written: 9, Err: io.EOF}, false, true},
		{"closed before an answer, reused", Error{Phase: metrics.Wait, Reused: true, Written: 9, Err: io.EOF}, false, true},
		{"closed in the answer", Error{Phase: metrics.Wait, Written: 9, Answered: true, Err: io.EOF}, false, false},
		{"malformed answer", Error{Phase: metrics.Wait, Written: 9, Answered: true, Err: ErrUpgrade}, false, false},
		{"silent", Error{Phase: metrics.Wait, Written: 9, Err: ErrTimeout}, false, false},
		{"too slow for an attempt", Error{Phase: metrics.Wait, Written: 9, Err: ErrLate}, false, true},
		{"too slow for an attempt, in the head", Error{Phase: metrics.Wait, Written: 9, Answered: true, Err: ErrLate}, false, false},
		{"client gone", Error{Phase: metrics.Wait, Written: 9, Err: ErrGone}, false, false},
		{"client gone at once", Error{Phase: metrics.Send, Err: ErrGone}, false, false},
		{"the client's body failed", Error{Phase: metrics.Wait, Written: 9, Err: &BodyError{io.ErrUnexpectedEOF}}, false, false},
	} {
		if got := tt.err.Retryable(false); got != tt.always {
			t.Errorf("%s: Retryable(false) = %v, want %v", tt.name, got, tt.always)
		}
		if got := tt.err.Retryable(true); got != tt.ifHarmless {
			t.Errorf("%s: Retryable(true) = %v, want %v", tt.name, got, tt.ifHarmless)
		}
	}
}

// Which failures say nothing of the origin.
func TestLocal(t *testing.T) {
	for _, tt := range []struct {
		err  error
		want bool
	}{
		{syscall.EMFILE, true},
		{syscall.ENFILE, true},
		{syscall.ENOBUFS, true},
		{syscall.ENOMEM, true},
		{syscall.EADDRNOTAVAIL, true},
		{&net.OpError{Op: "dial", Err: os.NewSyscallError("socket", syscall.EMFILE)}, true},
		{refusedErr, false},
		{syscall.EHOSTUNREACH, false},
		{os.ErrDeadlineExceeded, false},
		{io.EOF, false},
		{ErrTimeout, false},
	} {
		if got := (&Error{Err: tt.err}).Local(); got != tt.want {
			t.Errorf("Local() of %v = %v, want %v", tt.err, got, tt.want)
		}
	}
}

func TestErrorsSayWhere(t *testing.T) {
	err := fmt.Errorf("try 1: %w", &Error{Address: "10.0.0.1:80", Phase: metrics.Wait, Err: &BodyError{io.ErrUnexpectedEOF}})
	if got, want := err.Error(), "try 1: origin 10.0.0.1:80: wait: request body: unexpected EOF"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Error("the cause cannot be found")
	}
}
