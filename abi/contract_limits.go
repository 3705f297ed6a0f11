package abi

// Defaults and maxima of a plugin's limits, in bytes, units of fuel, calls,
// instances or milliseconds.
const (
	DefaultMemory   = 16 << 20
	DefaultGoMemory = 64 << 20 // of a Go guest
	MaxMemory       = 1 << 30
	DefaultFuel     = 2_000_000
	DefaultGoFuel   = 16_000_000 // of a Go guest
	MaxFuel         = 32_000_000
	DefaultInitFuel = 16_000_000
	MaxInitFuel     = 64_000_000
	DefaultDepth    = 1_000
	MaxDepth        = 4_000
	MaxInstances    = 1024
	DefaultWaitMS   = 1
	MaxWaitMS       = 1000
	DefaultView     = 48 << 10
	DefaultBody     = 64 << 10
	MaxViewOrBody   = 1 << 20
	DefaultLogRate  = 100 // lines a second
	MaxKV           = 64 << 20
	AlarmMS         = 10    // wall time of a call above which it is counted
	ResultBytes     = 16384 // that a buffer has for results at least
)

// Unit is what a bound counts.
type Unit string

// The units.
const (
	Bytes Unit = "bytes"
	Count Unit = "count"
	MS    Unit = "ms"
)

// Bound is a limit that holds for a guest. A number that is 0 is not there.
type Bound struct {
	Name      string
	Key       string // of the plugin's configuration; empty: it is fixed
	Unit      Unit
	Default   int64
	GoDefault int64  // of a Go guest, if it is another
	Text      string // what the default is where it is no number
	Max       int64  // the most that the key may say
	Over      string // what happens beyond it
}

// Limits are the bounds of a running plugin.
var Limits = []Bound{
	{Name: "memory", Key: "limits.memory", Unit: Bytes, Default: DefaultMemory, GoDefault: DefaultGoMemory, Max: MaxMemory,
		Over: "at the start: load error; later `memory.grow` answers −1"},
	{Name: "fuel of a call", Key: "limits.fuel", Unit: Count, Default: DefaultFuel, GoDefault: DefaultGoFuel, Max: MaxFuel, Over: "`exhausted`"},
	{Name: "fuel of a step of the start, of `gw_tick` and of `gw_on_http_response`", Key: "limits.init_fuel", Unit: Count,
		Default: DefaultInitFuel, Max: MaxInitFuel, Over: "`exhausted`"},
	{Name: "depth of calls", Key: "limits.depth", Unit: Count, Default: DefaultDepth, Max: MaxDepth, Over: "`exhausted`"},
	{Name: "host calls in a call, WASI included", Unit: Count, Default: MaxHostCalls, Over: "`exhausted`"},
	{Name: "host calls in a call with init fuel", Unit: Count, Default: MaxInitCalls, Over: "`exhausted`"},
	{Name: "instances of an attachment", Key: "limits.instances", Unit: Count, Text: "twice the processors", Max: MaxInstances, Over: "the exchange waits"},
	{Name: "wait for an instance", Key: "limits.wait", Unit: MS, Default: DefaultWaitMS, Max: MaxWaitMS, Over: "`timeout-waiting-for-instance`"},
	{Name: "view", Key: "limits.view", Unit: Bytes, Default: DefaultView, Max: MaxViewOrBody, Over: "the call is not made: `on_error`"},
	{Name: "body", Key: "limits.body", Unit: Bytes, Default: DefaultBody, Max: MaxViewOrBody,
		Over: "`body`: the call is not made: `on_error`; `body-prefix`: it is cut"},
	{Name: "log lines a second, of a plugin", Key: "limits.log_rate", Unit: Count, Default: DefaultLogRate, Over: "dropped and counted"},
	{Name: "key-value store", Key: "kv", Unit: Bytes, Text: "none", Max: MaxKV, Over: "−6"},
	{Name: "wall time of a call", Unit: MS, Default: AlarmMS, Over: "it is counted, nothing else"},
}

// ModuleLimits bound what a module may be made of; beyond them it is not loaded.
var ModuleLimits = []Bound{
	{Name: "bytes of the file", Unit: Bytes, Max: 16 << 20},
	{Name: "functions", Unit: Count, Max: 50_000},
	{Name: "types", Unit: Count, Max: 10_000},
	{Name: "globals", Unit: Count, Max: 10_000},
	{Name: "body of one function", Unit: Bytes, Max: 1 << 20},
	{Name: "locals of one function, parameters included", Unit: Count, Max: 2_000},
	{Name: "blocks of one function, as in Fuel", Unit: Count, Max: 8_000},
	{Name: "nesting of one function", Unit: Count, Max: 1_000},
	{Name: "targets of `br_table` in one function", Unit: Count, Max: 16_384},
	{Name: "loads and stores of one function", Unit: Count, Max: 65_536},
	{Name: "tables", Unit: Count, Max: 16},
	{Name: "initial sizes of all tables together", Unit: Count, Max: 65_536},
}
