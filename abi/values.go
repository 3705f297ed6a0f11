package abi

// Flags of a view.
const (
	FlagHTTPS         = 1   // the scheme is https
	FlagBody          = 2   // the message has a body
	FlagWhole         = 4   // the body shown is all of it
	FlagInternal      = 8   // a fragment or a background refresh
	FlagAttempted     = 16  // there were upstream attempts before
	FlagUpgrade       = 32  // the request asks for an upgrade
	FlagCached        = 64  // answered from the cache
	FlagDeterministic = 128 // the answer must depend on view and params alone: matchers
	FlagSelfTest      = 256 // the call at load, with made-up values
)

// Flags of other blobs. FlagSelfTest is the same in all, FlagBody and FlagWhole
// in the answer to an http_call.
const (
	FlagFirstSample = 1 // of a collector view: there is no window before it
	FlagFieldsLeft  = 8 // of an HTTP response view: fields were left out
	FlagOnThisHost  = 1 // of a cluster entry: the origin is on this node's host
)

// Flags of an origin entry.
const (
	OriginUsable    = 1 // available, permitted, not tried
	OriginPermitted = 2 // in the group of this request
	OriginFull      = 4 // no slot is free
	OriginTried     = 8 // an attempt of this exchange was there
)

// Health of an origin.
const (
	HealthDown    = 0
	HealthUp      = 1
	HealthEjected = 2
)

// State of an origin: what the operator said.
const (
	StateServing     = 0
	StateDraining    = 1
	StateMaintenance = 2
	StateDisabled    = 3
)

// MetricNone is the metric of an origin that has none.
const MetricNone = 255

// Method ids.
const (
	MethodOther   = 0
	MethodGET     = 1
	MethodHEAD    = 2
	MethodPOST    = 3
	MethodPUT     = 4
	MethodDELETE  = 5
	MethodOPTIONS = 6
	MethodPATCH   = 7
	MethodCONNECT = 8
	MethodTRACE   = 9
)

// HTTP versions.
const (
	HTTP10 = 10
	HTTP11 = 11
	HTTP20 = 20
	HTTP30 = 30
)

// LengthUnknown is the body length of a body whose length was not declared.
const LengthUnknown = 1<<64 - 1

// Answers of gw_match.
const (
	NoMatch = 0
	Match   = 1
	Unknown = 2 // the rule does not match, whatever its expression says around the call
)

// Answers of gw_collect beside 0..100.
const (
	MetricIdle = 100      // the highest metric: nothing to do
	NoOpinion  = -1 << 31 // the old value stays until it is stale
)

// Codes of operations.
const (
	OpSetHeader    = 1
	OpAddHeader    = 2
	OpDeleteHeader = 3
	OpSetPath      = 4
	OpSetQuery     = 5
	OpSetHost      = 6
	OpSetBody      = 7
	OpRespond      = 8
	OpTag          = 9
	OpMethod       = 10 // http_call only
	OpURL          = 11 // http_call only
)

// Bounds of results.
const (
	MaxRoute      = 256  // origins that a router may list
	MaxOps        = 256  // operations of one result
	MaxTags       = 16   // tags of one exchange
	MaxHeaderName = 256  // bytes
	MaxValue      = 8192 // bytes of a header value
	MaxPath       = 8192 // bytes
	MaxTagKey     = 32   // bytes
	MaxTagValue   = 256  // bytes
	MaxMessage    = 1024 // bytes of a refusal and of a log line
	MaxArgs       = 8    // of plugin("name", args…)
	MaxSources    = 8    // of params.source
)
