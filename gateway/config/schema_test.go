package config

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
	"github.com/santhosh-tekuri/jsonschema/v6"
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
	} {
		if err := validate(t, s, []byte(tt.text)); err == nil {
			t.Errorf("%s is accepted: %s", tt.name, tt.text)
		}
	}
}

// TestSchemaDescribesEveryKey: an editor has something to say about each.
func TestSchemaDescribesEveryKey(t *testing.T) {
	comments := fieldComments(fieldsSource)
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
