package abi

import "slices"

// HostFunction is a function that a guest may import.
type HostFunction struct {
	Name   string
	Args   []Argument
	Result ValueType // empty: none
	Kinds  []Kind    // who may import it; empty: all
	Grant  string    // the key of the plugin that grants it; empty: none needed
	Does   string
}

// AllowedFor reports whether a plugin of that kind may import the function.
func (f *HostFunction) AllowedFor(k Kind) bool {
	return len(f.Kinds) == 0 || slices.Contains(f.Kinds, k)
}

// notMatcher are the kinds whose answers need not be a function of what they see.
var notMatcher = []Kind{Router, Collector, Filter}

// HostFunctions are all that the module "gw1" has.
var HostFunctions = []HostFunction{
	{Name: "log", Args: args(I32, "level", "ptr", "len"),
		Does: "Writes a line to the log: level 1 debug, 2 info, 3 warn, 4 error. It is cut at 1024 bytes; control characters are escaped. Above `limits.log_rate` lines are dropped and counted."},
	{Name: "get_property", Args: args(I32, "name", "len", "buf", "cap"), Result: I32,
		Does: "Reads a property. Returns its length; it is written only if it fits `cap`. −3: it has no value here; −5: not granted."},
	{Name: "now_ns", Result: I64,
		Does: "Unix time in ns. A matcher gets `now` of its view."},
	{Name: "random", Args: args(I32, "ptr", "len"), Result: I32,
		Does: "Fills at most 4096 bytes. Returns 0. What a matcher gets is the same for the same request and rule."},
	{Name: "metric_define", Args: args(I32, "kind", "name", "len"), Result: I32,
		Does: "Declares a metric: kind 1 counter, 2 gauge; name `[a-z][a-z0-9_]{0,47}`; at most 32 a plugin. Returns its id, 0 or more; the same name gets the same id."},
	{Name: "counter_add", Args: []Argument{{"id", I32}, {"n", I64}}, Result: I32,
		Does: "Adds n, which is 0 or more, to a counter: `weirkeep_plugins_guest_NAME_total{plugin}`."},
	{Name: "gauge_set", Args: []Argument{{"id", I32}, {"v", F64}}, Result: I32,
		Does: "Sets a gauge to a finite number: `weirkeep_plugins_guest_NAME{plugin}`."},
	{Name: "kv_get", Args: args(I32, "key", "klen", "buf", "cap", "ver"), Result: I32, Kinds: notMatcher, Grant: "kv",
		Does: "Reads a value. Returns its length; it is written only if it fits `cap`. Its version is written as a u64 at `ver`, unless `ver` is 0. −3: there is none."},
	{Name: "kv_set", Args: append(args(I32, "key", "klen", "val", "vlen"), args(I64, "ttl_ms", "ver")...), Result: I32, Kinds: notMatcher, Grant: "kv",
		Does: "Writes a value, for `ttl_ms` or, with 0, for ever. `ver` 0: always; −1: only if there is none; else only if the version is that one, otherwise −9. A full store answers −6: nothing is thrown out."},
	{Name: "kv_delete", Args: args(I32, "key", "klen"), Result: I32, Kinds: notMatcher, Grant: "kv",
		Does: "Takes a value away. Returns 0, or −3 if there was none."},
	{Name: "http_call", Args: args(I32, "ptr", "len", "timeout_ms"), Result: I32, Kinds: notMatcher, Grant: "http",
		Does: "Starts a call that operations describe: 11 URL, and perhaps 10 method, 2 add header, 7 set body. Returns a token, 1 or more. Only in `gw_tick` and `gw_collect`; else −5."},
}

// WASIModule is the module that WASI functions are imported from.
const WASIModule = "wasi_snapshot_preview1"

// WASIFunctions are all WASI functions there are; each returns an errno.
var WASIFunctions = []HostFunction{
	{Name: "args_sizes_get", Args: args(I32, "count", "size"), Result: I32, Does: "Writes 0 and 0; returns 0."},
	{Name: "args_get", Args: args(I32, "argv", "buf"), Result: I32, Does: "Returns 0."},
	{Name: "environ_sizes_get", Args: args(I32, "count", "size"), Result: I32, Does: "Writes 0 and 0; returns 0."},
	{Name: "environ_get", Args: args(I32, "environ", "buf"), Result: I32, Does: "Returns 0."},
	{Name: "clock_time_get", Args: []Argument{{"id", I32}, {"precision", I64}, {"time", I32}}, Result: I32,
		Does: "Clock 0: Unix time; a matcher gets `now` of its view, and the real time while it starts. Clock 1: real monotonic time, for matchers too. Others: 28."},
	{Name: "random_get", Args: args(I32, "buf", "len"), Result: I32,
		Does: "As `random`, of any length that lies in memory. While a matcher starts, the seed is FNV-1a-64 of the plugin's name."},
	{Name: "fd_write", Args: args(I32, "fd", "iovs", "count", "written"), Result: I32,
		Does: "1 goes to the log as info, 2 as warn, by lines; the last 4 KiB of 2 go into the record of a fault. At most 64 pieces, else 28; other descriptors: 8."},
	{Name: "fd_fdstat_get", Args: args(I32, "fd", "stat"), Result: I32,
		Does: "0 to 2: type 2, flags 0, rights 64 for 1 and 2, else 0. Others: 8."},
	{Name: "fd_fdstat_set_flags", Args: args(I32, "fd", "flags"), Result: I32, Does: "0 to 2: returns 0. Others: 8."},
	{Name: "fd_close", Args: args(I32, "fd"), Result: I32, Does: "0 to 2: returns 0. Others: 8."},
	{Name: "fd_seek", Args: []Argument{{"fd", I32}, {"offset", I64}, {"whence", I32}, {"position", I32}}, Result: I32, Does: "0 to 2: 70. Others: 8."},
	{Name: "fd_prestat_get", Args: args(I32, "fd", "prestat"), Result: I32, Does: "8."},
	{Name: "fd_prestat_dir_name", Args: args(I32, "fd", "path", "len"), Result: I32, Does: "8."},
	{Name: "poll_oneoff", Args: args(I32, "in", "out", "count", "events"), Result: I32,
		Does: "Never sleeps: clock subscriptions are due at once, others get error 58. No subscription: 28."},
	{Name: "sched_yield", Result: I32, Does: "Returns 0."},
	{Name: "proc_exit", Args: args(I32, "code"), Does: "Ends the call as fault `exit`, whatever the code."},
}

// WASI errors.
const (
	ErrnoDone        = 0
	ErrnoBadFile     = 8  // no such descriptor
	ErrnoInvalid     = 28 // an argument makes no sense
	ErrnoUnsupported = 58
	ErrnoNoSeek      = 70
)

// Log levels.
const (
	LogDebug = 1
	LogInfo  = 2
	LogWarn  = 3
	LogError = 4
)

// Kinds of metrics.
const (
	MetricCounter = 1
	MetricGauge   = 2
)

// Versions that kv_set takes beside those that kv_get gives.
const (
	KVAlways = 0
	KVAbsent = -1 // only if there is no value yet
)

// Bounds of host functions.
const (
	MaxRandom      = 4096  // bytes of one random
	MaxMetrics     = 32    // of a plugin
	MaxMetricName  = 48    // bytes
	MaxKVKey       = 256   // bytes
	MaxKVValue     = 65536 // bytes
	MaxHTTPCalls   = 4     // in flight, of an attachment
	MaxHTTPTimeout = 30000 // ms
	MaxPieces      = 64    // of one fd_write
	MaxStderr      = 4096  // bytes of descriptor 2 that a fault keeps
	MaxHostCalls   = 1000  // in a call, WASI included
	MaxInitCalls   = 10000 // in a call with init fuel
)

// Property is what get_property may be asked for.
type Property struct {
	Name  string
	Needs string // the token that grants it; empty: none needed
	Where string // the calls in which it has a value
	Text  string
}

// Properties are all properties.
var Properties = []Property{
	{"node.name", "", everyCall, "this node's name"},
	{"node.host", "", everyCall, "the host it runs on"},
	{"node.cell", "", everyCall, "its cell"},
	{"node.zone", "", everyCall, "its zone"},
	{"plugin.name", "", everyCall, "the plugin's name in the configuration"},
	{"attachment.cluster", "site", everyCall, "the cluster that a router or collector is attached to"},
	{"request.id", "", exchangeCalls, "the request id, 16 hex digits"},
	{"tls.version", "", exchangeCalls, "of the client's connection"},
	{"tls.sni", "", exchangeCalls, "the name the client asked for"},
	{"rule", "", exchangeCalls, "the rule that decided"},
	{"client.port", "client", exchangeCalls, "the client's port"},
	{"client.cert.subject", "client", exchangeCalls, "of the client's certificate"},
	{"client.cert.fingerprint", "client", exchangeCalls, "of the client's certificate"},
	{"session.primary", "session", exchangeCalls, "the origin that the session is bound to"},
	{"session.secondary", "session", exchangeCalls, "the replica"},
}

// Where properties have a value.
const (
	everyCall     = "all calls"
	exchangeCalls = "calls with the view of an exchange"
)
