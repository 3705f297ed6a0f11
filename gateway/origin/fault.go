package origin

import (
	"errors"
	"net"

	"weirkeep/gateway/metrics"
)

// Fault is what was wrong with an attempt, as health sees it.
type Fault uint8

const (
	FaultConnect   Fault = iota // no connection, TLS and time-outs of both included
	FaultReset                  // broken off, or an answer that is none: malformed, too large
	FaultTimeout                // connected, then silent for too long
	FaultStatus502              // answered 502
	FaultStatus503              // answered 503
	FaultStatus504              // answered 504
	FaultStatus                 // answered with any other 5xx but 501 and 505
	faults
)

// String is the word that configuration and logs have for it.
func (f Fault) String() string {
	return [faults]string{"connect", "reset", "timeout", "502", "503", "504", "5xx"}[f]
}

// Faults is a set of faults; the zero value is empty.
type Faults uint8

// Has reports whether f is in the set.
func (fs Faults) Has(f Fault) bool { return fs>>f&1 == 1 }

// With is the set and f.
func (fs Faults) With(f Fault) Faults { return fs | 1<<f }

// FaultsNamed are the faults that a word of the configuration key
// failover.count stands for: one, or for all-5xx every status among them. ok is
// false for any other word.
func FaultsNamed(word string) (fs Faults, ok bool) {
	if word == "all-5xx" {
		return fs.With(FaultStatus502).With(FaultStatus503).With(FaultStatus504).With(FaultStatus), true
	}
	for f := FaultConnect; f < FaultStatus; f++ {
		if f.String() == word {
			return fs.With(f), true
		}
	}
	return 0, false
}

// StatusFault is the fault that a status is, if it is one. 501 and 505 are not:
// they speak of the request.
func StatusFault(code int) (f Fault, bad bool) {
	switch {
	case code == 502:
		return FaultStatus502, true
	case code == 503:
		return FaultStatus503, true
	case code == 504:
		return FaultStatus504, true
	case code < 500 || code > 599 || code == 501 || code == 505:
		return 0, false
	}
	return FaultStatus, true
}

// Fault is what the failed attempt says against the origin, if it says anything.
// It does not if the client, this machine or its name server was at fault, if
// somebody behind a proxy was, or if a connection that was used before turned out
// to be closed: origins may close idle ones, and one that died refuses the next.
func (e *Error) Fault() (f Fault, counts bool) {
	switch {
	case errors.Is(e.Err, ErrGone) || isBodyError(e.Err) || isLocal(e.Err) || e.Beyond:
		return 0, false
	case e.Phase == metrics.Connect:
		return FaultConnect, true
	case errors.Is(e.Err, ErrTimeout) || isTimeout(e.Err):
		return FaultTimeout, true
	}
	return FaultReset, !e.Reused || e.Answered
}

// isLocal reports whether a failure says nothing of the origin: it was this
// machine's, or its name server's. That a name does not exist is said of the
// origin.
func isLocal(err error) bool {
	if e, ok := errors.AsType[*net.DNSError](err); ok {
		return !e.IsNotFound
	}
	return (&Error{Err: err}).Local()
}
