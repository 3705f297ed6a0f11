package config

import (
	"reflect"
	"slices"
	"strings"

	"github.com/goccy/go-yaml/ast"

	"weirkeep/gateway/balance"
	"weirkeep/gateway/esi"
	"weirkeep/gateway/session"
)

// entry is a key with its value.
type entry struct {
	key   string
	at    span // of the key
	value ast.Node
}

// entries are the keys of a map in the order of the file; want says what the
// node had to be, should it be none, and hint what to write.
func (r *reader) entries(n ast.Node, path, want, hint string) ([]entry, bool) {
	var values []*ast.MappingValueNode
	switch n := n.(type) {
	case *ast.MappingNode:
		values = n.Values
	case *ast.MappingValueNode:
		values = []*ast.MappingValueNode{n}
	default:
		r.wrongType(n, path, want, hint)
		return nil, false
	}
	entries := make([]entry, 0, len(values))
	for _, v := range values {
		if e, ok := r.entry(v, path); ok {
			entries = append(entries, e)
		}
	}
	return entries, true
}

// entry reads a key, which must be a plain or quoted word.
func (r *reader) entry(v *ast.MappingValueNode, path string) (entry, bool) {
	var key ast.Node = v.Key
	if explicit, ok := key.(*ast.MappingKeyNode); ok {
		key = explicit.Value
	}
	e := entry{value: v.Value}
	switch k := key.(type) {
	case *ast.MergeKeyNode:
		r.reject(key, path, "E108", "merge keys (<<) are not used here", "write the keys out, or alias the whole value")
		return e, false
	case *ast.StringNode:
		e.key = k.Value
	case *ast.IntegerNode, *ast.FloatNode, *ast.BoolNode, *ast.NullNode:
		e.key = k.GetToken().Value
	default:
		r.reject(v, path, "E108", "a key must be a word", "")
		return e, false
	}
	e.at = r.src.span(key.GetToken())
	return e, true
}

// rules are what the tags of a field demand of its value.
type rules struct {
	enum        []string
	low, high   string // of the range; empty: open
	ranged      bool
	check, keys string
	short       string
	files       string
	present     bool   // an empty text is a mistake, not the default
	or          string // the key that may be written instead; one of both must be
	hint        string
	foreign     map[string]string // hints, by the words of other programs
	standard    string
	hasStandard bool
}

// wordLists are the words of enums that grow elsewhere, by what a tag calls them.
var wordLists = map[string][]string{"balancers": slices.Concat(balance.Names(), balance.Aliases()), "formats": session.Formats()}

// wordDefaults are defaults that are decided elsewhere, by what a tag calls them.
var wordDefaults = map[string]string{"balancer": balance.Default, "hidden-cookies": strings.Join(esi.DefaultShown().Hidden, "|")}

// rulesOf reads the tags of a field; the package comment has their meaning.
func rulesOf(tag reflect.StructTag) rules {
	f := rules{
		check:   tag.Get("check"),
		keys:    tag.Get("keys"),
		short:   tag.Get("short"),
		files:   tag.Get("files"),
		or:      tag.Get("or"),
		hint:    tag.Get("hint"),
		foreign: foreignValues[tag.Get("foreign")],
		present: tag.Get("required") != "" || tag.Get("or") != "",
	}
	if list, named := strings.CutPrefix(tag.Get("enum"), "@"); named {
		f.enum = wordLists[list]
	} else if list != "" {
		f.enum = strings.Split(list, "|")
	}
	f.low, f.high, f.ranged = strings.Cut(tag.Get("range"), "..")
	f.standard, f.hasStandard = tag.Lookup("default")
	if name, named := strings.CutPrefix(f.standard, "@"); named {
		f.standard = wordDefaults[name]
	}
	return f
}

// fieldOf is the field of a struct that has the key.
func fieldOf(v reflect.Value, key string) (reflect.Value, rules, bool) {
	t := v.Type()
	for i := range t.NumField() {
		if name := keyOf(t.Field(i)); name != "" && name == key {
			return v.Field(i), rulesOf(t.Field(i).Tag), true
		}
	}
	return reflect.Value{}, rules{}, false
}

// keyOf is the key of a field; empty when it has none.
func keyOf(f reflect.StructField) string {
	if key := f.Tag.Get("yaml"); key != "-" {
		return key
	}
	return ""
}

// keysOf are all keys of a struct.
func keysOf(t reflect.Type) []string {
	var keys []string
	for i := range t.NumField() {
		if key := keyOf(t.Field(i)); key != "" {
			keys = append(keys, key)
		}
	}
	return keys
}
