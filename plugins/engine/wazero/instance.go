package wazero

import (
	"context"
	"errors"
	"fmt"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/experimental"

	"weirkeep/plugins/engine"
)

// instance is one memory and its functions. It is also the context of its
// calls, so that a host function finds it with one type assertion.
type instance struct {
	context.Context
	module    api.Module
	memory    *reserved
	exported  bool // the memory is
	functions map[string]*function
	call      *engine.Call

	fuel, depth, mark api.MutableGlobal
}

// Instantiate makes an instance. The module has no start function, and none
// of its functions are run by name.
func (m *module) Instantiate(env any) (engine.Instance, error) {
	i := &instance{Context: context.Background(), memory: new(reserved), functions: make(map[string]*function)}
	i.call = engine.NewCall(env, i)
	var err error
	if i.module, err = instantiate(m.runtime, m.code, i.memory.reserve); err != nil {
		i.memory.Free() // wazero leaves it
		return nil, err
	}
	if err := i.bind(); err != nil {
		_ = i.Close() // the first error counts
		return nil, err
	}
	return i, nil
}

// instantiate turns the panic of an engine that gets no memory into an error.
func instantiate(r wazero.Runtime, code wazero.CompiledModule, reserve experimental.MemoryAllocatorFunc) (mod api.Module, err error) {
	ctx := experimental.WithMemoryAllocator(context.Background(), reserve)
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("no memory for an instance: %v", p)
		}
	}()
	return r.InstantiateModule(ctx, code, wazero.NewModuleConfig().WithName("").WithStartFunctions())
}

// bind finds what is exported: the globals, the memory, and every function, for
// looking one up costs a call engine with a stack each time.
func (i *instance) bind() error {
	for name, global := range map[string]*api.MutableGlobal{
		engine.FuelGlobal: &i.fuel, engine.DepthGlobal: &i.depth, engine.MarkGlobal: &i.mark,
	} {
		var ok bool
		if *global, ok = i.module.ExportedGlobal(name).(api.MutableGlobal); !ok {
			return fmt.Errorf("%w: %s cannot be set", engine.ErrUnmetered, name)
		}
	}
	i.exported = i.module.ExportedMemory("memory") != nil
	return nil
}

func (i *instance) Function(name string) engine.Function {
	f, known := i.functions[name]
	if !known {
		f = i.find(name)
		i.functions[name] = f
	}
	if f == nil {
		return nil
	}
	return f
}

// find looks an exported function up.
func (i *instance) find(name string) *function {
	f := i.module.ExportedFunction(name)
	if f == nil {
		return nil
	}
	params, results := f.Definition().ParamTypes(), f.Definition().ResultTypes()
	if len(params) > 1 || len(results) > 1 {
		return nil
	}
	return &function{instance: i, function: f, mask: mask(results)}
}

// mask is the part of a slot that is the result.
func mask(results []api.ValueType) uint64 {
	switch {
	case len(results) == 0:
		return 0
	case results[0] == api.ValueTypeI32 || results[0] == api.ValueTypeF32:
		return 1<<32 - 1
	}
	return 1<<64 - 1
}

func (i *instance) Memory() []byte {
	if !i.exported {
		return nil
	}
	return i.memory.all[:i.memory.used:i.memory.used]
}

// SetFuel stores the depth in the low half, which is right for a global of
// either width.
func (i *instance) SetFuel(fuel int64, depth int32) {
	i.fuel.Set(uint64(fuel))
	i.depth.Set(uint64(max(depth, 0)))
	i.mark.Set(0)
}

func (i *instance) Fuel() int64  { return int64(i.fuel.Get()) }
func (i *instance) Depth() int32 { return int32(uint32(i.depth.Get())) }
func (i *instance) Mark() int32  { return int32(uint32(i.mark.Get())) }

// Close unmaps the memory.
func (i *instance) Close() error {
	i.exported = false
	return i.module.Close(context.Background())
}

// function is an exported function with the slot for its value.
type function struct {
	instance *instance
	function api.Function
	mask     uint64
	slot     [1]uint64
}

func (f *function) Call(arg uint64) (uint64, error) {
	f.slot[0] = arg
	if err := f.function.CallWithStack(f.instance, f.slot[:]); err != nil {
		return 0, f.instance.call.Fault(ending(err))
	}
	return f.slot[0] & f.mask, nil
}

// errStopped ends a guest's call after a host function that did not return;
// what it was is in the Call.
var errStopped = errors.New("stopped by a host function")

// hostFunction is one of ours, as wazero calls it.
type hostFunction struct{ *engine.HostFunction }

func (h *hostFunction) Call(ctx context.Context, _ api.Module, stack []uint64) {
	if !ctx.(*instance).call.Serve(h.HostFunction, stack) {
		panic(errStopped)
	}
}
