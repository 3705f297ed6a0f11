package meter

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"

	"weirkeep/abi"
)

// goSource is a guest in Go that uses much of the language and its runtime: maps,
// sorting, text, goroutines, panics, garbage.
const goSource = `package main

import (
	"crypto/sha256"
	"fmt"
	"sort"
	"strings"
)

//go:wasmexport f
func f(n int32) int32 {
	switch n % 4 {
	case 0:
		sum := sha256.Sum256([]byte(fmt.Sprint(n)))
		return int32(sum[0])<<8 | int32(sum[1])
	case 1:
		m := map[string]int32{}
		for i := range n % 500 {
			m[fmt.Sprint(i*i%97)] += i
		}
		var all []string
		for k, v := range m {
			all = append(all, fmt.Sprint(k, v))
		}
		sort.Strings(all)
		return int32(len(strings.Join(all, ",")))
	case 2:
		c := make(chan int32)
		go func() {
			for i := range n % 20 {
				c <- i * i
			}
			close(c)
		}()
		var sum int32
		for v := range c {
			sum += v
		}
		return sum
	}
	return recovered(n)
}

func recovered(n int32) (got int32) {
	defer func() {
		if recover() != nil {
			got = -n
		}
	}()
	return []int32{1, 2, 3}[n]
}

func main() {}
`

// goGuest is the source above as a module of some 2.5 MB, built once.
var goGuest = sync.OnceValues(func() ([]byte, error) {
	dir, err := os.MkdirTemp("", "goguest")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	for name, text := range map[string]string{"main.go": goSource, "go.mod": "module goguest\n\ngo 1.26\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			return nil, err
		}
	}
	build := exec.Command("go", "build", "-ldflags=-s -w", "-buildmode=c-shared", "-o", "guest.wasm", ".")
	build.Dir = dir
	build.Env = append(os.Environ(), "GOOS=wasip1", "GOARCH=wasm", "GOFLAGS=", "GOWORK=off")
	build.Stderr = os.Stderr
	if err := build.Run(); err != nil {
		return nil, err
	}
	return os.ReadFile(filepath.Join(dir, "guest.wasm"))
})

func builtGoGuest(t testing.TB) []byte {
	t.Helper()
	wasm, err := goGuest()
	if err != nil {
		t.Fatalf("build a guest in Go: %v", err)
	}
	return wasm
}

func TestGoGuestComputesTheSame(t *testing.T) {
	wasm := builtGoGuest(t)
	m, err := Meter(wasm, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if !m.Module.GoGuest {
		t.Error("it is not known as a Go guest")
	}
	plain, metered := newGuest(t, wasm), newGuest(t, m.Wasm)
	for _, g := range []*guest{plain, metered} {
		g.open()
		if _, err := g.module.ExportedFunction("_initialize").Call(context.Background()); err != nil {
			t.Fatal(err)
		}
	}
	if used := 16_000_000 - metered.global(abi.FuelExport); used < 100_000 || used > 5_000_000 {
		t.Errorf("_initialize used %d fuel, want about 1 million", used)
	}
	for n := range int64(120) {
		metered.set(1<<40, 1000)
		if got, want := metered.call(n), plain.call(n); got != want {
			t.Errorf("f(%d) = %s, want %s", n, got, want)
		}
		if left := metered.global(abi.DepthExport); left != 1000 {
			t.Fatalf("f(%d) leaves depth %d, want 1000", n, left)
		}
	}
}

// Budget: a Go module grows by at most 35 %, so that the engine's compiler, which
// takes seconds for it, does not take many more.
func TestGoModuleGrowsLittle(t *testing.T) {
	wasm := builtGoGuest(t)
	if grown := float64(len(metered(t, wasm, Options{}))) / float64(len(wasm)); grown > 1.35 {
		t.Errorf("a Go module grows to %.2f times its size, at most 1.35 is allowed", grown)
	}
}

// BenchmarkMeter has a budget of 60 ms for 2.2 MB of Go: 37 MB/s on one core.
func BenchmarkMeter(b *testing.B) {
	wasm := builtGoGuest(b)
	b.SetBytes(int64(len(wasm)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Meter(wasm, Options{}); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkInspect is what reading alone takes of it.
func BenchmarkInspect(b *testing.B) {
	wasm := builtGoGuest(b)
	b.SetBytes(int64(len(wasm)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Inspect(wasm); err != nil {
			b.Fatal(err)
		}
	}
}
