package config

import (
	"fmt"
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
