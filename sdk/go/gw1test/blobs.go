package gw1test

import (
	"math"

	gw1 "weirkeep/sdk/go"
)

// Cluster is a cluster table as a test describes it.
type Cluster struct {
	Name, Cell string
	Generation uint32
	Members    []Member
}

// Member is an origin of a cluster table.
type Member struct {
	Name, Address, Host, Zone, Cell, Edition, Cluster string

	Labels                       []Label // sorted by key
	Weight, HostWeight, Capacity uint32
	OnThisHost                   bool
}

// Label is a label of an origin.
type Label struct{ Key, Value string }

// Members returns a cluster table with origins of these names and nothing else
// of interest.
func Members(names ...string) Cluster {
	c := Cluster{Name: "shop", Cell: "main", Generation: 1}
	for _, n := range names {
		c.Members = append(c.Members, Member{
			Name: n, Address: "http://" + n + ":8080", Host: n, Cell: "main", Cluster: "shop",
			Weight: 1, HostWeight: 1, Capacity: 100,
		})
	}
	return c
}

// Bytes returns the table as the gateway writes it.
func (c Cluster) Bytes() []byte {
	const head, entry, labelsAt, labelEntry = 48, 80, 56, 16
	w := newWriter(head + entry*len(c.Members))
	labels := make([]int, len(c.Members))
	for i, m := range c.Members {
		labels[i] = w.table(head+entry*i+labelsAt, len(m.Labels), labelEntry)
	}
	w.ref(24, c.Name, false)
	w.ref(32, c.Cell, false)
	for i, m := range c.Members {
		at := head + entry*i
		for j, s := range []string{m.Name, m.Address, m.Host, m.Zone, m.Cell, m.Edition, m.Cluster} {
			w.ref(at+8*j, s, false)
		}
		for j, l := range m.Labels {
			w.ref(labels[i]+labelEntry*j, l.Key, true)
			w.ref(labels[i]+labelEntry*j+8, l.Value, true)
		}
		w.u32(at+64, int(m.Weight))
		w.u32(at+68, int(m.HostWeight))
		w.u32(at+72, int(m.Capacity))
		if m.OnThisHost {
			w.u32(at+76, gw1.FlagOnThisHost)
		}
	}
	w.u32(0, len(w.b))
	w.u32(8, int(c.Generation))
	w.u32(12, len(c.Members))
	w.u32(16, head)
	w.u32(20, entry)
	return w.b
}

// Sample is a collector's sample as a test describes it.
type Sample struct {
	First                        bool
	Now                          int64 // Unix time in ns; 0 is 2026-11-30
	Position                     int
	WindowMS                     int
	Answers, Failed, Timeouts    uint64
	FailedConnects               uint64
	P50, P95, P99                int64 // ns
	InFlight, Waiting            int
	Name, Address                string
	Sources                      []Source
	Generation, Metric, Capacity uint32
	Health, State                uint8
}

// Source is a value that an origin tells.
type Source struct {
	Name  string // such as header:x-busy-time
	Value float64
}

// Bytes returns the sample as the gateway writes it.
func (s Sample) Bytes() []byte {
	w := newWriter(128)
	sources := w.table(104, len(s.Sources), 16)
	w.ref(88, s.Name, false)
	w.ref(96, s.Address, false)
	for i, f := range s.Sources {
		w.ref(sources+16*i, f.Name, true)
		w.u64(sources+16*i+8, math.Float64bits(f.Value))
	}
	w.u32(0, len(w.b))
	if s.First {
		w.u16(6, gw1.FlagFirstSample)
	}
	for i, v := range []uint64{s.Answers, s.Failed, s.Timeouts, uint64(s.P50), uint64(s.P95), uint64(s.P99)} {
		w.u64(24+8*i, v)
	}
	w.u64(8, uint64(now(s.Now)))
	w.u32(16, s.Position)
	w.u32(20, s.WindowMS)
	w.u32(72, s.InFlight)
	w.u32(76, s.Waiting)
	w.u64(80, s.FailedConnects)
	w.u32(112, int(s.Generation))
	w.u32(116, int(s.Metric))
	w.u32(120, int(s.Capacity))
	w.b[124], w.b[125] = s.Health, s.State
	return w.b
}

// Tick is a tick as a test describes it.
type Tick struct {
	Now      int64 // Unix time in ns; 0 is 2026-11-30
	Number   uint64
	PeriodMS int
}

// Bytes returns the tick as the gateway writes it.
func (t Tick) Bytes() []byte {
	w := newWriter(32)
	w.u32(0, len(w.b))
	w.u64(8, uint64(now(t.Now)))
	w.u64(16, t.Number)
	w.u32(24, t.PeriodMS)
	return w.b
}

// HTTPResponse is the answer to a call of the plugin's own.
type HTTPResponse struct {
	Token   int32
	Error   int32 // 0, gw1.Timeout or gw1.Unreachable
	Now     int64 // Unix time in ns; 0 is 2026-11-30
	Status  int
	Headers []Header
	Body    string
}

// Bytes returns the answer as the gateway writes it.
func (r HTTPResponse) Bytes() []byte {
	w := newWriter(48)
	w.wait(w.table(32, len(r.Headers), 8))
	w.fields(r.Headers)
	w.ref(40, r.Body, false)
	w.u32(0, len(w.b))
	if r.Body != "" {
		w.u16(6, gw1.FlagBody|gw1.FlagWhole)
	}
	w.u64(8, uint64(now(r.Now)))
	w.u32(16, int(r.Token))
	w.u32(20, int(r.Error))
	w.u16(24, r.Status)
	return w.b
}
