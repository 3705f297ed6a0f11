package origin

import (
	"errors"
	"io"
	"net"
	"os"
	"strconv"
	"time"
)

// Failure is a failed attempt, with its evidence.
type Failure struct {
	Fault   Fault
	Err     error     // an *[Error], why an answer broke off, or what a check found; nil: the status was the fault
	Status  int       // zero: there is an Err
	Began   time.Time // when the attempt began; zero: after all that is known
	At      time.Time // when it failed
	Cluster string    // for which it was made
	Trial   bool      // it was a trial: [Origin.Claim] let it through
	Beyond  bool      // it came from behind a proxy: [Trip.Beyond]
}

// Why says what failed, without the origin's name.
func (f *Failure) Why() string {
	if f.Err == nil {
		return "answered " + strconv.Itoa(f.Status)
	}
	if e, ok := errors.AsType[*Error](f.Err); ok {
		return e.Phase.String() + ": " + brief(e.Err)
	}
	return brief(f.Err)
}

// brief is an error's text without the addresses and system calls that Go puts
// before it.
func brief(err error) string {
	if e, ok := err.(*net.OpError); ok {
		err = e.Err
	}
	if e, ok := err.(*os.SyscallError); ok {
		err = e.Err
	}
	switch {
	case err == io.EOF || err == io.ErrUnexpectedEOF:
		return "connection closed"
	case isTimeout(err):
		return ErrTimeout.Error()
	}
	return err.Error()
}

// Policy is when failures eject an origin: one a cluster.
type Policy struct {
	// Threshold is how many failures without a success between them eject. It
	// must be positive.
	Threshold int

	// ConnectFailures is how many failed connects without a success between
	// them suffice alone. Zero: Threshold is for them too.
	ConnectFailures int

	// Count is which faults are failures. One that is not neither counts nor
	// breaks a row.
	Count Faults

	// Rate is for failures that have successes between them. Nil: those never eject.
	Rate *RatePolicy
}
