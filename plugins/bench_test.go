package plugins

import (
	"fmt"
	"testing"

	"weirkeep/abi"
)

// BenchmarkRoute has a budget of 0.35 µs/op and 0 allocs/op: a router of few
// instructions, end to end: instance, view, call, result, breaker, counters.
func BenchmarkRoute(b *testing.B) {
	h, _ := house(b)
	a, end := loaded(b, h, router(b, "call/moody"))
	defer end()
	v, list := request("/1"), make([]uint16, 0, 16)
	b.ReportAllocs()
	for b.Loop() {
		list, _, _ = a.Route(v, nil, everything{}, list[:0])
	}
	if len(list) != 1 {
		b.Error(list)
	}
}

// BenchmarkRouteParallel has a budget of 0.5 µs/op per core: the lock of the pool and
// that of the breaker are held for a few nanoseconds.
func BenchmarkRouteParallel(b *testing.B) {
	h, _ := house(b)
	a, end := loaded(b, h, router(b, "call/moody"))
	defer end()
	b.ReportAllocs()
	b.RunParallel(func(pb *testing.PB) {
		v, list := request("/1"), make([]uint16, 0, 16)
		for pb.Next() {
			list, _, _ = a.Route(v, nil, everything{}, list[:0])
		}
	})
}

// BenchmarkMatch has a budget of 0.35 µs/op and 0 allocs/op.
func BenchmarkMatch(b *testing.B) {
	h, _ := house(b)
	a, end := loaded(b, h, Config{Name: "p", Kind: Matcher, OnError: "match", Wasm: guestOf(b, "good/count")})
	defer end()
	v := request("/1")
	b.ReportAllocs()
	for b.Loop() {
		if _, failure := a.Match(v, nil, "rule"); failure != nil {
			b.Fatal(failure)
		}
	}
}

// BenchmarkFilterGo has a budget of 5 µs/op on the gateway's side and in a Go guest
// together, and 0 allocs/op.
func BenchmarkFilterGo(b *testing.B) {
	h, _ := house(b)
	a, end := loaded(b, h, Config{Name: "p", Kind: Filter, OnError: "skip", Wasm: goGuest(b, "")})
	defer end()
	v, ops, keep := request("/a"), make([]abi.Op, 0, 16), make([]byte, 0, 1024)
	b.ReportAllocs()
	for b.Loop() {
		ops, keep, _ = a.Filter(v, nil, abi.Where{Call: abi.OnResponse, Status: 200}, ops[:0], keep[:0])
	}
	if len(ops) != 1 {
		b.Error(ops)
	}
}

// BenchmarkFilterEdits has a budget of 1 µs/op on the gateway's side for a filter that
// sets three fields, and 0 allocs/op. The guest is told what to say in hexadecimal, which
// it decodes: its part is in the figure, too.
func BenchmarkFilterEdits(b *testing.B) {
	h, _ := house(b)
	a, end := loaded(b, h, Config{Name: "p", Kind: Filter, OnError: "skip", Wasm: guestOf(b, "good/puppet"), Needs: []string{"query"}})
	defer end()
	var edits []abi.Op
	for _, name := range []string{"x-one", "x-two", "x-three"} {
		edits = append(edits, abi.Op{Code: abi.OpSetHeader, Key: []byte(name), Value: []byte("value")})
	}
	blob := abi.AppendOps(nil, edits)
	v, ops, keep := request("/a"), make([]abi.Op, 0, 16), make([]byte, 0, 1024)
	v.Query = fmt.Appendf(nil, "%d.%x", len(blob), blob)
	b.ReportAllocs()
	for b.Loop() {
		ops, keep, _ = a.Filter(v, nil, abi.Where{Call: abi.OnRequest}, ops[:0], keep[:0])
	}
	if len(ops) != 3 {
		b.Error(ops)
	}
}

// BenchmarkInstance has a budget of 0.5 ms for an instance of a small guest, made by
// all steps and closed.
func BenchmarkInstance(b *testing.B) {
	h, _ := house(b)
	a, end := loaded(b, h, router(b, "good/steps"))
	defer end()
	for b.Loop() {
		i, err := a.make(a.current())
		if err != nil {
			b.Fatal(err)
		}
		i.close()
	}
}
