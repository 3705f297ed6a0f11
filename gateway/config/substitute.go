package config

import (
	"fmt"
	"strings"
)

// maxSubstituted is the size of a file that stands for one value.
const maxSubstituted = 64 << 10

// substitute replaces ${env:NAME}, ${env:NAME:-default} and ${file:path}. Only a
// whole value is replaced, so that nobody has to think about quoting; the value
// is marked, so that nobody prints it.
func (r *reader) substitute(s scalar, path string) (scalar, bool) {
	if s.typed || !strings.Contains(s.text, "${") {
		return s, true
	}
	inner, ok := whole(s.text)
	if !ok {
		r.fail(path, "E107", path+" has ${ inside other text; only a whole value is replaced", "")
		return s, false
	}
	kind, name, _ := strings.Cut(inner, ":")
	switch kind {
	case "env":
		s, reason := r.fromEnv(name)
		return r.substituted(s, path, reason)
	case "file":
		s, reason := r.fromFile(name)
		return r.substituted(s, path, reason)
	}
	r.fail(path, "E107", path+" is no substitution that there is", "write ${env:NAME}, ${env:NAME:-default} or ${file:path}")
	return s, false
}

// whole is what stands between ${ and }, if that is all of the text.
func whole(text string) (string, bool) {
	inner, begins := strings.CutPrefix(text, "${")
	inner, ends := strings.CutSuffix(inner, "}")
	return inner, begins && ends && !strings.ContainsAny(inner, "{}\n")
}

// substituted records where a value came from, or why there is none.
func (r *reader) substituted(s scalar, path, reason string) (scalar, bool) {
	if reason != "" {
		r.fail(path, "E107", fmt.Sprintf("%s: %s", path, reason), "")
		return s, false
	}
	p := r.cfg.places[path]
	p.from = s.from
	r.cfg.places[path] = p
	return s, true
}

// fromEnv reads an environment variable. As in a shell, a default also stands
// for one that is empty.
func (r *reader) fromEnv(text string) (s scalar, reason string) {
	name, standard, hasDefault := strings.Cut(text, ":-")
	s.from = "${env:" + name + "}"
	value, set := r.host.env(name)
	switch {
	case name == "":
		return s, "${env:} names no variable"
	case hasDefault && value == "":
		value = standard
	case !set:
		return s, "the environment has no " + name
	}
	s.text = value
	return s, ""
}

// fromFile reads a file without the line ends it closes with.
func (r *reader) fromFile(name string) (s scalar, reason string) {
	s.from = "${file:" + name + "}"
	if name == "" {
		return s, "${file:} names no file"
	}
	data, err := r.host.read(r.locate(name), maxSubstituted)
	if err != nil {
		return s, "cannot read " + r.locate(name) + ": " + why(err)
	}
	s.text = strings.TrimRight(string(data), "\r\n")
	return s, ""
}

// shown is a value in a message: quoted, or what it was read from.
func (l *loader) shown(path, value string) string {
	if from := l.cfg.places[path].from; from != "" {
		return "the value of " + from
	}
	return quote(value)
}
