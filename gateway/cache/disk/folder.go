package disk

import (
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// Open opens a folder, and makes it if there is none. What can be read of its objects is
// there when Open returns. Only one process may have a folder open. The error is an
// [Error] or what Options.Validate says.
func Open(dir string, o Options) (*Store, error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	s := newStore(dir, o)
	if err := s.openFolder(); err != nil {
		return nil, s.fault("use it", err)
	}
	if err := s.load(); err != nil {
		s.table.dropAll()
		s.lock.Close()
		return nil, s.fault("read it", err)
	}
	s.kept.Add(1)
	go s.keep()
	s.nudge()
	return s, nil
}

// openFolder makes sure that there is a folder that is ours alone.
func (s *Store) openFolder() (err error) {
	if err := s.fs.MkdirAll(s.dir, 0o700); err != nil {
		return err
	}
	info, err := s.fs.Stat(s.dir)
	if err != nil {
		return err
	}
	if info.Mode()&0o022 != 0 {
		return errLoose
	}
	s.lock, err = s.fs.Lock(s.dir)
	return err
}

// numbers are those of the segments in the folder, in order. Other files are counted.
func (s *Store) numbers() (all []uint32, err error) {
	entries, err := s.fs.ReadDir(s.dir)
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		if n, ok := numberOf(e); ok {
			all = append(all, n)
		} else if e.Name() != lockName {
			s.counts.foreign.Add(1)
		}
	}
	slices.Sort(all)
	return all, nil
}

// numberOf is the number that a segment's name says.
func numberOf(e fs.DirEntry) (uint32, bool) {
	digits, ok := strings.CutSuffix(e.Name(), filepath.Ext(segmentName(0)))
	n, err := strconv.ParseUint(digits, 10, 32)
	return uint32(n), ok && err == nil && e.Name() == segmentName(uint32(n)) && e.Type().IsRegular()
}
