package admin

import (
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"sync/atomic"
	"syscall"
)

// socket is a unix socket that takes its file away when it closes, if the file
// is still its own.
type socket struct {
	net.Listener
	path string
	file fs.FileInfo
	left atomic.Bool // to another process: the file is its
}

// openSocket gives the socket that was inherited, else makes one.
func openSocket(o Options) (net.Listener, error) {
	l := o.inherited("unix", o.Socket)
	if l == nil {
		return listenSocket(o.Socket)
	}
	file, err := os.Lstat(o.Socket)
	if err != nil {
		l.Close()
		return nil, err
	}
	return &socket{Listener: l, path: o.Socket, file: file}, nil
}

// listenSocket listens at the path with mode 0600. A socket that a dead process
// left is replaced; one that answers is an error. The file is made out of reach
// and moved into place, so that it is never open to others, not even at first.
func listenSocket(path string) (net.Listener, error) {
	if err := replaceable(path); err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp(filepath.Dir(path), ".admin")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	made := filepath.Join(dir, "s")
	l, err := net.Listen("unix", made)
	if err != nil {
		return nil, err
	}
	l.(*net.UnixListener).SetUnlinkOnClose(false)
	file, err := place(made, path)
	if err != nil {
		l.Close()
		return nil, err
	}
	return &socket{Listener: l, path: path, file: file}, nil
}

// replaceable reports why path must be left alone.
func replaceable(path string) error {
	file, err := os.Lstat(path)
	if os.IsNotExist(err) {
		return nil
	}
	if err != nil {
		return err
	}
	if file.Mode().Type() != fs.ModeSocket {
		return fmt.Errorf("socket %s: there is a file of this name, which is no socket", path)
	}
	c, err := net.Dial("unix", path)
	if err == nil {
		c.Close()
		return fmt.Errorf("socket %s is in use by a running gateway", path)
	}
	if errors.Is(err, syscall.ECONNREFUSED) {
		return nil
	}
	return err
}

// place gives the socket its mode and its name.
func place(made, path string) (fs.FileInfo, error) {
	if err := os.Chmod(made, 0o600); err != nil {
		return nil, err
	}
	if err := os.Rename(made, path); err != nil {
		return nil, err
	}
	return os.Lstat(path)
}

// File duplicates the socket.
func (s *socket) File() (*os.File, error) { return s.Listener.(*net.UnixListener).File() }

// Close ends the listener and removes its file.
func (s *socket) Close() error {
	if file, err := os.Lstat(s.path); !s.left.Load() && err == nil && os.SameFile(file, s.file) {
		os.Remove(s.path)
	}
	return s.Listener.Close()
}
