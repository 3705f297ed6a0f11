package abi

// FaultKind is why a call of a guest did not end well. The list is closed and
// the same on every engine.
type FaultKind string

// The fault kinds, in their order.
const (
	FaultTimeoutWaiting FaultKind = "timeout-waiting-for-instance"
	FaultInit           FaultKind = "init"
	FaultHostError      FaultKind = "host-error"
	FaultExhausted      FaultKind = "exhausted"
	FaultMemory         FaultKind = "memory"
	FaultExit           FaultKind = "exit"
	FaultTrap           FaultKind = "trap"
	FaultInvalidResult  FaultKind = "invalid-result"
)

// Fault is a kind of fault with what it means.
type Fault struct {
	Kind FaultKind
	What string
	Host string // what the host does
}

// Faults are all fault kinds. If several fit, the first of them is it.
var Faults = []Fault{
	{FaultTimeoutWaiting, "no instance became free within `limits.wait`", "drops nothing; the breaker does not count it"},
	{FaultInit, "a new instance could not be started, or could not be told the cluster table; what happened is in the message", "drops the instance and tries again, each time later"},
	{FaultHostError, "a host function or the engine failed, and the guest is not to blame", "drops the instance, builds another, logs a bug of ours"},
	{FaultExhausted, "fuel, depth, native stack or host calls were used up", "drops the instance, builds another"},
	{FaultMemory, "trap or exit in a call in which `memory.grow` was refused", "drops the instance, builds another"},
	{FaultExit, "the guest called `proc_exit`", "drops the instance, builds another"},
	{FaultTrap, "any other trap", "drops the instance, builds another"},
	{FaultInvalidResult, "the call returned, but the number or what it wrote breaks this contract", "drops the instance, builds another"},
}

// Policy is a value of on_error: what happens to the exchange when a plugin had
// no answer.
type Policy struct {
	Kind    Kind
	Value   string
	Default bool // holds where nothing is stated; a kind without default must state one
	Text    string
}

// Policies are all values of on_error.
var Policies = []Policy{
	{Router, "default-balancer", true, "the cluster's balancer picks, as if there were no router"},
	{Router, "reject", false, "503, reason `plugin_error`"},
	{Collector, "default", true, "the metric is `metric.default`, 50"},
	{Collector, "keep", false, "the metric stays what it was"},
	{Collector, "down", false, "the origin's health is down until the next good sample"},
	{Filter, "skip", false, "the message goes on unchanged"},
	{Filter, "reject", false, "503, reason `plugin_error`; in a response filter in place of the answer"},
	{Matcher, "match", false, "the rule matches, whatever else its expression says"},
	{Matcher, "no-match", false, "the rule does not match, whatever else its expression says"},
}
