package disk

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// writeLimited is a child whose files may have 700,000 bytes, less than a segment: it
// writes until segments have been reclaimed, and says what became of it.
func writeLimited(dir string) {
	signal.Ignore(syscall.SIGXFSZ) // else the runtime ends the process
	limit := syscall.Rlimit{Cur: 700_000, Max: 700_000}
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &limit); err != nil {
		fail(err)
	}
	s, err := Open(dir, options())
	if err != nil {
		fail(err)
	}
	for n := range uint64(400) {
		if err := put(s, n, 1, 50_000); err != nil {
			fail(err)
		}
		if version, err := get(s, n); err != nil || version != 1 {
			fail(fmt.Errorf("object %d: version %d: %v", n, version, err))
		}
	}
	say("%d", s.Stats().WriteErrors)
	if err := put(s, 1000, 1, 900_000); err != nil {
		fail(err)
	}
	s.Close()
}

// The kernel's limit of file sizes cuts writes short in the middle.
func TestFilesAreLimited(t *testing.T) {
	dir := folder(t)
	c := start(t, "limited "+dir, nil)
	if errs := c.line(); errs == "" || errs == "0" {
		t.Errorf("%q writes were refused", errs)
	}
	if err := c.cmd.Wait(); err != nil {
		t.Fatal(err)
	}
	s := open(t, dir, options())
	for n := uint64(370); n < 400; n++ {
		expect(t, s, n, 1)
	}
	expect(t, s, 1000, 1)
}

// openAsNobody is a child that gives up the rights of root, if it has them, and says what
// Open does.
func openAsNobody(dir string) {
	if os.Geteuid() == 0 {
		if err := errors.Join(syscall.Setgid(65534), syscall.Setuid(65534)); err != nil {
			fail(err)
		}
	}
	_, err := Open(dir, options())
	say("%v", err)
}

func TestFoldersWithoutRights(t *testing.T) {
	for _, tt := range []struct {
		name string
		mode fs.FileMode
		sub  string
	}{
		{"not to be written to", 0o555, ""},
		{"not to be looked into", 0, ""},
		{"none can be made in it", 0o555, "/cache"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			above, err := os.MkdirTemp("", "rights")
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { os.RemoveAll(above) })
			if err := os.Chmod(above, tt.mode); err != nil {
				t.Fatal(err)
			}
			begins, ends := "cache folder "+above+tt.sub+": use it: ", "permission denied; give user "
			if line := start(t, "nobody "+above+tt.sub, nil).line(); !strings.HasPrefix(line, begins) || !strings.Contains(line, ends) {
				t.Errorf("error %q, want one with %q", line, ends)
			}
		})
	}
}

// What is no folder for a store is refused, with an error that says why and what to do.
func TestFoldersThatCannotBeUsed(t *testing.T) {
	for _, tt := range []struct {
		name string
		make func(t *testing.T, dir string)
		want string
	}{
		{"a file", func(t *testing.T, dir string) { write(t, dir, "hello") },
			"cache folder DIR: use it: not a directory; name a folder, or one that does not exist yet"},
		{"below a file", func(t *testing.T, dir string) { write(t, filepath.Dir(dir), "hello") },
			"cache folder DIR: use it: ABOVE: not a directory; name a folder, or one that does not exist yet"},
		{"one that all may write to", func(t *testing.T, dir string) { mkdir(t, dir, 0o777) },
			"cache folder DIR: use it: others may write there, and could put other bytes in place of those that are stored; chmod 700 it, or name a folder in it that does not exist yet"},
		{"a lock that is a folder", func(t *testing.T, dir string) { mkdir(t, filepath.Join(dir, lockName), 0o700) },
			"cache folder DIR: use it: lock: is a directory"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "above", "cache")
			tt.make(t, dir)
			_, err := Open(dir, options())
			want := strings.NewReplacer("DIR", dir, "ABOVE", "above").Replace(tt.want)
			if err == nil || err.Error() != want {
				t.Errorf("error %v, want %s", err, want)
			}
			var e *Error
			if !errors.As(err, &e) || e.Path != dir {
				t.Errorf("%#v is no Error of that folder", err)
			}
		})
	}
}

func mkdir(t *testing.T, dir string, mode fs.FileMode) {
	t.Helper()
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(dir, mode); err != nil {
		t.Fatal(err)
	}
}

func write(t *testing.T, name, text string) {
	t.Helper()
	mkdir(t, filepath.Dir(name), 0o700)
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// Files that are not the store's are left as they are, whatever their names.
func TestForeignFilesAreLeftAlone(t *testing.T) {
	dir := folder(t)
	foreign := map[string]string{
		"notes.txt":          "do not lose",
		"1.segment":          "not our kind of number",
		segmentName(3):       strings.Repeat("a segment of an orchestra ", 10),
		"0000000004.segment": "",
	}
	delete(foreign, "0000000004.segment")
	for name, text := range foreign {
		write(t, filepath.Join(dir, name), text)
	}
	mkdir(t, filepath.Join(dir, segmentName(2)), 0o700)
	for range 2 {
		s := open(t, dir, options())
		if got := s.Stats().Foreign; got != 4 {
			t.Errorf("%d foreign files, want 4", got)
		}
		for n := range uint64(500) {
			mustPut(t, s, n, 1, 50_000)
		}
		if err := s.Clear(); err != nil {
			t.Fatal(err)
		}
		s.Close()
	}
	for name, text := range foreign {
		if got, err := os.ReadFile(filepath.Join(dir, name)); err != nil || string(got) != text {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
}

// Nobody else may read what is stored, and nothing is left that is not wanted.
func TestFilesAreOurs(t *testing.T) {
	dir := folder(t)
	s := open(t, dir, options())
	mustPut(t, s, 1, 1, 10)
	for name, want := range map[string]fs.FileMode{"": 0o700 | fs.ModeDir, lockName: 0o600, segmentName(1): 0o600} {
		info, err := os.Stat(filepath.Join(dir, name))
		if err != nil || info.Mode() != want {
			t.Errorf("%q: %v, %v, want %v", name, info.Mode(), err, want)
		}
	}
}

func TestOptionsAreChecked(t *testing.T) {
	for _, tt := range []struct {
		o    Options
		want string
	}{
		{Options{}, "size: 0 bytes are too few, at least 8388608 are needed"},
		{Options{Size: MinSize, MaxObject: MinSize/2 + 1}, "max_object: 4194305 bytes are not between 0 and half of size"},
		{Options{Size: MinSize, MaxObject: -1, MaxObjects: -1}, "max_object: -1 bytes are not between 0 and half of size\nmax_objects: -1 is negative"},
		{Options{Size: MinSize}, "<nil>"},
	} {
		if got := fmt.Sprint(tt.o.Validate()); got != tt.want {
			t.Errorf("%+v: %s, want %s", tt.o, got, tt.want)
		}
	}
}
