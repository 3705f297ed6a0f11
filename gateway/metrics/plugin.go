package metrics

// Plugin counts what one plugin has done, wherever it is attached.
type Plugin struct {
	Calls      Counter
	Fuel       Counter                      // used by calls
	Duration   Histogram                    // of calls
	Slow       Counter                      // calls that took over 10 ms
	Negative   Counter                      // answers that were error codes
	Codes      [len(PluginErrors)]Counter   // the same by code, as PluginErrors has them
	Faults     [len(PluginFaults)]Counter   // by kind, as PluginFaults has them
	NotCalled  [len(PluginUncalled)]Counter // as PluginUncalled has them
	Unlisted   [len(PluginUnlisted)]Counter // as PluginUnlisted has them
	Clamped    Counter                      // metrics of a collector above 100
	Waits      Counter                      // calls that waited for an instance
	Built      Counter                      // instances
	Retired    Counter                      // instances that were replaced for their memory
	LogDropped Counter                      // lines

	Generation Gauge // times that it was loaded since it was first named
}

// The label values of a plugin's counters, in order. They are those of the contract.
var (
	PluginErrors   = [...]string{"failed", "buffer-small", "not-found", "bad-argument", "denied", "limit", "unsupported", "busy", "conflict", "timeout", "unreachable"}
	PluginFaults   = [...]string{"timeout-waiting-for-instance", "init", "host-error", "exhausted", "memory", "exit", "trap", "invalid-result"}
	PluginUncalled = [...]string{"view-too-large", "body-too-large", "breaker-open"}
	PluginUnlisted = [...]string{"invalid_origin", "not_permitted"} // why an origin that a router listed does not count
)

// PlaceLabels name a place where a plugin is attached: the cluster or site, or the
// rules.
type PlaceLabels struct{ Plugin, Place string }

// Place is how a plugin is at one place.
type Place struct {
	Instances Gauge
	Idle      Gauge                     // of these, those that nobody has in use
	Most      Gauge                     // instances that there may be
	Memory    Gauge                     // bytes of all instances
	Table     Gauge                     // generation of the cluster table; 0: it has none
	Breaker   [len(BreakerStates)]Gauge // 1 for the state that it is in, as BreakerStates has them
}

// BreakerStates are the label values of Breaker.
var BreakerStates = [...]string{"closed", "open", "half-open"}

// GuestMetric is a metric that the guests of a plugin have defined.
type GuestMetric struct {
	Plugin, Name string
	Counter      bool // else a gauge
	Value        float64
}
