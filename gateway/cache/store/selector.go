package store

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"

	"weirkeep/gateway/cache"
)

// Selector selects answers, as operators write it: words "site:NAME", "tag:TAG",
// "group:GROUP", "path:GLOB", and full URLs, each of which selects its path at its site. They
// are separated by blanks; different words are and-ed, several of the same word, and URLs,
// or-ed. In a glob "*" is anything within a segment and "**" anything across them; with a "?"
// it is compared with path and query, else with the path alone.
type Selector struct {
	sites, tags, paths []string
	groups             []string // as tags
	targets            []target

	// Where is asked too, last; nil: it is not. It may be called by several goroutines.
	Where func(*Entry) bool

	// Brief lets a purge outlast a process that is killed, but not a loss of power: then
	// nobody waits for a disk.
	Brief bool
}

// A Resolve says which site a URL is of, and its path, as they are stored; the path may be a
// glob.
type Resolve func(url string) (site, path string, err error)

// target is what a URL selects.
type target struct{ site, path, url string }

// ErrAll means that a selector has no word, so that it would select everything.
var ErrAll = errors.New(`selector: it has no word, so it would select all there is; write --all if you mean that, or words like "site:shop", "tag:news", "path:/img/**"`)

// ParseSelector reads a selector. One without a word needs all. URLs are not understood
// if resolve is nil.
func ParseSelector(text string, all bool, resolve Resolve) (*Selector, error) {
	s := &Selector{}
	words := strings.Fields(text)
	if len(words) == 0 && !all {
		return nil, ErrAll
	}
	var errs []error
	for _, w := range words {
		if err := s.add(w, resolve); err != nil {
			errs = append(errs, fmt.Errorf("selector: %q: %w", w, err))
		}
	}
	if len(errs) > 0 {
		return nil, errors.Join(errs...)
	}
	for _, values := range []*[]string{&s.sites, &s.tags, &s.groups, &s.paths} {
		slices.Sort(*values)
		*values = slices.Compact(*values)
	}
	return s, nil
}

func (s *Selector) add(word string, resolve Resolve) error {
	if isURL(word) {
		return s.addURL(word, resolve)
	}
	name, value, ok := strings.Cut(word, ":")
	if !ok {
		return unknown(word)
	}
	values := s.valuesOf(name)
	switch {
	case values == nil:
		return unknown(word)
	case value == "":
		return fmt.Errorf("nothing stands after the colon; write for example %q", examples[name])
	case values == &s.paths:
		if err := checkGlob(value); err != nil {
			return err
		}
	}
	if values == &s.groups {
		value = cache.GroupTag(value)
	}
	*values = append(*values, value)
	return nil
}

// SelectAll selects all there is.
func SelectAll() *Selector { return &Selector{} }

// SelectSite selects all of a site.
func SelectSite(site string) *Selector { return &Selector{sites: []string{site}} }

// SelectGroups selects what is in one of some groups at a site.
func SelectGroups(site string, groups []string) *Selector {
	s := &Selector{sites: []string{site}}
	for _, g := range groups {
		s.groups = append(s.groups, cache.GroupTag(g))
	}
	return s
}

// examples are words as they may be written.
var examples = map[string]string{"site": "site:shop", "tag": "tag:news", "group": "group:cart", "path": "path:/img/**"}

// valuesOf is where the values of a word go; nil: there is no such word.
func (s *Selector) valuesOf(name string) *[]string {
	switch name {
	case "site":
		return &s.sites
	case "tag":
		return &s.tags
	case "group":
		return &s.groups
	case "path":
		return &s.paths
	}
	return nil
}

// unknown says what to write in place of a word that is none.
func unknown(word string) error {
	name, value, _ := strings.Cut(word, ":")
	switch {
	case strings.HasPrefix(word, "/"):
		return fmt.Errorf("a path is written %q", "path:"+word)
	case strings.ContainsAny(word, "=:"):
		name, value, _ = strings.Cut(strings.Replace(word, "=", ":", 1), ":")
	}
	for known := range examples {
		if near := strings.ToLower(name); value != "" && (near == known || near == known+"s" || oneOff(near, known)) {
			return fmt.Errorf("did you mean %q?", known+":"+value)
		}
	}
	return errors.New(`it is none of "site:NAME", "tag:TAG", "group:GROUP", "path:GLOB" and a full URL like "https://shop.example/a"`)
}

// oneOff reports whether a word has one letter too few, too many or wrong, or two that
// have changed places.
func oneOff(a, b string) bool {
	for len(a) > 0 && len(b) > 0 && a[0] == b[0] {
		a, b = a[1:], b[1:]
	}
	for len(a) > 0 && len(b) > 0 && a[len(a)-1] == b[len(b)-1] {
		a, b = a[:len(a)-1], b[:len(b)-1]
	}
	swapped := len(a) == 2 && len(b) == 2 && a[0] == b[1] && a[1] == b[0]
	return len(a) <= 1 && len(b) <= 1 || swapped
}

func isURL(word string) bool {
	scheme, _, ok := strings.Cut(word, "://")
	return ok && !strings.Contains(scheme, ":")
}

func (s *Selector) addURL(url string, resolve Resolve) error {
	if resolve == nil {
		return errors.New(`URLs are not understood here; write "site:NAME path:/…"`)
	}
	site, path, err := resolve(url)
	if err == nil {
		err = checkGlob(path)
	}
	if err != nil {
		return err
	}
	s.targets = append(s.targets, target{site, path, url})
	return nil
}

// String is the selector as it may be written, without Where.
func (s *Selector) String() string {
	var words []string
	for _, part := range []struct {
		name   string
		values []string
	}{{"site:", s.sites}, {"tag:", s.tags}, {"group:", s.groups}, {"path:", s.paths}} {
		for _, v := range part.values {
			if part.name == "group:" {
				v, _ = cache.GroupOf(v)
			}
			words = append(words, part.name+v)
		}
	}
	for _, t := range s.targets {
		words = append(words, t.url)
	}
	return strings.Join(words, " ")
}

// Matches reports whether a selector selects an entry.
func (s *Selector) Matches(e *Entry) bool {
	return s.matchesKey(&e.home.key) && s.matchesTags(e.stored.Tags) && (s.Where == nil || s.Where(e))
}

// Selects is Matches without Where, for an answer that has such a key and such tags.
func (s *Selector) Selects(k *Key, tags []string) bool {
	return s.matchesKey(k) && s.matchesTags(tags)
}

// Tags are such that an answer must have one of them, those of groups among them; none: they
// do not matter.
func (s *Selector) Tags() []string {
	if len(s.tags) > 0 {
		return s.tags
	}
	return s.groups
}

func (s *Selector) matchesKey(k *Key) bool {
	if len(s.sites) > 0 && !slices.Contains(s.sites, k.Site) {
		return false
	}
	if len(s.targets) > 0 && !slices.ContainsFunc(s.targets, func(t target) bool { return t.site == k.Site && matchTarget(t.path, k.Target) }) {
		return false
	}
	return len(s.paths) == 0 || slices.ContainsFunc(s.paths, func(glob string) bool {
		return matchTarget(glob, k.Target)
	})
}

func (s *Selector) matchesTags(tags []string) bool {
	return hasOne(tags, s.tags) && hasOne(tags, s.groups)
}

// hasOne reports whether one of the wanted is there, if any is wanted.
func hasOne(tags, wanted []string) bool {
	return len(wanted) == 0 || slices.ContainsFunc(tags, func(t string) bool { return slices.Contains(wanted, t) })
}

// matchTarget compares a glob with a target, or with its path if the glob has no query.
func matchTarget(glob string, target []byte) bool {
	if !strings.Contains(glob, "?") {
		target, _, _ = bytes.Cut(target, []byte("?"))
	}
	return matchGlob(glob, target)
}
