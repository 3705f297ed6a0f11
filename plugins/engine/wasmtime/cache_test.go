//go:build wasmtime

package wasmtime

import (
	"bytes"
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

// The second engine takes the code from the file of the first: the test swaps
// it for the code of another module, with the right hash.
func TestFolderKeepsCode(t *testing.T) {
	c := newCache(t)
	other, err := c.e.cache.compile(c.e.engine, enginetest.Small(t))
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	code := c.e.cache.read(enginetest.Small(t))
	if code == nil {
		t.Fatal("the folder does not have the code")
	}
	tiny := []byte("\x00asm\x01\x00\x00\x00")
	if err := c.e.cache.write(tiny, code); err != nil {
		t.Fatal(err)
	}
	m, err := c.e.cache.compile(c.e.engine, tiny)
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	if len(m.Exports()) != len(other.Exports()) {
		t.Errorf("the module has %d exports, want the %d of the file", len(m.Exports()), len(other.Exports()))
	}
}

// A file that was cut off or changed is not run, and is replaced.
func TestBrokenCacheIsReplaced(t *testing.T) {
	for name, damage := range map[string]func([]byte) []byte{
		"empty":     func([]byte) []byte { return nil },
		"cut off":   func(b []byte) []byte { return b[:len(b)/2] },
		"one bit":   func(b []byte) []byte { b[len(b)/2] ^= 1; return b },
		"its hash":  func(b []byte) []byte { b[0] ^= 1; return b },
		"hash only": func(b []byte) []byte { return b[:32] },
	} {
		t.Run(name, func(t *testing.T) {
			c := newCache(t)
			c.answers(t)
			whole := c.file(t)
			if err := os.WriteFile(c.path, damage(bytes.Clone(whole)), 0o600); err != nil {
				t.Fatal(err)
			}
			if c.e.cache.read(enginetest.Small(t)) != nil {
				t.Error("the broken file is read")
			}
			c.answers(t)
			if got := c.file(t); !bytes.Equal(got, whole) {
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

// cached is an engine with a folder, in which Small has a path.
type cached struct {
	e    *wasmtimeEngine
	path string
}

func newCache(t *testing.T) cached {
	t.Helper()
	e := open(t, Options{CacheDir: filepath.Join(t.TempDir(), "code")}).(*wasmtimeEngine)
	t.Cleanup(func() { _ = e.Close() })
	return cached{e: e, path: e.cache.path(enginetest.Small(t))}
}

func (c cached) file(t *testing.T) []byte {
	t.Helper()
	b, err := os.ReadFile(c.path)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// answers compiles Small and calls it.
func (c cached) answers(t *testing.T) {
	t.Helper()
	m, err := c.e.Compile(t.Context(), enginetest.Small(t), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	i, err := m.Instantiate(nil)
	if err != nil {
		t.Fatal(err)
	}
	defer i.Close()
	i.SetFuel(1000, 10)
	if got, err := i.Function("read").Call(8); got != 0 || err != nil {
		t.Errorf("read gives %d, %v, want 0", got, err)
	}
}
