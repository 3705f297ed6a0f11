// Package meter reads a guest's module and rewrites it so that it cannot run
// without end.
//
// [Inspect] takes a core WebAssembly 2.0 module apart and says what it holds, or
// everything that is wrong with it, each with its cure: what is malformed, what
// belongs to a later version, what is over [Limits]. [Meter] does the same and
// writes the module anew. In what it writes
//
//   - entering a block of instructions is paid for, and a call whose fuel is used
//     up traps at the next function, loop or bulk instruction;
//   - so does a call that is nested too deeply;
//   - a refused memory.grow leaves a mark;
//   - memory and tables have a maximum;
//   - nothing runs by itself: what was the start function is an export.
//
// What is charged is part of the contract with guests, and the same for every
// engine. The new module computes what the old one did; its functions, globals
// and locals keep their numbers. Whoever runs it sets the globals [abi.FuelExport],
// [abi.DepthExport] (both i64) and [abi.MarkExport] (i32) before each call and
// reads them afterwards: fuel or depth below 0 was used up, a mark that is not 0
// tells of a refused memory.grow. [abi.StartExport] is there if the module had a
// start function.
//
// The package does not check the types of operands: an engine does, before it
// runs anything, and finds the same mistakes in the new module as in the old.
package meter

import (
	"cmp"
	"fmt"

	"weirkeep/abi"
)

// Options say how much a guest may use. Zero values are the defaults.
type Options struct {
	// MemoryPages is the most memory, in pages of 64 KiB.
	// Zero means 256 (16 MiB), 1,024 (64 MiB) for a Go guest; the maximum is 16,384 (1 GiB).
	MemoryPages uint32

	// InitFuel is the fuel that the module begins with, before anybody sets it.
	// Zero means 16,000,000.
	InitFuel int64

	// Depth is how deeply calls may be nested before anybody sets it; the call
	// from outside is depth 0. Zero means 1,000.
	Depth int32

	// Limits bound the module itself.
	Limits Limits
}

// Metered is a module that may be run.
type Metered struct {
	Wasm   []byte
	Module *Module // what was read, before anything was added
}

// Inspect reads a module to its end. The error is [Problems]; the module then
// holds what could be read, and is nil if it is not core WebAssembly at all.
// A module that passes may still have operands of wrong types.
func Inspect(wasm []byte) (*Module, error) {
	p := parse(wasm, Limits{})
	p.walkAll(false)
	return p.module, p.err()
}

// Meter reads a module and writes it anew. The error is [Problems]: those of
// Inspect, and what cannot be metered. There are no bytes then, and the module
// holds what could be read, as with Inspect.
func Meter(wasm []byte, o Options) (*Metered, error) {
	p := parse(wasm, o.Limits)
	if p.module == nil {
		return nil, p.err()
	}
	o = o.orDefaults(p.module.GoGuest)
	p.meterable(o)
	code := p.walkAll(true)
	m := &Metered{Module: p.module}
	if err := p.err(); err != nil {
		return m, err
	}
	m.Wasm = p.rewrite(code, o)
	return m, nil
}

func (o Options) orDefaults(goGuest bool) Options {
	memory := uint32(abi.DefaultMemory)
	if goGuest {
		memory = abi.DefaultGoMemory
	}
	o.MemoryPages = min(cmp.Or(o.MemoryPages, memory/pageSize), abi.MaxMemory/pageSize)
	o.InitFuel = cmp.Or(o.InitFuel, abi.DefaultInitFuel)
	o.Depth = cmp.Or(o.Depth, abi.DefaultDepth)
	return o
}

// meterable looks for what is sound, but would escape its limits.
func (p *parser) meterable(o Options) {
	for _, i := range p.module.Imports {
		if i.Kind != Function {
			p.add("define it in the module", "%s %s.%s is imported", i.Kind, readable(i.Module), readable(i.Name))
		}
	}
	if m := p.module.Memory; m != nil && m.Min > o.MemoryPages {
		p.add("raise limits.memory, or build with less memory: a smaller stack, fewer static data",
			"memory begins with %s, the limit is %s", mebibytes(m.Min), mebibytes(o.MemoryPages))
	}
}

// mebibytes writes pages for people.
func mebibytes(pages uint32) string {
	return fmt.Sprintf("%g MiB", float64(pages)*pageSize/(1<<20))
}
