package store

import "time"

// Due reports whether the entry may be asked for anew behind its clients' backs: nobody
// has said by [Entry.Later] that this has to wait.
func (e *Entry) Due(now time.Time) bool { return now.UnixMilli() >= e.object.due.Load() }

// Later lets nobody ask for the entry anew until then, since an origin has just failed to
// answer.
func (e *Entry) Later(until time.Time) { e.object.due.Store(until.UnixMilli()) }
