package plugins

import (
	"strings"

	"github.com/agnivade/levenshtein"

	"weirkeep/abi"
	"weirkeep/plugins/engine"
)

// Whatever a guest may import, by module: the contract has the types, and here is what
// is done. A test holds the two against each other.
var (
	hostFunctions = functions(abi.Module, abi.HostFunctions, hostCalls)
	wasiFunctions = functions(abi.WASIModule, abi.WASIFunctions, wasiCalls)
)

// functions are those of a module, for the engines.
func functions(module string, all []abi.HostFunction, calls map[string]hostFunction) []engine.HostFunction {
	made := make([]engine.HostFunction, len(all))
	for i := range all {
		f := &all[i]
		made[i] = engine.HostFunction{Module: module, Name: f.Name, Params: params(f.Args), Results: results(f.Result), Call: counted(calls[f.Name])}
	}
	return made
}

// valueTypes are the engine's types for those of the contract.
var valueTypes = map[abi.ValueType]engine.ValueType{abi.I32: engine.I32, abi.I64: engine.I64, abi.F64: engine.F64}

func params(args []abi.Argument) (types []engine.ValueType) {
	for _, a := range args {
		types = append(types, valueTypes[a.Type])
	}
	return types
}

func results(t abi.ValueType) []engine.ValueType {
	if t == "" {
		return nil
	}
	return []engine.ValueType{valueTypes[t]}
}

// hostFunctionOf is the contract's host function of a name; nil: there is none.
func hostFunctionOf(module, name string) *abi.HostFunction {
	all := hostFunctionsOf(module)
	for i := range all {
		if all[i].Name == name {
			return &all[i]
		}
	}
	return nil
}

// hostFunctionsOf are the contract's host functions of a module.
func hostFunctionsOf(module string) []abi.HostFunction {
	switch module {
	case abi.Module:
		return abi.HostFunctions
	case abi.WASIModule:
		return abi.WASIFunctions
	}
	return nil
}

// nearestExport asks whether an export that differs little was meant.
func nearestExport(name string) string {
	var known []string
	for i := range abi.Exports {
		known = append(known, abi.Exports[i].Name)
	}
	return didYouMean(name, known)
}

// nearestImport asks the same of a host function.
func nearestImport(module, name string) string {
	var known []string
	for _, f := range hostFunctionsOf(module) {
		known = append(known, f.Name)
	}
	return didYouMean(name, known)
}

// didYouMean asks for the name that differs least, if that is a letter or a few; upper
// and lower case and _ make no difference.
func didYouMean(name string, known []string) string {
	name = folded(name)
	nearest, least := "", 2+len(name)/4
	for _, k := range known {
		if d := levenshtein.ComputeDistance(name, folded(k)); d < least {
			nearest, least = k, d
		}
	}
	if nearest == "" {
		return ""
	}
	return ": did you mean " + nearest + "?"
}

func folded(name string) string { return strings.ToLower(strings.ReplaceAll(name, "_", "")) }
