package meter

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
)

// FuzzMeter: any bytes are metered or refused. What is metered compiles exactly
// if it did before, begins no function by itself, and counts in globals that no
// instruction of the guest can name; Inspect has no other opinion.
func FuzzMeter(f *testing.F) {
	for _, pattern := range []string{"testdata/fuel/*.wasm", "testdata/corpus/*.wasm"} {
		for _, file := range glob(f, pattern) {
			f.Add(read(f, file))
		}
	}
	f.Add([]byte("\x00asm\x0d\x00\x01\x00"))
	f.Add(code(0x12, 0))
	f.Add(append(code(0x20, 0), custom("name", 1, 7, 1, 0, 4, 'm', 'a', 'i', 'n')...))
	ctx := context.Background()
	config := wazero.NewRuntimeConfigInterpreter().WithCoreFeatures(api.CoreFeaturesV2)
	f.Fuzz(func(t *testing.T, wasm []byte) {
		before := bytes.Clone(wasm)
		m, err := Meter(wasm, Options{})
		if _, inspected := Inspect(wasm); inspected != nil && err == nil {
			t.Fatalf("Meter() accepts what Inspect() refuses: %v", inspected)
		}
		if !bytes.Equal(wasm, before) {
			t.Fatal("the input was changed")
		}
		if err != nil {
			checkProblems(t, err)
			return
		}
		r := wazero.NewRuntimeWithConfig(ctx, config)
		defer r.Close(ctx)
		if was, is := compiles(ctx, r, wasm), compiles(ctx, r, m.Wasm); was != is {
			t.Fatalf("compiled before metering: %t, after: %t", was, is)
		}
		again, err := Inspect(m.Wasm)
		checkProblems(t, err) // the reserved names, and only they
		if again == nil || again.HasStart || again.Functions != m.Module.Functions || again.Globals != m.Module.Globals+3 {
			t.Fatalf("metered it is %+v, was %+v", again, m.Module)
		}
	})
}

// checkProblems expects problems that are for people.
func checkProblems(t *testing.T, err error) {
	t.Helper()
	problems, ok := err.(Problems)
	if !ok || len(problems) == 0 || len(problems) > maxProblems+1 {
		t.Fatalf("error is %T with %d problems", err, len(problems))
	}
	for _, p := range problems {
		if p.What == "" || strings.Contains(p.String(), "%!") {
			t.Fatalf("problem %q says nothing", p)
		}
	}
}
