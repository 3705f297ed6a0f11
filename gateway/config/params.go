package config

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/token"

	"weirkeep/abi"
)

// maxParams is what the params of one plugin may come to, in bytes: each of its
// instances has to take them.
const maxParams = 1 << 20

// Params are what a plugin is told: any map, its keys in the order of the file.
// The zero value is none written.
type Params struct{ root []abi.Param }

// JSON is the params in the form in which the plugin gets them; empty when none
// are written.
func (p Params) JSON() []byte {
	if p.root == nil {
		return nil
	}
	text, err := abi.AppendParams(nil, p.root)
	if err != nil {
		panic("config: params that were read: " + err.Error())
	}
	return text
}

// Sources are the fields of responses that a collector goes by, in lower case:
// those that source names as "header:NAME".
func (p Params) Sources() (fields []string) {
	texts, _ := p.sources()
	for _, s := range texts {
		if name, ok := strings.CutPrefix(s, "header:"); ok {
			fields = append(fields, strings.ToLower(name))
		}
	}
	return fields
}

// sources are the texts of source: one, or a list of them.
func (p Params) sources() (texts []string, ok bool) {
	for _, param := range p.root {
		if param.Key == "source" {
			return textsOf(param.Value)
		}
	}
	return nil, true
}

// textsOf is a text, or a list of texts.
func textsOf(v any) (texts []string, ok bool) {
	list, isList := v.([]any)
	if !isList {
		list = []any{v}
	}
	for _, entry := range list {
		text, isText := entry.(string)
		if !isText {
			return nil, false
		}
		texts = append(texts, text)
	}
	return texts, true
}

// paramsReader makes the params of one plugin from a node.
type paramsReader struct {
	*reader
	root string // the path of the params
	size int    // of what was read so far, in bytes
	told bool   // that it is too much
}

// params reads a map that only the plugin knows.
func (r *reader) params(n ast.Node, into *Params, path string) {
	switch n.(type) {
	case *ast.MappingNode, *ast.MappingValueNode:
	default:
		r.wrongType(n, path, "a map of keys", "")
		return
	}
	p := &paramsReader{reader: r, root: path}
	if object, ok := p.object(n, path, 0); ok {
		into.root = object
	}
}

// value is what a node holds, as package abi takes it.
func (p *paramsReader) value(n ast.Node, path string, depth int) (any, bool) {
	n, ok := p.resolve(n, path)
	if !ok || !p.shallow(n, path, depth) {
		return nil, false
	}
	switch n := n.(type) {
	case *ast.MappingNode, *ast.MappingValueNode:
		return p.object(n, path, depth)
	case *ast.SequenceNode:
		return p.list(n, path, depth)
	case *ast.NullNode:
		if n.GetToken().Type == token.ImplicitNullType {
			p.reject(n, path, "E105", path+" has no value", "write one, or null for none")
			return nil, false
		}
		return nil, true
	}
	return p.single(n, path)
}

// shallow refuses what aliases nest without end.
func (p *paramsReader) shallow(n ast.Node, path string, depth int) bool {
	if depth > maxNesting {
		p.reject(n, path, "E109", fmt.Sprintf("%s is nested more than %d deep; aliases are unfolded where they stand", p.root, maxNesting), "")
		return false
	}
	return true
}

// full reports whether no more is to be read, which it says once.
func (p *paramsReader) full() bool {
	if p.size > maxParams && !p.told {
		p.told = true
		p.fail(p.root, "E109", fmt.Sprintf("%s is more than %d bytes; aliases are unfolded where they stand", p.root, maxParams), "")
	}
	return p.told || p.values > maxValues
}

// object is a map; a key that is written twice is refused.
func (p *paramsReader) object(n ast.Node, path string, depth int) ([]abi.Param, bool) {
	entries, whole := p.entries(n, path, "a map of keys", "")
	object := make([]abi.Param, 0, len(entries))
	lines := make(map[string]int, len(entries))
	for _, e := range entries {
		child := join(path, e.key)
		if first, taken := lines[e.key]; taken {
			p.spoil(child)
			p.add(e.at, Error, "E103", fmt.Sprintf("%s is written twice, first in line %d", child, first), "")
			continue
		}
		lines[e.key] = e.at.line
		p.size += len(e.key) + len(`"":,`)
		p.cfg.places[child] = place{key: e.at, value: p.src.span(nodeToken(e.value)), many: isCollection(e.value)}
		v, ok := p.value(e.value, child, depth+1)
		if object, whole = append(object, abi.Param{Key: e.key, Value: v}), whole && ok; p.full() {
			return nil, false
		}
	}
	return object, whole
}

// list is a list.
func (p *paramsReader) list(n *ast.SequenceNode, path string, depth int) ([]any, bool) {
	list, whole := make([]any, 0, len(n.Values)), true
	for i, item := range n.Values {
		child := index(path, i)
		p.size += len(`"",`)
		p.cfg.places[child] = place{value: p.src.span(nodeToken(item)), many: isCollection(item)}
		v, ok := p.value(item, child, depth+1)
		if list, whole = append(list, v), whole && ok; p.full() {
			return nil, false
		}
	}
	return list, whole
}

// single is a single value: text, a number or a truth value. What was
// substituted is text.
func (p *paramsReader) single(n ast.Node, path string) (any, bool) {
	s, ok := scalarOf(n)
	if !ok {
		p.wrongType(n, path, "a single value, a list or a map", "")
		return nil, false
	}
	if b, isBool := n.(*ast.BoolNode); isBool {
		return b.Value, true
	}
	if s.typed || n.GetToken().Type == token.StringType && jsonNumber.MatchString(s.text) {
		return p.number(n, s.text, path)
	}
	if s, ok = p.substitute(s, path); !ok {
		return nil, false
	}
	if !utf8.ValidString(s.text) {
		p.fail(path, "E112", fmt.Sprintf("%s is %s, must be UTF-8", path, p.shown(path, s.text)), "")
		return nil, false
	}
	p.size += len(s.text)
	return s.text, true
}

// jsonNumber is a number as JSON has it: there is one way to read it.
var jsonNumber = regexp.MustCompile(`^-?(0|[1-9]\d*)(\.\d+)?([eE][-+]?\d+)?$`)

// number is a number: a whole one as it is written, all others as floating point.
func (p *paramsReader) number(n ast.Node, text, path string) (any, bool) {
	if !jsonNumber.MatchString(text) {
		p.reject(n, path, "E112", fmt.Sprintf("%s is %s, must be a number as JSON has it, such as 16, -0.5 or 1e3", path, text), fmt.Sprintf("if it is text, write %q", text))
		return nil, false
	}
	p.size += len(text)
	if strings.ContainsAny(text, ".eE") {
		f, err := strconv.ParseFloat(text, 64)
		return f, err == nil && !math.IsInf(f, 0) || p.tooLarge(n, text, path)
	}
	if i, err := strconv.ParseInt(text, 10, 64); err == nil {
		return i, true
	}
	u, err := strconv.ParseUint(text, 10, 64)
	return u, err == nil || p.tooLarge(n, text, path)
}

// tooLarge refuses a number that would be another one when it is read back.
func (p *paramsReader) tooLarge(n ast.Node, text, path string) (ok bool) {
	p.reject(n, path, "E110", fmt.Sprintf("%s is %s, which no number of 64 bits can hold", path, text), fmt.Sprintf("write %q, in quotes, if the plugin takes it so", text))
	return false
}
