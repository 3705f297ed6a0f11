package config

import (
	"cmp"
	"encoding"
	"fmt"
	"reflect"
	"strings"

	"github.com/goccy/go-yaml/ast"
)

// reader decodes one file into the configuration. One walk over the tree, led
// by the Go types, finds every mistake with its place: the depth of the types
// bounds the depth of the walk, and a counter what aliases can make of it.
type reader struct {
	*loader
	src     *source
	body    ast.Node                    // nil when the file is empty
	aliases map[*ast.AliasNode]ast.Node // what each stands for
}

// root decodes the file.
func (r *reader) root() {
	if r.body == nil {
		return
	}
	if _, ok := r.cfg.places[""]; !ok {
		r.cfg.places[""] = place{value: r.src.span(nodeToken(r.body))}
	}
	r.anchors()
	r.value(r.body, reflect.ValueOf(r.cfg).Elem(), "", rules{})
}

// anchors ties each alias to the last anchor of its name before it.
func (r *reader) anchors() {
	ast.Walk(&anchorVisitor{aliases: r.aliases, named: map[string]ast.Node{}}, r.body)
}

type anchorVisitor struct {
	aliases map[*ast.AliasNode]ast.Node
	named   map[string]ast.Node
}

// Visit is called by ast.Walk in the order of the file.
func (v *anchorVisitor) Visit(n ast.Node) ast.Visitor {
	switch n := n.(type) {
	case *ast.AnchorNode:
		v.named[n.Name.GetToken().Value] = n.Value
	case *ast.AliasNode:
		v.aliases[n] = v.named[n.Value.GetToken().Value]
	}
	return v
}

// resolve follows anchors and aliases to a node with a value of its own.
func (r *reader) resolve(n ast.Node, path string) (ast.Node, bool) {
	if r.values++; r.values > maxValues {
		r.tooMany(n)
		return nil, false
	}
	for range maxNesting {
		switch a := n.(type) {
		case *ast.AnchorNode:
			n = a.Value
		case *ast.AliasNode:
			target := r.aliases[a]
			if target == nil {
				name := a.Value.GetToken().Value
				r.reject(n, path, "E108", fmt.Sprintf("alias *%s has no anchor before it", name), aliasHint(name))
				return nil, false
			}
			n = target
		case *ast.TagNode:
			r.reject(n, path, "E108", "tags such as "+a.Start.Value+" are not used here", "")
			return nil, false
		default:
			return n, n != nil
		}
	}
	r.reject(n, path, "E109", "aliases that lead to each other", "")
	return nil, false
}

// tooMany says once that the bound on values is reached.
func (r *reader) tooMany(n ast.Node) {
	if r.values == maxValues+1 {
		r.reject(n, "", "E109", fmt.Sprintf("more than %d values; aliases are unfolded where they stand", maxValues), "")
	}
}

// reject records an error at a node.
func (r *reader) reject(n ast.Node, path, code, message, hint string) {
	r.spoil(path)
	r.add(r.src.span(nodeToken(n)), Error, code, message, hint)
}

// value decodes a node into v, whose field has the rules.
func (r *reader) value(n ast.Node, v reflect.Value, path string, f rules) {
	n, ok := r.resolve(n, path)
	if !ok {
		return
	}
	if n.Type() == ast.NullType {
		r.null(n, path, f)
		return
	}
	if o, ok := v.Addr().Interface().(*Options); ok {
		r.options(n, o, path)
		return
	}
	if p, ok := v.Addr().Interface().(*Params); ok {
		r.params(n, p, path)
		return
	}
	if isText(v) {
		r.scalar(n, v, path, f)
		return
	}
	if d, ok := v.Addr().Interface().(*Destinations); ok && !isCollection(n) {
		*d = append(*d, "")
		r.scalar(n, v.Index(0), path, rules{present: true})
		return
	}
	switch v.Kind() {
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		r.value(n, v.Elem(), path, f)
	case reflect.Struct:
		r.fields(n, v, path)
	case reflect.Map:
		r.named(n, v, path, f)
	case reflect.Slice:
		r.list(n, v, path, f)
	default:
		r.scalar(n, v, path, f)
	}
}

// null refuses a key without a value: what stands below it may have been
// indented wrongly or commented out.
func (r *reader) null(n ast.Node, path string, f rules) {
	if path == "" {
		r.reject(n, path, "E101", "the file holds no configuration", "weirkeep init prints one to begin with")
		return
	}
	r.fail(path, "E105", path+" has no value", f.nullHint(path))
}

// nullHint is the cure for a key or an entry without a value.
func (f rules) nullHint(path string) string {
	switch {
	case strings.HasSuffix(path, "]"):
		return "write one, or take the entry away"
	case f.check == "header-value":
		return `write "" for an empty one, or take the key away`
	case f.present:
		return "it must have one: behind the key, or in the lines below it, indented further"
	}
	return "write one, or take the key away"
}

// aliasHint is the cure for an alias that leads nowhere.
func aliasHint(name string) string {
	if hint := starHint("*" + name); hint != "" {
		return hint
	}
	return "write &" + name + " before the value that it stands for, or quote what is no alias"
}

// isText reports whether v reads its own text.
func isText(v reflect.Value) bool {
	_, ok := v.Addr().Interface().(encoding.TextUnmarshaler)
	return ok
}

// fields decodes a map of keys into a struct.
func (r *reader) fields(n ast.Node, v reflect.Value, path string) {
	entries, ok := r.entries(n, path, "a map of keys", blockHint(n, v))
	if !ok {
		return
	}
	for _, e := range entries {
		field, f, ok := fieldOf(v, e.key)
		if !ok {
			r.unknown(e, v, path)
			continue
		}
		child := join(path, e.key)
		if r.claim(child, e, mayRepeat(field, f)) {
			r.value(e.value, field, child, f)
		}
	}
}

// unknown refuses a key that there is not.
func (r *reader) unknown(e entry, v reflect.Value, path string) {
	message := "unknown key " + quote(e.key)
	if path != "" {
		message += " in " + path
	}
	meant, hint := keyMeant(e.key, v.Type())
	r.spoil(join(path, cmp.Or(meant, e.key))) // what was meant is not missing: it is misspelt
	r.add(e.at, Error, "E102", message, hint)
}

// mayRepeat reports whether several files may write a field: a struct is put
// together from them, key by key.
func mayRepeat(v reflect.Value, f rules) bool {
	return v.Kind() == reflect.Struct && !isText(v) || v.Kind() == reflect.Map || f.files != ""
}

// claim records where a path is written, and refuses to have it written twice.
func (r *reader) claim(path string, e entry, repeat bool) bool {
	prior, taken := r.cfg.places[path]
	if !taken {
		r.cfg.places[path] = place{key: e.at, value: r.src.span(nodeToken(e.value)), many: isCollection(e.value)}
		return true
	}
	first := prior.key
	if first.src == r.src {
		r.add(e.at, Error, "E103", fmt.Sprintf("%s is written twice, first in line %d", path, first.line), "")
		return false
	}
	if !repeat {
		r.add(e.at, Error, "E201", fmt.Sprintf("%s is defined here and at %s:%d:%d", path, first.src.name, first.line, first.col), "")
	}
	return repeat
}

// named decodes a map from names that the operator chose.
func (r *reader) named(n ast.Node, v reflect.Value, path string, f rules) {
	entries, ok := r.entries(n, path, "a map", ttlHint(n, f))
	if !ok {
		return
	}
	if v.IsNil() {
		v.Set(reflect.MakeMap(v.Type()))
	}
	for _, e := range entries {
		child := join(path, e.key)
		if !r.claim(child, e, false) {
			continue
		}
		r.checkKey(e, path, f)
		elem := reflect.New(v.Type().Elem()).Elem()
		r.value(e.value, elem, child, rules{check: f.check, present: true})
		v.SetMapIndex(reflect.ValueOf(e.key), elem)
	}
}

// checkKey holds a chosen name against its grammar.
func (r *reader) checkKey(e entry, path string, f rules) {
	if reason := grammars[f.keys](e.key); reason != "" {
		r.add(e.at, Error, codeOf(f.keys, reason), fmt.Sprintf("%s has the key %s, which %s", path, quote(e.key), reason), f.keyHint(e.key))
	}
}

// keyHint is the chosen name that was probably meant, where there are few.
func (f rules) keyHint(key string) string {
	if f.keys != "page" {
		return ""
	}
	return Suggest(key, pageNames)
}

// list decodes a list, behind the entries that earlier files gave.
func (r *reader) list(n ast.Node, v reflect.Value, path string, f rules) {
	seq, ok := n.(*ast.SequenceNode)
	if !ok {
		r.wrongType(n, path, "a list", listHint(n, f))
		return
	}
	for _, item := range seq.Values {
		if r.values > maxValues {
			return
		}
		child := index(path, v.Len())
		r.cfg.places[child] = place{value: r.src.span(nodeToken(item)), many: isCollection(item)}
		elem := reflect.New(v.Type().Elem()).Elem()
		r.item(item, elem, child, f)
		v.Set(reflect.Append(v, elem))
	}
}

// item decodes one entry of a list, which may be the short form of itself.
func (r *reader) item(n ast.Node, v reflect.Value, path string, f rules) {
	origin, ok := v.Addr().Interface().(*Origin)
	if f.short == "" || !ok {
		r.value(n, v, path, rules{check: f.check, enum: f.enum, low: f.low, high: f.high, ranged: f.ranged, hint: f.hint, foreign: f.foreign, present: true})
		return
	}
	resolved, ok := r.resolve(n, path)
	if !ok {
		return
	}
	_, isText := resolved.(*ast.StringNode)
	if isText && f.short == "address" {
		field, rules, _ := fieldOf(v, f.short)
		r.scalar(resolved, field, path, rules)
		return
	}
	if address := bareAddress(resolved); address != "" {
		r.spoil(path)
		r.add(r.src.span(nodeToken(resolved)), Error, "E104", fmt.Sprintf("%s is the address %s, must be a definition or the name of a shared origin", path, quote(address)), definition(address))
		return
	}
	if isText {
		r.scalar(resolved, reflect.ValueOf(&origin.shared).Elem(), path, rules{present: true})
		return
	}
	r.value(resolved, v, path, rules{})
}

// wrongType refuses a node that is not what the field holds.
func (r *reader) wrongType(n ast.Node, path, want, hint string) {
	where := path
	if path == "" {
		where = "the file"
	}
	r.spoil(path)
	r.add(r.src.span(nodeToken(n)), Error, "E104", fmt.Sprintf("%s is %s, must be %s", where, typeName(n), want), hint)
}

// isCollection reports whether a node is a map or a list.
func isCollection(n ast.Node) bool {
	switch n.(type) {
	case *ast.MappingNode, *ast.MappingValueNode, *ast.SequenceNode:
		return true
	}
	return false
}

// typeName says what a node is.
func typeName(n ast.Node) string {
	switch n.(type) {
	case *ast.MappingNode, *ast.MappingValueNode:
		return "a map"
	case *ast.SequenceNode:
		return "a list"
	case *ast.BoolNode:
		return "true or false"
	case *ast.IntegerNode, *ast.FloatNode, *ast.InfinityNode, *ast.NanNode:
		return "a number"
	}
	return "text"
}

func join(path, key string) string {
	if path == "" {
		return key
	}
	return path + "." + key
}

func index(path string, i int) string { return fmt.Sprintf("%s[%d]", path, i) }
