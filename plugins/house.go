package plugins

import (
	"context"
	"crypto/sha256"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"sync/atomic"

	"weirkeep/abi"
	"weirkeep/plugins/engine"
	"weirkeep/plugins/meter"
)

// House has the engines that run guests, and what of plugins outlives
// configurations: compiled modules that are in use, stores, faults. It is
// safe for use by many goroutines.
type House struct {
	log     *slog.Logger
	engines []engine.Engine

	mu      sync.Mutex
	modules map[moduleKey]*module
	stores  map[string]*store // by the plugin's name
}

// store is what belongs to the name of a plugin, for as long as somebody has one of
// that name.
type store struct {
	users   int // the house's
	kv      kv
	metrics guestMetrics
	faults  faultLog
	loads   atomic.Int64 // plugins of the name, ever
}

// NewHouse makes a house with these engines; the first is the one that plugins get
// which do not say. Nil logger: nobody is told.
func NewHouse(log *slog.Logger, engines ...engine.Engine) *House {
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	return &House{log: log, engines: engines, modules: make(map[moduleKey]*module), stores: make(map[string]*store)}
}

// Engines are the names of the engines that there are.
func (h *House) Engines() (names []string) {
	for _, e := range h.engines {
		names = append(names, e.Name())
	}
	return names
}

// engine is the one of a name.
func (h *House) engine(name string) engine.Engine {
	for _, e := range h.engines {
		if name == "" || name == "auto" || e.Name() == name {
			return e
		}
	}
	return nil
}

// storeOf takes the store of a plugin's name. Who takes it leaves it.
func (h *House) storeOf(name string) *store {
	h.mu.Lock()
	defer h.mu.Unlock()
	s := h.stores[name]
	if s == nil {
		s = new(store)
		h.stores[name] = s
	}
	s.users++
	return s
}

// leave gives the store of a plugin's name back. What nobody has is forgotten.
func (h *House) leave(name string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	s := h.stores[name]
	if s.users--; s.users == 0 {
		delete(h.stores, name)
	}
}

// moduleKey is all that makes compiled code different.
type moduleKey struct {
	sum    [sha256.Size]byte
	engine string
	pages  uint32
	fuel   int64
	depth  int32
}

// module is compiled code, shared by all plugins that have it.
type module struct {
	key     moduleKey
	users   int
	ready   chan struct{} // closed when it is compiled, or has failed
	code    engine.Module
	exports map[string]bool
	err     error
}

// take returns the compiled module of a key, which is compiled if nobody has it. Who
// takes it gives it back.
func (h *House) take(ctx context.Context, e engine.Engine, key moduleKey, metered *meter.Metered) (*module, error) {
	h.mu.Lock()
	m := h.modules[key]
	compile := m == nil
	if compile {
		m = &module{key: key, ready: make(chan struct{})}
		h.modules[key] = m
	}
	m.users++
	h.mu.Unlock()
	if compile {
		m.compile(context.WithoutCancel(ctx), e, metered) // others may wait for it
	}
	<-m.ready
	if m.err != nil {
		h.give(m)
		return nil, m.err
	}
	return m, nil
}

func (m *module) compile(ctx context.Context, e engine.Engine, metered *meter.Metered) {
	defer close(m.ready)
	code, err := e.Compile(ctx, metered.Wasm, slices.Concat(hostFunctions, wasiFunctions))
	if err != nil {
		m.err = fmt.Errorf("%s cannot compile it: %w", e.Name(), err)
		return
	}
	m.code = code
	m.exports = make(map[string]bool)
	for _, x := range metered.Module.Exports {
		if abi.ExportOf(x.Name) != nil {
			m.exports[x.Name] = true
		}
	}
	if metered.Module.HasStart {
		m.exports[startExport] = true
	}
}

// hold takes a module once more, which somebody has. False: nobody does any more.
func (h *House) hold(m *module) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	if m.users == 0 {
		return false
	}
	m.users++
	return true
}

// give gives a module back. What nobody has is closed.
func (h *House) give(m *module) {
	h.mu.Lock()
	m.users--
	last := m.users == 0
	if last && h.modules[m.key] == m {
		delete(h.modules, m.key)
	}
	h.mu.Unlock()
	if last && m.code != nil {
		if err := m.code.Close(); err != nil {
			h.log.Warn("a module could not be freed", "because", err)
		}
	}
}
