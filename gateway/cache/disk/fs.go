package disk

import (
	"io"
	"io/fs"
	"os"
	"syscall"
)

// FS is what the store needs of a file system. Names are whole paths.
type FS interface {
	OpenFile(name string, flag int, perm fs.FileMode) (File, error)
	ReadDir(name string) ([]fs.DirEntry, error)
	Stat(name string) (fs.FileInfo, error)
	MkdirAll(name string, perm fs.FileMode) error
	Remove(name string) error

	// Lock takes a folder for this process alone until it is closed, or says why it
	// cannot be used.
	Lock(name string) (io.Closer, error)
}

// A File is an open file, or a folder that is opened to be synced.
type File interface {
	io.ReaderAt
	io.WriterAt
	io.Closer
	Stat() (fs.FileInfo, error)
	Truncate(size int64) error
	Sync() error
}

// machine is the file system of the machine.
type machine struct{}

func (machine) OpenFile(name string, flag int, perm fs.FileMode) (File, error) {
	f, err := os.OpenFile(name, flag, perm)
	if err != nil {
		return nil, err // not f: a nil *os.File is no nil File
	}
	return f, nil
}

func (machine) ReadDir(name string) ([]fs.DirEntry, error)   { return os.ReadDir(name) }
func (machine) Stat(name string) (fs.FileInfo, error)        { return os.Stat(name) }
func (machine) MkdirAll(name string, perm fs.FileMode) error { return os.MkdirAll(name, perm) }
func (machine) Remove(name string) error                     { return os.Remove(name) }

func (machine) Lock(name string) (io.Closer, error) {
	if err := syscall.Access(name, mayAll); err != nil {
		return nil, err
	}
	return lockFolder(name)
}

// mayAll asks for the rights to read, write and search.
const mayAll = 7

// writeAt writes all of b, or says why not.
func writeAt(f File, b []byte, at int64) error {
	n, err := f.WriteAt(b, at)
	if err == nil && n < len(b) {
		err = io.ErrShortWrite
	}
	return err
}
