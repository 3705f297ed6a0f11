// Package disk keeps objects in a folder: a log of segments that are written once,
// from front to end, and removed whole, the oldest first.
//
// An object has an id, a label and a body. [Store.Create] takes the body as it comes;
// nothing of it is seen before [Writer.Commit]. [Store.Open] finds an object with one
// look at an index in memory and one read; [Object.ReadAt] gives bytes out of it.
// [Store.All] tells of every object, also right after [Open], which rebuilds the index
// from what the segments say at their ends.
//
// Whatever happens to the process, the machine or the disk, a byte that is given out
// is the byte that was written: labels, lists and each 64 KiB of a body have checksums,
// and those are looked at whenever they are read. What does not pass is gone: a miss,
// and counted. A process that is killed loses the objects that were not committed. A
// machine that loses its power may lose the newest of those that were, for nothing is
// forced to the disk for one object; [Store.Sync] does so, which is for deletions that
// must hold.
//
// The folder never holds more than [Options.Size]. When it is full the oldest segment
// goes; what was opened since it was written is copied to the front before.
//
// Who writes, changes or deletes waits for the disk when it stalls; who opens, reads or
// counts waits only for what he reads.
//
// The store knows nothing of HTTP.
package disk

import (
	"io"
	"sync"
	"sync/atomic"
	"time"
)

// An ID names an object. It is a hash of what the caller looks objects up by: equal
// ids are equal objects to the store.
type ID [16]byte

// A Label is what the caller says of an object beside its body.
type Label struct {
	Flags   uint32 // may be changed alone, which costs little
	Summary []byte // what All gives; at most MaxSummary bytes
	Meta    []byte // what Object.Label gives beside that; at most MaxMeta bytes
}

// The bounds of labels, in bytes.
const (
	MaxSummary = 1<<16 - 1
	MaxMeta    = 1 << 18
)

// A Store is a folder of objects. All its methods may be called at the same time.
type Store struct {
	dir  string
	fs   FS
	now  func() time.Time
	lock io.Closer

	size       atomic.Int64 // what the options allow all segments together, in bytes
	limit      atomic.Int64 // what they may have now: less while the disk is full
	maxObject  int64
	maxObjects int64
	segment    int64 // length of one file, in bytes

	index  index
	table  table
	counts counts
	health [ops]health
	told   func(Trouble)

	// mu orders the log: who holds it appends, and changes the index accordingly, so
	// that what is later in the log is what holds. Readers never wait for it.
	mu     sync.Mutex
	active *segment  // the one that is appended to; nil: the next append begins one
	next   uint32    // number of the segment that comes next
	rest   time.Time // until when nothing is written, since the disk fails
	why    error     // it rests
	swept  uint32    // what needs older segments has been forgotten
	closed bool

	wake    chan struct{} // tells the keeper that there may be something to do
	trouble chan struct{} // and that there may be something to tell: not wake, for what fails is not tried again at once
	stop    chan struct{}
	kept    sync.WaitGroup
}

// Close makes everything durable, ends what goes on in the background and frees the
// folder. Objects that are open can be read to their end; writers fail.
func (s *Store) Close() error {
	if !s.shut() {
		return ErrClosed
	}
	close(s.stop)
	s.kept.Wait()
	s.mu.Lock()
	s.seal()
	s.mu.Unlock()
	err := s.syncSealed()
	s.table.dropAll()
	s.lock.Close()
	return err
}

// shut reports whether the store was open until now.
func (s *Store) shut() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	was := !s.closed
	s.closed = true
	return was
}

// Resize lets all files together have so many bytes from now on, but at least what four
// segments have: those keep their length until the folder is opened again.
func (s *Store) Resize(size int64) {
	size = max(size, 4*s.segment)
	s.mu.Lock()
	s.size.Store(size)
	s.limit.Store(size)
	s.mu.Unlock()
	s.nudge()
}
