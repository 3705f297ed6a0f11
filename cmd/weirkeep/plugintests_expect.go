package main

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/goccy/go-yaml/ast"

	"weirkeep/abi"
	"weirkeep/plugins"
)

// pluginExpectation is what a part of a result must be.
type pluginExpectation struct {
	key, want string
	line      int
}

// resultPart is a part of a result that a test can expect something of.
type resultPart struct {
	key   string
	kinds []plugins.Kind // whose results have it; none: all
	read  func(s *pluginSuite, f *yamlFile, n ast.Node, what string) string
}

// resultParts is every part there is. All but fuel exclude each other.
var resultParts = []resultPart{
	{"route", []plugins.Kind{plugins.Router}, (*pluginSuite).wantRoute},
	{"abstain", []plugins.Kind{plugins.Router}, wantWord("true")},
	{"match", []plugins.Kind{plugins.Matcher}, wantWord("true", "false", "unknown")},
	{"ops", []plugins.Kind{plugins.Filter}, (*pluginSuite).wantOps},
	{"metric", []plugins.Kind{plugins.Collector}, wantMetric},
	{"error", nil, wantCode},
	{"fault", nil, wantWord(faultWords()...)},
	{"not_called", nil, wantWord(string(plugins.ViewTooLarge), string(plugins.BodyTooLarge))},
	{"refused", nil, wantText},
	{"fuel", nil, wantFuel},
}

// expectations reads what a result must be, in the order of the file.
func (s *pluginSuite) expectations(f *yamlFile, n ast.Node, what string) (all []pluginExpectation) {
	var known []yamlField
	for _, p := range resultParts {
		if p.kinds != nil && !slices.Contains(p.kinds, s.config.Kind) {
			continue
		}
		known = append(known, yamlField{p.key, func(f *yamlFile, n ast.Node, what string) {
			line, _ := placeOf(n)
			all = append(all, pluginExpectation{p.key, p.read(s, f, n, what), line})
		}})
	}
	f.fields(n, what, known)
	results := slices.DeleteFunc(slices.Clone(all), func(x pluginExpectation) bool { return x.key == "fuel" })
	switch {
	case len(all) == 0 && len(f.problems) == 0:
		f.fail(n, "E106", what+" expects nothing", "")
	case len(results) > 1:
		f.fail(n, "E110", fmt.Sprintf("%s: a result cannot be %s and %s", what, results[0].key, results[1].key), "")
	}
	return all
}

func wantWord(words ...string) func(*pluginSuite, *yamlFile, ast.Node, string) string {
	return func(_ *pluginSuite, f *yamlFile, n ast.Node, what string) string { return f.oneOf(n, what, words...) }
}

func wantText(_ *pluginSuite, f *yamlFile, n ast.Node, what string) string {
	text, _ := f.text(n, what)
	return text
}

func wantFuel(_ *pluginSuite, f *yamlFile, n ast.Node, what string) string {
	var most uint64
	numberInto(&most, 64_000_000)(f, n, what)
	return strconv.FormatUint(most, 10)
}

func wantMetric(_ *pluginSuite, f *yamlFile, n ast.Node, what string) string {
	text, ok := f.text(n, what)
	if v, err := strconv.Atoi(text); ok && text != "none" && (err != nil || v < 0 || v > abi.MetricIdle) {
		f.fail(n, "E110", fmt.Sprintf("%s is %q, must be 0..100, or none for no opinion", what, text), "")
	}
	return text
}

func faultWords() (words []string) {
	for _, k := range plugins.FaultKinds {
		words = append(words, string(k))
	}
	return words
}

// wantCode reads an error code, by its number or its name.
func wantCode(_ *pluginSuite, f *yamlFile, n ast.Node, what string) string {
	text, ok := f.text(n, what)
	var names []string
	for _, c := range abi.ErrorCodes {
		if text == c.Name || text == strconv.Itoa(int(c.Code)) {
			return c.Name
		}
		names = append(names, c.Name)
	}
	if ok {
		f.fail(n, "E110", fmt.Sprintf("%s is %q, must be a code of -11..-1 or its name", what, text), didYouMean(text, names, "names are "+strings.Join(names, ", ")))
	}
	return text
}

// wantRoute reads the origins that must be listed, in order.
func (s *pluginSuite) wantRoute(f *yamlFile, n ast.Node, what string) string {
	var names []string
	f.list(n, what, func(n ast.Node, what string) {
		if name, ok := f.text(n, what); ok {
			if at := s.findOrigin(f, n, what, name); at >= 0 {
				names = append(names, nameAt(s.table, at))
			}
		}
	})
	return routeText(names)
}

func routeText(names []string) string { return "[" + strings.Join(names, ", ") + "]" }

// opWord is an operation as a test writes it.
type opWord struct {
	word string
	code uint16
	form byte // n: a name, p: name and value, v: a value, s: a status or status and body
}

var opWords = []opWord{
	{"set_header", abi.OpSetHeader, 'p'}, {"add_header", abi.OpAddHeader, 'p'}, {"delete_header", abi.OpDeleteHeader, 'n'},
	{"set_path", abi.OpSetPath, 'v'}, {"set_query", abi.OpSetQuery, 'v'}, {"set_host", abi.OpSetHost, 'v'},
	{"set_body", abi.OpSetBody, 'v'}, {"respond", abi.OpRespond, 's'}, {"tag", abi.OpTag, 'p'},
}

// wantOps reads the operations that must come, in order.
func (s *pluginSuite) wantOps(f *yamlFile, n ast.Node, what string) string {
	var ops []abi.Op
	f.list(n, what, func(n ast.Node, what string) {
		var known []yamlField
		for _, w := range opWords {
			known = append(known, yamlField{w.word, func(f *yamlFile, n ast.Node, what string) { ops = append(ops, f.op(n, what, w)...) }})
		}
		if has := f.fields(n, what, known); len(has) > 1 {
			f.fail(n, "E110", what+": each operation is an entry of its own", "write a dash before it")
		}
	})
	return opsText(ops)
}

// op reads one operation; several where a map of headers has several.
func (f *yamlFile) op(n ast.Node, what string, w opWord) (ops []abi.Op) {
	op := abi.Op{Code: w.code}
	switch {
	case w.form == 'p':
		f.entries(n, what, func(key string, _, value ast.Node) {
			text, _ := f.text(value, what+"."+key)
			ops = append(ops, abi.Op{Code: w.code, Key: []byte(key), Value: []byte(text)})
		})
		return ops
	case w.form == 's' && f.isMap(n):
		f.fields(n, what, []yamlField{{"status", bytesInto(&op.Key)}, {"body", bytesInto(&op.Value)}})
	case w.form == 'v':
		bytesInto(&op.Value)(f, n, what)
	default:
		bytesInto(&op.Key)(f, n, what)
	}
	return []abi.Op{op}
}

// opsText is a row of operations as people read it, one a line.
func opsText(ops []abi.Op) string {
	if len(ops) == 0 {
		return "none"
	}
	var lines []string
	for _, o := range ops {
		lines = append(lines, opText(o))
	}
	return strings.Join(lines, "\n")
}

func opText(o abi.Op) string {
	i := slices.IndexFunc(opWords, func(w opWord) bool { return w.code == o.Code })
	w := opWords[i]
	name := strings.ReplaceAll(w.word, "_", " ")
	switch {
	case w.form == 'p':
		return fmt.Sprintf("%s %s: %s", name, o.Key, o.Value)
	case w.form == 's' && len(o.Value) > 0:
		return fmt.Sprintf("%s %s %q", name, o.Key, o.Value)
	case w.form == 'v':
		return fmt.Sprintf("%s %q", name, o.Value)
	}
	return fmt.Sprintf("%s %s", name, o.Key)
}
