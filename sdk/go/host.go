package gw1

import (
	"math"
	"time"
)

// Importing a host function is asking for it, and the gateway refuses a plugin
// that asks for what it was not granted. A function of this file that nothing
// calls leaves no import behind.

// Log writes a line to the gateway's log; LogInfo and so on. It is cut at
// MaxMessage bytes, and dropped when the plugin logs too much.
func Log(level int, line string) { hostLog(int32(level), line) }

// AppendProperty appends a property, such as "node.name", to dst. Without a
// value here the code is NotFound, without the grant Denied, else OK.
func AppendProperty(dst []byte, name string) (value []byte, code int32) {
	for {
		room := dst[len(dst):cap(dst)]
		n := hostGetProperty(name, room)
		if n < 0 {
			return dst, n
		}
		if int(n) <= len(room) {
			return dst[:len(dst)+int(n)], OK
		}
		dst = grow(dst, int(n))
	}
}

// grow returns b with room for n more bytes.
func grow(b []byte, n int) []byte {
	more := make([]byte, len(b), len(b)+n)
	copy(more, b)
	return more
}

// Now returns the time; in a matcher that of the view.
func Now() time.Time { return time.Unix(0, hostNow()) }

// Random fills p, of at most 4096 bytes, with random bytes; in a matcher they
// follow from the request and the rule.
func Random(p []byte) (code int32) { return hostRandom(p) }

// Counter is a counter among the gateway's metrics.
type Counter int32

// NewCounter makes a counter weirkeep_plugins_guest_NAME_total, or finds it: a
// name, [a-z][a-z0-9_]*, is one counter. A negative counter is an error code;
// adding to it does nothing but return one.
func NewCounter(name string) Counter { return Counter(hostMetricDefine(MetricCounter, name)) }

// Add adds n, which is 0 or more.
func (c Counter) Add(n int64) (code int32) { return hostCounterAdd(int32(c), n) }

// Gauge is a gauge among the gateway's metrics.
type Gauge int32

// NewGauge makes a gauge weirkeep_plugins_guest_NAME, or finds it. A negative
// gauge is an error code.
func NewGauge(name string) Gauge { return Gauge(hostMetricDefine(MetricGauge, name)) }

// Set sets the gauge to a finite value.
func (g Gauge) Set(v float64) (code int32) { return hostGaugeSet(int32(g), v) }

// KVGet appends the value of a key to dst. The store is one per plugin name on
// this node; a plugin has it if its configuration says kv. Without such a key
// the code is NotFound. The version is for KVSet.
func KVGet(dst []byte, key string) (value []byte, version uint64, code int32) {
	for {
		room := dst[len(dst):cap(dst)]
		n, version := hostKVGet(key, room)
		if n < 0 {
			return dst, 0, n
		}
		if int(n) <= len(room) {
			return dst[:len(dst)+int(n)], version, OK
		}
		dst = grow(dst, int(n))
	}
}

// KVSet sets a key for a time, 0 for ever. The version is KVAlways, KVAbsent, or
// one that KVGet gave: then the key is only set if it has still that one, else
// the code is Conflict. A full store is Limit.
func KVSet(key string, value []byte, ttl time.Duration, version int64) (code int32) {
	return hostKVSet(key, value, ttl.Milliseconds(), version)
}

// KVDelete deletes a key; NotFound if there is none.
func KVDelete(key string) (code int32) { return hostKVDelete(key) }

// HTTPCall is a request of the plugin's own, in a tick or a sample.
type HTTPCall struct {
	Method  string // zero: GET
	URL     string // http://…, https://… or cluster://NAME/path, as granted
	Headers []Header
	Body    []byte
}

// Header is a header field of an HTTPCall.
type Header struct{ Name, Value string }

// Send sends the request. The answer comes in gw_on_http_response after this
// call has returned, with the token that is returned here: 1 or more, or an
// error code. The timeout is 1 ms to 30 s. This allocates.
func (c HTTPCall) Send(timeout time.Duration) (token int32) {
	o := Ops{area: make([]byte, c.size())}
	if c.Method != "" {
		o.put(OpMethod, "", []byte(c.Method))
	}
	o.put(OpURL, "", []byte(c.URL))
	for _, h := range c.Headers {
		o.put(OpAddHeader, h.Name, []byte(h.Value))
	}
	if c.Body != nil {
		o.put(OpSetBody, "", c.Body)
	}
	if o.failed != OK {
		return o.failed
	}
	return hostHTTPCall(o.area[:o.n], int32(min(timeout.Milliseconds(), math.MaxInt32)))
}

// size returns how many bytes the request's operations take at most.
func (c *HTTPCall) size() int {
	const most = OpHead + 3
	n := 3*most + len(c.Method) + len(c.URL) + len(c.Body)
	for _, h := range c.Headers {
		n += most + len(h.Name) + len(h.Value)
	}
	return n
}
