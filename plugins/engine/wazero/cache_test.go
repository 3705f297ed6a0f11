package wazero

import (
	"os"
	"path/filepath"
	"testing"

	"weirkeep/plugins/engine"
	"weirkeep/plugins/engine/enginetest"
)

// The suite runs on a folder too: each engine of it finds what the one before
// has left there.
func TestEngineWithFolder(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "code")
	enginetest.Run(t, func() engine.Engine { return open(t, Options{CacheDir: dir}) })
}

// The second engine finds the file of the first, and adds none.
func TestFolderKeepsCode(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "code")
	for range 2 {
		answers(t, open(t, Options{CacheDir: dir}))
		if got := len(files(t, dir)); got != 1 {
			t.Fatalf("the folder has %d files, want 1", got)
		}
	}
}

// A file that was cut off or changed does not keep a good module from running,
// and is replaced: at once where wazero knows it as stale, else by the next engine.
func TestBrokenCacheIsReplaced(t *testing.T) {
	for name, damage := range map[string]func(string) error{
		"empty":   func(f string) error { return os.Truncate(f, 0) },
		"cut off": func(f string) error { return os.Truncate(f, 100) },
		"changed": func(f string) error { return os.WriteFile(f, []byte("WAZEVO is not here"), 0o600) },
	} {
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "code")
			answers(t, open(t, Options{CacheDir: dir}))
			whole := read(t, dir)
			if err := damage(files(t, dir)[0]); err != nil {
				t.Fatal(err)
			}
			answers(t, open(t, Options{CacheDir: dir}))
			answers(t, open(t, Options{CacheDir: dir}))
			if got := read(t, dir); got != whole {
				t.Errorf("the file has %d bytes, want the %d from before", len(got), len(whole))
			}
		})
	}
}

func TestFolderThatOthersMayEnterIsRefused(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "code")
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	if _, err := New(Options{CacheDir: dir}); err == nil {
		t.Error("it is used")
	}
}

func TestMemoryIsWholePages(t *testing.T) {
	for size, ok := range map[uint64]bool{0: true, 1 << 16: true, 1 << 30: true, 100: false, 1<<30 + 1<<16: false} {
		if err := (Options{MaxMemory: size}).Validate(); (err == nil) != ok {
			t.Errorf("Validate() of %d = %v, want it fit: %v", size, err, ok)
		}
	}
}

// answers compiles a small module, calls it, and closes the engine.
func answers(t *testing.T, e engine.Engine) {
	t.Helper()
	m, err := e.Compile(t.Context(), enginetest.Small(t), nil)
	if err != nil {
		t.Fatal(err)
	}
	i, err := m.Instantiate(nil)
	if err != nil {
		t.Fatal(err)
	}
	i.SetFuel(1000, 10)
	if got, err := i.Function("read").Call(8); got != 0 || err != nil {
		t.Errorf("read gives %d, %v, want 0", got, err)
	}
	for _, c := range []interface{ Close() error }{i, m, e} {
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	}
}

// files is what wazero keeps in the folder.
func files(t *testing.T, dir string) []string {
	t.Helper()
	all, err := filepath.Glob(filepath.Join(dir, "wazero-*", "*"))
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// read is the one file that wazero keeps in the folder.
func read(t *testing.T, dir string) string {
	t.Helper()
	all := files(t, dir)
	if len(all) != 1 {
		t.Fatalf("the folder has %v, want one file", all)
	}
	b, err := os.ReadFile(all[0])
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}
