package gw1test

import (
	"slices"

	gw1 "weirkeep/sdk/go"
)

// Host stands in for the gateway's functions. A test sets what the plugin may
// find, and reads what the plugin left.
type Host struct {
	Properties map[string]string
	Now        int64  // Unix time in ns
	Seed       uint64 // of Random

	// KV is the plugin's store, whose quota is not enforced. Nil is a plugin
	// without one.
	KV map[string]string

	Lines    []string           // that were logged: "info: text"
	Counters map[string]int64   // by name
	Gauges   map[string]float64 // by name
	Calls    []HTTPCall         // the call with token n is at n−1

	versions map[string]uint64
	version  uint64
	metrics  []metric // by id
}

// HTTPCall is a call that the plugin made.
type HTTPCall struct {
	Ops       []Op
	TimeoutMS int
}

// String returns the call as a test reads it: "url http://a/; add Accept: */*".
func (c HTTPCall) String() string { return joinOps(c.Ops) }

type metric struct {
	kind int32
	name string
}

// NewHost returns a host with an empty store and no properties.
func NewHost() *Host {
	return &Host{
		Properties: map[string]string{}, Now: now(0), KV: map[string]string{},
		Counters: map[string]int64{}, Gauges: map[string]float64{}, versions: map[string]uint64{},
	}
}

var levels = [...]string{"", "debug", "info", "warn", "error"}

// Log is the host function log.
func (h *Host) Log(level int32, line []byte) {
	h.Lines = append(h.Lines, levels[min(max(level, 1), 4)]+": "+string(line[:min(len(line), gw1.MaxMessage)]))
}

// GetProperty is the host function get_property.
func (h *Host) GetProperty(name, buf []byte) int32 {
	value, found := h.Properties[string(name)]
	if !found {
		return gw1.NotFound
	}
	return fill(buf, value)
}

// fill writes a value if it fits and returns its length.
func fill(buf []byte, value string) int32 {
	if len(value) <= len(buf) {
		copy(buf, value)
	}
	return int32(len(value))
}

// NowNS is the host function now_ns.
func (h *Host) NowNS() int64 { return h.Now }

// Random is the host function random: numbers that follow from Seed.
func (h *Host) Random(p []byte) int32 {
	if len(p) > 4096 {
		return gw1.BadArgument
	}
	for i := range p {
		h.Seed = h.Seed*6364136223846793005 + 1442695040888963407
		p[i] = byte(h.Seed >> 56)
	}
	return gw1.OK
}

// MetricDefine is the host function metric_define.
func (h *Host) MetricDefine(kind int32, name []byte) int32 {
	m := metric{kind, string(name)}
	if kind != 1 && kind != 2 || !metricName(m.name) {
		return gw1.BadArgument
	}
	if id := slices.Index(h.metrics, m); id >= 0 {
		return int32(id)
	}
	if len(h.metrics) == 32 {
		return gw1.Limit
	}
	h.metrics = append(h.metrics, m)
	return int32(len(h.metrics) - 1)
}

func metricName(s string) bool {
	for i := range len(s) {
		c := s[i]
		if c-'a' > 25 && (i == 0 || c-'0' > 9 && c != '_') {
			return false
		}
	}
	return len(s) > 0 && len(s) <= 48
}

// metric returns the name of a metric of a kind.
func (h *Host) metric(kind, id int32) (name string, ok bool) {
	if id < 0 || int(id) >= len(h.metrics) || h.metrics[id].kind != kind {
		return "", false
	}
	return h.metrics[id].name, true
}

// CounterAdd is the host function counter_add.
func (h *Host) CounterAdd(id int32, n int64) int32 {
	name, ok := h.metric(1, id)
	if !ok || n < 0 {
		return gw1.BadArgument
	}
	h.Counters[name] += n
	return gw1.OK
}

// GaugeSet is the host function gauge_set.
func (h *Host) GaugeSet(id int32, v float64) int32 {
	name, ok := h.metric(2, id)
	if !ok || v-v != 0 {
		return gw1.BadArgument
	}
	h.Gauges[name] = v
	return gw1.OK
}

// KVGet is the host function kv_get.
func (h *Host) KVGet(key, buf []byte) (n int32, version uint64) {
	value, found := h.KV[string(key)]
	if !found {
		return gw1.NotFound, 0
	}
	return fill(buf, value), h.versions[string(key)]
}

// KVSet is the host function kv_set. Nothing expires.
func (h *Host) KVSet(key, value []byte, _, version int64) int32 {
	_, found := h.KV[string(key)]
	switch {
	case len(key) == 0 || len(key) > 256 || len(value) > 65536:
		return gw1.BadArgument
	case h.KV == nil:
		return gw1.Denied
	case version < 0 && found, version > 0 && (!found || h.versions[string(key)] != uint64(version)):
		return gw1.Conflict
	}
	h.version++
	h.KV[string(key)] = string(value)
	h.versions[string(key)] = h.version
	return gw1.OK
}

// KVDelete is the host function kv_delete.
func (h *Host) KVDelete(key []byte) int32 {
	if _, found := h.KV[string(key)]; !found {
		return gw1.NotFound
	}
	delete(h.KV, string(key))
	return gw1.OK
}

// HTTPCall is the host function http_call. Nothing is sent: the test gives the
// answer with Guest.HTTPResponse.
func (h *Host) HTTPCall(ops []byte, timeoutMS int32) int32 {
	read, err := readOps(ops)
	if err != nil || timeoutMS < 1 || timeoutMS > 30000 {
		return gw1.BadArgument
	}
	h.Calls = append(h.Calls, HTTPCall{Ops: read, TimeoutMS: int(timeoutMS)})
	return int32(len(h.Calls))
}
