package disk

import (
	"cmp"
	"errors"
	"fmt"
	"time"
)

// Options bound a store. There is no zero value: a size must be given.
type Options struct {
	// Size is what all files together may have, in bytes; at least MinSize.
	Size int64

	// MaxObject is the length of the longest body, in bytes.
	// Zero means an eighth of Size; the maximum is half of it.
	MaxObject int64

	// MaxObjects is how many objects there may be; each costs some 100 bytes of memory.
	// When there are more the oldest go. Zero means the default, 16 Mi.
	MaxObjects int64

	// Now is the clock that says how long to leave a failing disk alone.
	// Nil means time.Now.
	Now func() time.Time

	// Told is told what fails and what works again: of the same not more than once a minute
	// each. It is called by a goroutine that nobody waits for, and is not to call the store.
	// Nil means nobody is.
	Told func(Trouble)

	// FS is the file system. Nil means the machine's.
	FS FS
}

// MinSize is the least that a store can work with, in bytes.
const MinSize = 8 << 20

const (
	defaultObjects = 16 << 20
	minSegment     = 1 << 20
	maxSegment     = 512 << 20
)

// Validate reports every field that is out of range, not just the first.
func (o Options) Validate() error {
	var errs []error
	if o.Size < MinSize {
		errs = append(errs, fmt.Errorf("size: %d bytes are too few, at least %d are needed", o.Size, MinSize))
	}
	if o.MaxObject < 0 || o.MaxObject > o.Size/2 {
		errs = append(errs, fmt.Errorf("max_object: %d bytes are not between 0 and half of size", o.MaxObject))
	}
	if o.MaxObjects < 0 {
		errs = append(errs, fmt.Errorf("max_objects: %d is negative", o.MaxObjects))
	}
	return errors.Join(errs...)
}

// segmentFor is the length of segments: small enough that one is a small part of
// the whole, large enough that a large store has few files open.
func segmentFor(size int64) int64 { return min(max(size/128, minSegment), maxSegment) }

func newStore(dir string, o Options) *Store {
	s := &Store{
		dir:        dir,
		fs:         o.FS,
		now:        o.Now,
		told:       o.Told,
		maxObject:  cmp.Or(o.MaxObject, o.Size/8),
		maxObjects: cmp.Or(o.MaxObjects, defaultObjects),
		segment:    segmentFor(o.Size),
		next:       1,
		wake:       make(chan struct{}, 1),
		trouble:    make(chan struct{}, 1),
		stop:       make(chan struct{}),
	}
	if s.fs == nil {
		s.fs = machine{}
	}
	if s.told == nil {
		s.told = func(Trouble) {}
	}
	if s.now == nil {
		s.now = time.Now
	}
	s.size.Store(o.Size)
	s.limit.Store(o.Size)
	s.index.make(0)
	return s
}
