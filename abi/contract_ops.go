package abi

import "slices"

// OpRule is what an operation may say and where it may stand.
type OpRule struct {
	Code       uint16
	Name       string // as a person says it
	Key, Value string // what they are; "–" is none
	NoKey      bool
	NoValue    bool
	Calls      Call // where it may stand
	Once       bool // once in a result
	Does       string
}

// Ops are all operations, in the order of their codes.
var Ops = []OpRule{
	{Code: OpSetHeader, Name: "set header", Key: "name", Value: "value", Calls: OnRequest | OnResponse | OnStore,
		Does: "Takes away all fields of that name. The new one stands where the first of them was, else at the end."},
	{Code: OpAddHeader, Name: "add header", Key: "name", Value: "value", Calls: OnRequest | OnResponse | OnStore | HTTPCall,
		Does: "Puts one more field at the end."},
	{Code: OpDeleteHeader, Name: "delete header", Key: "name", Value: "–", NoValue: true, Calls: OnRequest | OnResponse | OnStore,
		Does: "Takes away all fields of that name."},
	{Code: OpSetPath, Name: "set path", Key: "–", Value: "path", NoKey: true, Calls: OnRequest, Once: true,
		Does: "The new path: `/` first, then the characters of a path (RFC 3986 pchar), `/` and `%XX`; at most 8192 bytes."},
	{Code: OpSetQuery, Name: "set query", Key: "–", Value: "query", NoKey: true, Calls: OnRequest, Once: true,
		Does: "The new query, without `?`: the characters of a query and `%XX`. An empty one takes the query away."},
	{Code: OpSetHost, Name: "set host", Key: "–", Value: "`host` or `host:port`", NoKey: true, Calls: OnRequest, Once: true,
		Does: "The new authority; an IPv6 address stands in brackets."},
	{Code: OpSetBody, Name: "set body", Key: "–", Value: "body", NoKey: true, Calls: OnRequest | OnResponse | OnStore | HTTPCall, Once: true,
		Does: "The new body, at most `limits.body`. A filter must have been shown the whole of the old one: `body`, or `body-prefix` with flag 4."},
	{Code: OpRespond, Name: "respond", Key: "status", Value: "body", Calls: OnRequest | OnResponse, Once: true,
		Does: "Answers at once. The status is three digits, 200 to 599; 204 and 304 take no body."},
	{Code: OpTag, Name: "tag", Key: "`[a-z0-9_.-]{1,32}`", Value: "text", Calls: OnRequest | OnResponse,
		Does: "Puts a word into the access record: UTF-8 without control characters, at most 256 bytes; at most 16 tags an exchange."},
	{Code: OpMethod, Name: "method", Key: "–", Value: "method", NoKey: true, Calls: HTTPCall, Once: true,
		Does: "The method of the call, a token. Without it: GET."},
	{Code: OpURL, Name: "URL", Key: "–", Value: "URL", NoKey: true, Calls: HTTPCall, Once: true,
		Does: "Where the call goes. It must be there."},
}

// opRule returns the rule of a code, nil if there is none.
func opRule(code uint16) *OpRule {
	if code == 0 || int(code) > len(Ops) {
		return nil
	}
	return &Ops[code-1]
}

// opName returns what people call a code.
func opName(code uint16) string {
	if r := opRule(code); r != nil {
		return r.Name
	}
	return "unknown"
}

// refusedPrefix begins the names of a family of hop-by-hop fields.
const refusedPrefix = "proxy-"

// HopNames are the fields that end at a hop, in lower case: no guest is shown
// them, and none may set them. So is every name that begins with Proxy-, and in a
// message what its Connection field names.
var HopNames = []string{"connection", "keep-alive", "te", "trailer", "transfer-encoding", "upgrade"}

// RefusedNames are the headers that guests may not set, add or delete, in lower
// case: those that end at a hop, and those that the gateway writes itself.
var RefusedNames = append(slices.Clone(HopNames),
	"content-length", "host", "expect", "http2-settings", "via", "forwarded",
	"x-forwarded-for", "x-forwarded-host", "x-forwarded-proto", "age", "cache-status")
