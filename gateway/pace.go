package gateway

import (
	"errors"
	"os"
	"time"
)

// paceWindow is how long a body may be slow before that counts: the rate is
// taken over ten seconds of waiting for the client. Time in which the gateway
// does not read does not count.
const paceWindow = 10 * time.Second

// errSlow is a deadline that has passed, in its way.
var errSlow error = slowError{os.ErrDeadlineExceeded}

type slowError struct{ error }

func (slowError) Error() string   { return "body came too slowly" }
func (e slowError) Unwrap() error { return e.error }

// paceLimit holds a client to its least rate while it sends a body
// (timeouts.min_body_rate).
type paceLimit struct {
	rate   int64 // bytes a second; 0: none
	waited time.Duration
	bytes  int64
	quiet  time.Duration // waited since the last byte
}

func (l *paceLimit) reset(rate int64) { *l = paceLimit{rate: rate} }

// limit is until when a read may wait: for the next byte or, where that is
// sooner, for the end of the window.
func (l *paceLimit) limit(now time.Time, idle time.Duration) time.Time {
	if idle <= 0 {
		return time.Time{}
	}
	wait := idle - l.quiet
	if l.rate > 0 {
		wait = min(wait, paceWindow-l.waited)
	}
	return now.Add(max(wait, time.Millisecond))
}

// account takes note of a read that began at start, and returns an error if the
// body has been too slow for a whole window. A read that ended in an error of
// the connection is not judged.
func (l *paceLimit) account(n int, start time.Time, err error) error {
	if err != nil && !errors.Is(err, os.ErrDeadlineExceeded) {
		return nil
	}
	if l.rate <= 0 && n > 0 {
		l.quiet = 0
		return nil
	}
	took := time.Since(start)
	l.waited += took
	l.bytes += int64(n)
	l.quiet += took
	if n > 0 {
		l.quiet = 0
	}
	if l.rate <= 0 || l.waited < paceWindow {
		return nil
	}
	slow := l.bytes < l.rate*int64(paceWindow/time.Second)
	l.waited, l.bytes = 0, 0
	if slow {
		return errSlow
	}
	return nil
}

// patient reports whether, after a deadline has passed, there is still time for
// the next byte.
func (l *paceLimit) patient(idle time.Duration) bool {
	return idle > 0 && idle-l.quiet > time.Millisecond
}
