package main

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"weirkeep/abi"
	"weirkeep/plugins"
	"weirkeep/plugins/meter"
)

func newPluginInspect(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "inspect FILE",
		Short: "Say what a module is, and everything that is wrong with it",
		Long: "Inspect reads a module, and runs nothing of it. It says which kinds of plugin it can be, what it\n" +
			"imports and what the configuration has to grant it for that, and all that would keep the gateway\n" +
			"from loading it, each with its cure. What only the compiler of an engine finds, or the module's\n" +
			"own start, weirkeep plugin build says.",
		Args:        oneModule,
		Annotations: map[string]string{outputs: "json yaml"},
		RunE:        func(_ *cobra.Command, args []string) error { return a.pluginInspect(args[0]) },
	}
}

// oneModule are the arguments of a command that reads one module.
func oneModule(c *cobra.Command, args []string) error {
	switch len(args) {
	case 0:
		return usage(c, fmt.Errorf("%s needs a file", c.CommandPath()))
	case 1:
		return nil
	}
	return usage(c, fmt.Errorf("%s takes one file, and there are %d", c.CommandPath(), len(args)))
}

// moduleReport is what `plugin inspect -o json` prints.
type moduleReport struct {
	Schema       int             `json:"schema"`
	File         string          `json:"file"`
	ABI          string          `json:"abi"` // gw1; empty: it is no guest
	Kinds        []plugins.Kind  `json:"kinds"`
	Grants       []string        `json:"grants"` // keys of the configuration that it asks for
	Exports      []string        `json:"exports"`
	Imports      []importReport  `json:"imports"`
	Memory       *memoryReport   `json:"memory"`
	Tables       []tableReport   `json:"tables"`
	Functions    int             `json:"functions"`
	Globals      int             `json:"globals"`
	Start        bool            `json:"start"`
	GoGuest      bool            `json:"go_guest"`
	SHA256       string          `json:"sha256"`
	Bytes        int             `json:"bytes"`
	MeteredBytes int             `json:"metered_bytes"`
	Problems     []pluginProblem `json:"problems"`
}

type importReport struct {
	Module string `json:"module"`
	Name   string `json:"name"`
	Kind   string `json:"kind"`
	Type   string `json:"type,omitempty"`
}

type memoryReport struct {
	Pages    uint32 `json:"pages"`
	MaxPages uint32 `json:"max_pages"`
}

type tableReport struct {
	Type    string `json:"type"`
	Entries uint32 `json:"entries"`
}

type pluginProblem struct {
	What string `json:"what"`
	Cure string `json:"cure,omitempty"`
}

func (a *app) pluginInspect(file string) error {
	wasm, err := readModule(file)
	if err != nil {
		return err
	}
	r := inspectModule(file, wasm)
	if a.machine() {
		err = a.print(r)
	} else {
		err = r.write(a.stdout, a.paint(a.stdout))
	}
	if err == nil && len(r.Problems) > 0 {
		return &failure{status: exitFailure}
	}
	return err
}

func inspectModule(file string, wasm []byte) *moduleReport {
	i := plugins.Inspect(wasm)
	sum := sha256.Sum256(wasm)
	r := &moduleReport{
		Schema: 1, File: file, Kinds: slices.Concat([]plugins.Kind{}, i.Kinds), Grants: []string{}, Exports: []string{}, Imports: []importReport{},
		Tables: []tableReport{}, SHA256: hex.EncodeToString(sum[:]), Bytes: len(wasm), MeteredBytes: i.MeteredBytes, Problems: problemsOf(i.Problems),
	}
	if i.Module != nil {
		r.take(i.Module)
	}
	return r
}

func problemsOf(ps plugins.Problems) []pluginProblem {
	all := make([]pluginProblem, 0, len(ps))
	for _, p := range ps {
		all = append(all, pluginProblem(p))
	}
	return all
}

// take takes what there is to say of a module that could be read.
func (r *moduleReport) take(m *meter.Module) {
	r.Functions, r.Globals, r.Start, r.GoGuest = m.Functions, m.Globals, m.HasStart, m.GoGuest
	for _, x := range m.Exports {
		r.Exports = append(r.Exports, x.Name)
		if x.Name == "gw_abi_1" {
			r.ABI = abi.Module
		}
	}
	for _, i := range m.Imports {
		shown := importReport{Module: i.Module, Name: i.Name, Kind: i.Kind.String()}
		if i.Kind == meter.Function {
			shown.Type = i.Type.String()
		}
		r.Imports = append(r.Imports, shown)
		if g := grantFor(i); g != "" && !slices.Contains(r.Grants, g) {
			r.Grants = append(r.Grants, g)
		}
	}
	if m.Memory != nil {
		r.Memory = &memoryReport{m.Memory.Min, m.Memory.Max}
	}
	for _, t := range m.Tables {
		r.Tables = append(r.Tables, tableReport{t.Type.String(), t.Min})
	}
}

// grantFor is the key that grants an import; empty: everybody has it.
func grantFor(i meter.Import) string {
	switch {
	case i.Module != abi.Module:
		return ""
	case strings.HasPrefix(i.Name, "kv_"):
		return "kv"
	case i.Name == "http_call":
		return "http"
	}
	return ""
}

// write writes the report for people.
func (r *moduleReport) write(w io.Writer, ink paint) error {
	t := &teller{out: w, ink: ink}
	t.line("module", "%s   %s (%s)", r.File, cmp.Or(r.ABI, "no guest of gw1"), r.sizes())
	t.line("sha256", "%s", r.SHA256)
	t.line("kinds", "%s", cmp.Or(kindsText(r.Kinds), "none"))
	t.line("exports", "%s", cmp.Or(strings.Join(r.Exports, " "), "none"))
	t.line("imports", "%s", cmp.Or(r.importsText(), "none"))
	t.line("grants", "%s", r.grantsText())
	t.line("memory", "%s", r.memoryText())
	t.line("tables", "%s", cmp.Or(r.tablesText(), "none"))
	t.line("code", "%s", r.codeText())
	if len(r.Problems) == 0 {
		t.line("problems", "none")
	}
	for _, p := range r.Problems {
		t.line("problem", "%s", p.What)
		if p.Cure != "" {
			t.line("", "cure: %s", p.Cure)
		}
	}
	return t.err
}

func (r *moduleReport) sizes() string {
	if r.MeteredBytes == 0 {
		return sizeText(r.Bytes)
	}
	return sizeText(r.Bytes) + ", " + sizeText(r.MeteredBytes) + " metered"
}

func kindsText(kinds []plugins.Kind) string {
	var names []string
	for _, k := range kinds {
		names = append(names, string(k))
	}
	return strings.Join(names, ", ")
}

// importsText lists the imports by the module they come from.
func (r *moduleReport) importsText() string {
	var from []string
	names := make(map[string][]string)
	for _, i := range r.Imports {
		if names[i.Module] == nil {
			from = append(from, i.Module)
		}
		if !slices.Contains(names[i.Module], i.Name) {
			names[i.Module] = append(names[i.Module], i.Name)
		}
	}
	var all []string
	for _, m := range from {
		all = append(all, m+": "+strings.Join(names[m], " "))
	}
	return strings.Join(all, " · ")
}

func (r *moduleReport) grantsText() string {
	if len(r.Grants) == 0 {
		return "it asks for none"
	}
	examples := map[string]string{"kv": "kv: 1MiB", "http": `http: ["http://127.0.0.1:9000"]`}
	var all []string
	for _, g := range r.Grants {
		all = append(all, examples[g])
	}
	return "it asks for " + strings.Join(all, " and ") + " in the configuration"
}

func (r *moduleReport) memoryText() string {
	if r.Memory == nil {
		return "none"
	}
	most := "grows as far as limits.memory lets it"
	if r.Memory.MaxPages < 1<<16 {
		most = fmt.Sprintf("grows to %s by its own word", pagesText(r.Memory.MaxPages))
	}
	return pagesText(r.Memory.Pages) + ", " + most
}

func pagesText(n uint32) string {
	if n == 1 {
		return "1 page (64 KiB)"
	}
	return fmt.Sprintf("%d pages (%d KiB)", n, uint64(n)*64)
}

func (r *moduleReport) tablesText() string {
	var all []string
	for _, t := range r.Tables {
		all = append(all, fmt.Sprintf("%s of %d", t.Type, t.Entries))
	}
	return strings.Join(all, ", ")
}

func (r *moduleReport) codeText() string {
	text := fmt.Sprintf("%d functions, %d globals", r.Functions, r.Globals)
	if r.Start {
		text += ", a start function"
	}
	if r.GoGuest {
		text += "; built by Go: more memory and fuel by default"
	}
	return text
}
