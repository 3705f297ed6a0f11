// Package origin speaks to the servers that answer, and knows which of them do.
//
// An [Origin] is one server process, known by its address; what belongs to the
// address (whether it is up, what has been wrong with it) lives there, however
// many clusters name it. A [Pool] holds the connections to one origin that were
// made in one way. A [Trip] is one attempt: [Pool.Begin] sends a request and
// reads the head of the answer, the caller reads the answer's body, [Trip.End]
// gives the connection back or closes it. A [Check] asks an origin in the
// background whether it is well.
//
// A connection is reused only if nothing arrived on it since its last answer:
// every byte an origin sends unasked would be taken for the next client's
// answer. A trip never repeats itself; what may be sent again is told by
// [Error.Retryable], and who tries again is the caller.
//
// The [Health] of an origin is changed by two witnesses. The caller tells how
// each attempt went ([Origin.Succeeded], [Origin.Failed]), and failures in a row
// eject the origin. A health check says down and up. Back comes an ejected
// origin by its health checks; without them by a ping; without either by a
// trial, one ordinary request that [Origin.Claim] lets through. Over both stands who
// condemns it ([Origin.Condemn]), until it is acquitted. Of each change
// the evidence is kept ([Origin.Transitions]). One that is out gets no request
// by this package's doing: the caller asks [Origin.Health] before it chooses.
//
// The package knows nothing of clients, sites or retries, and does not log: it
// takes an upstream head as bytes, a body as a [wire.Body], and asks its caller
// four things through [Caller] and [Sender]. Deadlines are set on sockets by the
// machine's clock, which no test replaces, and every time that it is told is a
// time of that clock.
package origin

import (
	"sync"
	"sync/atomic"
	"time"
)

// Origin is one server process. Its identity is its address; it outlives
// configurations and is shared by every cluster that names the address. It is
// safe for use by many goroutines.
type Origin struct {
	// Address is its host:port.
	Address string

	// OnChange is called after each change of health, with no lock held. Calls
	// may overlap, so what follows from the health goes by [Origin.Health], not
	// by t. Nil: nobody is told.
	OnChange func(o *Origin, t Transition)

	// OnTold is called when a check's answer tells other than the one before, with
	// no lock held; what it tells is [Origin.Told]. Nil: nobody is told.
	OnTold func(o *Origin)

	health  atomic.Uint32          // a Health: what was found, or Down while somebody condemns it
	row     atomic.Int64           // failures that counted since the last success
	trials  atomic.Pointer[trials] // nil unless trials readmit
	failure atomic.Pointer[Failure]

	mu       sync.Mutex       // held to change anything above or below
	found    Health           // by requests and checks
	judges   map[any]struct{} // who condemn it
	connects int              // those of the row that were failed connects
	rate     rate             // of failures
	heldTill time.Time        // nobody readmits it before, unless it is the only one; zero: somebody may
	checks   []*Check         // that run
	told     map[string]Told  // by the path of the checks
	history  history

	announced limiter
}

// Health is whether the origin is fit for requests.
func (o *Origin) Health() Health { return Health(o.health.Load()) }

// LastFailure is the last failed attempt, whether or not it counted, whoever
// made it; nil: none ever failed.
func (o *Origin) LastFailure() *Failure { return o.failure.Load() }

// Since is when the origin's health changed last; zero: it has been up ever
// since it was named.
func (o *Origin) Since() time.Time {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.history.last().At
}

// Transitions are the last 20 changes of the origin's health, the oldest first.
func (o *Origin) Transitions() []Transition {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.history.clone()
}
