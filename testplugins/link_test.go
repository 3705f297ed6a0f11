package testplugins

import (
	"context"
	"encoding/binary"
	"math"
	"slices"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/sys"

	"weirkeep/abi"
)

// link gives the guest the host functions and the few of WASI that these guests
// use, with the types of the contract.
func (g *guest) link() {
	g.t.Helper()
	own := g.runtime.NewHostModuleBuilder(abi.Module)
	for i := range abi.HostFunctions {
		g.function(own, &abi.HostFunctions[i])
	}
	wasi := g.runtime.NewHostModuleBuilder(abi.WASIModule)
	for i := range abi.WASIFunctions {
		g.function(wasi, &abi.WASIFunctions[i])
	}
	for _, m := range []wazero.HostModuleBuilder{own, wasi} {
		if _, err := m.Instantiate(background); err != nil {
			g.t.Fatal(err)
		}
	}
}

func (g *guest) function(to wazero.HostModuleBuilder, f *abi.HostFunction) {
	var params, results []api.ValueType
	for _, a := range f.Args {
		params = append(params, valueType(a.Type))
	}
	if f.Result != "" {
		results = append(results, valueType(f.Result))
	}
	call := api.GoFunc(func(_ context.Context, stack []uint64) {
		if g.broken {
			panic(errHost)
		}
		n := g.serve(f.Name, stack)
		if f.Result != "" {
			stack[0] = n
		}
	})
	to.NewFunctionBuilder().WithGoFunction(call, params, results).Export(f.Name)
}

func valueType(t abi.ValueType) api.ValueType {
	switch t {
	case abi.I64:
		return api.ValueTypeI64
	case abi.F64:
		return api.ValueTypeF64
	}
	return api.ValueTypeI32
}

// serve does what a host function does, as far as these guests can tell.
func (g *guest) serve(name string, stack []uint64) uint64 {
	a := func(i int) int32 { return int32(stack[i]) }
	switch name {
	case "log":
		if line := g.bytes(a(1), a(2)); line != nil {
			g.log = append(g.log, string(line))
		}
		return 0
	case "now_ns":
		return now
	case "counter_add":
		g.counted[a(0)] += int64(stack[1])
		return 0
	case "gauge_set":
		g.gauges[a(0)] = math.Float64frombits(stack[1])
		return 0
	case "http_call":
		g.calls = append(g.calls, slices.Clone(g.bytes(a(0), a(1))))
		return uint64(len(g.calls))
	case "fd_write":
		return g.writes(a(0), a(1), a(2), a(3))
	case "proc_exit":
		panic(sys.NewExitError(uint32(stack[0])))
	}
	return api.EncodeI32(g.serveBytes(name, stack))
}

// serveBytes is serve for those whose first two arguments say where bytes are;
// -4 if that is outside memory.
func (g *guest) serveBytes(name string, stack []uint64) int32 {
	a := func(i int) int32 { return int32(stack[i]) }
	if name == "metric_define" {
		return g.define(a(0), g.bytes(a(1), a(2)))
	}
	first := g.bytes(a(0), a(1))
	if first == nil {
		return int32(abi.BadArgument)
	}
	switch name {
	case "random":
		g.random.Fill(first)
		return 0
	case "get_property":
		return g.property(string(first), a(2), a(3))
	case "kv_get":
		return g.get(first, a(2), a(3), a(4))
	case "kv_set":
		return g.set(first, g.bytes(a(2), a(3)), int64(stack[5]))
	case "kv_delete":
		if g.kv[string(first)] == nil {
			return int32(abi.NotFound)
		}
		delete(g.kv, string(first))
		return 0
	}
	g.t.Errorf("the guest calls %s, which this host does not have", name)
	return int32(abi.Unsupported)
}

func (g *guest) property(name string, to, room int32) int32 {
	switch name {
	case "node.name":
		return g.answer([]byte("gw-1"), to, room)
	case "client.port":
		return int32(abi.Denied)
	}
	return int32(abi.NotFound)
}

// writes is fd_write, of the pieces at an address.
func (g *guest) writes(fd, pieces, count, written int32) uint64 {
	var all []byte
	for i := range count {
		piece := g.bytes(pieces+8*i, 8)
		all = append(all, g.bytes(int32(binary.LittleEndian.Uint32(piece)), int32(binary.LittleEndian.Uint32(piece[4:])))...)
	}
	if fd == 2 {
		g.errput += string(all)
	}
	g.module.Memory().WriteUint32Le(uint32(written), uint32(len(all)))
	return abi.ErrnoDone
}
