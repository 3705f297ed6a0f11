package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/goccy/go-yaml/ast"

	"weirkeep/abi"
	"weirkeep/gateway/config"
	"weirkeep/plugins"
)

// suiteFile is where the tests of a plugin are looked for.
const suiteFile = "plugin_test.yaml"

// pluginSuite is a file of tests of one plugin.
type pluginSuite struct {
	file     string
	module   string         // path
	config   plugins.Config // without the module
	stateful bool           // calls depend on those before
	table    *abi.ClusterTable
	tests    []pluginTest
}

// readSuite reads a file of tests, with every mistake that is in it.
func readSuite(file string) (*pluginSuite, config.Problems) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, config.Problems{{Code: "E101", Message: "cannot read the tests: " + err.Error(), Hint: "name the file: " + suiteFile + " is what is looked for"}}
	}
	return parseSuite(file, text)
}

func parseSuite(file string, text []byte) (*pluginSuite, config.Problems) {
	f, body := parseYAML(file, text)
	if body == nil {
		if len(f.problems) == 0 {
			f.failAt(1, 1, "E101", "the file holds no tests", "")
		}
		return nil, f.problems
	}
	s := &pluginSuite{file: file, table: defaultTable}
	var tests ast.Node
	has := f.fields(body, wholeFile, []yamlField{
		{"plugin", s.readPlugin},
		{"cluster", s.readCluster},
		{"tests", func(_ *yamlFile, n ast.Node, _ string) { tests = n }},
	})
	for _, key := range []string{"plugin", "tests"} {
		if !has[key] {
			f.fail(body, "E106", key+" is missing", "")
		}
	}
	if tests != nil { // they speak of the kind and of the origins
		f.list(tests, "tests", func(n ast.Node, what string) { s.tests = append(s.tests, s.readTest(f, n, what)) })
	}
	s.checkNames(f)
	f.problems.Sort()
	return s, f.problems
}

// checkNames refuses two tests of one name: a report could not tell them apart.
func (s *pluginSuite) checkNames(f *yamlFile) {
	var all []ruleTest
	for _, t := range s.tests {
		all = append(all, ruleTest{name: t.name, line: t.line})
	}
	f.checkNames(all)
}

// readPlugin reads what the configuration says of the plugin.
func (s *pluginSuite) readPlugin(f *yamlFile, n ast.Node, what string) {
	c := &s.config
	kind := ""
	l := &c.Limits
	limits := []yamlField{
		{"memory", sizeInto(&l.Memory)},
		{"fuel", numberInto(&l.Fuel, 32_000_000)},
		{"init_fuel", numberInto(&l.InitFuel, 64_000_000)},
		{"depth", numberInto(&l.Depth, 4000)},
		{"view", sizeInto(&l.View)},
		{"body", sizeInto(&l.Body)},
	}
	has := f.fields(n, what, []yamlField{
		{"name", textInto(&c.Name)},
		{"module", textInto(&s.module)},
		{"kind", func(f *yamlFile, n ast.Node, what string) {
			kind = f.oneOf(n, what, kindNames()...)
		}},
		{"params", paramsInto(&c.Params)},
		{"needs", textsInto(&c.Needs)},
		{"on_error", textInto(&c.OnError)},
		{"limits", func(f *yamlFile, n ast.Node, what string) { f.fields(n, what, limits) }},
		{"kv", sizeInto(&c.KV)},
		{"http", textsInto(&c.HTTP)},
		{"stateful", truthInto(&s.stateful)},
	})
	for _, key := range []string{"module", "kind"} {
		if !has[key] {
			f.fail(n, "E106", what+"."+key+" is missing", "")
		}
	}
	c.Kind = plugins.Kind(kind)
	if s.stateful && c.Kind == plugins.Matcher {
		f.fail(n, "E110", what+".stateful: a matcher's answer depends on the view alone", "")
	}
	if c.Name == "" {
		c.Name = strings.TrimSuffix(filepath.Base(s.module), ".wasm")
	}
	if !filepath.IsAbs(s.module) {
		s.module = filepath.Join(filepath.Dir(f.name), s.module)
	}
}

func kindNames() (names []string) {
	for _, k := range plugins.Kinds {
		names = append(names, string(k))
	}
	return names
}

// defaultTable are the origins of a file that names none.
var defaultTable = &abi.ClusterTable{Generation: 1, Cluster: "shop", Cell: "main", Entries: []abi.ClusterEntry{
	originNamed("server1", 0), originNamed("server2", 1), originNamed("server3", 2),
}}

// originNamed is an origin of which nothing but the name is known.
func originNamed(name string, position int) abi.ClusterEntry {
	host := fmt.Sprintf("10.0.0.%d", position+1)
	return abi.ClusterEntry{Name: name, Address: "http://" + host + ":80", Host: host, Cell: "main", Cluster: "shop", Weight: 1, HostWeight: 1, Capacity: 1000}
}

// readCluster reads the origins that the plugin is attached to.
func (s *pluginSuite) readCluster(f *yamlFile, n ast.Node, what string) {
	name := "main/shop"
	t := &abi.ClusterTable{Generation: 1}
	var origins ast.Node
	has := f.fields(n, what, []yamlField{
		{"name", textInto(&name)},
		{"generation", numberInto(&t.Generation, 1<<32-1)},
		{"origins", func(_ *yamlFile, n ast.Node, _ string) { origins = n }},
	})
	t.Cell, t.Cluster = cellAndName(name)
	if !has["origins"] {
		f.fail(n, "E106", what+".origins is missing", "")
		return
	}
	f.list(origins, what+".origins", func(n ast.Node, what string) {
		e := originNamed("", len(t.Entries))
		e.Cell, e.Cluster = t.Cell, t.Cluster
		f.origin(n, what, &e)
		t.Entries = append(t.Entries, e)
	})
	s.table = t
}

// cellAndName takes cell/cluster apart; without a cell it is main.
func cellAndName(text string) (cell, name string) {
	if cell, name, ok := strings.Cut(text, "/"); ok {
		return cell, name
	}
	return "main", text
}

// origin reads an entry of the table: a name, or a map.
func (f *yamlFile) origin(n ast.Node, what string, e *abi.ClusterEntry) {
	if !f.isMap(n) {
		e.Name, _ = f.text(n, what)
		return
	}
	cluster, here := "", false
	has := f.fields(n, what, []yamlField{
		{"name", textInto(&e.Name)},
		{"address", textInto(&e.Address)},
		{"host", textInto(&e.Host)},
		{"zone", textInto(&e.Zone)},
		{"cluster", textInto(&cluster)},
		{"edition", textInto(&e.Edition)},
		{"labels", func(f *yamlFile, n ast.Node, what string) { e.Labels = f.labels(n, what) }},
		{"weight", numberInto(&e.Weight, 1<<32-1)},
		{"host_weight", numberInto(&e.HostWeight, 1<<32-1)},
		{"capacity", numberInto(&e.Capacity, 1<<32-1)},
		{"on_this_host", truthInto(&here)},
	})
	if !has["name"] {
		f.fail(n, "E106", what+".name is missing", "")
	}
	if cluster != "" {
		e.Cell, e.Cluster = cellAndName(cluster)
	}
	if here {
		e.Flags |= abi.FlagOnThisHost
	}
}

func (f *yamlFile) labels(n ast.Node, what string) (all []abi.Label) {
	f.entries(n, what, func(key string, _, value ast.Node) {
		text, _ := f.text(value, what+"."+key)
		all = append(all, abi.Label{Key: key, Value: text})
	})
	slices.SortFunc(all, func(a, b abi.Label) int { return strings.Compare(a.Key, b.Key) })
	return all
}

// position is that of an origin, by its name or cell/cluster/name; -1: none.
func position(t *abi.ClusterTable, name string) int {
	return slices.IndexFunc(t.Entries, func(e abi.ClusterEntry) bool {
		return e.Name == name || e.Cell+"/"+e.Cluster+"/"+e.Name == name
	})
}

// nameAt is the shortest name of an origin that means no other.
func nameAt(t *abi.ClusterTable, at int) string {
	e := &t.Entries[at]
	if position(t, e.Name) == at {
		return e.Name
	}
	return e.Cell + "/" + e.Cluster + "/" + e.Name
}

// findOrigin is the position of an origin that a test names.
func (s *pluginSuite) findOrigin(f *yamlFile, n ast.Node, what, name string) int {
	at := position(s.table, name)
	if at < 0 {
		var names []string
		for _, e := range s.table.Entries {
			names = append(names, e.Name)
		}
		f.fail(n, "E110", fmt.Sprintf("%s: there is no origin %q", what, name), didYouMean(name, names, "the cluster has "+strings.Join(names, ", ")))
	}
	return at
}
