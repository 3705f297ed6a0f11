package gateway

import (
	"time"

	"weirkeep/gateway/cache"
	"weirkeep/gateway/metrics"
)

// siteCache is what a site's configuration says of its cache, compiled.
type siteCache struct {
	policy  cache.Policy
	rules   []cacheRule
	early   int // so many rules, from the first, ask for nothing of the answer
	key     keyPolicy
	slice   int64         // bytes of the slices that long answers are stored in; 0: they are not
	above   int64         // longer ones are
	wait    time.Duration // so long a request waits for what is being fetched
	failing time.Duration // so long a request that reached no origin is the answer to others for the same; 0: not at all
	shown   bool          // answers say in Cache-Status what the cache did
	name    string        // of this cache in Cache-Status

	metrics *metrics.Cache
}

// keyPolicy tells stored answers apart, beyond site, scheme and what the decision says.
type keyPolicy struct {
	hosts   bool     // the site's host names are patterns: which one was asked for matters
	ports   []int    // that clients may be expected to write
	query   bool     // the query does
	only    []string // names of parameters that do, x* being all that begin with x; empty: all
	ignored []string // names of those that do not
	sorted  bool     // the order of parameters does not
	headers []string // names of fields that do, in lower case
	cookies []string // names of cookies that do
}

// cacheRule says what is done with answers that it is true of.
type cacheRule struct {
	name    string
	when    *answerCondition // nil: always
	late    bool             // it names what the answer says
	session sessionUse
	headers []string // names of fields that tell its answers apart, in lower case
	cookies []string // names of cookies that do
	say     cache.Override
}

// sessionUse is what a session matters to stored answers (D-WC-13).
type sessionUse uint8

const (
	sessionShared  sessionUse = iota // nothing
	sessionWithout                   // requests with one are passed
	sessionWith                      // requests without one are
	sessionOwn                       // each has its own
)

// earlyRule is the caching rule that is true of the request, whatever the answer will
// be; nil: none is, or the answer decides which.
func (s *siteCache) earlyRule(x *Exchange) *cacheRule {
	return s.firstOf(x, s.rules[:s.early], &cache.Answer{})
}

// ruleOf is the caching rule that is true of the request and an answer.
func (s *siteCache) ruleOf(x *Exchange, a *cache.Answer) *cacheRule { return s.firstOf(x, s.rules, a) }

func (s *siteCache) firstOf(x *Exchange, list []cacheRule, a *cache.Answer) *cacheRule {
	for i := range list {
		if r := &list[i]; r.when == nil || x.meetsWith(r.when, a.Status, a.Fields) {
			return r
		}
	}
	return nil
}
