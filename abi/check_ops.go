package abi

import (
	"bytes"
	"fmt"
)

// Call is a call whose answer is operations, or that takes them.
type Call uint8

// The calls.
const (
	OnRequest  Call = 1 << iota // gw_on_request
	OnResponse                  // gw_on_response, stage deliver
	OnStore                     // gw_on_response, stage store
	HTTPCall                    // the argument of http_call
)

// String returns the call's name as people read it.
func (c Call) String() string {
	switch c {
	case OnRequest:
		return "gw_on_request"
	case OnResponse:
		return "gw_on_response"
	case OnStore:
		return "gw_on_response with stage: store"
	case HTTPCall:
		return "http_call"
	}
	return "no call"
}

// Where is what decides which operations are allowed. The zero value allows none.
type Where struct {
	Call Call

	// Head is that the request's method is HEAD.
	Head bool

	// Status is the answer's. Zero in gw_on_request.
	Status uint16

	// WholeBody is that the guest was shown the whole body: it may set another.
	WholeBody bool

	// MaxBody is limits.body in bytes: the largest body that may be set.
	MaxBody int

	// Edited is that path, query or host were edited before in this exchange, by
	// whatever filter.
	Edited bool

	// Tags is how many tags this exchange has.
	Tags int
}

// CheckOps reports the first thing that operations may not say there. Then none
// is to be applied. The error is [ErrInvalidResult] and says which operation and
// why. That the head keeps its limits with all edits is for the caller to see.
func CheckOps(ops []Op, w Where) error {
	var seen opSet
	tags := w.Tags
	for i := range ops {
		o := &ops[i]
		if reason := o.check(&w, seen); reason != "" {
			return fmt.Errorf("%w: operation %d (%s): %s", ErrInvalidResult, i+1, opName(o.Code), reason)
		}
		seen |= 1 << o.Code
		if o.Code == OpTag {
			tags++
		}
	}
	if tags > MaxTags {
		return fmt.Errorf("%w: %d tags in one exchange, more than %d", ErrInvalidResult, tags, MaxTags)
	}
	if w.Call == HTTPCall && seen&(1<<OpURL) == 0 {
		return fmt.Errorf("%w: http_call without a URL", ErrInvalidResult)
	}
	return nil
}

// opSet has a bit for each code.
type opSet uint16

// targetOps are the operations that edit the request's target.
const targetOps opSet = 1<<OpSetPath | 1<<OpSetQuery | 1<<OpSetHost

// check returns what is wrong with the operation, after those that were seen.
func (o *Op) check(w *Where, seen opSet) (reason string) {
	rule := opRule(o.Code)
	switch {
	case rule == nil:
		return "there is no such code"
	case rule.Calls&w.Call == 0:
		return "not allowed in " + w.Call.String()
	case rule.Once && seen&(1<<o.Code) != 0:
		return "a second one"
	case seen&rule.excludes() != 0:
		return "respond excludes edits of path, query, host and body"
	case targetOps&(1<<o.Code) != 0 && w.Edited:
		return "path, query or host were edited before in this exchange"
	case rule.NoKey && len(o.Key) > 0:
		return "it has a key and must have none"
	case rule.NoValue && len(o.Value) > 0:
		return "it has a value and must have none"
	}
	return o.checkText(w)
}

// excludes are the operations that may not stand beside this one.
func (r *OpRule) excludes() opSet {
	const edits = targetOps | 1<<OpSetBody
	switch {
	case r.Code == OpRespond:
		return edits
	case edits&(1<<r.Code) != 0:
		return 1 << OpRespond
	}
	return 0
}

// checkText returns what is wrong with key and value.
func (o *Op) checkText(w *Where) (reason string) {
	switch o.Code {
	case OpSetHeader, OpAddHeader:
		return either(checkHeaderName(o.Key), checkHeaderValue(o.Value))
	case OpDeleteHeader:
		return checkHeaderName(o.Key)
	case OpSetPath:
		return checkPath(o.Value)
	case OpSetQuery:
		return checkQuery(o.Value)
	case OpSetHost:
		return checkHost(o.Value)
	case OpSetBody:
		return checkBody(o.Value, w)
	case OpRespond:
		return checkRespond(o.Key, o.Value)
	case OpTag:
		return checkTag(o.Key, o.Value)
	case OpMethod:
		return checkMethod(o.Value)
	case OpURL:
		return checkURL(o.Value)
	}
	return ""
}

func either(a, b string) string {
	if a != "" {
		return a
	}
	return b
}

// checkBody checks a new body. An http_call may have any.
func checkBody(body []byte, w *Where) string {
	switch {
	case w.Call == HTTPCall:
		return ""
	case !w.WholeBody:
		return "the plugin was not shown the whole body; it needs body, or body-prefix and a body that fits"
	case len(body) > w.MaxBody:
		return "the body is larger than limits.body"
	case w.Head:
		return "the request's method is HEAD"
	case w.Status == 204 || w.Status == 206 || w.Status == 304:
		return "an answer of status 204, 206 or 304 keeps the body it has"
	}
	return ""
}

// checkRespond checks an answer of the filter's own.
func checkRespond(status, body []byte) string {
	if len(status) != 3 || status[0] < '2' || status[0] > '5' || !digits(status) {
		return "the status must be three digits, 200 to 599"
	}
	if len(body) > 0 && (bytes.Equal(status, []byte("204")) || bytes.Equal(status, []byte("304"))) {
		return "an answer of status 204 or 304 has no body"
	}
	return ""
}
