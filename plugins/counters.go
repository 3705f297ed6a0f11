package plugins

import (
	"slices"

	"weirkeep/abi"
	"weirkeep/gateway/metrics"
)

// Counters are what a plugin has done.
type Counters = metrics.Plugin

// NotCalledReasons are why plugins are not called, in order.
var NotCalledReasons = []NotCalled{ViewTooLarge, BodyTooLarge, BreakerOpen}

// Why an origin that a router listed does not count, by its place in
// [metrics.PluginUnlisted].
const (
	notThere   = iota // no origin has the position or the name
	notInGroup        // its request may not go there
)

// countFault counts a fault.
func (p *Plugin) countFault(kind FaultKind) {
	p.counters.Faults[slices.Index(FaultKinds, kind)].Inc()
}

// countNegative counts an answer that is an error code, and returns it.
func (p *Plugin) countNegative(n int32) abi.Code {
	p.counters.Negative.Inc()
	code := abi.CodeOf(n)
	p.counters.Codes[-code-1].Inc() // the codes are -1 to -11
	return code
}

// countNotCalled counts a call that is not made.
func (p *Plugin) countNotCalled(why NotCalled) {
	p.counters.NotCalled[slices.Index(NotCalledReasons, why)].Inc()
}
