package config

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var rewrite = flag.Bool("rewrite", false, "write what is said of testdata/bad beside it")

// TestBadFiles holds what is said of each file of testdata/bad against the text
// beside it. The text is written by -rewrite and read by people.
func TestBadFiles(t *testing.T) {
	t.Setenv("WEIRKEEP_TEST", "hush")
	t.Chdir("testdata/bad")
	files, err := filepath.Glob("*.yaml")
	if err != nil || len(files) < 45 {
		t.Fatalf("%d files, %v, want 45 or more", len(files), err)
	}
	for _, file := range files {
		t.Run(file, func(t *testing.T) { compareBad(t, file) })
	}
}

// compareBad loads one bad file.
func compareBad(t *testing.T, file string) {
	cfg, problems := Load(file)
	if len(problems) == 0 || (cfg == nil) != (problems.Errors() > 0) {
		t.Errorf("a configuration: %v, problems: %d, errors: %d", cfg != nil, len(problems), problems.Errors())
	}
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	got := strings.ReplaceAll(problems.Error(), dir, "/bad") + "\n" // wherever this is
	if strings.Contains(got, "hush") {
		t.Errorf("a substituted value is shown:\n%s", got)
	}
	beside := strings.TrimSuffix(file, ".yaml") + ".want"
	if *rewrite {
		if err := os.WriteFile(beside, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(beside)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("got:\n%s\nwant:\n%s", got, want)
	}
}
