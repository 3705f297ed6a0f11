package main

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"os"
	"reflect"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/lexer"
	"github.com/goccy/go-yaml/token"

	"weirkeep/rules"
)

// rewritten are the files with the changes made, by name, and the changes that could
// be made: not those of values that stand elsewhere (aliases, substitutions).
func rewritten(changes []change) (files map[string][]byte, made []change, err error) {
	files = make(map[string][]byte)
	byFile := make(map[string][]change)
	for _, c := range changes {
		byFile[c.file] = append(byFile[c.file], c)
	}
	for _, name := range slices.Sorted(maps.Keys(byFile)) {
		text, err := os.ReadFile(name)
		if err != nil {
			return nil, nil, err
		}
		changed, here, err := rewrite(string(text), byFile[name])
		if err != nil {
			return nil, nil, fmt.Errorf("%s: %w", name, err)
		}
		if len(here) > 0 {
			files[name], made = []byte(changed), append(made, here...)
		}
	}
	return files, made, nil
}

// rewrite makes changes in a YAML text.
func rewrite(text string, changes []change) (changed string, made []change, err error) {
	slices.SortFunc(changes, func(a, b change) int { return cmp.Or(b.line-a.line, b.column-a.column) }) // the last first
	clean := strings.ReplaceAll(text, "\r\n", "\n")
	if strings.Contains(clean, "\r") || clean != text && strings.Count(clean, "\n") != strings.Count(text, "\r\n") {
		return "", nil, errors.New("its lines end in different ways; let all end in a line feed first")
	}
	flow := flows(clean)
	changed = clean
	for _, c := range changes {
		v, ok := valueAt(changed, &c)
		if !ok {
			continue
		}
		v.flow = flow(c.line, c.column)
		if replaced, ok := v.replace(&c); ok && replaced != changed {
			changed, made = replaced, append(made, c)
		}
	}
	if !sameButConditions(clean, changed) {
		return "", nil, errors.New("it cannot be rewritten without a change of something else, which is a mistake of weirkeep")
	}
	if clean != text {
		changed = strings.ReplaceAll(changed, "\n", "\r\n")
	}
	slices.Reverse(made)
	return changed, made, nil
}

// flows tells of a place of a text whether it is between braces or brackets, where
// a value cannot go over several lines as it can elsewhere.
func flows(text string) func(line, column int) bool {
	tokens := lexer.Tokenize(strings.TrimPrefix(text, byteOrderMark))
	return func(line, column int) bool {
		depth := 0
		for _, t := range tokens {
			if cmp.Or(t.Position.Line-line, t.Position.Column-column) >= 0 {
				break
			}
			switch t.Type {
			case token.MappingStartType, token.SequenceStartType:
				depth++
			case token.MappingEndType, token.SequenceEndType:
				depth--
			}
		}
		return depth > 0
	}
}

// byteOrderMark may begin a file; it is no column.
const byteOrderMark = "\ufeff"

// value is a scalar in a YAML text.
type value struct {
	text       string
	begin, end int  // its bytes
	style      byte // ' " | > or, of a plain one, 0
	indent     int  // of its lines, if it goes over several
	flow       bool // it stands between braces or brackets
}

// valueAt finds the value of a condition; ok is false if it stands elsewhere.
func valueAt(text string, c *change) (v value, ok bool) {
	v = value{text: text, begin: offset(text, c.line, c.column)}
	if begin, length := plainAt(text, v.begin, c.old); length > 0 {
		v.begin, v.end, v.indent = begin, begin+length, indentOf(text, begin)
		return v, true
	}
	rest := text[v.begin:]
	if strings.HasPrefix(rest, "&") { // a name for aliases
		name := len(rest) - len(strings.TrimLeft(rest[strings.IndexAny(rest+" ", " \t\n"):], " \t"))
		v.begin, rest = v.begin+name, rest[name:]
	}
	v.indent = indentOf(text, v.begin)
	length := 0
	switch {
	case rest == "" || strings.ContainsRune("*!&\n", rune(rest[0])):
		return v, false
	case rest[0] == '\'' || rest[0] == '"':
		v.style, length = rest[0], quotedLength(rest)
	case rest[0] == '|' || rest[0] == '>':
		v.style = rest[0]
		length, v.indent = blockLength(rest, v.indent)
	default: // behind a name
		length = plainLength(rest, c.old)
	}
	v.end = v.begin + length
	return v, length > 0 && !strings.HasPrefix(strings.Trim(rest[:length], `'"`), "${")
}

// offset is where a place of a text is in bytes.
func offset(text string, line, column int) int {
	begin := 0
	for range line - 1 {
		begin += strings.IndexByte(text[begin:], '\n') + 1
	}
	if line == 1 && strings.HasPrefix(text, byteOrderMark) {
		begin += len(byteOrderMark)
	}
	for range column - 1 {
		_, size := utf8.DecodeRuneInString(text[begin:])
		begin += size
	}
	return begin
}

// indentOf is how far the lines of a value are moved that begins at a place: two
// more than its key, or than itself where the key stands above.
func indentOf(text string, begin int) int {
	before := text[strings.LastIndexByte(text[:begin], '\n')+1 : begin]
	if key := strings.LastIndex(before, "when"); key >= 0 {
		return utf8.RuneCountInString(strings.TrimRight(before[:key], `"'`)) + 2
	}
	return len(before) + 2
}

// quotedLength is the length of a quoted value, 0 if it does not end.
func quotedLength(text string) int {
	for i := 1; i < len(text); i++ {
		switch {
		case text[0] == '"' && text[i] == '\\':
			i++
		case text[0] == '\'' && strings.HasPrefix(text[i:], "''"):
			i++
		case text[i] == text[0]:
			return i + 1
		}
	}
	return 0
}

// blockLength is the length of a block with the lines that belong to it, and how far
// they are moved. Lines that are moved less than is usual belong to it if there are
// such, too.
func blockLength(text string, usual int) (length, indent int) {
	lines := strings.SplitAfter(text, "\n")
	at := len(lines[0])
	for _, l := range lines[1:] {
		moved := len(l) - len(strings.TrimLeft(l, " "))
		blank := strings.TrimSpace(l) == ""
		if !blank && indent == 0 {
			indent = moved
		}
		if !blank && (moved < indent || moved <= usual-2) {
			break
		}
		at += len(l)
		if !blank {
			length = at
		}
	}
	return len(strings.TrimRight(text[:length], "\n")), indent
}

// plainAt finds a plain value that begins at a place, or before it in the same line:
// blanks behind a value move the place that the parser says to the right.
func plainAt(text string, begin int, value string) (found, length int) {
	if strings.ContainsRune(`'"|>&*!`, rune(value[0])) || strings.HasPrefix(value, "${") {
		return 0, 0
	}
	for ; begin > 0 && text[begin-1] != '\n'; begin-- {
		if strings.ContainsRune(" \t:", rune(text[begin-1])) {
			if length := plainLength(text[begin:], value); length > 0 {
				return begin, length
			}
		}
	}
	return 0, 0
}

// plainLength is the length of a plain value, whose blanks may be line breaks with
// more of them; 0 if it is not that value.
func plainLength(text, value string) int {
	i := 0
	for j := 0; j < len(value); j++ {
		switch {
		case i < len(text) && text[i] == value[j]:
			i++
		case value[j] == ' ' && i < len(text) && text[i] == '\n':
			i = len(text) - len(strings.TrimLeft(text[i:], " \t\n"))
		default:
			return 0
		}
	}
	return i
}

// replace is the text with another value; ok is false if that cannot be written
// here.
func (v *value) replace(c *change) (text string, ok bool) {
	if v.flow {
		line, err := rules.FormatLine(c.old)
		if err != nil {
			return "", false
		}
		c.new = line
	}
	head, rest, _ := strings.Cut(v.text[v.begin:v.end], "\n")
	after := v.text[v.end:]
	lines := strings.ReplaceAll("\n"+c.new, "\n", "\n"+strings.Repeat(" ", v.indent))
	switch {
	case v.style == '|' || v.style == '>':
		return v.text[:v.begin] + "|" + blockHead(head) + lines + after, rest != ""
	case strings.Contains(c.new, "\n"):
		behind, below, more := strings.Cut(after, "\n")
		if more {
			below = "\n" + below
		}
		return v.text[:v.begin] + strings.TrimRight("|-"+behind, " ") + lines + below, true
	}
	return v.text[:v.begin] + v.scalar(c.new) + after, true
}

// blockHead is what follows the sign in the first line of a block, without a written
// indentation.
func blockHead(head string) string {
	sign, comment := head[1:], ""
	if i := strings.IndexAny(sign, " \t"); i >= 0 {
		sign, comment = sign[:i], sign[i:]
	}
	return strings.Trim(sign, "123456789") + comment
}

// scalar writes a text in one line: plain if it was not in single quotes and YAML
// reads it as that text.
func (v *value) scalar(text string) string {
	if v.style != '\'' && readsPlain(text, v.flow) {
		return text
	}
	return "'" + strings.ReplaceAll(text, "'", "''") + "'"
}

// readsPlain reports whether YAML reads a text without quotes as itself.
func readsPlain(text string, flow bool) bool {
	around := "k: %s"
	if flow {
		around = "{ k: %s, l: m }"
	}
	var read map[string]any
	err := yaml.Unmarshal([]byte(fmt.Sprintf(around, text)), &read)
	return err == nil && read["k"] == text && !strings.HasPrefix(text, "${")
}

// sameButConditions reports whether two YAML texts hold the same, but for how their
// conditions are written.
func sameButConditions(one, other string) bool {
	var a, b any
	if yaml.Unmarshal([]byte(one), &a) != nil || yaml.Unmarshal([]byte(other), &b) != nil {
		return false
	}
	return reflect.DeepEqual(formattedIn("", a), formattedIn("", b))
}

// formattedIn is a value of YAML with its conditions formatted.
func formattedIn(key string, v any) any {
	switch v := v.(type) {
	case map[string]any:
		for k := range v {
			v[k] = formattedIn(k, v[k])
		}
	case []any:
		for i := range v {
			v[i] = formattedIn("", v[i])
		}
	case string:
		if formatted, err := rules.Format(v); key == "when" && err == nil {
			return formatted
		}
	}
	return v
}
