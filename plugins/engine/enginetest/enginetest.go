// Package enginetest is the test that every engine passes: [Run] holds one to
// the seam's promises, with modules that do one thing each (testdata, beside
// their sources in text form), metered as every plugin is. All engines must give the same results, the
// same kinds and words of faults, and the same fuel to the unit. [Bench]
// measures them.
package enginetest

import (
	"embed"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"weirkeep/plugins/engine"
	"weirkeep/plugins/meter"
)

// The modules are made from the text beside them:
//
//go:generate ../../../testplugins/build.sh
//go:embed testdata
var modules embed.FS

// Enough for every call that is not meant to run out.
const (
	fuel  = 1_000_000
	depth = 1_000
)

// visit is the environment of an instance of a test.
type visit struct {
	calls, limit int       // of count
	mixed        [4]uint64 // what mix was given
}

// Run holds an engine to the promises of the seam. make is called for an
// engine of its own in each test.
func Run(t *testing.T, make func() engine.Engine) {
	for _, part := range []struct {
		name string
		test func(*testing.T, engine.Engine)
	}{
		{"values", values},
		{"functions", functions},
		{"memory", memory},
		{"host functions", hostFunctions},
		{"start", start},
		{"refused modules", refused},
		{"faults", faults},
		{"fuel and depth", meters},
		{"native stack", nativeStack},
		{"deep stack", deepStack},
		{"panics", panics},
		{"allocations", allocations},
		{"close frees memory", closeFrees},
		{"faults free memory", faultsFree},
		{"failures free memory", failuresFree},
		{"growing", growing},
		{"parallel", parallel},
		{"many modules", manyModules},
	} {
		t.Run(part.name, func(t *testing.T) {
			e := make()
			t.Cleanup(func() { noError(t, e.Close()) })
			part.test(t, e)
		})
	}
}

func noError(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// plain returns a module of testdata as it is there.
func plain(t testing.TB, name string) []byte {
	t.Helper()
	b, err := modules.ReadFile("testdata/" + name + ".wasm")
	noError(t, err)
	return b
}

// metered returns a module of testdata, metered.
func metered(t testing.TB, name string) []byte {
	t.Helper()
	return rewritten(t, plain(t, name))
}

// rewritten meters a module.
func rewritten(t testing.TB, wasm []byte) []byte {
	t.Helper()
	m, err := meter.Meter(wasm, meter.Options{})
	noError(t, err)
	return m.Wasm
}

// Small returns a metered module that needs no host function: its function
// read gives the 32-bit number at an address, at first 0 everywhere.
func Small(t testing.TB) []byte {
	t.Helper()
	return metered(t, "start")
}

// compiled returns the compiled module of that name.
func compiled(t testing.TB, e engine.Engine, name string) engine.Module {
	t.Helper()
	m, err := e.Compile(t.Context(), metered(t, name), host())
	noError(t, err)
	t.Cleanup(func() { noError(t, m.Close()) })
	return m
}

// instance returns an instance of a compiled module, ready for a call.
func instance(t testing.TB, m engine.Module, env any) engine.Instance {
	t.Helper()
	i, err := m.Instantiate(env)
	noError(t, err)
	t.Cleanup(func() { noError(t, i.Close()) })
	i.SetFuel(fuel, depth)
	return i
}

// guest returns an instance of the suite's guest.
func guest(t testing.TB, e engine.Engine, env any) engine.Instance {
	t.Helper()
	return instance(t, compiled(t, e, "guest"), env)
}

// call calls a function that must return.
func call(t testing.TB, i engine.Instance, name string, arg uint64) uint64 {
	t.Helper()
	got, err := i.Function(name).Call(arg)
	if err != nil {
		t.Fatalf("%s(%d): %v", name, arg, err)
	}
	return got
}

// fault calls a function that must not return.
func fault(t testing.TB, i engine.Instance, name string, arg uint64) *engine.Fault {
	t.Helper()
	got, err := i.Function(name).Call(arg)
	var f *engine.Fault
	if !errors.As(err, &f) {
		t.Fatalf("%s(%d) = %d, %v, want a fault", name, arg, got, err)
	}
	return f
}

// host is every function that the guests may import.
func host() []engine.HostFunction {
	const i32, i64, f32, f64 = engine.I32, engine.I64, engine.F32, engine.F64
	return []engine.HostFunction{
		{Module: "test", Name: "mix", Params: []engine.ValueType{i32, i64, f32, f64}, Results: []engine.ValueType{i64}, Call: mix},
		{Module: "test", Name: "peek", Params: []engine.ValueType{i32}, Results: []engine.ValueType{i32}, Call: peek},
		{Module: "test", Name: "count", Call: count},
		{Module: "test", Name: "panic", Call: func(*engine.Call, []uint64) { panic("nobody expected this\nat all") }},
		{Module: "test", Name: "exit", Params: []engine.ValueType{i32}, Call: exit},
		{Module: "other", Name: "unused", Call: count},
	}
}

func mix(c *engine.Call, stack []uint64) {
	v := c.Env.(*visit)
	copy(v.mixed[:], stack)
	sum := float64(int32(uint32(stack[0]))) + float64(int64(stack[1])) +
		float64(math.Float32frombits(uint32(stack[2]))) + math.Float64frombits(stack[3])
	stack[0] = uint64(int64(sum * 100))
}

// peek gives the byte at an address, or -1 outside.
func peek(c *engine.Call, stack []uint64) {
	m, at := c.Memory(), uint64(uint32(stack[0]))
	if at >= uint64(len(m)) {
		stack[0] = math.MaxUint64
		return
	}
	stack[0] = uint64(m[at])
}

func count(c *engine.Call, _ []uint64) {
	v := c.Env.(*visit)
	if v.calls++; v.calls > v.limit {
		panic(engine.OutOfCalls)
	}
}

func exit(_ *engine.Call, stack []uint64) {
	panic(fmt.Errorf("%w with %d", engine.Exit, int32(uint32(stack[0]))))
}

// refusedModules returns the names of the modules that no engine may run.
func refusedModules(t *testing.T) (names []string) {
	files, err := modules.ReadDir("testdata/refused")
	noError(t, err)
	for _, f := range files {
		if name, ok := strings.CutSuffix(f.Name(), ".wasm"); ok {
			names = append(names, name)
		}
	}
	return names
}
