package disk

import "sync/atomic"

type counts struct {
	written, corrupt, reclaimed, rescued, evicted atomic.Int64
	damaged, foreign, opened                      atomic.Int64
}

// Stats are what a store has and what has happened to it since it was opened.
type Stats struct {
	Objects  int64
	Bytes    int64 // of all files
	Limit    int64 // of all files; less than Options.Size while the disk is full
	Segments int

	Opened    int64 // objects that were found and read
	Written   int64 // bytes appended, objects that were aborted and copies included
	Reclaimed int64 // segments that were removed to make room
	Rescued   int64 // objects that were copied before their segment was removed
	Evicted   int64 // objects that went with their segment

	Corrupt      int64 // objects that were dropped because a checksum did not fit
	Damaged      int64 // segments of which a part could not be read when the folder was opened
	Foreign      int64 // files in the folder that are not ours; they are left alone
	ReadErrors   int64
	WriteErrors  int64
	SyncErrors   int64
	RemoveErrors int64
}

// Stats may be called at any time, also while the disk stalls.
func (s *Store) Stats() Stats {
	c := &s.counts
	st := Stats{
		Objects: s.index.len(),
		Opened:  c.opened.Load(), Written: c.written.Load(),
		Reclaimed: c.reclaimed.Load(), Rescued: c.rescued.Load(), Evicted: c.evicted.Load(),
		Corrupt: c.corrupt.Load(), Damaged: c.damaged.Load(), Foreign: c.foreign.Load(),
		ReadErrors: s.health[Reading].errors.Load(), WriteErrors: s.health[Writing].errors.Load(),
		SyncErrors: s.health[Syncing].errors.Load(), RemoveErrors: s.health[Removing].errors.Load(),
	}
	st.Bytes, st.Limit, st.Segments = s.table.total(), s.limit.Load(), s.table.len()
	return st
}
