//go:build wasmtime

package wasmtime

import (
	"testing"

	"weirkeep/plugins/engine"
	"weirkeep/plugins/engine/enginetest"
)

func TestEngine(t *testing.T) {
	enginetest.Run(t, func() engine.Engine { return open(t, Options{}) })
}

func open(t testing.TB, o Options) engine.Engine {
	t.Helper()
	e, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func BenchmarkEngine(b *testing.B) {
	e := open(b, Options{})
	defer e.Close()
	enginetest.Bench(b, e)
}
