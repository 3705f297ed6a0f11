package main

import (
	"bytes"
	"embed"
	"fmt"
	"strconv"
	"strings"
	"text/template"

	"weirkeep/abi"
)

// prose is what people wrote of the page, with the tables' names where they go.
//
//go:embed page/*.md
var prose embed.FS

// page makes ABI.md.
func page(top string) ([]byte, error) {
	examples, err := readExamples(top)
	if err != nil {
		return nil, err
	}
	t := template.New("page").Funcs(numbers).Funcs(tables).Funcs(examples.functions())
	if t, err = t.ParseFS(prose, "page/*.md"); err != nil {
		return nil, err
	}
	var parts [][]byte
	entries, err := prose.ReadDir("page")
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		var b bytes.Buffer
		if err := t.ExecuteTemplate(&b, e.Name(), nil); err != nil {
			return nil, err
		}
		parts = append(parts, b.Bytes())
	}
	return bytes.Join(parts, []byte("\n")), nil
}

// constantly makes a function of the page that is always the same number.
func constantly(n int) func() string { return func() string { return group3(int64(n)) } }

// numbers are what the prose says of bounds.
var numbers = template.FuncMap{
	"major": func() int { return abi.Major }, "minor": func() int { return abi.Minor },
	"resultBytes": func() int { return abi.ResultBytes }, "wasiModule": func() string { return abi.WASIModule },
	"maxMessage": func() int { return abi.MaxMessage }, "maxSources": constantly(abi.MaxSources),
	"maxRoute": constantly(abi.MaxRoute), "maxArgs": constantly(abi.MaxArgs), "maxOps": constantly(abi.MaxOps),
	"maxHeaderName": constantly(abi.MaxHeaderName), "maxValue": func() int { return abi.MaxValue },
	"maxHostCalls": constantly(abi.MaxHostCalls), "maxInitCalls": constantly(abi.MaxInitCalls),
	"maxKVKey": constantly(abi.MaxKVKey), "maxKVValue": func() int { return abi.MaxKVValue },
	"maxHTTPCalls": constantly(abi.MaxHTTPCalls), "maxHTTPTimeout": func() int { return abi.MaxHTTPTimeout },
}

// group3 writes a number with a comma at each thousand.
func group3(n int64) string {
	s := strconv.FormatInt(n, 10)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// tables are what the prose takes from the contract.
var tables = template.FuncMap{
	"kindExports": kindExports, "diagramOf": diagramOf, "fieldsOf": fieldsOf, "exports": exports, "valuesOf": valuesOf,
	"tokens": tokens, "withheld": withheld, "ops": operations, "refused": refused, "hopByHop": hopByHop, "errors": errorCodes,
	"hosts": hosts, "properties": properties, "wasi": wasi, "errnos": errnos, "weights": weights, "limits": limits,
	"moduleLimits": moduleLimits, "faults": faults, "policies": policies,
}

// markdown is a table of the page.
type markdown struct{ b strings.Builder }

// newMarkdown begins a table.
func newMarkdown(columns ...string) *markdown {
	m := &markdown{}
	m.row(columns...)
	m.b.WriteString("|" + strings.Repeat("---|", len(columns)) + "\n")
	return m
}

func (m *markdown) row(cells ...string) {
	for i, c := range cells {
		cells[i] = strings.ReplaceAll(c, "|", `\|`)
	}
	m.b.WriteString("| " + strings.Join(cells, " | ") + " |\n")
}

func (m *markdown) String() string { return strings.TrimSuffix(m.b.String(), "\n") }

// layoutOf is the layout of a name, whose constants begin with it.
func layoutOf(name string) (*abi.Layout, error) {
	for _, l := range abi.Layouts {
		if l.Const == name {
			return l, nil
		}
	}
	return nil, fmt.Errorf("no layout %q", name)
}

// fieldsOf is the table of a layout's fields.
func fieldsOf(name string) (*markdown, error) {
	l, err := layoutOf(name)
	if err != nil {
		return nil, err
	}
	m, needs := newMarkdown("off", "type", "field", ""), l == &abi.ViewLayout
	if needs {
		m = newMarkdown("off", "type", "field", "needs", "")
	}
	for _, f := range l.Fields {
		switch {
		case f.Const == "":
		case needs:
			m.row(strconv.Itoa(f.Off), f.Type, f.Name, f.Needs, f.Text)
		default:
			m.row(strconv.Itoa(f.Off), f.Type, f.Name, f.Text)
		}
	}
	return m, nil
}

// valuesOf is a group of values on a line of its own.
func valuesOf(title string) (string, error) {
	for _, g := range abi.Groups {
		if g.Title == title {
			var all []string
			for _, v := range g.Values {
				all = append(all, fmt.Sprintf("%d %s", v.Number, v.Text))
			}
			return title + ": " + strings.Join(all, " · ") + ".", nil
		}
	}
	return "", fmt.Errorf("no values %q", title)
}

// code is text as code.
func code(s string) string { return "`" + s + "`" }

// kindsText names kinds.
func kindsText(kinds []abi.Kind) string {
	if len(kinds) == 0 {
		return "all"
	}
	var all []string
	for _, k := range kinds {
		all = append(all, string(k))
	}
	return strings.Join(all, ", ")
}
