package config

import (
	"embed"
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"net/netip"
	"reflect"
	"strings"

	"github.com/invopop/jsonschema"

	"weirkeep/gateway/balance"
	"weirkeep/gateway/unit"
)

// fieldsSources are the files with the structs: their comments are the
// descriptions.
//
//go:embed config.go rules.go applications.go editions.go hosts.go plugins.go metric.go dynamic.go discover.go retry.go cache.go cache_ranges.go esi.go
var fieldsSources embed.FS

// Schema is the JSON Schema (draft 2020-12) of a configuration file, for
// editors. Load is stricter: grammars, references and what fits together are
// not in it.
func Schema() []byte {
	comments := fieldComments(fieldsSources)
	r := &jsonschema.Reflector{
		Anonymous:                  true,
		FieldNameTag:               "yaml",
		RequiredFromJSONSchemaTags: true,
		ExpandedStruct:             true,
		Mapper:                     schemaOf,
		LookupComment: func(t reflect.Type, field string) string {
			return comments[strings.TrimSuffix(t.Name()+"."+field, ".")]
		},
	}
	s := r.Reflect(&Config{})
	s.Title = "weirkeep configuration"
	refine(s, reflect.TypeFor[Config]())
	for name, def := range s.Definitions {
		refine(def, structs[name])
	}
	out, err := json.MarshalIndent(s, "", "  ")
	if err != nil {
		panic("config: schema: " + err.Error())
	}
	return append(out, '\n')
}

// structs are the structs of a configuration but Config, by name.
var structs = structsOf(reflect.TypeFor[Config](), map[string]reflect.Type{})

// structsOf collects the structs below a type.
func structsOf(t reflect.Type, found map[string]reflect.Type) map[string]reflect.Type {
	switch t.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Map:
		return structsOf(t.Elem(), found)
	case reflect.Struct:
		if found[t.Name()] != nil || isText(reflect.New(t).Elem()) {
			return found
		}
		found[t.Name()] = t
		for i := range t.NumField() {
			if keyOf(t.Field(i)) != "" {
				structsOf(t.Field(i).Type, found)
			}
		}
	}
	return found
}

// texts are the types that have a form of their own in the file.
var texts = map[reflect.Type]string{
	reflect.TypeFor[unit.Duration](): unit.DurationPattern,
	reflect.TypeFor[unit.Size]():     unit.SizePattern,
	reflect.TypeFor[unit.Rate]():     unit.RatePattern,
	reflect.TypeFor[unit.Percent]():  unit.PercentPattern,
	reflect.TypeFor[Auto]():          `^(auto|[1-9]\d*)$`,
	reflect.TypeFor[Capacity]():      `^(auto|` + countPattern + `(-` + countPattern + `)?)$`,
	reflect.TypeFor[Same]():          `^(same|[1-9]\d{0,2}|1000)$`,
	reflect.TypeFor[Share]():         `^(0(\.\d+)?|1(\.0+)?)$`,
	reflect.TypeFor[Base]():          `^(e|10)$`,
	reflect.TypeFor[Level]():         `^-?\d+(\.\d+)?(e[-+]?\d+)?$|` + unit.DurationPattern + `|` + unit.PercentPattern,
	reflect.TypeFor[StatusRanges]():  `^ *[2-5]\d\d(-[2-5]\d\d)? *(, *[2-5]\d\d(-[2-5]\d\d)? *)*$`,
	reflect.TypeFor[netip.Prefix]():  `^[0-9A-Fa-f:.]+(/\d+)?$`,
	reflect.TypeFor[Secret]():        `^[!-~]*$`,
}

// countPattern is the form of 1..1000000.
const countPattern = `([1-9]\d{0,5}|1000000)`

// substitution is the form that any single value may have instead of its own.
const substitution = `^\$\{(env|file):[^{}]+\}$`

// schemaOf is the schema of types that the reflector does not know, and of
// single values, which may also be substituted.
func schemaOf(t reflect.Type) *jsonschema.Schema {
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if pattern, ok := texts[t]; ok {
		return textSchema(t, pattern)
	}
	switch t {
	case reflect.TypeFor[Options]():
		return optionsSchema()
	case reflect.TypeFor[Params]():
		return &jsonschema.Schema{Type: "object"}
	case reflect.TypeFor[Destinations]():
		one := uint64(1)
		return &jsonschema.Schema{AnyOf: []*jsonschema.Schema{{Type: "string"}, {Type: "array", Items: &jsonschema.Schema{Type: "string"}, MinItems: &one}}}
	}
	switch t.Kind() {
	case reflect.Bool:
		return substitutable(&jsonschema.Schema{Type: "boolean"})
	case reflect.Int:
		return substitutable(&jsonschema.Schema{Type: "integer"})
	}
	return nil
}

// optionsSchema is the schema of the options of every balancer.
func optionsSchema() *jsonschema.Schema {
	all := &jsonschema.Schema{Type: "object", Properties: jsonschema.NewProperties(), AdditionalProperties: jsonschema.FalseSchema}
	for _, name := range balance.Names() {
		_, err := balance.New(name, nil, func(into any) error {
			t := reflect.TypeOf(into).Elem()
			r := &jsonschema.Reflector{Anonymous: true, FieldNameTag: "yaml", DoNotReference: true, RequiredFromJSONSchemaTags: true, Mapper: schemaOf}
			s := r.ReflectFromType(t)
			refine(s, t)
			for p := s.Properties.Oldest(); p != nil; p = p.Next() {
				p.Value.Description = "of the balancer " + name
				all.Properties.Set(p.Key, p.Value)
			}
			return Options{}.Decode(into)
		})
		if err != nil {
			panic("config: balancer " + name + " without options: " + err.Error())
		}
	}
	return all
}

// textSchema is the schema of a type with a pattern; numbers whose unit may be
// left out may also be numbers in YAML.
func textSchema(t reflect.Type, pattern string) *jsonschema.Schema {
	s := substitutable(&jsonschema.Schema{Type: "string", Pattern: pattern})
	switch {
	case t == reflect.TypeFor[Auto]():
		s.AnyOf = append(s.AnyOf, &jsonschema.Schema{Type: "integer", Minimum: "1"})
	case t == reflect.TypeFor[Capacity]():
		s.AnyOf = append(s.AnyOf, &jsonschema.Schema{Type: "integer", Minimum: "1", Maximum: "1000000"})
	case t == reflect.TypeFor[Same]():
		s.AnyOf = append(s.AnyOf, &jsonschema.Schema{Type: "integer", Minimum: "1", Maximum: "1000"})
	case t == reflect.TypeFor[StatusRanges]():
		s.AnyOf = append(s.AnyOf, &jsonschema.Schema{Type: "integer", Minimum: "200", Maximum: "599"})
	case t == reflect.TypeFor[Share]():
		s.AnyOf = append(s.AnyOf, &jsonschema.Schema{Type: "number", Minimum: "0", Maximum: "1"})
	case t == reflect.TypeFor[Base]():
		s.AnyOf = append(s.AnyOf, &jsonschema.Schema{Const: 10})
	case t == reflect.TypeFor[Level]():
		s.AnyOf = append(s.AnyOf, &jsonschema.Schema{Type: "number"})
	case t.Kind() == reflect.Int64, t.Kind() == reflect.Int32:
		s.AnyOf = append(s.AnyOf, &jsonschema.Schema{Const: 0})
	}
	return s
}

// substitutable lets a single value be ${env:…} or ${file:…} instead.
func substitutable(s *jsonschema.Schema) *jsonschema.Schema {
	return &jsonschema.Schema{AnyOf: []*jsonschema.Schema{s, {Type: "string", Pattern: substitution}}}
}

// refine adds to the schema of a struct what its tags say.
func refine(s *jsonschema.Schema, t reflect.Type) {
	if t == nil || s.Properties == nil {
		return
	}
	for i := range t.NumField() {
		field := t.Field(i)
		if p, ok := s.Properties.Get(keyOf(field)); ok {
			refineField(p, field, rulesOf(field.Tag))
			if field.Tag.Get("required") != "" && t != reflect.TypeFor[Config]() {
				s.Required = append(s.Required, keyOf(field))
			}
			if or := field.Tag.Get("or"); or != "" {
				s.AnyOf = append(s.AnyOf, &jsonschema.Schema{Required: []string{keyOf(field)}})
			}
		}
	}
}

// refineField adds what the tags of one field say. A file of a configuration
// may lack what another has, so nothing is required at the top.
func refineField(p *jsonschema.Schema, field reflect.StructField, f rules) {
	if f.hasStandard {
		p.Default = standardJSON(field.Type, f.standard)
	}
	enum := enumSchema(field.Type, f.enum)
	if f.enum != nil && p.Items != nil {
		p.Items = substitutable(enum)
	} else if f.enum != nil {
		*p = jsonschema.Schema{Description: p.Description, Default: p.Default, AnyOf: substitutable(enum).AnyOf}
	}
	one := p
	if p.Items != nil {
		one = p.Items
	}
	if f.ranged && (p.Items != nil || isIntType(field.Type)) {
		one.AnyOf[0].Minimum, one.AnyOf[0].Maximum = json.Number(f.low), json.Number(f.high)
	}
	if f.short == "name" && p.Items != nil {
		p.Items = &jsonschema.Schema{OneOf: []*jsonschema.Schema{{Type: "string"}, p.Items}}
	}
	if one := uint64(1); f.present && p.Type == "array" {
		p.MinItems = &one
	} else if f.present && p.Type == "object" {
		p.MinProperties = &one
	}
}

// enumSchema is the schema of a value, or of each in a list, that is one of some
// words or numbers.
func enumSchema(t reflect.Type, words []string) *jsonschema.Schema {
	s := &jsonschema.Schema{Type: "string"}
	if isIntType(t) {
		s.Type = "integer"
	}
	for _, w := range words {
		if s.Type == "integer" {
			s.Enum = append(s.Enum, json.Number(w))
		} else {
			s.Enum = append(s.Enum, w)
		}
	}
	return s
}

// isIntType reports whether a field is a plain number in the file.
func isIntType(t reflect.Type) bool {
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	return t == reflect.TypeFor[int]()
}

// standardJSON is a default as JSON has it.
func standardJSON(t reflect.Type, text string) any {
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	switch t {
	case reflect.TypeFor[int](), reflect.TypeFor[Capacity](), reflect.TypeFor[Same](), reflect.TypeFor[Share]():
		return json.Number(text)
	case reflect.TypeFor[bool]():
		return text == "true"
	case reflect.TypeFor[[]string]():
		return strings.Split(text, "|")
	case reflect.TypeFor[[]int]():
		return json.RawMessage("[" + strings.ReplaceAll(text, "|", ", ") + "]")
	}
	return text
}

// fieldComments reads the comments of types ("Origin") and fields
// ("Origin.Kind") in Go sources.
func fieldComments(sources embed.FS) map[string]string {
	comments := map[string]string{}
	files, _ := sources.ReadDir(".")
	for _, f := range files {
		source, _ := sources.ReadFile(f.Name())
		file, err := parser.ParseFile(token.NewFileSet(), f.Name(), source, parser.ParseComments)
		if err != nil {
			panic("config: own source: " + err.Error())
		}
		for _, decl := range file.Decls {
			if gen, ok := decl.(*ast.GenDecl); ok && gen.Tok == token.TYPE {
				typeComments(gen, comments)
			}
		}
	}
	return comments
}

// typeComments adds the comments of one type declaration.
func typeComments(gen *ast.GenDecl, comments map[string]string) {
	spec := gen.Specs[0].(*ast.TypeSpec)
	name := spec.Name.Name
	comments[name] = flat(gen.Doc)
	s, ok := spec.Type.(*ast.StructType)
	if !ok {
		return
	}
	for _, field := range s.Fields.List {
		for _, ident := range field.Names {
			comments[name+"."+ident.Name] = strings.TrimSpace(flat(field.Doc) + " " + flat(field.Comment))
		}
	}
}

// flat is a comment in one line.
func flat(g *ast.CommentGroup) string { return strings.Join(strings.Fields(g.Text()), " ") }
