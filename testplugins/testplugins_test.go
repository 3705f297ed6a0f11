// Package testplugins holds the guests that tests use; README.md says what each
// must end in. Here the tables of that page are held against the files, and the
// guests against their descriptions: those that end without a meter are run.
package testplugins

import (
	"bytes"
	"encoding/hex"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// A row is a line of one of the tables in README.md.
type row struct {
	module string // path without .wasm, from this folder
	cells  []string
}

// rows reads the table under the heading that begins with the given words.
func rows(t *testing.T, heading string) (all []row) {
	t.Helper()
	page, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(page), "\n## "+heading)
	section, _, _ := strings.Cut(rest, "\n## ")
	for line := range strings.Lines(section) {
		cells := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), " | ")
		name := strings.TrimSpace(cells[0])
		if !strings.HasPrefix(line, "| ") || name == "module" || name == "query" {
			continue
		}
		if !strings.HasPrefix(name, "good/") {
			name = "evil/" + name
		}
		all = append(all, row{name, cells[1:]})
	}
	if len(all) == 0 {
		t.Fatalf("README.md has no table under %q", heading)
	}
	return all
}

func TestEveryModuleIsInTheTables(t *testing.T) {
	listed := make(map[string]bool)
	for _, heading := range []string{"good", "evil/load", "evil/init", "evil/call"} {
		for _, r := range rows(t, heading) {
			listed[r.module+".wasm"] = true
		}
	}
	files := modules(t)
	for _, f := range files {
		if !listed[f] {
			t.Errorf("%s is in no table of README.md", f)
		}
	}
	for f := range listed {
		if !slices.Contains(files, f) {
			t.Errorf("README.md lists %s, which is not there", f)
		}
	}
}

func TestModulesAreSmallAndHaveTheirSource(t *testing.T) {
	for _, f := range modules(t) {
		if size := len(read(t, f)); size >= 10<<10 {
			t.Errorf("%s has %d bytes, 10 KiB is too much", f, size)
		}
		stem := strings.TrimSuffix(f, ".wasm")
		if !exists(stem+".wat") && !exists(stem+".hex") && !exists(stem+".c") {
			t.Errorf("%s has no source beside it", f)
		}
	}
}

var comment = regexp.MustCompile(`#.*|\s+`)

func TestBytesWrittenByHandAreTheModules(t *testing.T) {
	sources, _ := filepath.Glob("evil/load/*.hex")
	if len(sources) == 0 {
		t.Fatal("there are no sources in hex")
	}
	for _, f := range sources {
		want, err := hex.DecodeString(comment.ReplaceAllString(string(read(t, f)), ""))
		if err != nil {
			t.Errorf("%s: %v", f, err)
		}
		if got := read(t, strings.TrimSuffix(f, ".hex")+".wasm"); !bytes.Equal(got, want) {
			t.Errorf("%s gives %x, the module is %x", f, want, got)
		}
	}
}

// modules are the committed modules, by path.
func modules(t *testing.T) (all []string) {
	t.Helper()
	for _, pattern := range []string{"good/*.wasm", "evil/*/*.wasm"} {
		found, err := filepath.Glob(pattern)
		if err != nil || len(found) == 0 {
			t.Fatalf("%s: %d files, %v", pattern, len(found), err)
		}
		all = append(all, found...)
	}
	return all
}

func read(t testing.TB, path string) []byte {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}
