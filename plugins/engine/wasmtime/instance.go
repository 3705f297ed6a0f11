//go:build wasmtime

package wasmtime

/*
#include <stdlib.h>
#include "shim.h"
*/
import "C"

import (
	"fmt"
	"runtime/cgo"
	"unsafe"

	wasmtime "github.com/bytecodealliance/wasmtime-go/v39"

	"weirkeep/plugins/engine"
)

// instance is one store with one instance of a module in it.
type instance struct {
	store     *wasmtime.Store // nil once closed
	instance  *wasmtime.Instance
	c         *C.wk_instance
	self      cgo.Handle // by which C finds it again
	functions map[string]*function
	call      *engine.Call
	host      []*engine.HostFunction
	stack     []uint64 // of the host function that is running
}

// Instantiate makes an instance. The module has no start function.
func (m *module) Instantiate(env any) (engine.Instance, error) {
	i := &instance{
		store:     wasmtime.NewStore(m.engine.engine),
		c:         (*C.wk_instance)(C.calloc(1, C.sizeof_wk_instance)),
		functions: make(map[string]*function),
		host:      m.host,
		stack:     make([]uint64, m.slots()),
	}
	i.self = cgo.NewHandle(i)
	i.call = engine.NewCall(env, i)
	i.store.Limiter(m.engine.memory, maxTable, 1, -1, 1)
	i.c.context = unsafe.Pointer(i.store.Context())
	i.c.owner = C.uintptr_t(i.self)
	if err := i.make(m); err != nil {
		_ = i.Close() // gives no error
		return nil, err
	}
	return i, nil
}

// slots is how many values the host function with the most of them has.
func (m *module) slots() int {
	n := 1
	for _, f := range m.host {
		n = max(n, len(f.Params))
	}
	return n
}

// make instantiates the module and finds its memory and globals.
func (i *instance) make(m *module) (err error) {
	imports := make([]wasmtime.AsExtern, len(m.host))
	for n := range m.host {
		f := new(wasmtime.Func)
		C.wk_host(i.c.context, m.types[n], C.uintptr_t(n), (*C.wk_func)(unsafe.Pointer(f)))
		imports[n] = f
	}
	if i.instance, err = wasmtime.NewInstance(i.store, m.code, imports); err != nil {
		return err
	}
	if e := i.instance.GetExport(i.store, "memory"); e != nil && e.Memory() != nil {
		i.c.memory = *(*C.wk_memory)(unsafe.Pointer(e.Memory()))
		i.c.has_memory = true
	}
	for n, name := range [...]string{C.WK_FUEL: engine.FuelGlobal, C.WK_DEPTH: engine.DepthGlobal, C.WK_MARK: engine.MarkGlobal} {
		if err = i.bind(n, name); err != nil {
			return err
		}
	}
	C.wk_look(i.c)
	return nil
}

// bind finds one of the globals.
func (i *instance) bind(n int, name string) error {
	g := i.instance.GetExport(i.store, name).Global()
	if g == nil || !g.Type(i.store).Mutable() {
		return fmt.Errorf("%w: %s cannot be set", engine.ErrUnmetered, name)
	}
	kind := g.Type(i.store).Content().Kind()
	if kind != wasmtime.KindI32 && kind != wasmtime.KindI64 {
		return fmt.Errorf("%w: %s is no integer", engine.ErrUnmetered, name)
	}
	i.c.globals[n] = *(*C.wk_global)(unsafe.Pointer(g))
	i.c.types[n] = C.uint8_t(kind)
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
	f := i.instance.GetFunc(i.store, name)
	if f == nil {
		return nil
	}
	params, results := f.Type(i.store).Params(), f.Type(i.store).Results()
	if len(params) > 1 || len(results) > 1 {
		return nil
	}
	c := (*C.wk_function)(C.calloc(1, C.sizeof_wk_function))
	c.instance = i.c
	c._func = *(*C.wk_func)(unsafe.Pointer(f))
	return &function{instance: i, c: c, mask: mask(results)}
}

// mask is the part of a slot that is the result.
func mask(results []*wasmtime.ValType) uint64 {
	if len(results) == 0 {
		return 0
	}
	if k := results[0].Kind(); k == wasmtime.KindI32 || k == wasmtime.KindF32 {
		return 1<<32 - 1
	}
	return 1<<64 - 1
}

func (i *instance) Memory() []byte {
	if i.store == nil || i.c.base == nil {
		return nil
	}
	return unsafe.Slice((*byte)(i.c.base), int(i.c.length))
}

func (i *instance) SetFuel(fuel int64, depth int32) {
	i.c.numbers = [C.WK_GLOBALS]C.int64_t{C.WK_FUEL: C.int64_t(fuel), C.WK_DEPTH: C.int64_t(max(depth, 0))}
	i.c.set = true
}

func (i *instance) Fuel() int64  { return int64(i.c.numbers[C.WK_FUEL]) }
func (i *instance) Depth() int32 { return int32(i.c.numbers[C.WK_DEPTH]) }
func (i *instance) Mark() int32  { return int32(i.c.numbers[C.WK_MARK]) }

// Close frees the store, and the memory with it.
func (i *instance) Close() error {
	if i.store == nil {
		return nil
	}
	i.store.Close()
	i.store = nil
	for _, f := range i.functions {
		if f != nil {
			C.free(unsafe.Pointer(f.c))
		}
	}
	i.functions = nil
	C.free(unsafe.Pointer(i.c))
	i.c = new(C.wk_instance) // has no memory, and zero is left of everything
	i.self.Delete()
	return nil
}

// function is an exported function.
type function struct {
	instance *instance
	c        *C.wk_function
	mask     uint64
}

func (f *function) Call(arg uint64) (uint64, error) {
	f.c.value = C.uint64_t(arg)
	if C.wk_call(f.c) != 0 {
		return 0, f.fault()
	}
	return uint64(f.c.value) & f.mask, nil
}
