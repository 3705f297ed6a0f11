// Package admission gives an exchange a slot at an origin, lets it wait for
// one, or turns it away.
//
// [Slots] count what one origin has and may have, over all clusters that name
// it. [Queue.Enter] asks the balancer for an origin with room, of those that the
// group's [Preference] leaves, and takes a slot there; while there is room no lock
// is taken. When all are full the exchange
// joins a bounded first-in, first-out line, and a slot that becomes free goes to
// the oldest waiter that may use it, of whichever queue. Who waits for one
// origin alone holds nobody up who would take another. When the line is full, or
// the wait has lasted [Options.Timeout], Enter refuses with an error that the
// gateway answers with 503, Retry-After and the site's busy page.
//
// Nobody overtakes: an origin that is waited for has no room for who comes new.
//
// The package knows nothing of HTTP, of health, of sessions or of where origins
// are: it counts, waits and refuses. Which of them are open to whom it is told with
// [Slots.Set], how far and how warm they are with the preference.
package admission

import (
	"errors"
	"sync/atomic"
	"time"
)

var (
	// ErrFull means [Options.Size] exchanges were already waiting on arrival.
	ErrFull = errors.New("admission queue full")

	// ErrTimeout means that no slot became free in [Options.Timeout].
	ErrTimeout = errors.New("waited too long for a free slot")

	// ErrGone means that the client went away while it waited.
	ErrGone = errors.New("client gone")

	// ErrNone means that none of the origins is open to the exchange, or that
	// the last one was shut while it waited.
	ErrNone = errors.New("no origin is open")
)

// Options bound the queue of one cluster. The zero value refuses at once when
// no origin has a free slot; how many slots there are is the origins' matter.
type Options struct {
	// Size is how many exchanges may wait.
	// Zero means none waits.
	Size int

	// Timeout is the longest wait of one exchange, over all that it enters for.
	// It must be positive if Size is.
	Timeout time.Duration
}

// Queue is the line of one cluster: those whose group it leads wait in it. It
// outlives configurations. It is safe for concurrent use.
type Queue struct {
	lobby   *Lobby
	size    atomic.Int64
	timeout atomic.Int64 // nanoseconds
	waiting atomic.Int64 // changed under lobby.mu
}

// NewQueue makes an empty queue. The options must be valid.
func (l *Lobby) NewQueue(o Options) *Queue {
	q := &Queue{lobby: l}
	q.SetOptions(o)
	return q
}

// SetOptions changes the bounds in place. Who waits already goes on waiting, as
// long as was said when the wait began.
func (q *Queue) SetOptions(o Options) {
	q.size.Store(int64(o.Size))
	q.timeout.Store(int64(o.Timeout))
}

// Waiting is how many exchanges wait.
func (q *Queue) Waiting() int { return int(q.waiting.Load()) }

// Size is how many may wait.
func (q *Queue) Size() int { return int(q.size.Load()) }

// Timeout is the longest wait.
func (q *Queue) Timeout() time.Duration { return time.Duration(q.timeout.Load()) }
