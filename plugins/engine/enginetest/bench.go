package enginetest

import (
	"testing"

	"weirkeep/plugins/engine"
)

// Bench measures what a plugin's call costs in an engine: one that does
// nothing, and one that does a router's work on 32 bytes, each with the fuel
// set before and read after; a call of the host; and an instance, made and
// closed. Each but the last has a budget of 0 allocations.
func Bench(b *testing.B, e engine.Engine) {
	m := compiled(b, e, "guest")
	i := instance(b, m, &visit{limit: 1 << 62})
	for _, bench := range []struct {
		name, function string
		arg            uint64
	}{
		{"nothing", "nothing", 0},
		{"route", "route", 32},
		{"host call", "peek", 0},
	} {
		f := i.Function(bench.function)
		b.Run(bench.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				i.SetFuel(fuel, depth)
				i.Memory()[0]++
				if _, err := f.Call(bench.arg); err != nil || i.Fuel() < 0 {
					b.Fatal(err)
				}
			}
		})
	}
	b.Run("instance", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			i, err := m.Instantiate(nil)
			noError(b, err)
			noError(b, i.Close())
		}
	})
}
