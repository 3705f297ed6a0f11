package plugins

import (
	"slices"

	"weirkeep/plugins/meter"
)

// Kinds are all kinds.
var Kinds = []Kind{Router, Matcher, Filter, Collector}

// anyKind stands for the kind of a module that serves none.
const anyKind Kind = "any"

// kindExports are what a kind calls: a plugin of the kind exports one of them.
var kindExports = map[Kind][]string{
	Router:    {routeExport, namesExport},
	Matcher:   {matchExport},
	Filter:    {requestExport, responseExport},
	Collector: {collectExport},
}

// Check looks at module and configuration as [House.Load] does, and meters the module.
// It compiles nothing and runs nothing. The module is nil where it cannot be metered.
func Check(c Config) (*meter.Metered, Problems) {
	metered, problems := check(c)
	if metered != nil && metered.Wasm == nil {
		metered = nil
	}
	return metered, problems
}

// Inspection is what there is to know of a module before anybody has configured it.
type Inspection struct {
	Module       *meter.Module // nil: it is not core WebAssembly
	MeteredBytes int           // 0: it cannot be metered
	Kinds        []Kind        // that it serves
	Problems     Problems      // whatever is granted
}

// Inspect looks at a module as if it were granted all that it asks for, as every kind
// that it serves.
func Inspect(wasm []byte) (i Inspection) {
	i.Module, _ = meter.Inspect(wasm) // its error is among the problems of check
	i.Kinds = served(i.Module)
	kinds := i.Kinds
	if len(kinds) == 0 {
		kinds = []Kind{anyKind}
	}
	for _, k := range kinds {
		metered, problems := Check(Config{Kind: k, Wasm: wasm, KV: 1, HTTP: []string{"http://granted.invalid"}})
		if metered != nil {
			i.MeteredBytes = len(metered.Wasm)
		}
		for _, p := range problems {
			if !slices.Contains(i.Problems, p) {
				i.Problems = append(i.Problems, p)
			}
		}
	}
	return i
}

// served are the kinds whose exports a module has.
func served(m *meter.Module) (kinds []Kind) {
	if m == nil {
		return nil
	}
	k := checker{m: m}
	for _, kind := range Kinds {
		if slices.ContainsFunc(kindExports[kind], func(name string) bool { return k.exported(name) != nil }) {
			kinds = append(kinds, kind)
		}
	}
	return kinds
}
