package config

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"unicode/utf8"
)

// emptyMachine has no files and no environment, so that a run depends on
// nothing but its input.
var emptyMachine = machine{
	read: func(string, int64) ([]byte, error) { return nil, errors.New("no such file or directory") },
	glob: func(pattern string) ([]string, error) { return nil, matchError(pattern) },
	env:  func(string) (string, bool) { return "", false },
	host: func() (string, error) { return "edge", nil },
}

func matchError(pattern string) error {
	_, err := filepath.Match(pattern, "")
	return err
}

// FuzzLoad: any bytes either give a configuration that is whole, or errors that
// each lie inside the file. They never panic.
func FuzzLoad(f *testing.F) {
	for _, pattern := range []string{"testdata/bad/*.yaml", "testdata/good/*.yaml"} {
		files, err := filepath.Glob(pattern)
		if err != nil {
			f.Fatal(err)
		}
		for _, file := range files {
			text, err := os.ReadFile(file)
			if err != nil {
				f.Fatal(err)
			}
			f.Add(text)
		}
	}
	f.Add(setting.ReplaceAll(Sample(""), []byte("$1$2")))
	f.Add([]byte(smallest + "rules:\n  - { name: a, when: path == \"x\", permit: { to: app }, order: 2 }\n  - { name: b, when: &w 'true', reject: {}, order: 1 }\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		cfg, problems := newLoader(emptyMachine).load("w.yaml", text)
		if (cfg == nil) != (problems.Errors() > 0) {
			t.Fatalf("config: %v, errors: %d", cfg != nil, problems.Errors())
		}
		src, _ := newSource("w.yaml", "", 1, text)
		for _, p := range problems {
			inside(t, src, p)
		}
		if cfg != nil {
			wholeRules(t, src, cfg)
			whole := len(cfg.Listeners) > 0 && len(cfg.Clusters) > 0 && len(cfg.Sites) > 0 && len(cfg.Mappings) > 0
			if !whole {
				t.Fatalf("accepted, and not whole: %+v", cfg)
			}
			for i, m := range cfg.Mappings {
				if (len(m.Clusters) == 0) != (len(m.Applications) > 0) {
					t.Fatalf("accepted, and mappings[%d] has neither clusters nor applications, or both: %+v", i, m)
				}
			}
		}
	})
}

// wholeRules checks that each rule does one thing, in order, and that places
// inside its condition lie in the file.
func wholeRules(t *testing.T, src *source, cfg *Config) {
	t.Helper()
	for i, r := range cfg.Rules {
		actions := 0
		for _, written := range []bool{r.Permit != nil, r.Redirect != nil, r.Reject != nil} {
			if written {
				actions++
			}
		}
		if first := cfg.Rules[0]; actions != 1 || r.Name == "" || (r.Order == nil) != (first.Order == nil) || i > 0 && r.Order != nil && *r.Order <= *cfg.Rules[i-1].Order {
			t.Fatalf("accepted, and not whole: %+v", r)
		}
		inside(t, src, cfg.Inside(r.Path+".when", 1, len(r.When), 1, Error, "E301", "said", ""))
		inside(t, src, cfg.Inside(r.Path+".when", 2, 1, len(r.When), Error, "E301", "said", ""))
	}
}

// inside checks that a problem lies in the file.
func inside(t *testing.T, src *source, p Problem) {
	t.Helper()
	if p.Code == "E109" && p.File == "" {
		return // there were too many to list
	}
	if p.File != "w.yaml" || p.Line < 1 || p.Line > len(src.lines) {
		t.Fatalf("outside of the file: %+v", p)
	}
	if width := utf8.RuneCountInString(src.lines[p.Line-1]); p.Column < 1 || p.Column > width+1 {
		t.Fatalf("outside of the line: %+v", p)
	}
	if _, ok := Explain(p.Code); !ok || p.Message == "" || p.Excerpt == "" {
		t.Fatalf("says too little: %+v", p)
	}
}
