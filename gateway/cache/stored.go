package cache

import (
	"time"

	"weirkeep/gateway/wire"
)

// Stored is what is kept of an answer beside its body. It is immutable: an update
// makes another one.
type Stored struct {
	Status int
	Reason []byte       // phrase of the status line as it came; nil: none
	Fields []wire.Field // as they are replayed: what ended at the hop, framing and Age are not among them; Date always is

	Source []wire.Field // as the origin sent them, but for the same fields, where Fields were made of these here; nil: Fields are

	Length int64   // of the body that is stored, in bytes; -1: not known before it is here
	Part   Part    // what of the representation that is; the zero value: all of it
	Slices *Slices // that the body is stored in by itself; nil: it is stored in one piece, with this

	Date     time.Time // of the Date field, else when it was received
	Modified time.Time // of Last-Modified; zero: there is none
	ETag     []byte    // as it came; nil: there is none

	Content string // what has to be done with the body, as Surrogate-Control says it to us: tokens between blanks

	Authorized bool // may answer requests with Authorization (R4)

	Vary    Vary
	Tags    []string // in order; those of groups (GroupOf) come first
	Codings []Coding // that it may be sent in; none: only as it came
	Fresh   Freshness
}

// Part is a range of bytes of a representation, as Content-Range names it.
type Part struct {
	First int64
	Size  int64  // of the whole representation; -1: not known; 0: the answer is no part
	Loose bool   // its length is not the one that Content-Range says
	Asked []byte // value of the Range that it answered
}

// Freshness is how long an answer may be used. All of it counts from Received.
type Freshness struct {
	Received time.Time     // when its head was here
	Age      time.Duration // that it had then (4.2.3)
	Lifetime time.Duration // so long it is fresh, counted by its age
	Stated   bool          // that is what the answer or the configuration says, and no want of anything better

	WhileRevalidate time.Duration // so long after that it may be used while it is asked for anew
	IfError         time.Duration // so long after that it may be used instead of an error

	Validate bool // never used without asking (no-cache)
	Strict   bool // never used when stale (must-revalidate and its like)
	Expired  bool // was marked as stale, whatever its age (soft purge, HEAD)
}

// validator reports whether there is something to ask the origin with.
func (s *Stored) validator() bool {
	tag, modified := s.validators()
	return tag != nil || !modified.IsZero()
}

// source are the fields as the origin sent them.
func (s *Stored) source() []wire.Field {
	if s.Source != nil {
		return s.Source
	}
	return s.Fields
}

// validators are the tag and Last-Modified that the origin knows. Those that clients know are
// ETag and Modified.
func (s *Stored) validators() (tag []byte, modified time.Time) {
	if s.Source == nil {
		return s.ETag, s.Modified
	}
	var v said
	v.read(s.Source, nil)
	return v.tag(), modifiedOf(&Answer{Received: s.Fresh.Received}, &v)
}

// Newer reports whether s is rather used than another one that fits too: the one with
// the later Date, then the one that came later (V8).
func (s *Stored) Newer(than *Stored) bool {
	if !s.Date.Equal(than.Date) {
		return s.Date.After(than.Date)
	}
	return s.Fresh.Received.After(than.Fresh.Received)
}

// size returns how many bytes the representation has, or the part; -1: it is not known.
func (s *Stored) size() int64 {
	if s.Sliced() {
		return s.Slices.Size
	}
	return s.Length
}

// isPart reports whether the answer is less than all of a representation, or not known
// to be all of it.
func (s *Stored) isPart() bool { return s.Part.Size != 0 }
