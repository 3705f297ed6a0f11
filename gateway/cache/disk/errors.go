package disk

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strconv"
	"syscall"
)

// What may come of asking for an object or writing one.
var (
	ErrNotFound  = errors.New("no such object on disk")
	ErrCorrupt   = errors.New("object on disk is damaged")              // it is dropped: from now on there is no such object
	ErrTooLarge  = errors.New("object is too large for the disk store") // or its label
	ErrLength    = errors.New("body is not as long as was said")
	ErrOvertaken = errors.New("object was so long on its way that its first bytes have been reclaimed")
	ErrClosed    = errors.New("disk store is closed")
	ErrInUse     = errors.New("in use by another process")
)

// An Error says what cannot be done with a folder, and what to do about it.
type Error struct {
	Path string
	What string // was tried, such as "make the folder"
	Err  error
	Cure string // what to do; empty: not known
}

func (e *Error) Error() string {
	text := "cache folder " + e.Path + ": " + e.What + ": " + e.Err.Error()
	if e.Cure != "" {
		text += "; " + e.Cure
	}
	return text
}

func (e *Error) Unwrap() error { return e.Err }

// fault makes an Error of what the file system said.
func (s *Store) fault(what string, err error) *Error {
	var path *fs.PathError
	if errors.As(err, &path) {
		err = path.Err // it names our path, and a system call
		if path.Path != s.dir {
			err = fmt.Errorf("%s: %w", filepath.Base(path.Path), err)
		}
	}
	return &Error{Path: s.dir, What: what, Err: err, Cure: cure(err)}
}

// cure is what people can do about an error.
func cure(err error) string {
	for _, c := range cures {
		if errors.Is(err, c.err) {
			return c.text
		}
	}
	return ""
}

var cures = []struct {
	err  error
	text string
}{
	{syscall.ENOSPC, "free space there, or allow the cache less of it"},
	{syscall.EDQUOT, "raise the user's quota, or allow the cache less"},
	{syscall.EFBIG, "raise the limit of file sizes (ulimit -f)"},
	{syscall.EROFS, "the file system is mounted read-only: mount it for writing, or name another folder"},
	{syscall.ENOTDIR, "name a folder, or one that does not exist yet"},
	{syscall.EMFILE, "raise the limit of open files (ulimit -n)"},
	{syscall.EIO, "the disk fails: see the kernel's log, replace it, or name another folder"},
	{ErrCorrupt, "it gives other bytes than were written, which a loss of power may explain once: else check the disk, and that nobody writes there"},
	{ErrInUse, "stop that one, or name another folder: each process needs one of its own"},
	{errLoose, "chmod 700 it, or name a folder in it that does not exist yet"},
	{fs.ErrPermission, "give user " + strconv.Itoa(syscall.Geteuid()) + " the right to read and write there, or name another folder"},
	{fs.ErrNotExist, "somebody has removed it: restart, or make it again"},
}

var errLoose = errors.New("others may write there, and could put other bytes in place of those that are stored")

// noSpace reports whether there is room again once something is removed or another
// file is begun.
func noSpace(err error) bool {
	return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) || errors.Is(err, syscall.EFBIG)
}
