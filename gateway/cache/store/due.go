package store

import "time"

// mostLater is the longest that [Entry.Later] is told of.
const mostLater = time.Minute

// Due reports whether the entry may be asked for anew behind its clients' backs: nobody
// has said by [Entry.Later] that this has to wait. What would have to wait for longer than
// that was said by a clock that has been set back since, and does not hold.
func (e *Entry) Due(now time.Time) bool {
	wait := e.object.due.Load() - now.UnixMilli()
	return wait <= 0 || wait > mostLater.Milliseconds()
}

// Later lets nobody ask for the entry anew until then, since an origin has just failed to
// answer.
func (e *Entry) Later(until time.Time) { e.object.due.Store(until.UnixMilli()) }
