package abi

// Value is a number that has a name in every SDK.
type Value struct {
	Name   string // as Go has it; the other languages' names are made from it
	Number int64
	Text   string
}

// Group is numbers that belong together.
type Group struct {
	Title  string
	Type   string // u8, u16, u32, i32, i64 or u64, whose numbers are Number's bits
	Values []Value
}

// Groups are all numbers of the contract but offsets, error codes and what is
// granted, which have tables of their own.
var Groups = []Group{
	{"Version", "i32", []Value{{"Minor", Minor, "what gw_abi_1 returns"}}},
	{"Flags of a view", "u32", []Value{
		{"FlagHTTPS", FlagHTTPS, "the scheme is https"},
		{"FlagBody", FlagBody, "the message has a body"},
		{"FlagWhole", FlagWhole, "the body shown is all of it"},
		{"FlagInternal", FlagInternal, "a fragment or a background refresh"},
		{"FlagAttempted", FlagAttempted, "there were upstream attempts before"},
		{"FlagUpgrade", FlagUpgrade, "the request asks for an upgrade"},
		{"FlagCached", FlagCached, "answered from the cache"},
		{"FlagDeterministic", FlagDeterministic, "the answer must depend on view and params alone"},
		{"FlagSelfTest", FlagSelfTest, "the call at load, with made-up values"},
	}},
	{"Flags of other blobs", "u32", []Value{
		{"FlagFirstSample", FlagFirstSample, "collector view: the first sample"},
		{"FlagFieldsLeft", FlagFieldsLeft, "HTTP response view: fields were left out"},
		{"FlagOnThisHost", FlagOnThisHost, "cluster entry: the origin is on this node's host"},
	}},
	{"Flags of an origin", "u32", []Value{
		{"OriginUsable", OriginUsable, "available, permitted, not tried"},
		{"OriginPermitted", OriginPermitted, "in the group of this request"},
		{"OriginFull", OriginFull, "no slot is free"},
		{"OriginTried", OriginTried, "this exchange was there before"},
	}},
	{"Health of an origin", "u32", []Value{
		{"HealthDown", HealthDown, "down"}, {"HealthUp", HealthUp, "up"}, {"HealthEjected", HealthEjected, "ejected"},
	}},
	{"State of an origin", "u32", []Value{
		{"StateServing", StateServing, "serving"}, {"StateDraining", StateDraining, "draining"},
		{"StateMaintenance", StateMaintenance, "in maintenance"}, {"StateDisabled", StateDisabled, "disabled"},
	}},
	{"Metric of an origin", "u32", []Value{{"MetricNone", MetricNone, "it has none"}}},
	{"Method ids", "u32", []Value{
		{"MethodOther", MethodOther, "any other"}, {"MethodGET", MethodGET, "GET"}, {"MethodHEAD", MethodHEAD, "HEAD"},
		{"MethodPOST", MethodPOST, "POST"}, {"MethodPUT", MethodPUT, "PUT"}, {"MethodDELETE", MethodDELETE, "DELETE"},
		{"MethodOPTIONS", MethodOPTIONS, "OPTIONS"}, {"MethodPATCH", MethodPATCH, "PATCH"},
		{"MethodCONNECT", MethodCONNECT, "CONNECT"}, {"MethodTRACE", MethodTRACE, "TRACE"},
	}},
	{"HTTP versions", "u32", []Value{
		{"HTTP10", HTTP10, "HTTP/1.0"}, {"HTTP11", HTTP11, "HTTP/1.1"}, {"HTTP20", HTTP20, "HTTP/2"}, {"HTTP30", HTTP30, "HTTP/3"},
	}},
	{"Body length", "u64", []Value{{"LengthUnknown", -1, "none was declared"}}},
	{"Answers of gw_match", "i32", []Value{
		{"NoMatch", NoMatch, "the request does not match"}, {"Match", Match, "the request matches"},
		{"Unknown", Unknown, "the rule does not match, whatever its expression says around the call"},
	}},
	{"Answers of gw_collect", "i32", []Value{
		{"MetricIdle", MetricIdle, "the highest metric: nothing to do"}, {"NoOpinion", NoOpinion, "the old value stays until it is stale"},
	}},
	{"Codes of operations", "u32", []Value{
		{"OpSetHeader", OpSetHeader, "set header"}, {"OpAddHeader", OpAddHeader, "add header"},
		{"OpDeleteHeader", OpDeleteHeader, "delete header"}, {"OpSetPath", OpSetPath, "set path"},
		{"OpSetQuery", OpSetQuery, "set query"}, {"OpSetHost", OpSetHost, "set host"}, {"OpSetBody", OpSetBody, "set body"},
		{"OpRespond", OpRespond, "respond"}, {"OpTag", OpTag, "tag"},
		{"OpMethod", OpMethod, "method, of an http_call"}, {"OpURL", OpURL, "URL, of an http_call"},
	}},
	{"Bounds of results", "u32", []Value{
		{"MaxRoute", MaxRoute, "origins in a list"}, {"MaxOps", MaxOps, "operations of one result"},
		{"MaxTags", MaxTags, "tags of one exchange"}, {"MaxHeaderName", MaxHeaderName, "bytes of a header name"},
		{"MaxValue", MaxValue, "bytes of a header value"}, {"MaxPath", MaxPath, "bytes of a path"},
		{"MaxTagKey", MaxTagKey, "bytes of a tag's name"}, {"MaxTagValue", MaxTagValue, "bytes of a tag's value"},
		{"MaxMessage", MaxMessage, "bytes of a refusal, and of a log line"},
		{"MaxArgs", MaxArgs, "arguments of plugin(…) in a rule"}, {"MaxSources", MaxSources, "sources of a collector"},
		{"ResultBytes", ResultBytes, "bytes that a result area has at least"},
	}},
	{"Log levels", "i32", []Value{
		{"LogDebug", LogDebug, "debug"}, {"LogInfo", LogInfo, "info"}, {"LogWarn", LogWarn, "warn"}, {"LogError", LogError, "error"},
	}},
	{"Kinds of metrics", "i32", []Value{{"MetricCounter", MetricCounter, "it only grows"}, {"MetricGauge", MetricGauge, "it is set"}}},
	{"Versions that kv_set takes", "i64", []Value{{"KVAlways", KVAlways, "write always"}, {"KVAbsent", KVAbsent, "write only if there is no value"}}},
	{"Bounds of host functions", "u32", []Value{
		{"MaxRandom", MaxRandom, "bytes of one random"}, {"MaxMetrics", MaxMetrics, "metrics of a plugin"},
		{"MaxMetricName", MaxMetricName, "bytes of a metric's name"}, {"MaxKVKey", MaxKVKey, "bytes of a key"},
		{"MaxKVValue", MaxKVValue, "bytes of a value"}, {"MaxHTTPCalls", MaxHTTPCalls, "calls in flight, of an attachment"},
		{"MaxHTTPTimeout", MaxHTTPTimeout, "ms"}, {"MaxHostCalls", MaxHostCalls, "host calls in a call"},
		{"MaxInitCalls", MaxInitCalls, "host calls in a call with init fuel"},
	}},
}
