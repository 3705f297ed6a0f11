package gateway

import (
	"sync/atomic"

	"weirkeep/gateway/metrics"
	"weirkeep/gateway/route"
)

// ruleAction is what a rule does to a request that it decides, beyond what the
// decision says.
type ruleAction struct {
	name   string
	path   string // of the rule in the configuration
	place  string // of the rule: file:line
	action route.Action
	sticky bool // sessions are bound to the origin that answers
	coming bool // it waits for an edition that no origin runs now
	astray bool // a destination is wrong: it does not compile

	status     int // of a redirect or reject
	location   *template
	body       []byte // nil: the site's page, or a plain one
	kind       []byte // its Content-Type
	retryAfter []byte // value of Retry-After; nil: none is sent

	metrics *metrics.Rule
	told    atomic.Bool // the log knows that it cannot be evaluated
}

// ruleLocation is where the deciding rule sends the client.
func (x *Exchange) ruleLocation() []byte {
	x.location = x.rule.location.append(x.location[:0], &x.ask)
	return x.location
}
