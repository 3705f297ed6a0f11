// Package wazero runs guests with wazero's compiler: pure Go, so that the
// gateway stays one static binary. It is the default engine.
//
// Each compiled module has a runtime of its own, since host functions are
// found by name in a runtime; code is shared through one compilation cache,
// which also lies on disk if there is a folder for it. Memory is reserved
// address space, not the Go heap.
package wazero

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"

	"weirkeep/plugins/engine"
)

// pageSize is the unit of linear memory.
const pageSize = 1 << 16

// maxMemory is the largest memory that a configuration may grant: 1 GiB.
const maxMemory = 1 << 30

// Options bound the engine.
type Options struct {
	// CacheDir is the folder for native code: this user's own, mode 0700, made
	// if there is none. It is keyed on the module's bytes, the processor's
	// features and wazero's version, and never cleaned up.
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

// features is core WebAssembly 2.0; threads are not part of it, since a memory
// that two instances share would break the rule that one call runs at a time.
const features = api.CoreFeaturesV2

type wazeroEngine struct {
	cache wazero.CompilationCache // in memory, and in the folder if there is one
	dir   string                  // "" without a folder
	pages uint32
}

// New returns the engine, or an error if the folder is not fit to hold code.
func New(o Options) (engine.Engine, error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	if o.MaxMemory == 0 {
		o.MaxMemory = maxMemory
	}
	e := &wazeroEngine{cache: wazero.NewCompilationCache(), pages: uint32(o.MaxMemory / pageSize)}
	if o.CacheDir == "" {
		return e, nil
	}
	dir, err := engine.PrivateFolder(o.CacheDir)
	if err != nil {
		return nil, err
	}
	e.dir = dir
	e.cache, err = wazero.NewCompilationCacheWithDir(dir)
	return e, err
}

func (e *wazeroEngine) Name() string { return "wazero" }

func (e *wazeroEngine) Close() error { return e.cache.Close(context.Background()) }

// Compile compiles the module. A cache that cannot be read or written (cut off
// by a full disk, say) must not keep a good module from running: it is compiled
// once more without, and what lies there is thrown away.
func (e *wazeroEngine) Compile(ctx context.Context, metered []byte, host []engine.HostFunction) (engine.Module, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if err := engine.CheckMetered(metered); err != nil {
		return nil, err
	}
	m, err := e.compile(e.cache, metered, host)
	if err == nil || e.dir == "" {
		return m, err
	}
	fresh := wazero.NewCompilationCache()
	m, err = e.compile(fresh, metered, host)
	if err != nil {
		_ = fresh.Close(context.Background()) // holds nothing: nothing was compiled
		return nil, err
	}
	m.own = fresh
	e.dropFiles()
	return m, nil
}

// dropFiles removes the compiled code that wazero has put in the folder.
func (e *wazeroEngine) dropFiles() {
	files, _ := filepath.Glob(filepath.Join(e.dir, "wazero-*", "*")) // the pattern is good
	for _, f := range files {
		_ = os.Remove(f) // what cannot be removed is as bad as it was
	}
}

// compile makes a runtime with the module and the host functions it imports.
func (e *wazeroEngine) compile(cache wazero.CompilationCache, metered []byte, host []engine.HostFunction) (*module, error) {
	ctx := context.Background()
	config := wazero.NewRuntimeConfigCompiler().
		WithCoreFeatures(features).
		WithMemoryLimitPages(e.pages).
		WithDebugInfoEnabled(false).
		WithCompilationCache(cache)
	m := &module{runtime: wazero.NewRuntimeWithConfig(ctx, config)}
	err := m.compile(ctx, metered)
	if err == nil {
		err = m.link(ctx, host)
	}
	if err != nil {
		_ = m.Close() // the first error counts
		return nil, err
	}
	return m, nil
}

// module is compiled code in a runtime of its own.
type module struct {
	runtime wazero.Runtime
	code    wazero.CompiledModule
	own     wazero.CompilationCache // the cache that is this module's alone, or nil
}

// compile never panics: that a compiler stumbles over a guest is the guest's
// problem.
func (m *module) compile(ctx context.Context, metered []byte) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("the compiler panicked: %v\n%s", r, debug.Stack())
		}
	}()
	m.code, err = m.runtime.CompileModule(ctx, metered)
	return err
}

// link gives the runtime the host functions that the code imports.
func (m *module) link(ctx context.Context, host []engine.HostFunction) error {
	linked, err := engine.Link(imports(m.code), host)
	if err != nil {
		return err
	}
	builders := make(map[string]wazero.HostModuleBuilder)
	for _, f := range linked {
		b := builders[f.Module]
		if b == nil {
			b = m.runtime.NewHostModuleBuilder(f.Module)
			builders[f.Module] = b
		}
		b.NewFunctionBuilder().WithGoModuleFunction(&hostFunction{f}, types(f.Params), types(f.Results)).Export(f.Name)
	}
	for _, b := range builders {
		if _, err := b.Instantiate(ctx); err != nil {
			return err
		}
	}
	return nil
}

func imports(code wazero.CompiledModule) (all []engine.Import) {
	for _, f := range code.ImportedFunctions() {
		module, name, _ := f.Import()
		all = append(all, engine.Import{Module: module, Name: name, Params: ours(f.ParamTypes()), Results: ours(f.ResultTypes())})
	}
	return all
}

// types and ours translate between the engine's types and ours: both use the
// encoding of modules.
func types(ts []engine.ValueType) (all []api.ValueType) {
	for _, t := range ts {
		all = append(all, api.ValueType(t))
	}
	return all
}

func ours(ts []api.ValueType) (all []engine.ValueType) {
	for _, t := range ts {
		all = append(all, engine.ValueType(t))
	}
	return all
}

func (m *module) Close() error {
	ctx := context.Background()
	if m.code != nil {
		_ = m.code.Close(ctx) // gives no error
	}
	err := m.runtime.Close(ctx)
	if m.own != nil {
		_ = m.own.Close(ctx) // gives no error
	}
	return err
}

// ending says what an error of wazero's is. Its traps are of a type of its own
// that nobody else can name, so it goes by their text.
func ending(err error) engine.Ending {
	message, stack, _ := strings.Cut(err.Error(), "\nwasm stack trace:\n\t")
	message, trapped := strings.CutPrefix(message, "wasm error: ")
	overflow := message == "stack overflow"
	return engine.Ending{
		Err:      err,
		Trapped:  trapped || overflow,
		Overflow: overflow,
		Message:  message,
		Stack:    strings.ReplaceAll(stack, "\n\t", "\n"),
	}
}
