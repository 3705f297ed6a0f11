package esi

import "strings"

// Failure says why there is no fragment.
type Failure uint8

// The failures of an include.
const (
	None         Failure = iota // there is one
	TooDeep                     // nested too deep, or within itself
	TooMany                     // the page includes too much
	Busy                        // no origin had room
	Unreachable                 // no connection
	TimedOut                    // it took too long
	ClientStatus                // 4xx
	ServerStatus                // 5xx
	BadAnswer                   // a status or a head that makes no fragment
	BadBody                     // cut short, too large, or in a coding that it is not in
	BadTarget                   // src is no URL, or one that may not be fetched
	failureCount
)

// failure is what there is to say of one.
type failure struct {
	name   string // in logs and metrics
	except string // type of except elements that catch it; empty: only one without type does
}

var failureTable = [failureCount]failure{
	{"none", ""},
	{"too-deep", "nestingtoodeep"},
	{"too-many", "nestingtoodeep"},
	{"busy", "originserverbusy"},
	{"unreachable", "noconnection"},
	{"timed-out", "networktimeout"},
	{"client-status", "httpclienterror"},
	{"server-status", "httpservererror"},
	{"bad-answer", "incorrectresponseheader"},
	{"bad-body", "incorrectesifragment"},
	{"bad-target", "noconnection"},
}

// String is the failure as logs and metrics have it.
func (f Failure) String() string { return failureTable[f].name }

// FailureCount is how many values of Failure there are, None among them.
const FailureCount = int(failureCount)

// failures is a set of failures.
type failures uint16

const anyFailure failures = 1<<failureCount - 1

func (s failures) has(f Failure) bool { return s>>f&1 != 0 }

// neverCaught are types of except that exist and name nothing that happens here.
var neverCaught = []string{"incompatiblefragmentversion", "incorrectxmlfragment"}

// failuresOf returns what an except of a type catches, and whether there is such a type.
func failuresOf(name string) (set failures, known bool) {
	name = strings.ToLower(name)
	for f, row := range failureTable {
		if row.except != "" && row.except == name {
			set |= 1 << f
		}
	}
	for _, never := range neverCaught {
		known = known || never == name
	}
	return set, known || set != 0
}

// failureOf returns what the status of an answer makes of it (I1, I2). 204 is a fragment
// without a byte.
func failureOf(status int) Failure {
	switch {
	case status == 200, status == 203, status == 204:
		return None
	case 500 <= status && status <= 599:
		return ServerStatus
	case 400 <= status && status <= 499:
		return ClientStatus
	}
	return BadAnswer
}
