package gw1wasm

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"weirkeep/sdk/go/gw1test"
)

// BuildGo builds the plugin whose main package is in a folder, and returns an
// instance of it. The first build on a machine takes half a minute.
func BuildGo(t testing.TB, dir string) *gw1test.Guest {
	t.Helper()
	return Load(t, GoModule(t, dir))
}

// GoModule builds the plugin whose main package is in a folder, and returns the
// file it is in.
func GoModule(t testing.TB, dir string) (path string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "plugin.wasm")
	build := exec.Command("go", "build", "-trimpath", "-buildmode=c-shared", "-ldflags=-s -w", "-o", path, ".")
	build.Dir = dir
	build.Env = append(os.Environ(), "GOOS=wasip1", "GOARCH=wasm", "CGO_ENABLED=0", "GOFLAGS=")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	return path
}
