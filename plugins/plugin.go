package plugins

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"weirkeep/plugins/meter"
)

// Plugin is a module that was found good, with its configuration. It is safe for use
// by many goroutines.
type Plugin struct {
	house      *House
	config     Config
	limits     Limits
	needs      Needs
	module     *module
	store      *store
	counters   *Counters
	lines      lineRate
	sum        string
	goGuest    bool
	size       [2]int // of the module: as it came, and metered
	generation int64  // how many of its name were loaded before, and it
	closed     sync.Once
}

// Load makes a plugin: it checks the module and the configuration, meters and compiles
// the module, makes an instance, tries it and drops it. The error is [Problems] where
// module or configuration are wrong.
func (h *House) Load(ctx context.Context, c Config) (*Plugin, error) {
	metered, problems := check(c)
	e := h.engine(c.Engine)
	if e == nil {
		problems = append(problems, Problem{What: "engine: there is no " + c.Engine + " in this build", Cure: "it has " + strings.Join(h.Engines(), ", ")})
	}
	if len(problems) > 0 {
		return nil, problems
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	sum := sha256.Sum256(c.Wasm)
	p := &Plugin{house: h, config: c, limits: c.Limits.orDefaults(metered.Module.GoGuest), goGuest: metered.Module.GoGuest, sum: hex.EncodeToString(sum[:])}
	p.needs, _ = ParseNeeds(c.Kind, c.needs())
	p.size = [2]int{len(c.Wasm), len(metered.Wasm)}
	p.store = h.storeOf(c.Name)
	if p.counters = c.Counters; p.counters == nil {
		p.counters = new(Counters)
	}
	key := moduleKey{sum, e.Name(), p.limits.pages(), p.limits.InitFuel, p.limits.Depth}
	m, err := h.take(ctx, e, key, metered)
	if err != nil {
		h.leave(c.Name)
		return nil, Problems{{What: err.Error(), Cure: "the engine's own checks found it: build the module anew, with another version of the tool chain"}}
	}
	p.module = m
	before := p.store.kv.setSize(c.KV)
	if err := p.selfTest(); err != nil {
		p.store.kv.setSize(before)
		p.Close()
		return nil, Problems{{What: err.Error()}}
	}
	p.generation = p.store.loads.Add(1)
	p.counters.Generation.Set(p.generation)
	return p, nil
}

// Close gives up the plugin. Its attachments are to be closed before; the code is
// freed when the last of their instances has come back. What belongs to its name is
// forgotten, unless another plugin of that name is there.
func (p *Plugin) Close() {
	p.closed.Do(func() {
		p.house.give(p.module)
		p.house.leave(p.config.Name)
	})
}

// Info is what a plugin is, for people.
type Info struct {
	Name, Engine, SHA256 string
	Kind                 Kind
	GoGuest              bool
	Bytes, MeteredBytes  int
	Generation           int64    // how often a plugin of the name was loaded, this one included
	Exports              []string // that the contract knows, sorted
}

// Info tells what the plugin is.
func (p *Plugin) Info() Info {
	return Info{Name: p.config.Name, Kind: p.config.Kind, Engine: p.module.key.engine, SHA256: p.sum, GoGuest: p.goGuest, Bytes: p.size[0], MeteredBytes: p.size[1], Generation: p.generation, Exports: slices.Sorted(maps.Keys(p.module.exports))}
}

// Needs are what the plugin is shown.
func (p *Plugin) Needs() *Needs { return &p.needs }

// BodyLimit is how many bytes of a body the plugin is shown, and may set; 0: it is
// shown none.
func (p *Plugin) BodyLimit() int { return p.needs.body(p.limits) }

// OnError is what happens when it gives no result; empty: whoever attaches it says so.
func (p *Plugin) OnError() string {
	if p.config.OnError == "" && !p.config.Kind.MustSay() {
		return Policies[p.config.Kind][0]
	}
	return p.config.OnError
}

// Sum is the SHA-256 of a module.
func Sum(wasm []byte) [sha256.Size]byte { return sha256.Sum256(wasm) }

// Counters are what the plugin has done.
func (p *Plugin) Counters() *Counters { return p.counters }

// Faults are its last faults, the newest first, at most 20.
func (p *Plugin) Faults() []Fault { return p.store.faults.last() }

// GuestMetrics are the metrics that its guests have defined.
func (p *Plugin) GuestMetrics() []*GuestMetric { return p.store.metrics.list() }

// has reports whether the module exports a function.
func (p *Plugin) has(export string) bool { return p.module.exports[export] }

// Problem is one reason why a plugin cannot be loaded.
type Problem = meter.Problem

// Problems is everything that is wrong.
type Problems = meter.Problems

// lineRate counts lines by the second.
type lineRate struct {
	mu     sync.Mutex
	second int64
	lines  int
}

// allow reports whether one more line may be written.
func (r *lineRate) allow(now time.Time, rate int) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if s := now.Unix(); s != r.second {
		r.second, r.lines = s, 0
	}
	r.lines++
	return r.lines <= rate
}

// Place is where a plugin is attached.
type Place struct {
	Cluster string // cell/cluster, of routers and collectors
	Site    string // of filters
}

// String is what people read.
func (p Place) String() string {
	switch {
	case p.Cluster != "":
		return "cluster " + p.Cluster
	case p.Site != "":
		return "site " + p.Site
	}
	return "rules"
}

func step(name string, err error) error { return fmt.Errorf("%s: %w", name, err) }
