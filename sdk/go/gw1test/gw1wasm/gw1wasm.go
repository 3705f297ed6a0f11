// Package gw1wasm runs a built plugin in a test, in whatever language it was
// written, in the way the package gw1test runs its functions.
//
//	g := gw1wasm.Load(t, "router.wasm")
//
// The instance goes through the steps of a life as the gateway prescribes them,
// up to gw_abi_1 and gw_buffer; what comes after is for the test to call. The
// work of a call is not metered here: a plugin that never returns ends with the
// test's own time limit. A fault fails the test.
package gw1wasm

import (
	"context"
	"os"
	"testing"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/imports/wasi_snapshot_preview1"

	gw1 "weirkeep/sdk/go"
	"weirkeep/sdk/go/gw1test"
)

// Load returns an instance of the module in a file.
func Load(t testing.TB, path string) *gw1test.Guest {
	t.Helper()
	binary, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return New(t, binary)
}

// New returns an instance of a module. Close is called when the test ends.
func New(t testing.TB, binary []byte) *gw1test.Guest {
	t.Helper()
	ctx := context.Background()
	r := wazero.NewRuntime(ctx)
	t.Cleanup(func() { r.Close(ctx) })
	host := gw1test.NewHost()
	wasi_snapshot_preview1.MustInstantiate(ctx, r)
	if err := provide(ctx, r, host); err != nil {
		t.Fatal(err)
	}
	config := wazero.NewModuleConfig().WithStartFunctions("_initialize").
		WithSysNanotime().WithSysWalltime().WithStderr(os.Stderr)
	m, err := r.InstantiateWithConfig(ctx, binary, config)
	if err != nil {
		t.Fatalf("instantiate: %v", err)
	}
	return guest(t, m, host)
}

// guest runs the steps that make an instance ready.
func guest(t testing.TB, m api.Module, host *gw1test.Host) *gw1test.Guest {
	t.Helper()
	i := &instance{t: t, m: m}
	if minor := i.call("gw_abi_1"); minor != gw1.Minor {
		t.Fatalf("gw_abi_1 returned %d, want %d", minor, gw1.Minor)
	}
	b := uint32(i.call("gw_buffer", gw1test.BufferSize))
	if b == 0 || b%16 != 0 {
		t.Fatalf("gw_buffer returned %#x, want a multiple of 16", b)
	}
	return gw1test.NewGuest(t, i.exports(), host, func() []byte {
		t.Helper()
		buffer, ok := m.Memory().Read(b, gw1test.BufferSize)
		if !ok {
			t.Fatalf("the buffer at %#x is not in memory", b)
		}
		return buffer
	})
}

// instance is an instance of a module.
type instance struct {
	t testing.TB
	m api.Module
}

// call calls an export.
func (i *instance) call(name string, args ...uint64) int32 {
	i.t.Helper()
	f := i.m.ExportedFunction(name)
	if f == nil {
		i.t.Fatalf("the module has no export %s", name)
	}
	results, err := f.Call(context.Background(), args...)
	if err != nil {
		i.t.Fatalf("%s: fault: %v", name, err)
	}
	return int32(results[0])
}

// export returns a function that calls an export, nil if there is none.
func (i *instance) export(name string) func(int32) int32 {
	if i.m.ExportedFunction(name) == nil {
		return nil
	}
	return func(size int32) int32 {
		i.t.Helper()
		return i.call(name, api.EncodeI32(size))
	}
}

func (i *instance) exports() gw1test.Exports {
	e := gw1test.Exports{
		Configure: i.export("gw_configure"), Enable: i.export("gw_enable"), OnCluster: i.export("gw_on_cluster"),
		Route: i.export("gw_route"), RouteNames: i.export("gw_route_names"),
		Match: i.export("gw_match"), Collect: i.export("gw_collect"),
		OnRequest: i.export("gw_on_request"), OnResponse: i.export("gw_on_response"),
		Tick: i.export("gw_tick"), OnHTTPResponse: i.export("gw_on_http_response"),
	}
	if i.m.ExportedFunction("gw_enabled") != nil {
		e.Enabled = func() int32 { return i.call("gw_enabled") }
	}
	return e
}
