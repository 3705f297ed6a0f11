package disk

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
)

const lockName = "lock"

// lockFolder keeps other processes out of a folder, or says who has it. The kernel frees
// it when the process ends, however it ends; the file stays.
func lockFolder(dir string) (io.Closer, error) {
	f, err := os.OpenFile(filepath.Join(dir, lockName), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		defer f.Close()
		if errors.Is(err, syscall.EWOULDBLOCK) {
			return nil, holder(f)
		}
		return nil, err
	}
	f.Truncate(0) // the number is for people: the lock holds without it
	f.WriteAt([]byte(strconv.Itoa(os.Getpid())+"\n"), 0)
	return f, nil
}

// holder is the error that names who has locked f, if that is known.
func holder(f *os.File) error {
	b := make([]byte, 32)
	n, _ := f.ReadAt(b, 0)
	pid, err := strconv.Atoi(strings.TrimSpace(string(b[:n])))
	switch {
	case err != nil:
		return ErrInUse
	case pid == os.Getpid():
		return fmt.Errorf("%w: it is this one (%d), which has opened it already", ErrInUse, pid)
	}
	return fmt.Errorf("%w (%d)", ErrInUse, pid)
}
