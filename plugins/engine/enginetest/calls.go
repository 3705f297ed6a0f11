package enginetest

import (
	"context"
	"math"
	"strings"
	"testing"

	"weirkeep/plugins/engine"
)

// values: what goes in and comes out, of each type; 32-bit values come out
// with an empty high half, and nothing comes out as zero.
func values(t *testing.T, e engine.Engine) {
	i := guest(t, e, nil)
	for _, tt := range []struct {
		function string
		arg      uint64
		want     uint64
	}{
		{"nothing", 5, 0},
		{"take", 5, 0},
		{"answer", 5, 42},
		{"double", 21, 42},
		{"double", 0xffffffff_00000003, 6},
		{"negate", 1, 0xffffffff},
		{"square", 1 << 20, 1 << 40},
		{"halve32", uint64(math.Float32bits(3)), uint64(math.Float32bits(1.5))},
		{"halve64", math.Float64bits(3), math.Float64bits(1.5)},
		{"calls_entry", 1, 42},
	} {
		if got := call(t, i, tt.function, tt.arg); got != tt.want {
			t.Errorf("%s(%#x) = %#x, want %#x", tt.function, tt.arg, got, tt.want)
		}
	}
}

// functions: which of them there are, and that one is found once.
func functions(t *testing.T, e engine.Engine) {
	i := guest(t, e, nil)
	if i.Function("answer") != i.Function("answer") {
		t.Error("a function is another one each time")
	}
	for name, want := range map[string]bool{
		"answer": true, "nothing": true,
		"two_in": false, "two_out": false, "memory": false, "__gw_fuel": false, "missing": false,
	} {
		if got := i.Function(name) != nil; got != want {
			t.Errorf("Function(%q) is there: %v, want %v", name, got, want)
		}
	}
}

// memory: the host sees what the guest writes and the other way round, in an
// instance's own memory.
func memory(t *testing.T, e engine.Engine) {
	m := compiled(t, e, "guest")
	i, other := instance(t, m, nil), instance(t, m, nil)
	if got := string(i.Memory()[64:71]); got != "a guest" {
		t.Errorf("memory begins with %q", got)
	}
	i.Memory()[100] = 9
	if got := call(t, i, "read", 100); got != 9 {
		t.Errorf("the guest reads %d, want 9", got)
	}
	call(t, i, "write", 101)
	if got := i.Memory()[101]; got != 7 {
		t.Errorf("the host reads %d, want 7", got)
	}
	if other.Memory()[100] != 0 || call(t, other, "read", 101) != 0 {
		t.Error("another instance sees the same memory")
	}
	if b := i.Memory(); len(b) != 1<<16 || cap(b) != len(b) {
		t.Errorf("memory has %d bytes and room for %d, want 65536", len(b), cap(b))
	}
}

// hostFunctions: they get the values, the instance's environment and memory.
func hostFunctions(t *testing.T, e engine.Engine) {
	m := compiled(t, e, "guest")
	v, w := new(visit), &visit{limit: 3}
	i, j := instance(t, m, v), instance(t, m, w)
	if got := int64(call(t, i, "mix", 10)); got != 625 {
		t.Errorf("mix gives %d, want 625", got)
	}
	minusThree := int64(-3)
	want := [4]uint64{10, uint64(minusThree), uint64(math.Float32bits(1.5)), math.Float64bits(-2.25)}
	if v.mixed != want || w.mixed != [4]uint64{} {
		t.Errorf("mix was given %#x, want %#x", v.mixed, want)
	}
	call(t, j, "count", 3)
	if v.calls != 0 || w.calls != 3 {
		t.Errorf("count was called %d and %d times, want 0 and 3", v.calls, w.calls)
	}
	i.Memory()[200] = 77
	if got := call(t, i, "peek", 200); got != 77 {
		t.Errorf("peek gives %d, want 77", got)
	}
	if got := call(t, i, "peek", 1<<16); got != 0xffffffff {
		t.Errorf("peek outside gives %#x, want -1", got)
	}
	if got := call(t, i, "grow_and_peek", 1<<16); got != 0 {
		t.Errorf("peek in a page that has just grown gives %#x, want 0", got)
	}
}

// start: instantiating runs nothing; the start function is a function.
func start(t *testing.T, e engine.Engine) {
	i := instance(t, compiled(t, e, "start"), nil)
	if got := call(t, i, "read", 8); got != 0 {
		t.Fatalf("the start function ran at once: %d", got)
	}
	call(t, i, "__gw_start", 0)
	if got := call(t, i, "read", 8); got != 99 {
		t.Errorf("__gw_start has written %d, want 99", got)
	}
}

// refused: what is not metered, not core WebAssembly 2.0, asks for what there
// is not, or is no module at all.
func refused(t *testing.T, e engine.Engine) {
	whole := metered(t, "guest")
	cases := map[string][]byte{
		"empty":     nil,
		"garbage":   []byte("#!/bin/sh\necho no\n"),
		"component": []byte("\x00asm\x0d\x00\x01\x00"),
		"cut off":   whole[:len(whole)-40],
	}
	for _, name := range refusedModules(t) {
		cases[name] = plain(t, "refused/"+name)
	}
	for name, module := range cases {
		t.Run(name, func(t *testing.T) {
			if err := tryModule(t, e, module); err == nil {
				t.Error("it was instantiated")
			}
		})
	}
	t.Run("names each import", func(t *testing.T) { namesImports(t, e) })
	t.Run("done before it began", func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := e.Compile(ctx, whole, host()); err != context.Canceled {
			t.Errorf("Compile() = %v, want %v", err, context.Canceled)
		}
	})
}

// tryModule compiles and instantiates a module.
func tryModule(t *testing.T, e engine.Engine, module []byte) error {
	m, err := e.Compile(t.Context(), module, host())
	if err != nil {
		return err
	}
	defer m.Close()
	i, err := m.Instantiate(nil)
	if err == nil {
		_ = i.Close() // the test has failed already
	}
	return err
}

func namesImports(t *testing.T, e engine.Engine) {
	_, err := e.Compile(t.Context(), metered(t, "guest"), host()[3:4])
	for _, name := range []string{"test.mix", "test.peek", "test.count", "test.exit"} {
		if err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("Compile() = %v, want an error that names %s", err, name)
		}
	}
}
