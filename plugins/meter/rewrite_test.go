package meter

import (
	"context"
	"reflect"
	"slices"
	"testing"

	"github.com/tetratelabs/wazero"

	"weirkeep/abi"
)

func TestWhatAModuleHolds(t *testing.T) {
	m, err := Inspect(binaryOf(t, "testdata/corpus/holds.wat"))
	if err != nil {
		t.Fatal(err)
	}
	i32 := []ValueType{I32}
	want := &Module{
		Imports: []Import{
			{"gw1", "now_ns", Function, FuncType{Params: []ValueType{}, Results: []ValueType{I64}}},
			{"gw1", "log", Function, FuncType{Params: []ValueType{I32, I32}, Results: i32}},
		},
		Exports: []Export{
			{Name: "mem", Kind: MemoryKind},
			{Name: "memory", Kind: MemoryKind},
			{Name: "also", Kind: MemoryKind},
			{Name: "table", Kind: TableKind},
			{Name: "log", Kind: Function, Index: 1, Imported: true, Type: FuncType{Params: []ValueType{I32, I32}, Results: i32}},
			{Name: "f", Kind: Function, Index: 2, Type: FuncType{Params: i32, Results: i32}},
			{Name: "g", Kind: GlobalKind, Index: 1},
		},
		Memory:    &Memory{Min: 2, Max: 65536, Export: "memory"},
		Tables:    []Table{{FuncRef, 3, 4, false}},
		Functions: 4,
		Globals:   2,
		HasStart:  true,
	}
	got := *m
	got.Sections = nil
	if !reflect.DeepEqual(&got, want) {
		t.Errorf("Inspect() = %+v, want %+v", got, want)
	}
	if !slices.ContainsFunc(m.Sections, func(s Section) bool { return s.ID == codeSection && s.Size > 0 && s.Offset > 0 }) {
		t.Errorf("no code among the sections %+v", m.Sections)
	}
}

func TestTypesAreWrittenForPeople(t *testing.T) {
	for _, tt := range []struct {
		of   FuncType
		want string
	}{
		{FuncType{}, "() -> ()"},
		{FuncType{Params: []ValueType{I32, I64}, Results: []ValueType{F32}}, "(i32, i64) -> f32"},
		{FuncType{Params: []ValueType{F64}, Results: []ValueType{V128, FuncRef, ExternRef}}, "(f64) -> (v128, funcref, externref)"},
	} {
		if got := tt.of.String(); got != tt.want {
			t.Errorf("type is %s, want %s", got, tt.want)
		}
	}
}

func TestGoGuestsAreKnown(t *testing.T) {
	producers := func(tool string) []byte {
		b := append([]byte{2}, named("language", append([]byte{1}, append(named("C11"), named("")...)...)...)...)
		return custom("producers", append(b, named("processed-by", append([]byte{1}, append(named(tool), named("1.26")...)...)...)...)...)
	}
	for _, tt := range []struct {
		name string
		wasm []byte
		want bool
	}{
		{"nothing said", module(), false},
		{"build id", module(custom("go:buildid", 1, 2, 3)), true},
		{"Go's compiler", module(producers("Go cmd/compile")), true},
		{"another compiler", module(producers("clang")), false},
		{"a longer name", module(producers("Go cmd/compile, not")), false},
		{"its name elsewhere", module(custom("notes", named("Go cmd/compile")...)), false},
		{"producers that cannot be read", module(custom("producers", 0xff)), false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if m, err := Inspect(tt.wasm); err != nil || m.GoGuest != tt.want {
				t.Errorf("Inspect() = %+v, %v; want Go guest %t", m, err, tt.want)
			}
		})
	}
}

// The start function does not run by itself any more; the host calls it, with
// fuel that it has set.
func TestStartIsAnExport(t *testing.T) {
	g := newGuest(t, metered(t, binaryOf(t, "testdata/corpus/holds.wat"), Options{}))
	g.open()
	if _, before := g.module.Memory().ReadByte(7); !before {
		t.Fatal("no memory")
	}
	if b, _ := g.module.Memory().ReadByte(7); b != 0 {
		t.Errorf("byte is %d, want 0: the start function has run", b)
	}
	g.set(100, 10)
	if _, err := g.module.ExportedFunction(abi.StartExport).Call(context.Background()); err != nil {
		t.Fatal(err)
	}
	if b, _ := g.module.Memory().ReadByte(7); b != 42 {
		t.Errorf("byte is %d, want 42: the start function has not run", b)
	}
	if got := g.see("fuel", 100); got != 4 {
		t.Errorf("start used %d fuel, want 4", got)
	}
}

func TestWithoutStartNothingIsExportedForIt(t *testing.T) {
	g := newGuest(t, metered(t, code(), Options{}))
	g.open()
	if g.module.ExportedFunction(abi.StartExport) != nil {
		t.Error("a start function is exported, and there is none")
	}
}

// What nobody has set is the init budgets, so that even a host that forgets is safe.
func TestGlobalsBeginWithTheInitBudgets(t *testing.T) {
	for _, tt := range []struct {
		name        string
		options     Options
		fuel, depth int64
	}{
		{"default", Options{}, 16_000_000, 1_000},
		{"stated", Options{InitFuel: 64_000_000, Depth: 4_000}, 64_000_000, 4_000},
		{"small", Options{InitFuel: 1, Depth: 1}, 1, 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			g := newGuest(t, metered(t, code(), tt.options))
			g.open()
			fuel, depth, mark := g.global(abi.FuelExport), g.global(abi.DepthExport), g.global(abi.MarkExport)
			if fuel != tt.fuel || depth != tt.depth || mark != 0 {
				t.Errorf("fuel %d, depth %d, mark %d; want %d, %d, 0", fuel, depth, mark, tt.fuel, tt.depth)
			}
		})
	}
}

// Sections that were not there are put where they have to be, whatever is.
func TestMissingSectionsAreAdded(t *testing.T) {
	types, functions, bodies := list(typeSection, nullary), list(functionSection, []byte{0}), list(codeSection, fn())
	global := list(globalSection, []byte{0x7f, 0, 0x41, 0, opEnd})
	export := list(exportSection, named("f", 0, 0))
	elements := list(elementSection, []byte{1, 0, 1, 0})
	for _, tt := range []struct {
		name string
		wasm []byte
	}{
		{"nothing", module()},
		{"custom alone", module(custom("x"))},
		{"code alone", module(types, functions, bodies)},
		{"a global", module(types, functions, global, bodies)},
		{"an export", module(types, functions, export, bodies)},
		{"both", module(types, functions, global, export, bodies)},
		{"start", module(types, functions, raw(startSection, 0), bodies)},
		{"start and export", module(types, functions, export, raw(startSection, 0), elements, bodies)},
		{"customs between all", module(custom("a"), types, custom("b"), functions, custom("c"), bodies, custom("d"))},
		{"data", module(page, raw(dataCountSection, 0), list(dataSection))},
		{"empty sections", module(list(typeSection), list(functionSection), list(memorySection), list(globalSection), list(exportSection), list(codeSection))},
	} {
		t.Run(tt.name, func(t *testing.T) {
			g := newGuest(t, metered(t, tt.wasm, Options{}))
			g.open()
			g.set(1, 2)
			if g.global(abi.FuelExport) != 1 || g.global(abi.DepthExport) != 2 || g.global(abi.MarkExport) != 0 {
				t.Error("the globals are not those that were set")
			}
		})
	}
}

// Custom sections stay, but for empty ones and those that count bytes of code that
// has moved.
func TestCustomSectionsStayWhileTheyAreTrue(t *testing.T) {
	names := custom("name", append([]byte{1, 8, 1, 0}, named("start")...)...)
	wasm := append(code(), names...)
	for _, name := range []string{
		"producers", ".debug_line", "target_features", "reloc.CODE", "linking", "go:buildid",
		"sourceMappingURL", "metadata.code.branch_hint", "external_debug_info", "mine",
	} {
		wasm = append(wasm, custom(name, 0)...)
	}
	wasm = append(wasm, custom("empty")...)
	g := newGuest(t, metered(t, wasm, Options{}))
	var left []string
	for _, s := range g.compiled.CustomSections() {
		left = append(left, s.Name())
	}
	if want := []string{"producers", "target_features", "go:buildid", "mine"}; !slices.Equal(left, want) {
		t.Errorf("custom sections are %q, want %q", left, want)
	}
	m, err := Meter(append(code(0x41, 0, 0x0d, 0), names...), Options{})
	if err != nil {
		t.Fatal(err)
	}
	if got := (&parser{module: &Module{}, sections: parse(m.Wasm, Limits{}).sections}).functionName(0); got != "function 0 (start)" {
		t.Errorf("after metering it is %s, want function 0 (start)", got)
	}
}

// The input is only read: the same bytes may be metered again.
func TestMeterLeavesItsInputAlone(t *testing.T) {
	wasm := binaryOf(t, "testdata/corpus/holds.wat")
	before := slices.Clone(wasm)
	first := metered(t, wasm, Options{})
	if !slices.Equal(wasm, before) {
		t.Error("the input was changed")
	}
	if !slices.Equal(first, metered(t, wasm, Options{})) {
		t.Error("metering it again gives other bytes")
	}
}

// A module cannot be metered twice: it would then count for the guest.
func TestMeteredModulesAreRefused(t *testing.T) {
	_, err := Meter(metered(t, code(), Options{}), Options{})
	if problems, ok := err.(Problems); !ok || len(problems) != 3 {
		t.Errorf("Meter() = %v, want a problem for each of the three names", err)
	}
}

// compiles reports whether wazero takes a module for valid.
func compiles(ctx context.Context, r wazero.Runtime, wasm []byte) bool {
	c, err := r.CompileModule(ctx, wasm)
	if err == nil {
		c.Close(ctx)
	}
	return err == nil
}
