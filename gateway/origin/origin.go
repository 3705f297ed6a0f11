// Package origin speaks to the servers that answer.
//
// An [Origin] is one server process, known by its address; what belongs to the
// address (whether it can be reached, how much it is doing) lives there, however
// many clusters name it. A [Pool] holds the connections to one origin that were
// made in one way. A [Trip] is one attempt: [Pool.Begin] sends a request and
// reads the head of the answer, the caller reads the answer's body, [Trip.End]
// gives the connection back or closes it.
//
// A connection is reused only if nothing arrived on it since its last answer:
// every byte an origin sends unasked would be taken for the next client's
// answer. A trip never repeats itself; what may be sent again is told by
// [Error.Retryable], and who tries again is the caller.
//
// The package knows nothing of clients, sites or retries: it takes an upstream
// head as bytes, a body as a [wire.Body], and asks its caller four things
// through [Caller] and [Sender]. Deadlines are set on sockets by the machine's
// clock, which no test replaces.
package origin

import (
	"sync/atomic"
	"time"
)

// retryAfter is how long an origin that refused a connection is passed over
// before one request tries it again.
const retryAfter = 500 * time.Millisecond

// Origin is one server process. Its identity is its address; it outlives
// configurations and is shared by every cluster that names the address.
type Origin struct {
	Address string // host:port

	inFlight atomic.Int64 // attempts under way
	retryAt  atomic.Int64 // unix nanoseconds; 0: up
	since    atomic.Int64 // unix nanoseconds of the last change between up and down; 0: none
	failure  atomic.Pointer[Failure]
}

// Failure is a failed attempt, whoever made it.
type Failure struct {
	Err error // with phase and cause
	At  time.Time
}

// LastFailure is the last failed attempt; nil: none ever failed.
func (o *Origin) LastFailure() *Failure { return o.failure.Load() }

// Since is when the origin went down or came up again; zero: it has been up
// ever since it was named.
func (o *Origin) Since() time.Time {
	if at := o.since.Load(); at != 0 {
		return time.Unix(0, at)
	}
	return time.Time{}
}

// InFlight is how many attempts are under way.
func (o *Origin) InFlight() int { return int(o.inFlight.Load()) }

// Up reports whether the last connect, if there was one, succeeded.
func (o *Origin) Up() bool { return o.retryAt.Load() == 0 }

// Usable reports whether a request may go to the origin now: it is up, or it
// has been down for a while and may be tried again. A caller that goes there
// must [Origin.Claim] it first.
func (o *Origin) Usable(now time.Time) bool {
	at := o.retryAt.Load()
	return at == 0 || now.UnixNano() >= at
}

// Claim reports whether the caller may go to the origin now. Of those who want
// to try one that is down, one may; the others pass it over.
func (o *Origin) Claim(now time.Time) bool {
	at := o.retryAt.Load()
	return at == 0 || now.UnixNano() >= at && o.retryAt.CompareAndSwap(at, now.Add(retryAfter).UnixNano())
}

// connected reports whether the origin was down until now.
func (o *Origin) connected(now time.Time) (changed bool) {
	if o.retryAt.Load() == 0 || o.retryAt.Swap(0) == 0 {
		return false
	}
	o.since.Store(now.UnixNano())
	return true
}

// refused reports whether the origin was up until now.
func (o *Origin) refused(now time.Time) (changed bool) {
	if o.retryAt.Swap(now.Add(retryAfter).UnixNano()) != 0 {
		return false
	}
	o.since.Store(now.UnixNano())
	return true
}
