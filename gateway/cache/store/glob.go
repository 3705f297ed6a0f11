package store

import (
	"bytes"
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
// the product of their lengths at most: what a star has failed at up to the end of its
// segment fails from wherever in it "**" ends.
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
			star, cross.leaps = fallback{glob: i, text: at, set: true}, true
			continue
		case i < len(glob) && at < len(text) && glob[i] == text[at]:
			cross.leaps = cross.leaps || endsSegment(text[at])
			i, at = i+1, at+1
			continue
		}
		if !star.retry(text) && !cross.leap(text) {
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

func endsSegment(b byte) bool { return b == '/' || b == '?' }

// fallback is where to go on after a star that has to stand for more.
type fallback struct {
	glob, text int
	set        bool
	leaps      bool // of "**": what comes after it failed for all of the segment
}

// retry lets "*" stand for one byte more, if it may; else it is given up.
func (f *fallback) retry(text []byte) bool {
	if !f.set || f.text >= len(text) || endsSegment(text[f.text]) {
		f.set = false
		return false
	}
	f.text++
	return true
}

// leap lets "**" stand for one byte more, or for all up to the next segment, if there
// is so much.
func (f *fallback) leap(text []byte) bool {
	if !f.set {
		return false
	}
	if f.leaps {
		n := bytes.IndexAny(text[f.text:], "/?")
		if n < 0 {
			return false
		}
		f.text += n
	}
	f.leaps = false
	f.text++
	return f.text <= len(text)
}
