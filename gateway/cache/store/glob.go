package store

import (
	"errors"
	"fmt"
	"strings"
)

// checkGlob says what is wrong with a glob of a path.
func checkGlob(glob string) error {
	switch {
	case strings.Contains(glob, "***"):
		return errors.New(`"***" says nothing that "**" does not; write "**"`)
	case glob[0] != '/' && glob[0] != '*':
		return fmt.Errorf("a path begins with a slash; write %q", "path:/"+glob)
	case strings.Contains(glob, "#"):
		return errors.New(`what stands after "#" is never sent to a server; leave it out`)
	}
	return nil
}

// matchGlob reports whether all of text is as glob says: "**" stands for any bytes, "*"
// for any but "/" and "?", every other byte for itself. It takes time in proportion to
// the product of their lengths at most.
func matchGlob(glob string, text []byte) bool {
	var star, cross fallback
	at, i := 0, 0
	for at < len(text) || i < len(glob) {
		switch {
		case strings.HasPrefix(glob[i:], "**"):
			i += 2
			star, cross = fallback{}, fallback{glob: i, text: at, set: true}
			continue
		case i < len(glob) && glob[i] == '*':
			i++
			star = fallback{glob: i, text: at, set: true}
			continue
		case i < len(glob) && at < len(text) && glob[i] == text[at]:
			i, at = i+1, at+1
			continue
		}
		if !star.retry(text, true) && !cross.retry(text, false) {
			return false
		}
		if star.set {
			i, at = star.glob, star.text
		} else {
			i, at = cross.glob, cross.text
		}
	}
	return true
}

// fallback is where to go on after a star that has to stand for more.
type fallback struct {
	glob, text int
	set        bool
}

// retry lets a star stand for one byte more, if it may; else it is given up.
func (f *fallback) retry(text []byte, within bool) bool {
	if !f.set || f.text >= len(text) || within && (text[f.text] == '/' || text[f.text] == '?') {
		f.set = false
		return false
	}
	f.text++
	return true
}
