package gw1_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// The page shows a plugin, its test, and how to copy the SDK. All of it works,
// without the rest of the project and without a network.
func TestPluginOfThePageWorksWithACopy(t *testing.T) {
	dir := t.TempDir()
	copyFiles(t, ".", filepath.Join(dir, "gw1"))
	copyFiles(t, "gw1test", filepath.Join(dir, "gw1", "gw1test"))
	write(t, filepath.Join(dir, "gw1", "go.mod"), "module weirkeep/sdk/go\n\ngo 1.24\n")
	write(t, filepath.Join(dir, "go.mod"), "module first\n\ngo 1.24\n\nrequire weirkeep/sdk/go v0.0.0\n\nreplace weirkeep/sdk/go => ./gw1\n")
	blocks := shown(t, "go")
	if len(blocks) != 2 {
		t.Fatalf("README.md shows %d pieces of Go, want a plugin and its test", len(blocks))
	}
	write(t, filepath.Join(dir, "main.go"), blocks[0])
	write(t, filepath.Join(dir, "main_test.go"), blocks[1])

	run(t, dir, "go", "vet", "./...")
	run(t, dir, "go", "test", "./...")
	words := strings.Fields(shown(t, "sh")[0])
	run(t, dir, "env", append(words[:2:2], split(words[2:])...)...)
	if _, err := os.Stat(filepath.Join(dir, "first.wasm")); err != nil {
		t.Errorf("the command of the page builds nothing: %v", err)
	}
}

// split puts together again what quotes hold together: -ldflags='-s -w'.
func split(words []string) (all []string) {
	for _, w := range words {
		if n := len(all); n > 0 && strings.Count(all[n-1], "'") == 1 {
			all[n-1] += " " + w
			continue
		}
		all = append(all, w)
	}
	for i := range all {
		all[i] = strings.ReplaceAll(all[i], "'", "")
	}
	return all
}

// shown are the blocks of a language that README.md shows.
func shown(t *testing.T, language string) (blocks []string) {
	t.Helper()
	page, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	for i, part := range strings.Split(string(page), "\n```") {
		if text, ok := strings.CutPrefix(part, language+"\n"); ok && i%2 == 1 {
			blocks = append(blocks, text+"\n")
		}
	}
	return blocks
}

// copyFiles copies the Go files of a folder that are no tests.
func copyFiles(t *testing.T, from, to string) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(from, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if strings.HasSuffix(f, "_test.go") {
			continue
		}
		text, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		write(t, filepath.Join(to, filepath.Base(f)), string(text))
	}
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}

// run runs a command in the copy, which may fetch nothing.
func run(t *testing.T, dir, name string, args ...string) {
	t.Helper()
	cmd := exec.Command(name, args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOPROXY=off", "GOFLAGS=", "GOWORK=off")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%s %s: %v\n%s", name, strings.Join(args, " "), err, out)
	}
}
