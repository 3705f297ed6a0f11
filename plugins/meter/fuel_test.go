package meter

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/imports/wasi_snapshot_preview1"

	"weirkeep/abi"
)

// Every fixture of testdata/fuel says in its comments what a call of its function
// f answers and what is left of fuel, depth and mark. The host sets 2,000,000
// fuel and depth 1,000 where a line does not say otherwise.
func TestFuelIsWhatTheContractSays(t *testing.T) {
	for _, wat := range glob(t, "testdata/fuel/*.wat") {
		t.Run(strings.TrimSuffix(filepath.Base(wat), ".wat"), func(t *testing.T) {
			g := newGuest(t, metered(t, binaryOf(t, wat), Options{}))
			for _, fact := range facts(t, wat) {
				fact.check(t, g)
			}
		})
	}
}

// A fact is one line of a fixture:
//
//	;; f ARGUMENT, NAME VALUE, … -> RESULT, NAME VALUE, …
type fact struct {
	line     string
	argument int64
	given    map[string]int64 // budget, depth
	result   string           // a number, or a kind of fault
	seen     map[string]int64 // fuel, left (of depth), mark, first (byte of memory)
}

var factLine = regexp.MustCompile(`(?m)^;; f (-?\d+)(.*) -> (-?\w+)(.*)$`)

func facts(t *testing.T, wat string) (all []fact) {
	t.Helper()
	for _, m := range factLine.FindAllStringSubmatch(string(read(t, wat)), -1) {
		argument, err := strconv.ParseInt(m[1], 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, fact{m[0], argument, values(t, m[2]), m[3], values(t, m[4])})
	}
	if len(all) == 0 {
		t.Fatalf("%s states no fact", wat)
	}
	return all
}

func values(t *testing.T, list string) map[string]int64 {
	t.Helper()
	all := make(map[string]int64)
	for pair := range strings.SplitSeq(strings.TrimPrefix(list, ", "), ", ") {
		if name, value, ok := strings.Cut(pair, " "); ok {
			n, err := strconv.ParseInt(value, 10, 64)
			if err != nil {
				t.Fatal(err)
			}
			all[name] = n
		}
	}
	return all
}

func (f fact) check(t *testing.T, g *guest) {
	t.Helper()
	budget, depth := int64(2_000_000), int64(1_000)
	if n, ok := f.given["budget"]; ok {
		budget = n
	}
	if n, ok := f.given["depth"]; ok {
		depth = n
	}
	g.open()
	g.set(budget, depth)
	result := g.call(f.argument)
	if result != f.result {
		t.Errorf("%s\nanswered %s", f.line, result)
	}
	for name, want := range f.seen {
		if got := g.see(name, budget); got != want {
			t.Errorf("%s\n%s is %d", f.line, name, got)
		}
	}
}

// A guest is a metered module on wazero.
type guest struct {
	t        *testing.T
	runtime  wazero.Runtime
	compiled wazero.CompiledModule
	module   api.Module
}

func newGuest(t *testing.T, wasm []byte) *guest {
	t.Helper()
	ctx := context.Background()
	g := &guest{t: t, runtime: wazero.NewRuntime(ctx)}
	t.Cleanup(func() { g.runtime.Close(ctx) })
	wasi_snapshot_preview1.MustInstantiate(ctx, g.runtime)
	_, err := g.runtime.NewHostModuleBuilder("gw1").
		NewFunctionBuilder().WithFunc(func() int64 { return 0 }).Export("now_ns").
		NewFunctionBuilder().WithFunc(func(at, size int32) int32 { return size }).Export("log").
		Instantiate(ctx)
	if err != nil {
		t.Fatal(err)
	}
	if g.compiled, err = g.runtime.CompileModule(ctx, wasm); err != nil {
		t.Fatalf("the metered module does not compile: %v", err)
	}
	return g
}

// open makes a new instance and lets go of the last.
func (g *guest) open() {
	g.t.Helper()
	ctx := context.Background()
	if g.module != nil {
		g.module.Close(ctx)
	}
	module, err := g.runtime.InstantiateModule(ctx, g.compiled, wazero.NewModuleConfig().WithName("").WithStartFunctions())
	if err != nil {
		g.t.Fatal(err)
	}
	g.module = module
}

func (g *guest) global(name string) int64 {
	g.t.Helper()
	v := g.module.ExportedGlobal(name)
	if v == nil {
		g.t.Fatalf("no global %s is exported", name)
	}
	if v.Type() == api.ValueTypeI32 {
		return int64(int32(v.Get()))
	}
	return int64(v.Get())
}

func (g *guest) set(fuel, depth int64) {
	g.t.Helper()
	g.module.ExportedGlobal(abi.FuelExport).(api.MutableGlobal).Set(uint64(fuel))
	g.module.ExportedGlobal(abi.DepthExport).(api.MutableGlobal).Set(uint64(depth))
	g.module.ExportedGlobal(abi.MarkExport).(api.MutableGlobal).Set(0)
}

// call gives f's answer as a number, or the kind of the fault.
func (g *guest) call(argument int64) string {
	results, err := g.module.ExportedFunction("f").Call(context.Background(), uint64(uint32(argument)))
	switch {
	case err == nil:
		return fmt.Sprint(int32(results[0]))
	case g.global(abi.FuelExport) < 0 || g.global(abi.DepthExport) < 0:
		return "exhausted"
	case g.global(abi.MarkExport) != 0:
		return "memory"
	}
	return "trap"
}

func (g *guest) see(name string, budget int64) int64 {
	switch name {
	case "fuel":
		return budget - g.global(abi.FuelExport)
	case "left":
		return g.global(abi.DepthExport)
	case "mark":
		return g.global(abi.MarkExport)
	case "first":
		b, _ := g.module.Memory().ReadByte(0)
		return int64(b)
	}
	g.t.Fatalf("nobody knows %q", name)
	return 0
}

func metered(t *testing.T, wasm []byte, o Options) []byte {
	t.Helper()
	m, err := Meter(wasm, o)
	if err != nil {
		t.Fatal(err)
	}
	return m.Wasm
}

func binaryOf(t *testing.T, wat string) []byte {
	t.Helper()
	return read(t, strings.TrimSuffix(wat, ".wat")+".wasm")
}

func read(t testing.TB, file string) []byte {
	t.Helper()
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func glob(t testing.TB, pattern string) []string {
	t.Helper()
	files, err := filepath.Glob(pattern)
	if err != nil || len(files) == 0 {
		t.Fatalf("%s: %d files, %v", pattern, len(files), err)
	}
	return files
}
