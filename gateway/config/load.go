package config

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/goccy/go-yaml/ast"
)

// What all files of a configuration may come to together.
const (
	maxFiles    = 1000
	maxBytes    = 16 << 20
	maxValues   = 300_000 // aliases can make a small file large
	maxProblems = 1000
)

// Load reads the file and what it includes. It returns everything that is wrong
// in them, sorted; the configuration is nil when any of that is an error, and
// otherwise complete, with every default filled in and every path absolute.
func Load(path string) (*Config, Problems) {
	l := newLoader(thisMachine)
	data, err := l.host.read(path, maxFileBytes)
	if err != nil {
		return nil, Problems{unreadable(path, err)}
	}
	return l.load(path, data)
}

// unreadable is the problem of a main file that cannot be read.
func unreadable(path string, err error) Problem {
	hint := ""
	if errors.Is(err, fs.ErrNotExist) {
		hint = "weirkeep init " + path + " makes one to begin with"
	}
	return problemAt(span{}, Error, "E101", "cannot read "+path+": "+why(err), hint)
}

// Parse is Load for a text that the caller has; name stands for it in problems,
// and its directory is what relative paths in the text are relative to.
func Parse(name string, text []byte) (*Config, Problems) {
	return newLoader(thisMachine).load(name, text)
}

// loader is one run of Load.
type loader struct {
	host     machine
	cfg      *Config
	problems Problems
	bad      map[string]bool // paths whose value is a mistake already
	spoilt   map[string]bool // the same, and what they are in
	read     map[string]bool // files, by absolute path
	bytes    int             // of all files
	values   int             // decoded so far
}

func newLoader(m machine) *loader {
	return &loader{
		host:   m,
		cfg:    &Config{places: places{}},
		bad:    map[string]bool{},
		spoilt: map[string]bool{},
		read:   map[string]bool{},
	}
}

// load is Load for a main file that was read.
func (l *loader) load(name string, data []byte) (*Config, Problems) {
	if l.file(name, data) {
		l.finish()
	}
	l.problems.Sort()
	l.problems = slices.CompactFunc(l.problems, func(a, b Problem) bool { return a == b })
	if l.problems.Errors() > 0 {
		return nil, l.problems
	}
	return l.cfg, l.problems
}

// file decodes one file and those it includes, and reports whether what was
// written is known, so that it makes sense to look for what is missing.
func (l *loader) file(name string, data []byte) (known bool) {
	abs, err := filepath.Abs(name)
	if err != nil {
		abs = name
	}
	l.read[abs] = true
	l.bytes += len(data)
	src, text := newSource(name, filepath.Dir(abs), len(l.read), data)
	r := &reader{loader: l, src: src, aliases: map[*ast.AliasNode]ast.Node{}}
	if !r.parse(text) {
		return false
	}
	first := len(l.cfg.Include)
	r.root()
	return r.include(first)
}

// add records a problem, up to a bound that no honest file reaches.
func (l *loader) add(at span, sev Severity, code, message, hint string) {
	switch {
	case len(l.problems) < maxProblems:
		l.problems = append(l.problems, problemAt(at, sev, code, message, hint))
	case len(l.problems) == maxProblems:
		l.problems = append(l.problems, problemAt(span{}, Error, "E109", "so many mistakes that the rest is left out", ""))
	}
}

// fail records an error for a path and remembers that its value is wrong.
func (l *loader) fail(path, code, message, hint string) {
	l.spoil(path)
	l.add(l.cfg.places.at(path).span(), Error, code, message, hint)
}

// spoil remembers that the value of a path is a mistake.
func (l *loader) spoil(path string) {
	l.bad[path] = true
	for !l.spoilt[path] {
		l.spoilt[path] = true
		path = parent(path)
	}
}

// anyBad reports whether something at or below a path is wrong.
func (l *loader) anyBad(path string) bool { return l.spoilt[path] }

// warn records a warning for a path.
func (l *loader) warn(path, code, message string) {
	l.add(l.cfg.places.at(path).span(), Warning, code, message, "")
}

// parse reads the text and reports whether it is YAML. The main file must hold
// something; an included one may be commented out.
func (r *reader) parse(text string) bool {
	body, f := r.src.parse(text)
	switch {
	case f != nil:
		r.add(f.at, Error, f.code, f.message, f.hint)
		return false
	case body == nil && r.src.rank == 1:
		r.add(r.src.top(), Error, "E101", "the file holds no configuration", "weirkeep init prints one to begin with")
		return false
	}
	r.body = body
	return true
}

// include reads the files that the patterns of this file name; first is the
// index of the first of them. It reports whether all could be parsed.
func (r *reader) include(first int) (known bool) {
	known = true
	for i := first; i < len(r.cfg.Include); i++ {
		path := index("include", i)
		if !r.bad[path] {
			known = r.pattern(path, r.cfg.Include[i]) && known
		}
	}
	return known
}

// pattern reads the files that one pattern names.
func (r *reader) pattern(path, pattern string) (known bool) {
	names, err := r.host.glob(r.locate(pattern))
	if err != nil {
		r.fail(path, "E209", path+" is no pattern: "+err.Error(), "")
		return false
	}
	if len(names) == 0 && !strings.ContainsAny(pattern, "*?[") {
		r.fail(path, "E209", path+" names a file that does not exist: "+r.shown(path, pattern), "")
		return false
	}
	known = true
	for _, name := range names {
		known = r.included(path, name) && known
	}
	return known
}

// included reads one included file, once.
func (r *reader) included(path, abs string) (known bool) {
	name := r.nameOf(abs)
	if r.read[abs] {
		r.fail(path, "E209", fmt.Sprintf("%s names %s, which is read already", path, name), "")
		return false
	}
	if len(r.read) >= maxFiles || r.bytes > maxBytes {
		r.fail(path, "E109", fmt.Sprintf("%s makes the configuration larger than %d files or %d bytes", path, maxFiles, maxBytes), "")
		return false
	}
	data, err := r.host.read(abs, maxFileBytes)
	if err != nil {
		r.fail(path, "E101", fmt.Sprintf("%s: cannot read %s: %s", path, name, why(err)), "")
		return false
	}
	return r.file(name, data)
}

// nameOf is how an included file is named in problems: as seen from where the
// main file was.
func (r *reader) nameOf(abs string) string {
	rel, err := filepath.Rel(r.src.dir, abs)
	if err != nil || filepath.IsAbs(r.src.name) || strings.HasPrefix(rel, "..") {
		return abs
	}
	return filepath.Join(filepath.Dir(r.src.name), rel)
}

// locate makes a path absolute that was written in this file.
func (r *reader) locate(path string) string {
	if filepath.IsAbs(path) {
		return filepath.Clean(path)
	}
	return filepath.Join(r.src.dir, path)
}
