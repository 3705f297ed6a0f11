package main

import (
	"crypto/sha256"
	"fmt"
	"hash"
	"os"
	"path/filepath"
	"slices"

	"weirkeep/gateway/config"
)

// source is where configurations come from: a file with all that it names
// (includes, authorities, pages), or a text. Files are only ever read.
type source struct {
	name string // as operators know it
	path string // of the file; empty: there is none
	load func() (*config.Config, config.Problems)

	include []string          // patterns of the last configuration that could be read
	named   []string          // files of the last configuration, and those with mistakes
	seen    [sha256.Size]byte // what the files held when they were last read
}

func fileSource(path string) *source {
	return &source{name: path, path: path, load: func() (*config.Config, config.Problems) { return config.Load(path) }}
}

func textSource(name string, text []byte) *source {
	return &source{name: name, load: func() (*config.Config, config.Problems) { return config.Parse(name, text) }}
}

// read loads the configuration. When it turns out that more files belong to
// it than were known, it is loaded once more, so that seen is never newer than
// what was loaded.
func (s *source) read() (cfg *config.Config, problems config.Problems) {
	for range 3 { // a third time only if files come and go meanwhile; that shows as a change
		files := s.files()
		s.seen = digest(files)
		cfg, problems = s.load()
		s.learn(cfg, problems)
		if slices.Equal(files, s.files()) {
			break
		}
	}
	return cfg, problems
}

// changed reports whether a file holds something else than when it was read.
func (s *source) changed() bool { return digest(s.files()) != s.seen }

// learn takes note of the files that belong to the configuration.
func (s *source) learn(cfg *config.Config, problems config.Problems) {
	s.named = s.named[:0]
	for _, p := range problems {
		if p.File != "" {
			s.named = append(s.named, p.File)
		}
	}
	if cfg != nil {
		s.include = cfg.Include
		s.named = append(s.named, namedFiles(cfg)...)
	}
}

// namedFiles are the files besides YAML whose contents are part of cfg. The
// gateway itself looks after certificates.
func namedFiles(cfg *config.Config) []string {
	var files []string
	for _, l := range cfg.Listeners {
		if l.TLS != nil {
			files = append(files, l.TLS.ClientAuth.CA)
		}
	}
	for _, c := range cfg.Clusters {
		files = append(files, c.TLS.CA)
	}
	for _, site := range cfg.Sites {
		for _, page := range site.Pages {
			files = append(files, page)
		}
	}
	return slices.DeleteFunc(files, func(f string) bool { return f == "" })
}

// files are all that belong to the configuration, as far as they exist, sorted.
func (s *source) files() []string {
	if s.path == "" {
		return nil
	}
	files := append(s.yaml(), s.named...)
	slices.Sort(files)
	return slices.Compact(files)
}

// yaml is the main file and what it includes. A pattern is relative to the file
// that it stands in, and which that is we do not know: it is tried beside each.
func (s *source) yaml() []string {
	files := []string{s.path}
	for i := 0; i < len(files) && len(files) < maxWatched; i++ {
		for _, pattern := range s.include {
			found, _ := filepath.Glob(beside(files[i], pattern)) // a bad pattern was reported by config
			files = append(files, slices.DeleteFunc(found, func(f string) bool { return slices.Contains(files, f) })...)
		}
	}
	return files
}

// maxWatched bounds the YAML files that are looked at; config reads fewer.
const maxWatched = 2000

// beside is a path that a file names, as seen from where we are.
func beside(file, path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(filepath.Dir(file), path)
}

// dirs are the directories in which a change of the files shows: where each
// is, where it really is, and where further includes would be.
func (s *source) dirs() []string {
	var dirs []string
	for _, f := range s.files() {
		dirs = append(dirs, filepath.Dir(f))
		if real, err := filepath.EvalSymlinks(f); err == nil {
			dirs = append(dirs, filepath.Dir(real))
		}
		dirs = append(dirs, linkFolders(f)...)
		for _, pattern := range s.include {
			found, _ := filepath.Glob(filepath.Dir(beside(f, pattern)))
			dirs = append(dirs, found...)
		}
	}
	slices.Sort(dirs)
	return slices.Compact(dirs)
}

// linkFolders are the folders that hold the symbolic links on the way to a file:
// a release is often put in place by turning one.
func linkFolders(file string) (dirs []string) {
	dir, err := filepath.Abs(filepath.Dir(file))
	if err != nil {
		return nil
	}
	for ; dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
		if info, err := os.Lstat(dir); err == nil && info.Mode()&os.ModeSymlink != 0 {
			dirs = append(dirs, filepath.Dir(dir))
		}
	}
	return dirs
}

// digest is equal for the same files with the same contents.
func digest(files []string) [sha256.Size]byte {
	h := sha256.New()
	for _, f := range files {
		digestFile(h, f)
	}
	return [sha256.Size]byte(h.Sum(nil))
}

// digestFile adds a file's contents, or why they cannot be read.
func digestFile(h hash.Hash, path string) {
	content, err := config.ReadFile(path)
	fmt.Fprintf(h, "%q %d %v\n", path, len(content), err)
	h.Write(content)
}
