package config

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"weirkeep/gateway/balance"
)

// compiledSchema is Schema as a validator.
func compiledSchema(t *testing.T) *jsonschema.Schema {
	t.Helper()
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(Schema()))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("weirkeep.json", doc); err != nil {
		t.Fatal(err)
	}
	s, err := c.Compile("weirkeep.json")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// validate holds a YAML text against a schema, as an editor would.
func validate(t *testing.T, s *jsonschema.Schema, text []byte) error {
	t.Helper()
	var v any
	if err := yaml.Unmarshal(text, &v); err != nil {
		t.Fatal(err)
	}
	asJSON, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(asJSON))
	if err != nil {
		t.Fatal(err)
	}
	return s.Validate(doc)
}

func TestSchemaAcceptsWhatLoadAccepts(t *testing.T) {
	s := compiledSchema(t)
	texts := map[string][]byte{
		"demo sample": Sample(""),
		"sample":      Sample("127.0.0.1:3000"),
		"all of it":   setting.ReplaceAll(Sample(""), []byte("$1$2")),
	}
	files, err := filepath.Glob("testdata/good/*.yaml")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		if texts[file], err = os.ReadFile(file); err != nil {
			t.Fatal(err)
		}
	}
	for name, text := range texts {
		if err := validate(t, s, bytes.TrimPrefix(text, []byte("\ufeff"))); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestSchemaRefuses(t *testing.T) {
	s := compiledSchema(t)
	for _, tt := range []struct{ name, text string }{
		{"unknown key", "listners: []"},
		{"unknown key far below", "clusters: { a: { origins: [{ address: \"a:1\", wieght: 1 }] } }"},
		{"wrong word", "clusters: { a: { balancer: rnd, origins: [{ address: \"a:1\" }] } }"},
		{"no unit", "timeouts: { head: 10 }"},
		{"wrong unit", "limits: { header_bytes: 32K }"},
		{"out of range", "limits: { header_count: 5 }"},
		{"missing key", "listeners: [{ name: a }]"},
		{"empty list", "clusters: { a: { origins: [] } }"},
		{"number for text", "listeners: [{ address: 8080 }]"},
		{"null", "drain:"},
		{"wrong word in a list", "clusters: { a: { failover: { count: [500] }, origins: [a] } }"},
		{"unknown option of a balancer", "clusters: { a: { balancer_options: { tei: weighted }, origins: [a] } }"},
		{"wrong word in an option", "clusters: { a: { balancer_options: { tie: never }, origins: [a] } }"},
		{"class of statuses", "clusters: { a: { health: { path: /, expect: 2xx }, origins: [a] } }"},
		{"status of success to be repeated", "clusters: { a: { retry: { statuses: [200] }, origins: [a] } }"},
		{"one status in place of a list", "clusters: { a: { retry: { statuses: 503 }, origins: [a] } }"},
		{"health without path", "clusters: { a: { health: {}, origins: [a] } }"},
		{"word for a count", "clusters: { a: { failover: { connect_failures: all }, origins: [a] } }"},
		{"neither cluster nor clusters", "mappings: [{ site: a }]"},
		{"mapping to nothing", "mappings: [{ site: a, failover: [b] }]"},
		{"rule without name", "rules: [{ reject: {} }]"},
		{"status that redirects nobody", "rules: [{ name: a, redirect: { location: /, status: 304 } }]"},
		{"status that rejects nobody", "rules: [{ name: a, reject: { status: 200 } }]"},
		{"permit of nothing", "rules: [{ name: a, permit: { to: [] } }]"},
		{"group of nothing", "rules: [{ name: a, permit: { to: b, failover: [[]] } }]"},
		{"rule of a site with an unknown key", "sites: { a: { hosts: [a], rules: [{ name: a, deny: {} }] } }"},
		{"wrong kind of binding", "sessions: { a: { cookie: A, binding: sticky } }"},
		{"edition that serves nothing", "editions: { a: {} }"},
		{"plugin without module", "plugins: { a: { kind: router } }"},
		{"plugin of no kind", "plugins: { a: { kind: balancer, module: a.wasm } }"},
		{"params that are no map", "plugins: { a: { kind: router, module: a.wasm, params: [1] } }"},
		{"filter of another stage", "sites: { a: { hosts: [a], filters: [{ plugin: a, stage: fetch }] } }"},
		{"metric without collector", "clusters: { a: { metric: {}, origins: [a] } }"},
		{"rule that fails with a filter's word", "rules: [{ name: a, match: b, on_error: skip, reject: {} }]"},
		{"neither cookie nor url_param", "sessions: { a: { entries: 1 } }"},
	} {
		if err := validate(t, s, []byte(tt.text)); err == nil {
			t.Errorf("%s is accepted: %s", tt.name, tt.text)
		}
	}
}

// TestSchemaDescribesEveryKey: an editor has something to say about each.
func TestSchemaDescribesEveryKey(t *testing.T) {
	comments := fieldComments(fieldsSources)
	for name, typ := range structs {
		for i := range typ.NumField() {
			if f := typ.Field(i); keyOf(f) != "" && comments[name+"."+f.Name] == "" && !strings.HasPrefix(f.Type.String(), "*") {
				t.Errorf("%s.%s has no comment", name, f.Name)
			}
		}
	}
	if len(structs) < 15 || structs["Config"] != reflect.TypeFor[Config]() {
		t.Errorf("structs are %v", structs)
	}
}

// TestSchemaHasDefaultsOfLists: editors fill in what is written by default.
func TestSchemaHasDefaultsOfLists(t *testing.T) {
	for _, want := range []string{`"default": [
            "connect",
            "reset",
            "timeout",
            "502",`, `"description": "of the balancer capacity"`} {
		if !bytes.Contains(Schema(), []byte(want)) {
			t.Errorf("the schema lacks %s", want)
		}
	}
}

// TestBalancersAreThoseThereAre: to add one to balance is enough.
func TestBalancersAreThoseThereAre(t *testing.T) {
	var schema struct {
		Defs map[string]struct {
			Properties map[string]struct {
				Default any
				AnyOf   []struct{ Enum []any }
			}
		} `json:"$defs"`
	}
	if err := json.Unmarshal(Schema(), &schema); err != nil {
		t.Fatal(err)
	}
	names := slices.Concat(balance.Names(), balance.Aliases())
	for _, name := range []string{"Cluster", "Mapping"} {
		got, want := fmt.Sprint(schema.Defs[name].Properties["balancer"].AnyOf[0].Enum), fmt.Sprint(names)
		if got != want {
			t.Errorf("the schema of %s has the balancers %s, want %s", name, got, want)
		}
	}
	if got := schema.Defs["Cluster"].Properties["balancer"].Default; got != any(balance.Default) {
		t.Errorf("the default is %v, want %s", got, balance.Default)
	}
	_, problems := Parse("w.yaml", []byte("clusters: { a: { balancer: none, origins: [{ address: \"a:1\" }] } }\nlisteners: [{ address: \":1\" }]"))
	if want := "clusters.a.balancer is \"none\", must be " + choice(names); len(problems) != 1 || problems[0].Message != want {
		t.Errorf("problems are %v, want %s", problems, want)
	}
	for _, name := range balance.Names() {
		if !bytes.Contains(Sample(""), []byte(name)) {
			t.Errorf("the sample does not name %s", name)
		}
	}
}
