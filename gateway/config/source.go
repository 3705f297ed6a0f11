package config

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/lexer"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"
)

// What a file may hold. The parser recurses, and its time grows with the square
// of the lines (25,000 keys take 2 s, 200,000 took 150 s): these bounds keep a
// broken or hostile file from taking the process down.
const (
	maxFileBytes = 1 << 20
	maxLines     = 25_000
	maxNesting   = 64
)

// source is one file that was read.
type source struct {
	name  string   // as whoever named it wrote it
	dir   string   // absolute; what relative paths in it are relative to
	rank  int      // order in which files were read
	lines []string // without line ends
	width []int    // of each line, in characters
	shown []string // the same, with secrets masked
}

// span is a stretch of one line of a source. The zero span is no place.
type span struct {
	src               *source
	line, col, length int // from 1, in characters
}

// newSource prepares a text for positions and excerpts, and returns it as it is
// to be parsed.
func newSource(name, dir string, rank int, data []byte) (*source, string) {
	text := strings.TrimPrefix(string(data), "\ufeff")
	text = strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\r", "\n")
	lines := strings.Split(text, "\n")
	width := make([]int, len(lines))
	for i, line := range lines {
		width[i] = utf8.RuneCountInString(line)
	}
	return &source{name: name, dir: dir, rank: rank, lines: lines, width: width, shown: maskSecrets(lines)}, text
}

// span is the place of a token, moved into the file when the parser's position
// is outside, as it is for the end of a file.
func (s *source) span(t *token.Token) span {
	if t == nil || t.Position == nil {
		return s.top()
	}
	origin := strings.TrimSpace(t.Origin)
	origin, _, _ = strings.Cut(origin, "\n")
	return s.clamp(t.Position.Line, t.Position.Column, utf8.RuneCountInString(origin))
}

// top is the first character of the file.
func (s *source) top() span { return span{src: s, line: 1, col: 1, length: 1} }

// clamp makes a span that lies inside the file.
func (s *source) clamp(line, col, length int) span {
	line = min(max(line, 1), len(s.lines))
	width := s.width[line-1]
	col = min(max(col, 1), width+1)
	return span{src: s, line: line, col: col, length: min(max(length, 1), max(width+1-col, 1))}
}

// fault is a problem that is known before there are any keys.
type fault struct {
	at                  span
	code, message, hint string
}

// parse makes the one document of a text, nil when there is none.
func (s *source) parse(text string) (body ast.Node, f *fault) {
	if f := s.printable(text); f != nil {
		return nil, f
	}
	if len(s.lines) > maxLines {
		return nil, &fault{s.clamp(maxLines+1, 1, 1), "E109", fmt.Sprintf("more than %d lines", maxLines), `put parts of it into files of their own and name them under "include"`}
	}
	// The parser is not ours and the file comes from outside: should the one
	// fall over the other, that is a mistake in the file.
	defer func() {
		if r := recover(); r != nil {
			body, f = nil, &fault{s.top(), "E100", "the file is no YAML that can be read", ""}
		}
	}()
	tokens := lexer.Tokenize(text)
	if f := s.shallow(tokens); f != nil {
		return nil, f
	}
	file, err := parser.Parse(tokens, 0, parser.AllowDuplicateMapKey())
	if err != nil {
		return nil, s.syntax(err, tokens)
	}
	return s.document(file)
}

// printable refuses what is no text: bytes that are not UTF-8, control bytes.
func (s *source) printable(text string) *fault {
	line, col := 1, 1
	for i, c := range text {
		switch {
		case c == utf8.RuneError && !strings.HasPrefix(text[i:], "\ufffd"):
			return &fault{s.clamp(line, col, 1), "E100", fmt.Sprintf("byte 0x%02x is not UTF-8: is this a text file?", text[i]), ""}
		case c == '\n':
			line, col = line+1, 0
		case c < ' ' && c != '\t', c == 0x7f:
			return &fault{s.clamp(line, col, 1), "E100", fmt.Sprintf("control character 0x%02x: is this a text file?", c), ""}
		}
		col++
	}
	return nil
}

// document picks the one document of a file, past directives.
func (s *source) document(file *ast.File) (body ast.Node, f *fault) {
	for _, doc := range file.Docs {
		if doc.Body == nil || doc.Body.Type() == ast.DirectiveType {
			continue
		}
		if body != nil {
			return nil, &fault{s.span(nodeToken(doc.Body)), "E108", "a second document begins here; a configuration is one", `put it into a file of its own and name that under "include"`}
		}
		body = doc.Body
	}
	return body, nil
}

// shallow refuses tokens that would nest deeper than maxNesting.
func (s *source) shallow(tokens token.Tokens) *fault {
	var n nesting
	for _, t := range tokens {
		if n.add(t); n.depth() > maxNesting {
			return &fault{s.span(t), "E109", fmt.Sprintf("nested more than %d deep", maxNesting), ""}
		}
	}
	return nil
}

// nesting follows how deep a stream of tokens nests.
type nesting struct {
	flow   int   // open brackets and braces
	run    int   // properties and entries that follow each other directly
	blocks []int // columns of the open block collections
}

func (n *nesting) depth() int { return n.flow + n.run + len(n.blocks) }

// add takes one more token into account.
func (n *nesting) add(t *token.Token) {
	switch t.Type {
	case token.SequenceStartType, token.MappingStartType:
		n.flow++
	case token.SequenceEndType, token.MappingEndType:
		n.flow = max(n.flow-1, 0)
	case token.SequenceEntryType, token.MappingKeyType:
		n.block(t.Position.Column)
	case token.MappingValueType:
		n.value(t)
	case token.TagType, token.AnchorType:
		n.run++
		return
	}
	n.run = 0
}

// value takes the colon of a key into account.
func (n *nesting) value(t *token.Token) {
	if n.flow == 0 && t.Prev != nil {
		n.block(t.Prev.Position.Column)
	}
}

// block enters a block collection at a column, leaving those further right.
func (n *nesting) block(col int) {
	for len(n.blocks) > 0 && n.blocks[len(n.blocks)-1] > col {
		n.blocks = n.blocks[:len(n.blocks)-1]
	}
	if len(n.blocks) == 0 || n.blocks[len(n.blocks)-1] < col {
		n.blocks = append(n.blocks, col)
	}
}

// nodeToken is the token that stands for a node: of a block map its first key,
// where the parser would say the colon after it.
func nodeToken(n ast.Node) *token.Token {
	switch n := n.(type) {
	case *ast.MappingNode:
		if !n.IsFlowStyle && len(n.Values) > 0 {
			return nodeToken(n.Values[0])
		}
	case *ast.MappingValueNode:
		return nodeToken(n.Key)
	}
	return n.GetToken()
}
