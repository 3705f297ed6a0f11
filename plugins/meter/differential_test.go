package meter

import (
	"bytes"
	"context"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/tetratelabs/wazero/api"

	"weirkeep/abi"
)

// Every exported function of the corpus answers as it did before metering, traps
// where it did, and leaves the same memory and globals.
func TestMeteredModulesComputeTheSame(t *testing.T) {
	for _, wat := range glob(t, "testdata/corpus/*.wat") {
		t.Run(strings.TrimSuffix(filepath.Base(wat), ".wat"), func(t *testing.T) {
			wasm := binaryOf(t, wat)
			p := pair{t, newGuest(t, wasm), newGuest(t, metered(t, wasm, Options{MemoryPages: 16}))}
			p.open()
			answers := 0
			for _, name := range p.functions() {
				answers += p.compareAll(name)
			}
			if answers == 0 {
				t.Error("no function has answered")
			}
		})
	}
}

// A pair is a module and what the meter made of it.
type pair struct {
	t              *testing.T
	plain, metered *guest
}

// open makes an instance of both; the start function has run in both then.
func (p pair) open() {
	p.t.Helper()
	p.plain.open()
	p.metered.open()
	if start := p.metered.module.ExportedFunction(abi.StartExport); start != nil {
		if _, err := start.Call(context.Background()); err != nil {
			p.t.Fatal(err)
		}
	}
}

// functions are the names that the module exports functions by, sorted.
func (p pair) functions() (names []string) {
	for name := range p.plain.compiled.ExportedFunctions() {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// compareAll calls a function with every combination of interesting arguments,
// and gives how often it did not trap.
func (p pair) compareAll(name string) (answers int) {
	arguments := [][]uint64{nil}
	for _, param := range p.plain.compiled.ExportedFunctions()[name].ParamTypes() {
		var longer [][]uint64
		for _, before := range arguments {
			for _, v := range interesting[param] {
				longer = append(longer, append(slices.Clone(before), v))
			}
		}
		arguments = longer
	}
	for _, a := range arguments {
		if p.compare(name, a) {
			answers++
		}
	}
	return answers
}

// interesting are values at which code takes turns, by type.
var interesting = map[api.ValueType][]uint64{
	api.ValueTypeI32: {0, 1, 2, 3, 5, 7, 8, 16, 31, 100, 65535, 65536, math.MaxInt32, 1 << 31, math.MaxUint32},
	api.ValueTypeI64: {0, 1, 3, 64, 1 << 32, math.MaxInt64, 1 << 63, math.MaxUint64},
	api.ValueTypeF32: {api.EncodeF32(0), api.EncodeF32(-1.5), api.EncodeF32(1e30), api.EncodeF32(float32(math.Inf(1)))},
	api.ValueTypeF64: {api.EncodeF64(0), api.EncodeF64(-0.5), api.EncodeF64(2.5), api.EncodeF64(1e300), api.EncodeF64(math.Inf(-1)), api.EncodeF64(math.NaN())},
}

// compare makes one call of both, and reports whether it has answered.
func (p pair) compare(name string, arguments []uint64) bool {
	p.t.Helper()
	const fuel, depth = 1 << 40, 1 << 20
	ctx := context.Background()
	p.metered.set(fuel, depth)
	want, wantTrap := p.plain.module.ExportedFunction(name).Call(ctx, arguments...)
	got, gotTrap := p.metered.module.ExportedFunction(name).Call(ctx, arguments...)
	if !slices.Equal(got, want) || trapOf(gotTrap) != trapOf(wantTrap) {
		p.t.Errorf("%s(%v) = %v, %q; want %v, %q", name, arguments, got, trapOf(gotTrap), want, trapOf(wantTrap))
	}
	if left := p.metered.global(abi.DepthExport); wantTrap == nil && left != depth {
		p.t.Errorf("%s(%v) leaves depth %d, want %d", name, arguments, left, depth)
	}
	if !bytes.Equal(memoryOf(p.plain.module), memoryOf(p.metered.module)) {
		p.t.Fatalf("%s(%v) leaves another memory", name, arguments)
	}
	for _, e := range []string{"n", "g"} {
		if v := p.plain.module.ExportedGlobal(e); v != nil && v.Get() != p.metered.module.ExportedGlobal(e).Get() {
			p.t.Errorf("%s(%v) leaves another global %s", name, arguments, e)
		}
	}
	return wantTrap == nil
}

// trapOf is what a trap is called, without the stack.
func trapOf(err error) string {
	if err == nil {
		return ""
	}
	first, _, _ := strings.Cut(err.Error(), "\n")
	return first
}

func memoryOf(m api.Module) []byte {
	if m.ExportedMemory("memory") == nil {
		return nil
	}
	b, _ := m.Memory().Read(0, m.Memory().Size())
	return b
}
