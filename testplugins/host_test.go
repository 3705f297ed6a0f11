package testplugins

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/sys"

	"weirkeep/abi"
)

// What a guest of these tests is given: now is the time of every view, and of
// now_ns.
const (
	now    = 1_796_040_000_000_000_000
	buffer = 65536
	pages  = 16 << 20 / 65536 // limits.memory
)

// How calls end; the kinds of the fault table that an engine without a meter can
// tell apart. What needs a meter is not run here.
var (
	errTrap    = errors.New("trap")
	errExit    = errors.New("exit")
	errHost    = errors.New("host-error")
	errInvalid = errors.New("invalid-result")
	errRefused = errors.New("refused")
)

// A guest is an instance on an engine without a meter, with a host that
// remembers what it was asked.
type guest struct {
	t       testing.TB
	runtime wazero.Runtime
	module  api.Module
	b       uint32 // where its buffer is

	log      []string
	errput   string            // what went to descriptor 2
	kv       map[string][]byte // each value behind its version, 8 bytes
	versions uint64
	metrics  []string
	counted  map[int32]int64
	gauges   map[int32]float64
	calls    [][]byte // the blobs of http_call
	random   abi.Random
	broken   bool // host functions panic
}

var background = context.Background()

// compiled keeps what was compiled once: every test starts guests of its own.
var compiled = wazero.NewCompilationCache()

// compile compiles a module as core 2.0. An error is the engine's refusal.
func compile(t testing.TB, path string) (wazero.Runtime, wazero.CompiledModule, error) {
	t.Helper()
	config := wazero.NewRuntimeConfig().WithCoreFeatures(api.CoreFeaturesV2).WithMemoryLimitPages(pages).WithCompilationCache(compiled)
	runtime := wazero.NewRuntimeWithConfig(background, config)
	t.Cleanup(func() { runtime.Close(background) })
	module, err := runtime.CompileModule(background, read(t, path))
	return runtime, module, err
}

// open makes an instance, which runs its start function: step 1.
func open(t testing.TB, path string) (*guest, error) {
	t.Helper()
	runtime, code, err := compile(t, path)
	if err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	g := &guest{t: t, runtime: runtime, kv: map[string][]byte{}, counted: map[int32]int64{}, gauges: map[int32]float64{}}
	g.link()
	g.module, err = runtime.InstantiateModule(background, code, wazero.NewModuleConfig().WithName("").WithStartFunctions())
	return g, outcome(err)
}

// life takes a guest through steps 2 to 7, and says which of them failed.
func (g *guest) life(params string, table *abi.ClusterTable) (step string, err error) {
	if g.has("_initialize") {
		if _, err := g.invoke("_initialize"); err != nil {
			return "2", err
		}
	}
	if _, err := g.invoke("gw_abi_1"); err != nil {
		return "3", err
	}
	if err := g.buffer(); err != nil {
		return "4", err
	}
	if n, err := g.write("gw_configure", []byte(params)); err != nil || n != 0 {
		return "5", refused(n, err)
	}
	if g.has("gw_enable") {
		if n, err := g.invoke("gw_enable", 1); err != nil || n != 0 {
			return "6", cmpErr(err, errRefused)
		}
	}
	if n, err := g.put("gw_on_cluster", table); err != nil || n != 0 {
		return "7", cmpErr(err, errRefused)
	}
	return "", nil
}

// buffer is step 4.
func (g *guest) buffer() error {
	b, err := g.invoke("gw_buffer", buffer)
	switch {
	case err != nil:
		return err
	case b == 0:
		return errRefused
	case uint32(b)%16 != 0 || uint64(uint32(b))+buffer > uint64(g.module.Memory().Size()):
		return errInvalid
	}
	g.b = uint32(b)
	return nil
}

// refused tells a refusal of gw_configure from what means nothing.
func refused(n int32, err error) error {
	if n > 0 {
		return errInvalid
	}
	return cmpErr(err, errRefused)
}

func cmpErr(err, otherwise error) error {
	if err != nil {
		return err
	}
	return otherwise
}

// A blob is a view or a table.
type blob interface{ Put([]byte) (int, error) }

// put delivers a blob to an export and returns what it returned; 0 without the
// export.
func (g *guest) put(export string, blob blob) (int32, error) {
	g.t.Helper()
	if !g.has(export) {
		return 0, nil
	}
	b := make([]byte, buffer)
	n, err := blob.Put(b)
	if err != nil {
		g.t.Fatalf("%s: %v", export, err)
	}
	return g.write(export, b[:n])
}

func (g *guest) write(export string, blob []byte) (int32, error) {
	if !g.has(export) {
		return 0, nil
	}
	if !g.module.Memory().Write(g.b, blob) {
		g.t.Fatalf("%s: %d bytes do not fit", export, len(blob))
	}
	return g.invoke(export, uint64(len(blob)))
}

// result is the result area behind a view.
func (g *guest) result(view *abi.View) []byte {
	off := uint32(abi.ResultArea(view.Size()))
	area, _ := g.module.Memory().Read(g.b+off, buffer-off)
	return area
}

func (g *guest) has(export string) bool {
	return g.module.ExportedFunction(export) != nil
}

func (g *guest) invoke(export string, args ...uint64) (int32, error) {
	out, err := g.module.ExportedFunction(export).Call(background, args...)
	if err != nil || len(out) == 0 {
		return 0, outcome(err)
	}
	return int32(out[0]), nil
}

// outcome is how an engine's error is called in the tables.
func outcome(err error) error {
	var exit *sys.ExitError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &exit):
		return fmt.Errorf("%w: %d", errExit, exit.ExitCode())
	case errors.Is(err, errHost):
		return errHost
	}
	first, _, _ := strings.Cut(err.Error(), "\n")
	return fmt.Errorf("%w: %s", errTrap, first)
}

// bytes reads the guest's memory; nil if that lies outside.
func (g *guest) bytes(at, n int32) []byte {
	b, _ := g.module.Memory().Read(uint32(at), uint32(n))
	return b
}

// answer copies a value where it fits, as get_property and kv_get do.
func (g *guest) answer(value []byte, to, room int32) int32 {
	if g.bytes(to, room) == nil && room > 0 {
		return int32(abi.BadArgument)
	}
	if len(value) <= int(room) {
		g.module.Memory().Write(uint32(to), value)
	}
	return int32(len(value))
}

func (g *guest) get(key []byte, to, room, version int32) int32 {
	kept, ok := g.kv[string(key)]
	if !ok {
		return int32(abi.NotFound)
	}
	if version != 0 {
		g.module.Memory().Write(uint32(version), kept[:8])
	}
	return g.answer(kept[8:], to, room)
}

func (g *guest) set(key, value []byte, must int64) int32 {
	kept, ok := g.kv[string(key)]
	if must == -1 && ok || must > 0 && (!ok || binary.LittleEndian.Uint64(kept) != uint64(must)) {
		return int32(abi.Conflict)
	}
	g.versions++
	g.kv[string(key)] = append(binary.LittleEndian.AppendUint64(nil, g.versions), value...)
	return 0
}

func (g *guest) define(kind int32, name []byte) int32 {
	for i, have := range g.metrics {
		if have == string(name) && kind <= 2 {
			return int32(i)
		}
	}
	if name == nil || kind < 1 || kind > 2 || strings.ToLower(string(name)) != string(name) {
		return int32(abi.BadArgument)
	}
	g.metrics = append(g.metrics, string(name))
	return int32(len(g.metrics) - 1)
}
