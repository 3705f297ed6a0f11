package abi

// LayoutField is a field of a blob's head or of an entry of one of its tables.
type LayoutField struct {
	Off   int
	Type  string // u8, u16, u32, i32, u64, f64, ref or table; or xN: N bytes that are reserved
	Name  string
	Const string // the name of its offset's constant, behind the layout's; empty: none
	Needs string // the tokens that show it; empty: always there
	Text  string
}

// Layout is a head or an entry.
type Layout struct {
	Title  string
	Const  string // begins the names of its constants
	Entry  bool   // else it is the head of a blob
	Size   int
	Fields []LayoutField
}

// TypeSizes are how many bytes the types of fields take.
var TypeSizes = map[string]int{
	"u8": 1, "u16": 2, "u32": 4, "i32": 4, "u64": 8, "f64": 8, "ref": 8, "table": 8, "x4": 4, "x8": 8, "x2": 2,
}

// Layouts are all heads and entries.
var Layouts = []*Layout{
	&ViewLayout, &OriginLayout, &FieldLayout, &RefLayout, &ClusterLayout, &MemberLayout, &LabelLayout,
	&CollectorLayout, &SourceLayout, &TickLayout, &ResponseLayout, &OpLayout,
}

// ViewLayout is the head of a view.
var ViewLayout = Layout{Title: "View of an exchange, head", Const: "View", Size: viewHead, Fields: []LayoutField{
	{viewSize, "u32", "size", "Size", "", "bytes of the view; equals the argument"},
	{viewLayout, "u16", "layout", "Layout", "", "1"},
	{viewFlags, "u16", "flags", "Flags", "", "below"},
	{viewRequestID, "u64", "request id", "RequestID", "", "unique on this node while it runs"},
	{viewNow, "u64", "now", "Now", "", "Unix time in ns, read once per exchange"},
	{viewMethodID, "u8", "method id", "MethodID", "", "below"},
	{viewVersion, "u8", "version", "Version", "", "of HTTP: 10, 11, 20, 30"},
	{viewAttempts, "u16", "attempts", "Attempts", "", "upstream attempts made so far"},
	{viewGeneration, "u32", "generation", "Generation", "", "of the cluster table; 0 without one"},
	{viewMethod, "ref", "method", "Method", "`method`", "as received"},
	{viewScheme, "ref", "scheme", "Scheme", "`scheme`", "`http` or `https`; trusted proxies are believed"},
	{viewHost, "ref", "host", "Host", "`host`", "in lower case, without port; IPv6 without brackets"},
	{viewPath, "ref", "path", "Path", "`path`", "in the canonical form that rules match on"},
	{viewQuery, "ref", "query", "Query", "`query`", "raw, behind the first `?`; absent without `?`"},
	{viewClient, "ref", "client", "Client", "`client`", "address as text (RFC 5952); trusted proxies are believed; IPv4-mapped as IPv4"},
	{viewMapping, "ref", "mapping", "Mapping", "`site`", "its position in the list of mappings, decimal, from 0"},
	{viewSession, "ref", "session id", "Session", "`session`", "as the session definition reads it"},
	{viewHeaders, "table", "headers", "Headers", "`headers`, `header:NAME`", "field entries"},
	{viewOrigins, "table", "origins", "Origins", "`origins`", "origin entries, for routers: one for each position of the cluster table"},
	{viewResultOff, "u32", "result_off", "ResultOff", "", "where the result area begins: size, rounded up to 16"},
	{viewResultCap, "u32", "result_cap", "ResultCap", "", "bytes of the result area"},
	{viewBody, "ref", "body", "Body", "`body`, `body-prefix`", "as sent: content codings are not undone"},
	{viewTarget, "ref", "target", "Target", "`target`", "path and query as received"},
	{viewSite, "ref", "site", "Site", "`site`", "its name"},
	{viewArgs, "table", "args", "Args", "", "matcher: refs, the arguments of `plugin(\"name\", args…)`"},
	{viewCookies, "table", "cookies", "Cookies", "`cookie:NAME`", "field entries"},
	{viewGranted, "u32", "granted", "Granted", "", "what this plugin is shown: the bits of its needs"},
	{viewPort, "u16", "port", "Port", "", "the authority's, else the scheme's default"},
	{viewStatus, "u16", "status", "Status", "", "in `gw_on_response`; else 0"},
	{viewBodyLength, "u64", "body length", "BodyLength", "", "as declared; 0 without a body; 2⁶⁴−1 unknown"},
	{viewUpstreamNS, "u64", "upstream ns", "UpstreamNS", "", "in `gw_on_response`: from request sent to answer head; 0 from the cache"},
	{viewCluster, "ref", "cluster", "Cluster", "`site`", "`cell/cluster`: a router's own; else that of the origin that answered; else absent"},
	{viewApplication, "ref", "application", "Application", "`site`", "its name"},
	{viewOrigin, "ref", "origin", "Origin", "`session`, `site`", "request: the origin that the session is bound to (`session`); response: the one that answered (`site`)"},
}}

// OriginLayout is the entry of the table of origins.
var OriginLayout = Layout{Title: "Origin entry", Const: "Origin", Entry: true, Size: originEntry, Fields: []LayoutField{
	{originHealth, "u8", "health", "Health", "", "0 down, 1 up, 2 ejected"},
	{originState, "u8", "state", "State", "", "0 serving, 1 draining, 2 maintenance, 3 disabled"},
	{originInFlight, "u16", "in flight", "InFlight", "", "exchanges there now; stops at 65535"},
	{originCapacity, "u16", "capacity", "Capacity", "", "exchanges it can take; stops at 65535"},
	{originMetric, "u8", "metric", "Metric", "", "0 to 100; 255 none"},
	{originFlags, "u8", "flags", "Flags", "", "below"},
}}

// FieldLayout is the entry of the tables of headers and of cookies.
var FieldLayout = Layout{Title: "Field entry: a header field or a cookie", Const: "Field", Entry: true, Size: fieldEntry, Fields: []LayoutField{
	{fieldOff, "u32", "off", "Off", "", "where the name is; the value follows it"},
	{fieldNameLength, "u16", "name length", "NameLength", "", "bytes of the name"},
	{fieldValueLength, "u16", "value length", "ValueLength", "", "bytes of the value"},
}}

// RefLayout is a ref, and the entry of the table of arguments.
var RefLayout = Layout{Title: "Ref; entry of args", Const: "Ref", Entry: true, Size: refEntry, Fields: []LayoutField{
	{refOff, "u32", "off", "Off", "", "from the buffer's start"},
	{refLength, "u32", "length", "Length", "", "bytes"},
}}

// ClusterLayout is the head of the cluster table.
var ClusterLayout = Layout{Title: "Cluster table, head", Const: "Cluster", Size: clusterHead, Fields: []LayoutField{
	{clusterSize, "u32", "size", "Size", "", "bytes of the table; equals the argument"},
	{clusterLayout, "u16", "layout", "Layout", "", "1"},
	{clusterLayout + 2, "x2", "reserved", "", "", ""},
	{clusterGeneration, "u32", "generation", "Generation", "", "from 1, one more whenever the table has changed"},
	{clusterCount, "u32", "count", "Count", "", "entries"},
	{clusterEntriesOff, "u32", "entries_off", "EntriesOff", "", "where the entries begin: 48 in this version"},
	{clusterEntrySize, "u32", "entry_size", "EntrySize", "", "from one entry to the next: 80 in this version"},
	{clusterCluster, "ref", "cluster", "Cluster", "", "name of the cluster that the plugin is attached to"},
	{clusterCell, "ref", "cell", "Cell", "", "its cell"},
	{clusterReserved, "x8", "reserved", "", "", ""},
}}

// MemberLayout is the entry of the cluster table.
var MemberLayout = Layout{Title: "Cluster entry: an origin", Const: "Member", Entry: true, Size: memberEntry, Fields: []LayoutField{
	{memberName, "ref", "name", "Name", "", ""},
	{memberAddress, "ref", "address", "Address", "", "`scheme://host:port`"},
	{memberHost, "ref", "host", "Host", "", "the machine it runs on"},
	{memberZone, "ref", "zone", "Zone", "", ""},
	{memberCell, "ref", "cell", "Cell", "", ""},
	{memberEdition, "ref", "edition", "Edition", "", "edition label"},
	{memberCluster, "ref", "cluster", "Cluster", "", ""},
	{memberLabels, "table", "labels", "Labels", "", "label entries, sorted by the bytes of their keys"},
	{memberWeight, "u32", "weight", "Weight", "", ""},
	{memberHostWeight, "u32", "host's weight", "HostWeight", "", ""},
	{memberCapacity, "u32", "capacity", "Capacity", "", "exchanges it can take"},
	{memberFlags, "u32", "flags", "Flags", "", "1: on this node's host"},
}}

// LabelLayout is the entry of the table of labels.
var LabelLayout = Layout{Title: "Label entry", Const: "Label", Entry: true, Size: labelEntry, Fields: []LayoutField{
	{labelKey, "ref", "key", "Key", "", ""},
	{labelValue, "ref", "value", "Value", "", ""},
}}

// CollectorLayout is the head of a collector view.
var CollectorLayout = Layout{Title: "Collector view, head", Const: "Collector", Size: collectorHead, Fields: []LayoutField{
	{collectorSize, "u32", "size", "Size", "", "bytes of the view; equals the argument"},
	{collectorLayout, "u16", "layout", "Layout", "", "1"},
	{collectorFlags, "u16", "flags", "Flags", "", "1 first sample, 256 self-test"},
	{collectorNow, "u64", "now", "Now", "", "Unix time in ns"},
	{collectorPosition, "u32", "position", "Position", "", "in the cluster table"},
	{collectorWindow, "u32", "window", "Window", "", "ms since the last sample"},
	{collectorAnswers, "u64", "answers", "Answers", "", "in the window"},
	{collectorFailed, "u64", "failed answers", "Failed", "", "502, 503, 504, reset"},
	{collectorTimeouts, "u64", "timeouts", "Timeouts", "", ""},
	{collectorP50, "u64", "p50", "P50", "", "time to the answer head in ns; 0 without answers"},
	{collectorP95, "u64", "p95", "P95", "", "the same"},
	{collectorP99, "u64", "p99", "P99", "", "the same"},
	{collectorInFlight, "u32", "in flight", "InFlight", "", "exchanges there now"},
	{collectorWaiting, "u32", "waiting", "Waiting", "", "exchanges in the cluster's queue"},
	{collectorFailedConnects, "u64", "failed connects", "FailedConnects", "", ""},
	{collectorName, "ref", "name", "Name", "", "of the origin"},
	{collectorAddress, "ref", "address", "Address", "", "`scheme://host:port`"},
	{collectorSources, "table", "sources", "Sources", "", "source entries"},
	{collectorGeneration, "u32", "generation", "Generation", "", "of the cluster table"},
	{collectorMetric, "u32", "metric", "Metric", "", "in force now, 0 to 100"},
	{collectorCapacity, "u32", "capacity", "Capacity", "", "exchanges it can take"},
	{collectorHealth, "u8", "health", "Health", "", "0 down, 1 up, 2 ejected"},
	{collectorState, "u8", "state", "State", "", "0 serving, 1 draining, 2 maintenance, 3 disabled"},
	{collectorState + 1, "x2", "reserved", "", "", ""},
}}

// SourceLayout is the entry of the table of sources.
var SourceLayout = Layout{Title: "Source entry", Const: "Source", Entry: true, Size: sourceEntry, Fields: []LayoutField{
	{sourceName, "ref", "name", "Name", "", "as in `params.source`, the header's name in lower case"},
	{sourceValue, "f64", "value", "Value", "", "the latest"},
}}

// TickLayout is a tick view.
var TickLayout = Layout{Title: "Tick view", Const: "Tick", Size: tickHead, Fields: []LayoutField{
	{tickSize, "u32", "size", "Size", "", "32; equals the argument"},
	{tickLayout, "u16", "layout", "Layout", "", "1"},
	{tickFlags, "u16", "flags", "Flags", "", "256 self-test"},
	{tickNow, "u64", "now", "Now", "", "Unix time in ns"},
	{tickNumber, "u64", "number", "Number", "", "of the tick, from 0"},
	{tickPeriod, "u32", "period", "Period", "", "`tick` in ms"},
	{tickPeriod + 4, "x4", "reserved", "", "", ""},
}}

// ResponseLayout is the head of the view of an answer to an http_call.
var ResponseLayout = Layout{Title: "HTTP response view, head", Const: "Response", Size: responseHead, Fields: []LayoutField{
	{responseSize, "u32", "size", "Size", "", "bytes of the view; equals the argument"},
	{responseLayout, "u16", "layout", "Layout", "", "1"},
	{responseFlags, "u16", "flags", "Flags", "", "2 has a body, 4 the body is all of it, 8 fields were left out"},
	{responseNow, "u64", "now", "Now", "", "Unix time in ns"},
	{responseToken, "i32", "token", "Token", "", "what `http_call` returned"},
	{responseError, "i32", "error", "Error", "", "0; −10 timeout; −11 unreachable"},
	{responseStatus, "u16", "status", "Status", "", "0 with an error"},
	{responseStatus + 2, "x2", "reserved", "", "", ""},
	{responseStatus + 4, "x4", "reserved", "", "", ""},
	{responseHeaders, "table", "headers", "Headers", "", "field entries; without hop-by-hop fields"},
	{responseBody, "ref", "body", "Body", "", ""},
}}

// OpLayout is what an operation begins with.
var OpLayout = Layout{Title: "Operation", Const: "Op", Entry: true, Size: opHead, Fields: []LayoutField{
	{opCode, "u16", "code", "Code", "", ""},
	{opKeyLength, "u16", "key length", "KeyLength", "", "bytes of the key, which follows"},
	{opValueLength, "u32", "value length", "ValueLength", "", "bytes of the value, which follows the key"},
}}
