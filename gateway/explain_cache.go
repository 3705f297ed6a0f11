package gateway

import (
	"fmt"

	"weirkeep/gateway/cache"
)

// whyPassed says why the store is not asked, nor given the answer.
func (x *Exchange) whyPassed() string {
	c := &x.cached
	switch r := c.rule; {
	case c.request.Method != cache.Get && c.request.Method != cache.Head:
		return "only answers to GET, without content, are stored"
	case r != nil && r.session == sessionWithout && x.decision.ID != nil:
		return fmt.Sprintf("cache rule %s: session: without, and the request has a session", r.title())
	case r != nil && r.session == sessionWith && x.decision.ID == nil:
		return fmt.Sprintf("cache rule %s: session: with, and the request has no session", r.title())
	case r != nil && r.say.Pass:
		return fmt.Sprintf("cache rule %s says pass", r.title())
	case x.Head.Upgrade != nil:
		return "the request asks for another protocol"
	case x.routedBy() != nil && x.routedBy().stored == choicePassed:
		return "a router may choose the origin, and its plugin says cache: pass"
	}
	return "no room"
}

// title is how a caching rule is called.
func (r *cacheRule) title() string {
	if r.name == "" {
		return "without a name"
	}
	return fmt.Sprintf("%q", r.name)
}
