package plugins

import (
	"weirkeep/abi"
	"weirkeep/gateway/metrics"
)

// Counters are what a plugin has done since it was first named. They outlive
// configurations.
type Counters struct {
	Calls       metrics.Counter
	Fuel        metrics.Counter     // used by calls
	Duration    metrics.Histogram   // of calls
	Slow        metrics.Counter     // calls that took over 10 ms
	Negative    metrics.Counter     // answers that were error codes
	Codes       [11]metrics.Counter // the same by code, as abi.ErrorCodes has them
	Faults      [8]metrics.Counter  // by kind, as FaultKinds has them
	NotCalled   [3]metrics.Counter  // as NotCalledReasons has them
	InvalidName metrics.Counter     // origins that a router listed and that are not there
	NotInGroup  metrics.Counter     // that it listed and that its request may not go to
	Clamped     metrics.Counter     // metrics above 100
	Waits       metrics.Counter     // calls that waited for an instance
	Built       metrics.Counter     // instances
	Retired     metrics.Counter     // instances that were replaced for their memory
	LogDropped  metrics.Counter     // lines
}

// NotCalledReasons are why plugins are not called, in order.
var NotCalledReasons = []NotCalled{ViewTooLarge, BodyTooLarge, BreakerOpen}

func (c *Counters) fault(kind FaultKind) {
	for i, k := range FaultKinds {
		if k == kind {
			c.Faults[i].Inc()
		}
	}
}

// negative counts an answer that is an error code, and returns it.
func (c *Counters) negative(n int32) abi.Code {
	c.Negative.Inc()
	code := abi.CodeOf(n)
	c.Codes[-code-1].Inc() // the codes are -1 to -11
	return code
}

func (c *Counters) notCalled(why NotCalled) {
	for i, w := range NotCalledReasons {
		if w == why {
			c.NotCalled[i].Inc()
		}
	}
}
