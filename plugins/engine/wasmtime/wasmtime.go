//go:build wasmtime

// Package wasmtime runs guests with Bytecode Alliance's wasmtime. It needs a C
// compiler and twenty megabytes, so it is built with the tag wasmtime only.
//
// What happens once per module or instance goes through wasmtime-go; calls go
// through a shim of a few C functions (shim.h), because wasmtime-go allocates
// nine times on each. A call crosses from Go to C once: it takes fuel and depth
// along, and comes back with what is left of them and the memory's new size.
package wasmtime

/*
#include "shim.h"
*/
import "C"

import (
	"context"
	"errors"
	"fmt"
	"unsafe"

	wasmtime "github.com/bytecodealliance/wasmtime-go/v39"

	"weirkeep/plugins/engine"
)

const (
	// pageSize is the unit of linear memory.
	pageSize = 1 << 16
	// maxMemory is the largest memory that a configuration may grant: 1 GiB.
	// It has to be less than the 4 GiB of addresses that wasmtime reserves for
	// each memory, so that none ever moves.
	maxMemory = 1 << 30
	// maxTable is the most entries that a table may have.
	maxTable = 65_536
	// guestStack is the native stack of a call, in bytes: enough for 1,000
	// frames with 400 live values each, of which one takes 4,644 bytes.
	guestStack = 5 << 20
	// hostStack is what has to be left of a thread's stack for host functions
	// and wasmtime itself, in bytes.
	hostStack = 2 << 20
)

// Options bound the engine.
type Options struct {
	// CacheDir is the folder for native code: this user's own, mode 0700, made
	// if there is none. It is keyed on the module's bytes and wasmtime's
	// version, and never cleaned up.
	// Empty keeps nothing on disk.
	CacheDir string

	// MaxMemory is the largest memory of an instance in bytes, whatever its
	// module says; a multiple of 64 KiB. Zero means the maximum, 1 GiB.
	MaxMemory uint64
}

// Validate reports every field that is out of range.
func (o Options) Validate() error {
	if o.MaxMemory%pageSize != 0 || o.MaxMemory > maxMemory {
		return fmt.Errorf("max memory: %d is not a multiple of 64 KiB up to 1 GiB", o.MaxMemory)
	}
	return nil
}

type wasmtimeEngine struct {
	engine *wasmtime.Engine
	cache  cache
	memory int64 // of an instance, in bytes
}

// New returns the engine, or an error if the folder is not fit to hold code,
// the library is another one than this was written for, or threads get too
// small a stack here.
func New(o Options) (engine.Engine, error) {
	if err := errors.Join(o.Validate(), libraryFits(), stackFits()); err != nil {
		return nil, err
	}
	if o.MaxMemory == 0 {
		o.MaxMemory = maxMemory
	}
	e := &wasmtimeEngine{memory: int64(o.MaxMemory)}
	if o.CacheDir != "" {
		dir, err := engine.PrivateFolder(o.CacheDir)
		if err != nil {
			return nil, err
		}
		e.cache.dir = dir
	}
	e.engine = wasmtime.NewEngineWithConfig(configuration())
	return e, nil
}

// libraryFits looks for what the shim calls, and at the sizes it relies on.
func libraryFits() error {
	if missing := C.wk_complete(); missing != nil {
		return fmt.Errorf("wasmtime's library has no %s", C.GoString(missing))
	}
	if unsafe.Sizeof(wasmtime.Func{}) != unsafe.Sizeof(C.wk_func{}) ||
		unsafe.Sizeof(wasmtime.Global{}) != unsafe.Sizeof(C.wk_global{}) ||
		unsafe.Sizeof(wasmtime.Memory{}) != unsafe.Sizeof(C.wk_memory{}) {
		return errors.New("wasmtime's library has other layouts than this program")
	}
	return nil
}

// stackFits looks whether threads have room for the deepest guest.
func stackFits() error {
	if got := uint64(C.wk_default_stack()); got < guestStack+hostStack {
		return fmt.Errorf("threads get a stack of %d KiB here, wasmtime needs %d: start the program with a stack limit that is enough (ulimit -s 8192)", got>>10, (guestStack+hostStack)>>10)
	}
	return nil
}

// configuration is core WebAssembly 2.0 and nothing that came later.
func configuration() *wasmtime.Config {
	c := wasmtime.NewConfig()
	c.SetMaxWasmStack(guestStack)
	c.SetWasmThreads(false)
	c.SetWasmRelaxedSIMD(false)
	c.SetWasmMultiMemory(false)
	c.SetWasmMemory64(false)
	c.SetWasmTailCall(false)
	c.SetWasmWideArithmetic(false)
	c.SetWasmFunctionReferences(false)
	c.SetWasmGC(false)
	C.wk_features(first(unsafe.Pointer(c)))
	return c
}

// first returns the pointer that an object of wasmtime-go begins with: the C
// object it stands for.
func first(object unsafe.Pointer) unsafe.Pointer { return *(*unsafe.Pointer)(object) }

func (e *wasmtimeEngine) Name() string { return "wasmtime" }

func (e *wasmtimeEngine) Close() error {
	e.engine.Close()
	return nil
}

// Compile compiles the module, or takes its code from the folder.
func (e *wasmtimeEngine) Compile(ctx context.Context, metered []byte, host []engine.HostFunction) (engine.Module, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if err := engine.CheckMetered(metered); err != nil {
		return nil, err
	}
	code, err := e.cache.compile(e.engine, metered)
	if err != nil {
		return nil, err
	}
	m := &module{engine: e, code: code}
	if err := m.link(host); err != nil {
		_ = m.Close() // gives no error
		return nil, err
	}
	return m, nil
}

// module is compiled code with its host functions.
type module struct {
	engine *wasmtimeEngine
	code   *wasmtime.Module
	host   []*engine.HostFunction // in the order of the imports
	types  []unsafe.Pointer       // of the host functions, in C
}

// link finds the host function of each import.
func (m *module) link(host []engine.HostFunction) (err error) {
	imports := m.code.Imports()
	wanted := make([]engine.Import, len(imports))
	for n, i := range imports {
		if wanted[n], err = wants(i); err != nil {
			return err
		}
	}
	if m.host, err = engine.Link(wanted, host); err != nil {
		return err
	}
	for _, f := range m.host {
		m.types = append(m.types, functype(f))
	}
	return nil
}

// wants returns what an import wants, which is a function.
func wants(i *wasmtime.ImportType) (engine.Import, error) {
	name := ""
	if i.Name() != nil {
		name = *i.Name()
	}
	f := i.Type().FuncType()
	if f == nil {
		return engine.Import{}, fmt.Errorf("the module imports %s.%s, which is no function", i.Module(), name)
	}
	return engine.Import{Module: i.Module(), Name: name, Params: ours(f.Params()), Results: ours(f.Results())}, nil
}

// kinds are the engine's numbers of our types.
var kinds = map[engine.ValueType]wasmtime.ValKind{
	engine.I32: wasmtime.KindI32, engine.I64: wasmtime.KindI64,
	engine.F32: wasmtime.KindF32, engine.F64: wasmtime.KindF64,
}

// ours translates types; one that is no number becomes one that nobody has.
func ours(types []*wasmtime.ValType) (all []engine.ValueType) {
	for _, t := range types {
		our := engine.ValueType(0)
		for ours, kind := range kinds {
			if kind == t.Kind() {
				our = ours
			}
		}
		all = append(all, our)
	}
	return all
}

// functype makes the type of a host function in C.
func functype(f *engine.HostFunction) unsafe.Pointer {
	all := make([]C.uint8_t, 0, len(f.Params)+len(f.Results)+1)
	for _, list := range [][]engine.ValueType{f.Params, f.Results} {
		for _, t := range list {
			all = append(all, C.uint8_t(kinds[t]))
		}
	}
	return C.wk_functype(unsafe.SliceData(all), C.size_t(len(f.Params)), C.size_t(len(f.Results)))
}

func (m *module) Close() error {
	for _, t := range m.types {
		C.wk_functype_delete(t)
	}
	m.types = nil
	m.code.Close()
	return nil
}
