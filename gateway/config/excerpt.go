package config

import (
	"fmt"
	"regexp"
	"strings"
)

// maxExcerpt is the most characters of a line that an excerpt shows.
const maxExcerpt = 160

// excerpt shows the line of a span with a caret below, and the line before:
//
//	   4 |     origins:
//	>  5 |       - { name: web1, wieght: 3 }
//	                             ^^^^^^
func (at span) excerpt() string {
	var b strings.Builder
	if before := at.line - 1; before >= 1 && strings.TrimSpace(at.src.shown[before-1]) != "" {
		line, _ := window(at.src.shown[before-1], 1)
		fmt.Fprintf(&b, "  %2d | %s\n", before, line)
	}
	line, col := window(at.src.shown[at.line-1], at.col)
	head := fmt.Sprintf("> %2d | ", at.line)
	length := max(min(at.length, len([]rune(line))+1-col), 1)
	b.WriteString(head + line + "\n" + strings.Repeat(" ", len(head)+col-1) + strings.Repeat("^", length))
	return b.String()
}

// window cuts a long line so that the column stays visible, and says where the
// column is in what is left.
func window(line string, col int) (string, int) {
	runes := []rune(printable(line))
	if len(runes) <= maxExcerpt {
		return string(runes), col
	}
	from := max(min(col-maxExcerpt/2, len(runes)-maxExcerpt), 0)
	runes, col = runes[from:from+maxExcerpt], col-from
	if from > 0 {
		runes[0] = '…'
	}
	return string(runes), col
}

// printable keeps what a file holds from steering a terminal, and tabs from
// moving the caret.
func printable(s string) string {
	return strings.Map(func(c rune) rune {
		switch {
		case c == '\t':
			return ' '
		case c < ' ', c >= 0x7f && c < 0xa0, c >= 0x202a && c <= 0x202e, c >= 0x2066 && c <= 0x2069:
			return '\ufffd'
		}
		return c
	}, s)
}

// secretKey finds a key whose value is a [Secret]; the second group is what
// follows the colon.
var secretKey = regexp.MustCompile(`^(.*?(?:^|[\s{,"'])token["']?\s*:\s*)(.*)$`)

// maskSecrets hides the values of secret keys, also those that go over several
// lines. It reads text, not YAML: a file that is no YAML is shown too.
func maskSecrets(lines []string) []string {
	shown := make([]string, len(lines))
	hidden := -1 // a secret goes on while lines are indented more than this
	for i, line := range lines {
		if hidden >= 0 && (strings.TrimSpace(line) == "" || indent(line) > hidden) {
			shown[i] = line[:indent(line)] + mask(line[indent(line):])
			continue
		}
		shown[i], hidden = maskLine(line)
	}
	return shown
}

// maskLine hides a secret in a line, and says how far the lines are indented
// over which it cannot go on; -1 when it ends in this one.
func maskLine(line string) (shown string, hidden int) {
	m := secretKey.FindStringSubmatch(line)
	if m == nil {
		return line, -1
	}
	flow := strings.Contains(m[1], "{")
	if ref := reference(m[2], flow); ref != "" {
		rest, hidden := maskLine(m[2][len(ref):])
		if !flow && ref[0] == '$' {
			hidden = indent(line) // the next line may belong to the value
		}
		return m[1] + ref + rest, hidden
	}
	value, rest, closed := cutSecret(m[2], flow)
	if !closed {
		return m[1] + mask(m[2]), indent(line)
	}
	return m[1] + mask(value) + rest, -1
}

// referenceForm is a substitution alone: what it stands for is the secret.
var referenceForm = regexp.MustCompile(`^(?:"\$\{(?:env|file):[^{}"]*\}"|'\$\{(?:env|file):[^{}']*\}'|\$\{(?:env|file):[^{}"'\s]*\})`)

// reference is the substitution that a text behind a secret key begins with,
// and that is its whole value; empty when it has a default, which is a secret.
func reference(s string, flow bool) string {
	ref := referenceForm.FindString(s)
	rest := strings.TrimLeft(s[len(ref):], " ")
	ends := rest == "" || rest[0] == '#' || flow && (rest[0] == ',' || rest[0] == '}')
	if !ends || strings.Contains(ref, ":-") {
		return ""
	}
	return ref
}

// cutSecret cuts the text behind a secret key where the value ends. A plain
// value outside braces is taken to the end of the line.
func cutSecret(s string, flow bool) (value, rest string, closed bool) {
	end := -1
	switch {
	case s != "" && (s[0] == '"' || s[0] == '\''):
		if end = strings.IndexByte(s[1:], s[0]); end >= 0 {
			end += 2
		}
	case flow:
		end = strings.IndexAny(s, ",}")
	}
	if end < 0 {
		return s, "", false
	}
	return s[:end], s[end:], true
}

// mask is as wide as what it hides, so that columns stay.
func mask(s string) string {
	width := len([]rune(s))
	return strings.Repeat("*", min(3, width)) + strings.Repeat(" ", max(width-3, 0))
}

// indent is the number of blanks that a line begins with.
func indent(line string) int { return len(line) - len(strings.TrimLeft(line, " \t")) }
