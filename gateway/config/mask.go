package config

import (
	"regexp"
	"strings"
)

// secretKey finds a key whose value is a [Secret], or a list of them; the second
// group is what follows the colon.
var secretKey = regexp.MustCompile(`^(.*?(?:^|[\s{,"'])(?:token|keys|inputs_key)["']?\s*:\s*)(.*)$`)

// hiding says over which of the next lines a secret goes on.
type hiding struct {
	indent  int  // lines that are indented more; -1: none
	bracket bool // up to the bracket that ends a list
}

// maskSecrets hides the values of secret keys, also those that go over several
// lines. It reads text, not YAML: a file that is no YAML is shown too.
func maskSecrets(lines []string) []string {
	shown := make([]string, len(lines))
	h := hiding{indent: -1}
	for i, line := range lines {
		if !h.covers(line) {
			shown[i], h = maskLine(line)
			continue
		}
		shown[i] = line[:indent(line)] + mask(line[indent(line):])
		if h.bracket && strings.Contains(line, "]") {
			h = hiding{indent: -1}
		}
	}
	return shown
}

// covers reports whether a line belongs to what is hidden. The entries of a list
// may stand right below its key.
func (h hiding) covers(line string) bool {
	if h.bracket {
		return true
	}
	at := indent(line)
	return h.indent >= 0 && (at == len(line) || at > h.indent || at == h.indent && line[at] == '-')
}

// maskLine hides a secret in a line, and says over which lines it goes on.
func maskLine(line string) (string, hiding) {
	m := secretKey.FindStringSubmatch(line)
	if m == nil {
		return line, hiding{indent: -1}
	}
	flow := strings.Contains(m[1], "{")
	if ref := reference(m[2], flow); ref != "" {
		rest, h := maskLine(m[2][len(ref):])
		if !flow && ref[0] == '$' {
			h.indent = indent(line) // the next line may belong to the value
		}
		return m[1] + ref + rest, h
	}
	value, rest, closed := cutSecret(m[2], flow)
	if !closed {
		return m[1] + mask(m[2]), hiding{indent(line), listBegin.MatchString(m[2])}
	}
	rest, h := maskLine(rest)
	return m[1] + mask(value) + rest, h
}

// The forms of a substitution, and of lists of nothing else: what they stand for
// is the secret.
const quotedReference = `(?:"\$\{(?:env|file):[^{}"]*\}"|'\$\{(?:env|file):[^{}']*\}')`

var referenceForm = regexp.MustCompile(`^(?:` + quotedReference + `|\$\{(?:env|file):[^{}"'\s]*\}|\[\s*` + quotedReference + `(?:\s*,\s*` + quotedReference + `)*\s*\])`)

// reference is the substitution, or the list of them, that a text behind a secret
// key begins with, and that is its whole value; empty when one has a default,
// which is a secret.
func reference(s string, flow bool) string {
	ref := referenceForm.FindString(s)
	rest := strings.TrimLeft(s[len(ref):], " ")
	ends := rest == "" || rest[0] == '#' || flow && (rest[0] == ',' || rest[0] == '}')
	if !ends || strings.Contains(ref, ":-") {
		return ""
	}
	return ref
}

// listBegin is how a list in brackets begins, perhaps with an anchor.
var listBegin = regexp.MustCompile(`^(?:&\S+\s+)?\[`)

// cutSecret cuts the text behind a secret key where the value ends. A plain
// value outside braces is taken to the end of the line.
func cutSecret(s string, flow bool) (value, rest string, closed bool) {
	end := -1
	switch {
	case s != "" && (s[0] == '"' || s[0] == '\''):
		if end = strings.IndexByte(s[1:], s[0]); end >= 0 {
			end += 2
		}
	case listBegin.MatchString(s):
		end = listEnd(s)
	case flow:
		end = strings.IndexAny(s, ",}")
	}
	if end < 0 {
		return s, "", false
	}
	return s[:end], s[end:], true
}

// listEnd is where a list in brackets ends; -1: not here.
func listEnd(s string) int {
	quote := byte(0)
	for i := range len(s) {
		switch c := s[i]; {
		case quote != 0 && c == quote:
			quote = 0
		case quote == 0 && (c == '"' || c == '\''):
			quote = c
		case quote == 0 && c == ']':
			return i + 1
		}
	}
	return -1
}

// mask is as wide as what it hides, so that columns stay.
func mask(s string) string {
	width := len([]rune(s))
	return strings.Repeat("*", min(3, width)) + strings.Repeat(" ", max(width-3, 0))
}

// indent is the number of blanks that a line begins with.
func indent(line string) int { return len(line) - len(strings.TrimLeft(line, " \t")) }
