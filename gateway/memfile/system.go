package memfile

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"
)

// create asks the system for a file. Systems of before 2023 do not know that it is not to
// be run.
func create() (fd int, err error) {
	fd, err = unix.MemfdCreate("weirkeep", unix.MFD_CLOEXEC|unix.MFD_NOEXEC_SEAL)
	if err == unix.EINVAL {
		fd, err = unix.MemfdCreate("weirkeep", unix.MFD_CLOEXEC)
	}
	if err != nil {
		return 0, os.NewSyscallError("memfd_create", err)
	}
	return fd, nil
}

// try finds out what would go wrong later, when it would cost an answer.
func (f *File) try() error {
	if err := noLimit(); err != nil {
		return err
	}
	if err := smallPages("/sys/kernel/mm/transparent_hugepage"); err != nil {
		return err
	}
	if err := f.trySending(); err != nil {
		return err
	}
	return f.tryLettingGo()
}

// noLimit fails where files must not grow as they like: the signal for that ends the
// process.
func noLimit() error {
	var l unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_FSIZE, &l); err != nil {
		return os.NewSyscallError("getrlimit", err)
	}
	if l.Cur < math.MaxInt64 {
		return fmt.Errorf("the size of files is limited to %d bytes (RLIMIT_FSIZE)", l.Cur)
	}
	return nil
}

// smallPages fails where the system gives such files huge pages unasked: each small span
// would take one.
func smallPages(root string) error {
	for _, pattern := range []string{"shmem_enabled", "hugepages-*/shmem_enabled"} {
		names, _ := filepath.Glob(filepath.Join(root, pattern))
		for _, name := range names {
			text, _ := os.ReadFile(name) // one that cannot be read says nothing
			if how := chosen(string(text)); how == "always" || how == "within_size" || how == "force" {
				return fmt.Errorf("files in memory have huge pages: %s is %s", name, how)
			}
		}
	}
	return nil
}

// chosen is the word in brackets.
func chosen(text string) string {
	_, text, _ = strings.Cut(text, "[")
	word, _, _ := strings.Cut(text, "]")
	return word
}

// trySending writes a page, and sends it.
func (f *File) trySending() error {
	want := bytes.Repeat([]byte("weir"), os.Getpagesize()/4)
	if _, err := f.file.WriteAt(want, 0); err != nil {
		return err
	}
	ends, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return os.NewSyscallError("socketpair", err)
	}
	defer unix.Close(ends[0])
	defer unix.Close(ends[1])
	at := int64(0)
	if n, err := unix.Sendfile(ends[0], f.fd, &at, len(want)); err != nil || n != len(want) {
		return fmt.Errorf("sendfile has sent %d of %d bytes: %v", n, len(want), err)
	}
	got := make([]byte, len(want))
	if n, err := unix.Read(ends[1], got); err != nil || !bytes.Equal(got[:n], want) {
		return fmt.Errorf("sendfile has sent something else: %v", err)
	}
	return nil
}

var errKeeps = errors.New("the system does not take the memory of a hole back")

// tryLettingGo lets the page go that was written.
func (f *File) tryLettingGo() error {
	page := int64(os.Getpagesize())
	if err := unix.Fallocate(f.fd, unix.FALLOC_FL_PUNCH_HOLE|unix.FALLOC_FL_KEEP_SIZE, 0, page); err != nil {
		return os.NewSyscallError("fallocate", err)
	}
	var st unix.Stat_t
	if err := unix.Fstat(f.fd, &st); err != nil {
		return os.NewSyscallError("fstat", err)
	}
	if st.Blocks != 0 {
		return errKeeps
	}
	return nil
}
