// Package plugins runs guests: wasm modules that take part in what the gateway
// decides, and cannot hurt it.
//
// A [House] has the engines and what outlives configurations. [House.Load] makes a
// [Plugin] of a module: everything wrong with it is told at once; it is metered,
// compiled, tried, and only then there. [Plugin.Attach] makes an [Attachment],
// which is the plugin where it is used, with a bounded pool of instances of its
// own. An attachment is called with a view; it answers, or says with a [*Failure]
// why it does not, and what then happens is decided by its caller.
//
// An instance that faults is closed and replaced in the background; when half of an
// attachment's calls fault, its breaker opens, and it is not called for a while.
// Whatever a guest does ends after its fuel, within its memory, and in its own
// instance. It sees what it was granted: no files, no network, no environment.
//
// The contract with guests is package abi. This package knows nothing of exchanges,
// origins or configuration files: it is given views and gives results.
package plugins

import "time"

// Kind is what a plugin may do.
type Kind string

// The kinds.
const (
	Router    Kind = "router"
	Collector Kind = "collector"
	Matcher   Kind = "matcher"
	Filter    Kind = "filter"
)

// Config is a plugin as it is configured.
type Config struct {
	Name   string
	Kind   Kind
	Wasm   []byte // the module
	SHA256 string // of the module, in hexadecimal digits; empty: whatever it is
	Engine string // wazero or wasmtime; auto or empty: the first that there is

	// Params is what the guest is configured with, as canonical JSON. Nil: nothing.
	Params []byte

	// Needs are tokens of what it is shown; nil: DefaultNeeds.
	Needs []string

	// OnError says what happens when it gives no result: see [Policies]. Empty: the
	// kind's default, where it has one; else whoever attaches it says so.
	OnError string

	Limits Limits

	// Tick is the period of gw_tick. Zero: it is not called.
	Tick time.Duration

	// KV is the size of the key-value store in bytes. Zero: none.
	KV int64

	// HTTP are what http_call may reach. None: nothing.
	HTTP []string

	// Node is what guests are told of this node.
	Node Node

	// Counters are what it counts in. Nil: its own.
	Counters *Counters
}

// Limits bound a guest. Zero values are the defaults.
type Limits struct {
	// Memory is its linear memory in bytes.
	// Zero means 16 MiB, 64 MiB for a Go guest.
	Memory int64

	// Fuel is for a call, InitFuel for each step of its making.
	// Zero means 2,000,000 and 16,000,000; both 16,000,000 for a Go guest.
	Fuel, InitFuel int64

	// Depth is how deeply calls may be nested. Zero means 1,000.
	Depth int32

	// Instances are those of one attachment. Zero means 2 x GOMAXPROCS.
	Instances int

	// Wait is how long a call waits for an instance. Zero means 1 ms.
	Wait time.Duration

	// View and Body are the most bytes that are shown.
	// Zero means 48 KiB and 64 KiB.
	View, Body int

	// LogRate is how many lines a second the plugin may log. Zero means 100.
	LogRate int
}
