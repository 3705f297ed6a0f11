package gw1

import "runtime/debug"

// A call has a budget of work, and the garbage collector's work is paid from
// it: a heap of 1 MiB costs 14.7 of the 16 million that a call may use, and the
// call in which it happens to run is stopped. So the collector is off. What
// calls leave behind fills the memory slowly, at ¾ of its limit the gateway
// puts a fresh instance in this one's place, and no call notices. A plugin that
// allocates nothing in its calls, as this package does, never gets there.
//
// A plugin may turn the collector on again in an init function of its own.
func init() { debug.SetGCPercent(-1) }
