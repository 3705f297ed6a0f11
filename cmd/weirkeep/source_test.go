package main

import (
	"os"
	"path/filepath"
	"testing"
)

const including = `
listeners: [{ address: "127.0.0.1:0" }]
include: [conf.d/*.yaml]
`

const cluster = `clusters: { shop: { origins: [{ address: "127.0.0.1:9001" }] } }`

func TestSourceNoticesWhatMatters(t *testing.T) {
	for _, tt := range []struct {
		name    string
		change  func(t *testing.T, dir string)
		changed bool
	}{
		{"nothing", func(*testing.T, string) {}, false},
		{"the main file", write("main.yaml", including+"# more\n"), true},
		{"the same contents again", write("main.yaml", including), false},
		{"an included file", write("conf.d/a.yaml", cluster+"\n"), true},
		{"a further file to include", write("conf.d/b.yaml", ""), true},
		{"a file beside it", write("conf.d/notes.txt", "x"), false},
		{"a file that goes", remove("conf.d/a.yaml"), true},
		{"the main file goes", remove("main.yaml"), true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			write("main.yaml", including)(t, dir)
			write("conf.d/a.yaml", cluster)(t, dir)
			s := fileSource(filepath.Join(dir, "main.yaml"))
			if _, ps := s.read(); len(ps) > 0 {
				t.Fatal(ps)
			}
			tt.change(t, dir)
			if got := s.changed(); got != tt.changed {
				t.Errorf("changed() = %v, want %v", got, tt.changed)
			}
		})
	}
}

// TestMistakenFileIsLookedAt: a file that could not be used belongs to the
// source, though no configuration names it yet.
func TestMistakenFileIsLookedAt(t *testing.T) {
	dir := t.TempDir()
	write("main.yaml", including)(t, dir)
	write("conf.d/a.yaml", "clustres: {}")(t, dir)
	s := fileSource(filepath.Join(dir, "main.yaml"))
	if cfg, ps := s.read(); cfg != nil {
		t.Fatalf("read() = %v, %v, want no configuration", cfg, ps)
	}
	write("conf.d/a.yaml", cluster)(t, dir)
	if !s.changed() {
		t.Fatal("the mistake was mended and nobody noticed")
	}
	if _, ps := s.read(); len(ps) > 0 {
		t.Errorf("read() reports %v, want nothing", ps)
	}
}

func TestTextNeverChanges(t *testing.T) {
	s := textSource("text", []byte(`listeners: [{ address: "127.0.0.1:0" }]`+"\n"+cluster))
	if _, ps := s.read(); len(ps) > 0 {
		t.Fatal(ps)
	}
	if s.changed() || len(s.dirs()) > 0 {
		t.Errorf("changed() = %v, dirs() = %v, want nothing to watch", s.changed(), s.dirs())
	}
}

func write(name, text string) func(*testing.T, string) {
	return func(t *testing.T, dir string) {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

func remove(name string) func(*testing.T, string) {
	return func(t *testing.T, dir string) {
		if err := os.Remove(filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
}
