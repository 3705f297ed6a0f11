package config

import (
	"strconv"
	"strings"
)

// places says where each path of a configuration was written. A path is made of
// keys, and of indexes in the merged lists: clusters.shop.origins[1].address.
// The empty path is the main file.
type places map[string]place

// place is where one path was written.
type place struct {
	key, value span   // the key is no place for an entry of a list
	many       bool   // the value is a map or list: its key stands for it
	from       string // the substitution that the value came from; such a value is never shown
}

// span is the stretch that a problem with the path points to.
func (p place) span() span {
	if p.many && p.key.src != nil {
		return p.key
	}
	return p.value
}

// at is the place of a path or of its nearest parent that was written.
func (ps places) at(path string) place {
	for {
		if p, ok := ps[path]; ok || path == "" {
			return p
		}
		path = parent(path)
	}
}

// parent is the path that a path is in.
func parent(path string) string { return path[:max(strings.LastIndexAny(path, ".["), 0)] }

// At makes a problem for the place of a path, such as mappings[2].prefix or
// clusters.shop.origins[1].address; indexes count in the merged lists. A path
// that was not written stands for its nearest parent that was.
func (c *Config) At(path string, sev Severity, code, message, hint string) Problem {
	return problemAt(c.places.at(path).span(), sev, code, message, hint)
}

// problemAt makes a problem for a span, which may be no place.
func problemAt(at span, sev Severity, code, message, hint string) Problem {
	p := Problem{Severity: sev, Code: code, Message: oneLine(message), Hint: oneLine(hint)}
	if at.src == nil {
		return p
	}
	p.File, p.Line, p.Column, p.rank = at.src.name, at.line, at.col, at.src.rank
	p.Excerpt = at.excerpt()
	return p
}

// lineEnds are tabs, which are written so that they are seen, and the ends of lines of
// errors that were joined, which become one line.
var lineEnds = strings.NewReplacer("\t", `\t`, "\n", "; ")

// oneLine is a text as it can stand in a line.
func oneLine(s string) string { return printable(lineEnds.Replace(s)) }

// Place is the problem's place, as file:line; empty: it has none.
func (p Problem) Place() string {
	if p.File == "" {
		return ""
	}
	return p.File + ":" + strconv.Itoa(p.Line)
}
