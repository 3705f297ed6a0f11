package meter

import (
	"bytes"
	"errors"
	"slices"
	"strings"
	"testing"
)

func TestWhatIsNotCoreIsRefused(t *testing.T) {
	sectionsOf := func(s ...[]byte) []byte { return module(s...) }
	for _, tt := range []struct {
		name string
		wasm []byte
		want string // part of the only problem, its cure included
	}{
		{"nothing", nil, "not WebAssembly (build for wasm32)"},
		{"a script", []byte("#!/bin/sh\n"), "not WebAssembly"},
		{"half a preamble", []byte("\x00asm\x01"), "truncated: the file has 5 bytes (build or copy it again)"},
		{"component", []byte("\x00asm\x0d\x00\x01\x00"), "a component (build a core module"},
		{"another version", []byte("\x00asm\x02\x00\x00\x00"), "WebAssembly of unknown version 02000000"},
		{"half a section", sectionsOf([]byte{1, 50, 0}), "truncated: the type section at byte 9 has 50 bytes, 1 of them are there"},

		{"shared memory", sectionsOf(list(memorySection, []byte{3, 1, 2})), "threads, which this host does not run: size of kind 3 (build without shared memory"},
		{"64-bit memory", sectionsOf(list(memorySection, []byte{4, 1})), "64-bit memory, which this host does not run: size of kind 4 (build for wasm32)"},
		{"custom page size", sectionsOf(list(memorySection, []byte{8, 1, 0})), "custom page sizes"},
		{"two memories", sectionsOf(list(memorySection, []byte{0, 1}, []byte{0, 1})), "several memories"},
		{"load of a second memory", code(0x41, 0, 0x28, 0x42, 1, 0, 0x1a), "several memories"},
		{"size of a second memory", code(0x3f, 1, 0x1a), "several memories"},
		{"tag section", sectionsOf(list(tagSection)), "exceptions, which this host does not run: tag section"},
		{"imported tag", sectionsOf(list(importSection, append(named("m"), named("t", 4, 0, 0)...))), "exceptions"},
		{"struct type", sectionsOf(list(typeSection, []byte{0x5f, 0})), "GC and typed references"},
		{"recursive types", sectionsOf(list(typeSection, []byte{0x4e, 0})), "GC and typed references"},
		{"typed reference", sectionsOf(list(typeSection, []byte{0x60, 1, 0x64, 0})), "GC and typed references"},
		{"return_call", code(0x12, 0), "tail calls, which this host does not run: instruction 0x12 in function 0 (build with -mno-tail-call"},
		{"return_call_indirect", code(0x13, 0, 0), "tail calls"},
		{"return_call_ref", code(0x15, 0), "tail calls"},
		{"try", code(0x06, 0x40), "exceptions"},
		{"throw", code(0x08, 0), "exceptions"},
		{"try_table", code(0x1f, 0x40, 0, opEnd), "exceptions"},
		{"call_ref", code(0x14, 0), "GC and typed references"},
		{"struct.new", code(0xfb, 0, 0), "GC and typed references"},
		{"ref.as_non_null", code(0xd4), "GC and typed references"},
		{"atomic.fence", code(0xfe, 3, 0), "threads"},
		{"relaxed SIMD", code(0xfd, 0x80, 2), "relaxed SIMD"},
		{"wide arithmetic", code(0xfc, 19), "wide arithmetic"},
		{"extended constant", sectionsOf(list(globalSection, []byte{0x7f, 0, 0x41, 1, 0x41, 1, 0x6a, opEnd})), "extended constant expressions"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			wantProblem(t, tt.wasm, Options{}, tt.want)
		})
	}
}

func TestWhatIsMalformedIsRefused(t *testing.T) {
	table := list(tableSection, []byte{0x70, 0, 1})
	for _, tt := range []struct {
		name string
		wasm []byte
		want string
	}{
		{"unknown section", module(raw(14)), "unknown section 14 at byte 10"},
		{"sections out of order", module(page, list(typeSection)), "type section at byte 15 is twice there or too late"},
		{"section twice", module(page, page), "memory section at byte 15 is twice there"},
		{"data count behind code", module(list(codeSection), raw(dataCountSection, 0)), "data count section at byte 13 is twice there or too late"},
		{"bytes behind a section", module(raw(typeSection, 0, 7)), "type section: 1 bytes too many at byte 11"},
		{"list longer than its section", module(raw(typeSection, 9)), "type section: 9 types in 0 bytes"},
		{"index of 6 bytes", module(raw(startSection, 0x80, 0x80, 0x80, 0x80, 0x80, 0)), "start section: number that is not 32 bits"},
		{"index of 33 bits", module(raw(startSection, 0xff, 0xff, 0xff, 0xff, 0x1f)), "start section: number that is not 32 bits"},
		{"constant of 33 bits", code(0x41, 0xff, 0xff, 0xff, 0xff, 0x0f, 0x1a), "number that is not 32 bits"},
		{"constant of 65 bits", code(0x42, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01, 0x1a), "number that is not 64 bits"},
		{"name that is no text", module(custom("\xff")), "custom section: name that is not UTF-8"},
		{"unknown type form", module(list(typeSection, []byte{0x61, 0, 0})), "type section: unknown type 0x61 at byte 11"},
		{"unknown value type", module(list(typeSection, []byte{0x60, 1, 0x7a, 0})), "unknown value type 0x7a"},
		{"import of an unknown kind", module(list(importSection, append(named("m"), named("x", 9)...))), "unknown kind 9"},
		{"import of an unknown type", module(list(importSection, append(named("m"), named("x", 0, 3)...))), "type 3 of 0"},
		{"function without a type", module(list(functionSection, []byte{0})), "function section: type 0 of 0"},
		{"function without code", module(list(typeSection, nullary), list(functionSection, []byte{0})), "1 functions are declared, 0 have code"},
		{"memory over 4 GiB", module(list(memorySection, append([]byte{0}, appendU32(nil, 65537)...))), "size from 65537 to 65536"},
		{"maximum below the beginning", module(list(memorySection, []byte{1, 2, 1})), "size from 2 to 1"},
		{"table of numbers", module(list(tableSection, []byte{0x7f, 0, 1})), "reference to i32"},
		{"mutability", module(list(globalSection, []byte{0x7f, 2, 0x41, 0, opEnd})), "mutability 2"},
		{"constant that is none", module(list(globalSection, []byte{0x7f, 0, 0x01, opEnd})), "instruction 0x01 in a constant expression"},
		{"constant of the next global", module(list(globalSection, []byte{0x7f, 0, 0x23, 0, opEnd})), "constant expression of global 0"},
		{"export of nothing", module(list(exportSection, named("f", 0, 0))), `export "f" names function 0 of 0`},
		{"export of the meter's fuel", module(list(exportSection, named("f", 3, 0))), `export "f" names global 0 of 0`},
		{"export twice", functionsOf([][]byte{list(exportSection, named("f", 0, 0), named("f", 0, 0))}, fn()), `export "f" is there twice`},
		{"export of a reserved name", functionsOf([][]byte{list(exportSection, named("__gw_start", 0, 0))}, fn()), `export "__gw_start" begins with __gw_ (rename it`},
		{"start of nothing", module(raw(startSection, 0)), "start section: function 0 of 0"},
		{"start with a result", module(list(typeSection, []byte{0x60, 0, 1, 0x7f}), list(functionSection, []byte{0}), raw(startSection, 0), list(codeSection, fn(0x41, 0))), "the start function is () -> i32, must be () -> ()"},
		{"start that is an import", module(list(typeSection, nullary), list(importSection, append(named("m"), named("x", 0, 0)...)), raw(startSection, 0)), "the start function is an import"},
		{"element segment of an unknown kind", module(list(elementSection, []byte{8})), "element segment of kind 8"},
		{"element segment without a table", module(list(elementSection, []byte{0, 0x41, 0, opEnd, 0})), "table 0 of 0"},
		{"elements behind the end of their table", functionsOf([][]byte{table, list(elementSection, []byte{0, 0x41, 1, opEnd, 1, 0})}, fn()), "1 elements at 1 of table 0, which has 1"},
		{"elements far behind it", functionsOf([][]byte{table, list(elementSection, []byte{0, 0x41, 0x7f, opEnd, 1, 0})}, fn()), "1 elements at 4294967295 of table 0, which has 1"},
		{"data segment of an unknown kind", module(list(dataSection, []byte{3})), "data segment of kind 3"},
		{"data segment without a memory", module(list(dataSection, []byte{0, 0x41, 0, opEnd, 0})), "memory is used, and there is none"},
		{"fewer data segments than announced", module(raw(dataCountSection, 2), list(dataSection)), "2 data segments are announced, 0 are there"},

		{"unknown instruction", code(0x27), "function 0: unknown instruction 0x27 at byte 28"},
		{"unknown bulk instruction", code(0xfc, 18), "unknown instruction 0xfc 18"},
		{"unknown SIMD instruction", code(0xfd, 0x9a, 1), "unknown instruction 0xfd 154"},
		{"no end", functionsOf(nil, append([]byte{2, 0}, 1)), "function 0: ends too early"},
		{"code behind the end", code(opEnd), "function 0: 1 bytes behind the last end"},
		{"else without if", code(0x05), "else without if"},
		{"else twice", code(0x41, 0, 0x04, 0x40, 0x05, 0x05, opEnd), "else without if"},
		{"local that is not there", code(0x20, 0, 0x1a), "local 0 of 0"},
		{"local of the meter", code(0x41, 0, 0x40, 0, 0x21, 0), "local 0 of 0"},
		{"global of the meter", code(0x42, 0, 0x24, 0), "global 0 of 0"},
		{"global of the meter read", code(0x23, 0, 0x1a), "global 0 of 0"},
		{"constant global that is set", functionsOf([][]byte{list(globalSection, []byte{0x7f, 0, 0x41, 0, opEnd})}, fn(0x41, 0, 0x24, 0)), "global 0 is set, which is constant"},
		{"label that is not there", code(0x0c, 1), "label 1 of 1"},
		{"label in a table that is not there", code(0x41, 0, 0x0e, 1, 0, 1), "label 1 of 1"},
		{"function that is not there", code(0x10, 1), "function 1 of 1"},
		{"block of a type that is not there", code(0x02, 1, opEnd), "unknown block type 0x01"},
		{"table that is not there", code(0x41, 0, 0x11, 0, 0), "table 0 of 0"},
		{"type that is not there", functionsOf([][]byte{table}, fn(0x41, 0, 0x11, 1, 0)), "type 1 of 1"},
		{"alignment", code(0x41, 0, 0x28, 3, 0, 0x1a), "alignment 2^3 of 2^2 bytes"},
		{"load without a memory", functionsOf(nil, fn(0x41, 0, 0x28, 2, 0, 0x1a)), "memory is used, and there is none"},
		{"grow without a memory", functionsOf(nil, fn(0x41, 0, 0x40, 0, 0x1a)), "memory is used, and there is none"},
		{"lane that is not there", code(0xfd, 0x0c, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xfd, 0x1b, 4, 0x1a), "lane 4 of 4"},
		{"select of two types", code(0x1c, 2, 0x7f, 0x7f), "select of 2 types"},
		{"data segment without their number", functionsOf([][]byte{page}, fn(0xfc, 9, 0)), "data segment is used without a data count section"},
		{"data segment that is not there", functionsOf([][]byte{page, raw(dataCountSection, 0)}, fn(0xfc, 9, 0)), "data segment 0 of 0"},
		{"element segment that is not there", code(0xfc, 13, 0), "element segment 0 of 0"},
		{"reference to an undeclared function", functionsOf([][]byte{raw(startSection, 0)}, fn(0xd2, 0, 0x1a)), "reference to function 0, which is neither exported nor in a segment"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			wantProblem(t, tt.wasm, Options{}, tt.want)
		})
	}
}

// A module may use all that came later: each of it is told.
func TestEveryLaterFeatureIsTold(t *testing.T) {
	_, err := Inspect(module(
		list(typeSection, nullary),
		list(importSection, append(named("m"), named("t", 4, 0, 0)...)),
		list(functionSection, []byte{0}, []byte{0}, []byte{0}),
		list(memorySection, []byte{3, 1, 2}, []byte{4, 1}),
		list(tagSection, []byte{0, 0}),
		list(exportSection, named("t", 4, 0), named("f", 0, 0)),
		list(codeSection, fn(0x08, 0), fn(0x12, 0), fn(0xfe, 3, 0)),
	))
	var got []string
	for _, p := range err.(Problems) {
		what, _, _ := strings.Cut(p.What, ",")
		got = append(got, what)
	}
	if want := []string{"exceptions", "threads", "64-bit memory", "several memories", "tail calls"}; !slices.Equal(got, want) {
		t.Errorf("told are %q, want %q", got, want)
	}
}

// Every problem is told, not just the first, and a feature once however often
// it is used.
func TestAllProblemsAreToldAtOnce(t *testing.T) {
	wasm := functionsOf([][]byte{
		list(memorySection, append([]byte{0}, appendU32(nil, 300)...)),
		list(exportSection, named("__gw_x", 0, 0), named("gw_route", 0, 1)),
	}, fn(0x12, 0), fn(0x20, 5), fn(0x12, 0), fn(0xfe, 3, 0), fn(), fn(0x12, 0))
	m, err := Meter(wasm, Options{})
	want := `export "__gw_x" begins with __gw_ (rename it: these names are the host's)
memory begins with 18.75 MiB, the limit is 16 MiB (raise limits.memory, or build with less memory: a smaller stack, fewer static data)
tail calls, which this host does not run: instruction 0x12 in function 0 (__gw_x) and 2 more (build with -mno-tail-call, or -C target-feature=-tail-call)
function 1 (gw_route): local 5 of 0 at byte 63
threads, which this host does not run: instruction 0xfe in function 3 (build without shared memory and atomics: no -pthread, -matomics or +atomics)`
	if err == nil || err.Error() != want {
		t.Errorf("problems are\n%v\nwant\n%s", err, want)
	}
	if m.Wasm != nil || m.Module == nil || m.Module.Functions != 6 {
		t.Errorf("Meter() = %+v, want the module as far as it was read, and no bytes", m)
	}
}

func TestProblemsAreNotWithoutEnd(t *testing.T) {
	_, err := Inspect(functionsOf(nil, times(fn(0x20, 5), 100)...))
	problems := err.(Problems)
	if len(problems) != 31 || problems[30].What != "and 70 more" {
		t.Errorf("%d problems, the last %v; want 30 and the number of the others", len(problems), problems[len(problems)-1])
	}
}

func TestNamesOfFunctionsAreFound(t *testing.T) {
	names := custom("name", append([]byte{1, 7, 1, 0}, named("main")...)...)
	wantProblem(t, append(code(0x20, 0), names...), Options{}, "function 0 (main): local 0 of 0")

	long := strings.Repeat("é", 200)
	exported := functionsOf([][]byte{list(exportSection, named("a\nb\x1b"+long, 0, 0))}, fn(0x20, 0))
	wantProblem(t, exported, Options{}, "function 0 (a?b?"+long[:96]+"…): local 0 of 0")
}

// times is so many times the same.
func times(b []byte, n int) [][]byte {
	all := make([][]byte, n)
	for i := range all {
		all[i] = b
	}
	return all
}

// wantProblem expects one problem of both Inspect and Meter.
func wantProblem(t *testing.T, wasm []byte, o Options, want string) {
	t.Helper()
	_, err := Meter(bytes.Clone(wasm), o)
	var problems Problems
	if !errors.As(err, &problems) || len(problems) != 1 || !strings.Contains(err.Error(), want) {
		t.Errorf("problems of Meter() are\n%v\nwant one, with\n%s", err, want)
	}
	if _, again := Inspect(wasm); o == (Options{}) && (again == nil || again.Error() != err.Error()) {
		t.Errorf("Inspect() = %v, want %v", again, err)
	}
}
