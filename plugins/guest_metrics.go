package plugins

import (
	"math"
	"sync"
	"sync/atomic"

	"weirkeep/abi"
)

// guestMetrics are the metrics that the guests of a plugin define.
type guestMetrics struct {
	mu  sync.Mutex
	all [abi.MaxMetrics]GuestMetric
	n   atomic.Int32
}

// GuestMetric is one of them.
type GuestMetric struct {
	Name    string
	Counter bool // else a gauge
	value   atomic.Uint64
}

// Value is what it says now.
func (m *GuestMetric) Value() float64 {
	if m.Counter {
		return float64(m.value.Load())
	}
	return math.Float64frombits(m.value.Load())
}

// define returns the id of a metric: the one that the name has, or a new one.
func (g *guestMetrics) define(counter bool, name string) int32 {
	g.mu.Lock()
	defer g.mu.Unlock()
	n := g.n.Load()
	for i := range g.all[:n] {
		if g.all[i].Name == name && g.all[i].Counter == counter {
			return int32(i)
		} else if g.all[i].Name == name {
			return int32(abi.BadArgument)
		}
	}
	if n == abi.MaxMetrics {
		return int32(abi.Limit)
	}
	g.all[n].Name, g.all[n].Counter = name, counter
	g.n.Store(n + 1)
	return n
}

// find is the metric of an id, nil if there is none of the kind.
func (g *guestMetrics) find(id int32, counter bool) *GuestMetric {
	if id < 0 || id >= g.n.Load() || g.all[id].Counter != counter {
		return nil
	}
	return &g.all[id]
}

func (g *guestMetrics) add(id int32, n int64) abi.Code {
	m := g.find(id, true)
	if m == nil || n < 0 {
		return abi.BadArgument
	}
	m.value.Add(uint64(n))
	return 0
}

func (g *guestMetrics) set(id int32, v float64) abi.Code {
	m := g.find(id, false)
	if m == nil || math.IsNaN(v) || math.IsInf(v, 0) {
		return abi.BadArgument
	}
	m.value.Store(math.Float64bits(v))
	return 0
}

// list are the metrics that are defined.
func (g *guestMetrics) list() (all []*GuestMetric) {
	for i := range g.all[:g.n.Load()] {
		all = append(all, &g.all[i])
	}
	return all
}
