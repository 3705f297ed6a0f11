package websphere

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var rewrite = flag.Bool("rewrite", false, "write the golden files anew")

// inputs are the files that were made by hand in each format.
var inputs = []string{"rules.xml", "server.xml", "rules.jacl", "rules.py"}

func convertFile(t *testing.T, name string) *Conversion {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	c, err := Convert(text, Options{Name: name})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// TestGolden holds what is written, and what is reported, against files that are
// read in review.
func TestGolden(t *testing.T) {
	for _, name := range inputs {
		t.Run(name, func(t *testing.T) {
			c := convertFile(t, name)
			var report strings.Builder
			for _, f := range c.Findings {
				report.WriteString(f.String(name) + "\n")
			}
			golden(t, name+".config.yaml", string(c.Config))
			golden(t, name+".tests.yaml", string(c.Tests))
			golden(t, name+".report.txt", report.String())
		})
	}
}

func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", "golden", name)
	if *rewrite {
		if err := os.WriteFile(path, []byte(got), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("%s differs; got:\n%s", path, got)
	}
}
