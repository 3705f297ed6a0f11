package main

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/lexer"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"

	"weirkeep/gateway/config"
)

// What a file of tests may hold.
const (
	maxTestBytes  = 1 << 20
	maxTestLines  = 25_000
	maxTestDepth  = 64
	maxTestValues = 300_000 // aliases can make a small file large
)

// yamlFile is a file of tests that is read: every mistake in it becomes a problem
// with its place.
type yamlFile struct {
	name     string
	lines    []string
	anchors  map[string]ast.Node
	values   int // read so far
	problems config.Problems
}

// parseYAML parses a text; the body is nil if it holds nothing, or cannot be read.
func parseYAML(name string, text []byte) (f *yamlFile, body ast.Node) {
	clean := strings.ReplaceAll(strings.TrimPrefix(string(text), "\ufeff"), "\r\n", "\n")
	f = &yamlFile{name: name, lines: strings.Split(clean, "\n"), anchors: map[string]ast.Node{}}
	if why := tooMuch(text, f.lines); why != "" {
		f.failAt(1, 1, "E109", why, "make several files of it")
		return f, nil
	}
	tokens := lexer.Tokenize(clean)
	if t := tooDeep(tokens); t != nil {
		f.failAt(t.Position.Line, t.Position.Column, "E109", fmt.Sprintf("nested more than %d deep", maxTestDepth), "")
		return f, nil
	}
	// The parser is not ours: should it fall over the file, that is a mistake in it.
	defer func() {
		if recover() != nil {
			f.failAt(1, 1, "E100", "the file is no YAML that can be read", "")
			body = nil
		}
	}()
	doc, err := parser.Parse(tokens, 0, parser.AllowDuplicateMapKey())
	if err != nil {
		f.syntax(err)
		return f, nil
	}
	return f, f.document(doc)
}

// document is the one document of a file.
func (f *yamlFile) document(file *ast.File) (body ast.Node) {
	for _, d := range file.Docs {
		switch {
		case d.Body == nil:
		case body != nil:
			f.fail(d.Body, "E108", "a second document begins here; the tests of a file are one", "")
			return body
		default:
			body = d.Body
			ast.Walk(f, body)
		}
	}
	return body
}

func tooMuch(text []byte, lines []string) string {
	switch {
	case bytes.HasPrefix(text, []byte("\x00asm")):
		return "it is a WebAssembly module: name the file of tests, which names the module; without a name plugin_test.yaml is read"
	case len(text) > maxTestBytes:
		return fmt.Sprintf("larger than %d bytes", maxTestBytes)
	case len(lines) > maxTestLines:
		return fmt.Sprintf("more than %d lines", maxTestLines)
	case !utf8.Valid(text):
		return "it is not UTF-8: is this a text file?"
	}
	return ""
}

// tooDeep is the token at which brackets, or entries and keys of one line, nest
// too deep for the parser, which recurses; blocks need a line for each level and
// more of it than a file has room for.
func tooDeep(tokens token.Tokens) *token.Token {
	flow, run, line := 0, 0, 0
	for _, t := range tokens {
		if t.Position.Line != line {
			run, line = 0, t.Position.Line
		}
		switch t.Type {
		case token.SequenceStartType, token.MappingStartType:
			flow++
		case token.SequenceEndType, token.MappingEndType:
			flow = max(flow-1, 0)
		case token.SequenceEntryType, token.MappingKeyType, token.TagType, token.AnchorType:
			run++
		}
		if flow+run > maxTestDepth {
			return t
		}
	}
	return nil
}

// Visit notes the anchors, for ast.Walk.
func (f *yamlFile) Visit(n ast.Node) ast.Visitor {
	if a, ok := n.(*ast.AnchorNode); ok {
		f.anchors[a.Name.GetToken().Value] = a.Value
	}
	return f
}

// syntax records what the parser says.
func (f *yamlFile) syntax(err error) {
	if e, ok := errors.AsType[*yaml.SyntaxError](err); ok && e.Token != nil {
		f.failAt(e.Token.Position.Line, e.Token.Position.Column, "E100", e.Message, "")
		return
	}
	f.failAt(1, 1, "E100", "the file is no YAML that can be read", "")
}

// fail records a mistake at a node.
func (f *yamlFile) fail(n ast.Node, code, message, hint string) {
	line, column := placeOf(n)
	f.failAt(line, column, code, message, hint)
}

func (f *yamlFile) failAt(line, column int, code, message, hint string) {
	line = min(max(line, 1), len(f.lines))
	shown := printable(strings.ReplaceAll(f.lines[line-1], "\t", " "))
	column = min(max(column, 1), utf8.RuneCountInString(shown)+1)
	head := fmt.Sprintf("> %2d | ", line)
	f.problems = append(f.problems, config.Problem{
		File: f.name, Line: line, Column: column, Code: code, Message: printable(message), Hint: printable(hint),
		Excerpt: head + shown + "\n" + strings.Repeat(" ", len(head)+column-1) + "^",
	})
}

// placeOf is where a node begins: a map begins with its first key.
func placeOf(n ast.Node) (line, column int) {
	switch m := n.(type) {
	case *ast.MappingNode:
		if !m.IsFlowStyle && len(m.Values) > 0 {
			return placeOf(m.Values[0])
		}
	case *ast.MappingValueNode:
		return placeOf(m.Key)
	}
	t := n.GetToken()
	return t.Position.Line, t.Position.Column
}

// resolve follows anchors and aliases; nil: the node has no value, which is told.
func (f *yamlFile) resolve(n ast.Node, what string) ast.Node {
	if f.values++; f.values > maxTestValues {
		if f.values == maxTestValues+1 {
			f.fail(n, "E109", fmt.Sprintf("more than %d values; aliases are unfolded where they stand", maxTestValues), "")
		}
		return nil
	}
	for range maxTestDepth {
		switch m := n.(type) {
		case *ast.AnchorNode:
			n = m.Value
		case *ast.AliasNode:
			target := f.anchors[m.Value.GetToken().Value]
			if target == nil {
				f.fail(m, "E108", "alias *"+m.Value.GetToken().Value+" has no anchor", "")
				return nil
			}
			n = target
		case *ast.NullNode:
			f.fail(m, "E105", what+" has no value", `write one, "" for an empty text, or take the key away`)
			return nil
		default:
			return n
		}
	}
	f.fail(n, "E109", "aliases that lead to each other", "")
	return nil
}

// yamlField reads the value of one key of a map.
type yamlField struct {
	key  string
	read func(f *yamlFile, n ast.Node, what string)
}

// fields reads a map of known keys; those that it has, or has misspelt, are
// returned.
func (f *yamlFile) fields(n ast.Node, what string, known []yamlField) (has map[string]bool) {
	has = make(map[string]bool)
	f.entries(n, what, func(key string, at, value ast.Node) {
		i := slices.IndexFunc(known, func(k yamlField) bool { return k.key == key })
		if i < 0 {
			hint := nearKey(key, known)
			f.fail(at, "E102", fmt.Sprintf("unknown key %q in %s", key, what), hint)
			for _, k := range known {
				has[k.key] = has[k.key] || strings.Contains(hint, strconv.Quote(k.key)) // it is not missing: it is misspelt
			}
			return
		}
		has[key] = true
		known[i].read(f, value, below(what, key))
	})
	return has
}

// wholeFile is what the map is called that all else stands in.
const wholeFile = "the file"

// below is what the value of a key is called.
func below(what, key string) string {
	if what == wholeFile {
		return key
	}
	return what + "." + key
}

func nearKey(key string, known []yamlField) string {
	var names []string
	for _, k := range known {
		names = append(names, k.key)
	}
	return didYouMean(key, names, "known are "+strings.Join(names, ", "))
}

// entries calls each for the entries of a map, in their order.
func (f *yamlFile) entries(n ast.Node, what string, each func(key string, at, value ast.Node)) {
	if n = f.resolve(n, what); n == nil {
		return
	}
	values, ok := mapEntries(n)
	if !ok {
		f.fail(n, "E104", what+" must be a map of keys", "")
		return
	}
	seen := make(map[string]bool)
	for _, v := range values {
		key := keyText(v.Key)
		if seen[key] {
			f.fail(v, "E103", fmt.Sprintf("%q is written twice in %s", key, what), "")
			continue
		}
		seen[key] = true
		each(key, v, v.Value)
	}
}

func mapEntries(n ast.Node) (values []*ast.MappingValueNode, ok bool) {
	switch m := n.(type) {
	case *ast.MappingNode:
		return m.Values, true
	case *ast.MappingValueNode:
		return []*ast.MappingValueNode{m}, true
	}
	return nil, false
}

func keyText(key ast.MapKeyNode) string {
	if s, ok := key.(*ast.StringNode); ok {
		return s.Value
	}
	return key.GetToken().Value
}

// list reads a list.
func (f *yamlFile) list(n ast.Node, what string, each func(n ast.Node, what string)) {
	if n = f.resolve(n, what); n == nil {
		return
	}
	s, ok := n.(*ast.SequenceNode)
	if !ok {
		f.fail(n, "E104", what+" must be a list", "an entry begins with a dash and a blank, or stands in [ ]")
		return
	}
	for i, v := range s.Values {
		each(v, fmt.Sprintf("%s[%d]", what, i))
	}
}

// text reads a single value, as it was written.
func (f *yamlFile) text(n ast.Node, what string) (text string, ok bool) {
	switch n := f.resolve(n, what).(type) {
	case nil:
	case *ast.StringNode:
		return n.Value, true
	case *ast.LiteralNode:
		return n.Value.Value, true
	case *ast.IntegerNode, *ast.FloatNode, *ast.BoolNode:
		return n.GetToken().Value, true
	default:
		f.fail(n, "E104", what+" must be a single value", "")
	}
	return "", false
}

// isMap reports whether a node is a map, behind anchors and aliases.
func (f *yamlFile) isMap(n ast.Node) bool {
	switch m := n.(type) {
	case *ast.AnchorNode:
		return f.isMap(m.Value)
	case *ast.AliasNode:
		_, ok := mapEntries(f.anchors[m.Value.GetToken().Value])
		return ok
	}
	_, ok := mapEntries(n)
	return ok
}
