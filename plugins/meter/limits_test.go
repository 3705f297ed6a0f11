package meter

import (
	"bytes"
	"strings"
	"testing"

	"weirkeep/abi"
)

// The default limits are those of the contract.
func TestDefaultLimits(t *testing.T) {
	l := Limits{}.orDefaults()
	ours := map[string]int{
		"bytes of the file":    l.Module,
		"functions":            l.Functions,
		"types":                l.Types,
		"globals":              l.Globals,
		"body of one function": l.Body,
		"locals of one function, parameters included": l.Locals,
		"blocks of one function, as in Fuel":          l.Blocks,
		"nesting of one function":                     l.Nesting,
		"targets of `br_table` in one function":       l.Targets,
		"loads and stores of one function":            l.Accesses,
		"tables":                                      l.Tables,
		"initial sizes of all tables together":        l.Entries,
	}
	for _, b := range abi.ModuleLimits {
		if got, ok := ours[b.Name]; !ok || int64(got) != b.Max {
			t.Errorf("limit of %s is %d, want %d", b.Name, got, b.Max)
		}
	}
	if len(abi.ModuleLimits) != len(ours) {
		t.Errorf("the contract has %d limits, want %d", len(abi.ModuleLimits), len(ours))
	}
	if l.orDefaults() != l {
		t.Errorf("limits that are stated become %+v", l.orDefaults())
	}
}

// Each row stands just at its limit; one more of it is refused.
func TestLimits(t *testing.T) {
	for _, tt := range []struct {
		name   string
		limits Limits
		make   func(n int) []byte
		n      int
		want   string // of one more
	}{
		{"functions", Limits{Functions: 3}, manyFunctions, 3, "4 functions, at most 3 are loaded"},
		{"imported functions", Limits{Functions: 3}, manyImports, 3, "4 functions, at most 3 are loaded"},
		{"exports", Limits{Functions: 3}, manyExports, 3, "4 exports, at most 3 are loaded"},
		{"types", Limits{Types: 3}, manyTypes, 3, "4 types, at most 3 are loaded"},
		{"globals", Limits{Globals: 3}, manyGlobals, 3, "4 globals, at most 3 are loaded"},
		{"tables", Limits{Tables: 3}, manyTables, 3, "4 tables, at most 3 are loaded"},
		{"entries", Limits{Entries: 30}, manyTables, 3, "tables of 40 entries, at most 30 are loaded"},
		{"body", Limits{Body: 300}, largeBody, 300, "301 bytes of code, at most 300 are loaded"},
		{"locals", Limits{Locals: 9}, manyLocals, 9, "10 locals, at most 9 are loaded"},
		{"locals in the end", Limits{}, manyLocals, 2_000, "2001 locals, at most 2000 are loaded"},
		{"blocks", Limits{Blocks: 9}, manyBlocks, 9, "10 blocks, at most 9 are loaded"},
		{"nesting", Limits{Nesting: 9}, deepBlocks, 9, "10 blocks in each other, at most 9 are loaded"},
		{"nesting in the end", Limits{}, deepBlocks, 1_000, "1001 blocks in each other, at most 1000 are loaded"},
		{"targets", Limits{Targets: 9}, manyTargets, 9, "10 targets of br_table, at most 9 are loaded"},
		{"loads and stores", Limits{Accesses: 9}, manyLoads, 9, "10 loads and stores, at most 9 are loaded"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			o := Options{Limits: tt.limits}
			if _, err := Meter(tt.make(tt.n), o); err != nil {
				t.Errorf("at the limit: %v", err)
			}
			wantProblem(t, tt.make(tt.n+1), o, tt.want)
		})
	}
}

func manyFunctions(n int) []byte { return functionsOf(nil, times(fn(), n)...) }

func manyImports(n int) []byte {
	return module(list(typeSection, nullary), list(importSection, times(append(named("m"), named("x", 0, 0)...), n)...))
}

func manyExports(n int) []byte {
	var exports [][]byte
	for i := range n {
		exports = append(exports, named(string(rune('a'+i)), 0, 0))
	}
	return functionsOf([][]byte{list(exportSection, exports...)}, fn())
}

func manyTypes(n int) []byte { return module(list(typeSection, times(nullary, n)...)) }

func manyGlobals(n int) []byte {
	return module(list(globalSection, times([]byte{0x7f, 0, 0x41, 0, opEnd}, n)...))
}

func manyTables(n int) []byte { return module(list(tableSection, times([]byte{0x70, 0, 10}, n)...)) }

// largeBody has its locals and its end besides.
func largeBody(n int) []byte { return functionsOf(nil, fn(bytes.Repeat([]byte{0x01}, n-2)...)) }

// manyLocals has half of them, more or less, as parameters.
func manyLocals(n int) []byte {
	params := append(append([]byte{0x60}, appendU32(nil, uint32(n/2))...), append(bytes.Repeat([]byte{0x7f}, n/2), 0)...)
	locals := append(appendU32([]byte{1}, uint32(n-n/2)), 0x7e)
	return module(list(typeSection, params), list(functionSection, []byte{0}), list(codeSection, fnWith(locals)))
}

// manyBlocks has one at the beginning, and one behind each br_if.
func manyBlocks(n int) []byte {
	branches := bytes.Repeat([]byte{0x41, 0, 0x0d, 0}, n-1)
	return functionsOf(nil, fn(branches...))
}

func deepBlocks(n int) []byte {
	return functionsOf(nil, fn(append(bytes.Repeat([]byte{0x02, 0x40}, n), bytes.Repeat([]byte{opEnd}, n)...)...))
}

// manyTargets has them in two instructions; the default ones do not count.
func manyTargets(n int) []byte {
	table := func(n int) []byte {
		return append(append([]byte{0x02, 0x40, 0x41, 0, 0x0e, byte(n)}, make([]byte, n+1)...), opEnd)
	}
	return functionsOf(nil, fn(append(table(3), table(n-3)...)...))
}

func manyLoads(n int) []byte { return code(bytes.Repeat([]byte{0x41, 0, 0x28, 2, 0, 0x1a}, n)...) }

func TestModuleOverItsSizeIsNotRead(t *testing.T) {
	wasm := module(custom("x", make([]byte, 100)...))
	wantProblem(t, wasm, Options{Limits: Limits{Module: 110}}, "module of 112 bytes, at most 110 are loaded")
	if _, err := Meter(wasm, Options{Limits: Limits{Module: 112}}); err != nil {
		t.Error(err)
	}
}

func TestMemoryHasTheHostsMaximum(t *testing.T) {
	of := func(flags byte, sizes ...uint32) []byte {
		m := []byte{flags}
		for _, n := range sizes {
			m = appendU32(m, n)
		}
		return module(list(memorySection, m))
	}
	goGuest := custom("go:buildid")
	for _, tt := range []struct {
		name  string
		wasm  []byte
		pages uint32
		want  uint32
	}{
		{"default", of(0, 1), 0, 256},
		{"default of a Go guest", append(of(0, 1), goGuest...), 0, 1024},
		{"stated", of(0, 1), 77, 77},
		{"stated for a Go guest", append(of(0, 1), goGuest...), 77, 77},
		{"the module wants less", of(1, 1, 5), 0, 5},
		{"the module wants more", of(1, 1, 65536), 0, 256},
		{"begins with all", of(0, 256), 0, 256},
		{"over the largest that may be stated", of(0, 1), 65536, 16384},
	} {
		t.Run(tt.name, func(t *testing.T) {
			m, err := Inspect(metered(t, tt.wasm, Options{MemoryPages: tt.pages}))
			if problems, ok := err.(Problems); !ok || len(problems) != 3 { // the three names
				t.Fatalf("Inspect() = %v", err)
			}
			if m.Memory.Max != tt.want {
				t.Errorf("maximum is %d pages, want %d", m.Memory.Max, tt.want)
			}
		})
	}
	wantProblem(t, of(0, 257), Options{MemoryPages: 256}, "memory begins with 16.0625 MiB, the limit is 16 MiB (raise limits.memory")
	wantProblem(t, append(of(0, 9), goGuest...), Options{MemoryPages: 8}, "memory begins with 0.5625 MiB, the limit is 0.5 MiB")
}

func TestTablesHaveAMaximum(t *testing.T) {
	wasm := module(list(tableSection, []byte{0x70, 0, 10}, []byte{0x6f, 1, 20, 25}, []byte{0x70, 1, 0, 0x7f}))
	m, _ := Inspect(metered(t, wasm, Options{Limits: Limits{Entries: 100}}))
	want := []Table{{FuncRef, 10, 80, false}, {ExternRef, 20, 25, false}, {FuncRef, 0, 70, false}}
	for i := range want {
		if m.Tables[i] != want[i] {
			t.Errorf("table %d is %+v, want %+v", i, m.Tables[i], want[i])
		}
	}
}

// What the host would have to give, and could give larger, is refused.
func TestImportsOfOtherThanFunctions(t *testing.T) {
	for _, tt := range []struct {
		name string
		rest []byte
		want string
	}{
		{"memory", []byte{2, 0, 1}, "memory env.x is imported (define it in the module)"},
		{"table", []byte{1, 0x70, 0, 1}, "table env.x is imported"},
		{"global", []byte{3, 0x7f, 1}, "global env.x is imported"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			wasm := module(list(importSection, append(named("env"), named("x", tt.rest...)...)))
			if m, err := Inspect(wasm); err != nil || m.Imports[0].Kind.String() != tt.name {
				t.Errorf("Inspect() = %+v, %v; want the import, and no error", m, err)
			}
			m, err := Meter(wasm, Options{})
			if err == nil || !strings.HasPrefix(err.Error(), tt.want) || m.Wasm != nil {
				t.Errorf("Meter() = %v, want %s", err, tt.want)
			}
		})
	}
}
