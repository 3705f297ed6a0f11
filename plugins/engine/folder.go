package engine

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// PrivateFolder is for engines: it makes sure that path is a folder that only
// this process's user can read and write, making it if there is none, and
// returns its absolute path. What lies in it is native code that will be run
// without a question: whoever can write there, or swap the folder, can run
// what they like. So a folder of somebody else's, one that others may enter,
// a symbolic link, or one below a folder in which others may rename is refused.
func PrivateFolder(path string) (string, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return "", err
	}
	if err := os.MkdirAll(path, 0o700); err != nil {
		return "", err
	}
	above, err := filepath.EvalSymlinks(filepath.Dir(path))
	if err != nil {
		return "", err
	}
	path = filepath.Join(above, filepath.Base(path))
	if err := errors.Join(private(path), safeAbove(above)); err != nil {
		return "", fmt.Errorf("folder %s cannot keep compiled code: %w", path, err)
	}
	return path, nil
}

// private returns an error unless the folder is ours alone.
func private(path string) error {
	info, err := os.Lstat(path)
	if err != nil {
		return err
	}
	switch {
	case !info.IsDir():
		return fmt.Errorf("it is not a folder but a %s", kindOf(info.Mode()))
	case owner(info) != os.Geteuid():
		return fmt.Errorf("it belongs to user %d, and this is user %d", owner(info), os.Geteuid())
	case info.Mode().Perm() != 0o700:
		return fmt.Errorf("its mode is %04o, must be 0700", info.Mode().Perm())
	}
	return nil
}

// safeAbove returns an error if somebody but us and root could rename what is
// in this folder or one above it: it belongs to them, or others may write it
// and it is not sticky. No part of path is a symbolic link.
func safeAbove(path string) error {
	info, err := os.Lstat(path)
	if err != nil {
		return err
	}
	if who := owner(info); who != 0 && who != os.Geteuid() {
		return fmt.Errorf("%s above it belongs to user %d", path, who)
	}
	if info.Mode().Perm()&0o022 != 0 && info.Mode()&fs.ModeSticky == 0 {
		return fmt.Errorf("others may write in %s above it", path)
	}
	if up := filepath.Dir(path); up != path {
		return safeAbove(up)
	}
	return nil
}

func kindOf(m fs.FileMode) string {
	if m&fs.ModeSymlink != 0 {
		return "symbolic link"
	}
	return "file"
}

// owner returns the user id of who owns a file, -1 where there is no such thing.
func owner(info fs.FileInfo) int {
	if stat, ok := info.Sys().(*syscall.Stat_t); ok {
		return int(stat.Uid)
	}
	return -1
}
