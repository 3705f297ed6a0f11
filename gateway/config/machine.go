package config

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// machine is what of the computer a configuration depends on. There is one but
// for tests, which must be able to say what is there.
type machine struct {
	read func(path string, most int64) ([]byte, error) // a regular file of at most so many bytes
	glob func(pattern string) ([]string, error)        // in lexical order
	env  func(name string) (string, bool)
	host func() (string, error)
	root bool // run by root
}

// thisMachine is the computer that the process runs on.
var thisMachine = machine{
	read: readFile,
	glob: filepath.Glob,
	env:  os.LookupEnv,
	host: os.Hostname,
	root: os.Geteuid() == 0,
}

// readFile reads a regular file of at most so many bytes. Anything else that has
// a path could block or never end.
func readFile(path string, most int64) ([]byte, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, errNotRegular(info.Mode())
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, most+1))
	if err == nil && int64(len(data)) > most {
		err = fmt.Errorf("it is larger than %d bytes", most)
	}
	return data, err
}

// ReadFile reads a file that a configuration names: a regular one of at most
// 16 MiB. Anything else that has a path could block or never end.
func ReadFile(path string) ([]byte, error) { return readFile(path, maxReferenced) }

func errNotRegular(m fs.FileMode) error {
	if m.IsDir() {
		return errors.New("it is a directory")
	}
	return errors.New("it is not a regular file")
}

// why is the reason in an error of the file system, without the path.
func why(err error) string {
	var p *fs.PathError
	if errors.As(err, &p) {
		return p.Err.Error()
	}
	return err.Error()
}

// stateDir is where state is kept when the configuration does not say: where the
// service manager says (systemd's StateDirectory=), else where it is usual.
func (m machine) stateDir() string {
	if dir, ok := m.env("STATE_DIRECTORY"); ok && filepath.IsAbs(dir) {
		return dir
	}
	if m.root {
		return "/var/lib/weirkeep"
	}
	if dir, ok := m.env("XDG_STATE_HOME"); ok && filepath.IsAbs(dir) {
		return filepath.Join(dir, "weirkeep")
	}
	if home, ok := m.env("HOME"); ok && filepath.IsAbs(home) {
		return filepath.Join(home, ".local/state/weirkeep")
	}
	return filepath.Join(os.TempDir(), "weirkeep")
}

// nodeName is what this gateway calls itself when the configuration does not say.
func (m machine) nodeName() string {
	if name, err := m.host(); err == nil && grammarToken(name) == "" {
		return name
	}
	return "weirkeep"
}
