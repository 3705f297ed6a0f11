package origin

import (
	"context"
	"io"
	"net"
	"os"
	"strings"
	"syscall"
	"testing"

	"weirkeep/gateway/metrics"
	"weirkeep/gateway/wire"
)

// What a failed attempt says against the origin.
func TestFaults(t *testing.T) {
	opErr := func(err error) error {
		return &net.OpError{Op: "dial", Net: "tcp", Err: os.NewSyscallError("connect", err)}
	}
	for _, tt := range []struct {
		name   string
		err    Error
		want   Fault
		counts bool
	}{
		{"refused", Error{Phase: metrics.Connect, Err: opErr(syscall.ECONNREFUSED)}, FaultConnect, true},
		{"no route", Error{Phase: metrics.Connect, Err: opErr(syscall.EHOSTUNREACH)}, FaultConnect, true},
		{"no connection in time", Error{Phase: metrics.Connect, Err: context.DeadlineExceeded}, FaultConnect, true},
		{"no TLS", Error{Phase: metrics.Connect, Err: &HandshakeError{io.EOF}}, FaultConnect, true},
		{"no such name", Error{Phase: metrics.Connect, Err: &net.DNSError{IsNotFound: true}}, FaultConnect, true},
		{"reset while sending", Error{Phase: metrics.Send, Err: syscall.ECONNRESET}, FaultReset, true},
		{"closed before an answer", Error{Phase: metrics.Wait, Written: 9, Err: io.EOF}, FaultReset, true},
		{"no HTTP", Error{Phase: metrics.Wait, Err: wire.ErrStatusLine}, FaultReset, true},
		{"head too large", Error{Phase: metrics.Wait, Err: ErrHeadLarge}, FaultReset, true},
		{"switched protocols unasked", Error{Phase: metrics.Wait, Err: ErrUpgrade}, FaultReset, true},
		{"closed in the answer, reused", Error{Phase: metrics.Wait, Reused: true, Answered: true, Err: io.EOF}, FaultReset, true},
		{"silent", Error{Phase: metrics.Wait, Written: 9, Err: ErrTimeout}, FaultTimeout, true},
		{"silent, reused", Error{Phase: metrics.Wait, Reused: true, Err: ErrTimeout}, FaultTimeout, true},
		{"does not read", Error{Phase: metrics.Send, Err: os.ErrDeadlineExceeded}, FaultTimeout, true},

		{"idle connection found closed", Error{Phase: metrics.Wait, Reused: true, Written: 9, Err: io.EOF}, 0, false},
		{"idle connection found reset", Error{Phase: metrics.Send, Reused: true, Err: syscall.EPIPE}, 0, false},
		{"client gone", Error{Phase: metrics.Wait, Err: ErrGone}, 0, false},
		{"the client's body failed", Error{Phase: metrics.Wait, Err: &BodyError{io.ErrUnexpectedEOF}}, 0, false},
		{"out of descriptors", Error{Phase: metrics.Connect, Err: opErr(syscall.EMFILE)}, 0, false},
		{"out of ports", Error{Phase: metrics.Connect, Err: opErr(syscall.EADDRNOTAVAIL)}, 0, false},
		{"no name server", Error{Phase: metrics.Connect, Err: &net.DNSError{IsTimeout: true}}, 0, false},
		{"proxy refuses to connect", Error{Phase: metrics.Connect, Beyond: true, Err: ErrConnect}, 0, false},
		{"silent behind a proxy", Error{Phase: metrics.Wait, Beyond: true, Err: ErrTimeout}, 0, false},
	} {
		got, counts := tt.err.Fault()
		if counts != tt.counts || counts && got != tt.want {
			t.Errorf("%s: %v, counts: %v; want %v, %v", tt.name, got, counts, tt.want, tt.counts)
		}
	}
}

// Which answers are faults: a 404 for one page of two hundred is none (HF-04).
func TestStatusFaults(t *testing.T) {
	want := map[int]Fault{500: FaultStatus, 502: FaultStatus502, 503: FaultStatus503, 504: FaultStatus504, 507: FaultStatus, 599: FaultStatus}
	for _, code := range []int{100, 101, 200, 304, 400, 404, 429, 499, 500, 501, 502, 503, 504, 505, 507, 599} {
		fault, expected := want[code]
		if got, bad := StatusFault(code); bad != expected || bad && got != fault {
			t.Errorf("%d: %v, a fault: %v; want %v, %v", code, got, bad, fault, expected)
		}
	}
}

// The words of failover.count.
func TestFaultsNamed(t *testing.T) {
	for _, tt := range []struct{ word, want string }{
		{"connect", "connect"}, {"reset", "reset"}, {"timeout", "timeout"}, {"502", "502"}, {"503", "503"}, {"504", "504"},
		{"all-5xx", "502 503 504 5xx"},
		{"5xx", ""}, {"500", ""}, {"", ""}, {"Connect", ""},
	} {
		var got []string
		fs, ok := FaultsNamed(tt.word)
		for f := range faults {
			if fs.Has(f) {
				got = append(got, f.String())
			}
		}
		if s := strings.Join(got, " "); s != tt.want || ok != (tt.want != "") {
			t.Errorf("%q: %q, %v; want %q", tt.word, s, ok, tt.want)
		}
	}
}
