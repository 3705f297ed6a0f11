package gateway

import (
	"net/netip"
	"time"

	"weirkeep/rules"
)

// A Question is a request to be explained.
type Question struct {
	Raw      []byte         // its head, HTTP/1.1 or 1.0, with the blank line that ends it
	Secure   bool           // it comes by TLS
	Fragment bool           // a page includes it, and no client asks for it
	From     netip.AddrPort // the peer; zero: 127.0.0.1

	// Down are origins assumed to be away, and States what origins are assumed to
	// be: up, down, serving, draining, maintenance, disabled or full. They are named
	// as origin, cluster/origin, cell/cluster/origin, by their address, or all of a
	// cluster by its name.
	Down   []string
	States map[string]string

	Answer []byte // head of an answer, of which it is to be said whether it would be stored; nil: none

	Now       time.Time         // zero: now
	Bound     map[string]string // name of the origin by session id, beside what the gateway knows
	RequestID string            // empty: one is made
	Seal      rules.Seal        // stands for values of which only a hash is known; nil: there are none
}

// RuleInfo is one rule, for lists.
type RuleInfo struct {
	Index  int      `json:"index"` // in the order in which rules are tried, from 0
	Name   string   `json:"name"`
	Path   string   `json:"path"`           // in the configuration: rules[0]
	Place  string   `json:"place"`          // file:line
	Site   string   `json:"site,omitempty"` // empty: every site's
	When   string   `json:"when,omitempty"` // empty: always
	Action string   `json:"action"`         // in words
	Cost   int      `json:"cost"`
	Slow   []string `json:"slow,omitempty"` // parts of the condition that allocate
	Hits   uint64   `json:"hits"`           // requests that it decided
	Errors uint64   `json:"errors"`         // requests for which it could not be evaluated
}

// Explanation is what would happen to a request, and why, in the order of the
// decision.
type Explanation struct {
	Schema  int               `json:"schema"` // of this form: 1
	Request ExplainedRequest  `json:"request"`
	Refused string            `json:"refused,omitempty"` // reason of the wire check; then there is nothing but the outcome
	Mapping *ExplainedMapping `json:"mapping,omitempty"`
	BestSet *ExplainedBestSet `json:"best_set,omitempty"`
	Binding *ExplainedBinding `json:"binding,omitempty"` // nil: the mapping has no session
	Rules   []ExplainedRule   `json:"rules,omitempty"`
	Rule    string            `json:"rule,omitempty"`   // that decided
	Action  string            `json:"action,omitempty"` // permit, redirect or reject
	Groups  []ExplainedGroup  `json:"groups,omitempty"` // in the order in which they are tried
	Variant string            `json:"variant,omitempty"`
	Filters []ExplainedFilter `json:"filters,omitempty"` // of the site, in the order of the file; none is called
	Cache   *ExplainedCache   `json:"cache,omitempty"`   // nil: no site has one
	Page    *ExplainedPage    `json:"page,omitempty"`    // nil: nothing is known of a page
	Router  *ExplainedRouter  `json:"router,omitempty"`  // nil: no cluster that was tried has one
	Still   []string          `json:"still,omitempty"`   // plugins that neither tick, call out nor sample for who only explains, and would know more
	Pick    *ExplainedPick    `json:"pick,omitempty"`
	Outcome ExplainedOutcome  `json:"outcome"`
}

// ExplainedFilter is a filter of the site.
type ExplainedFilter struct {
	Plugin  string   `json:"plugin"`
	Stage   string   `json:"stage"`    // deliver or store
	Sees    []string `json:"sees"`     // requests, answers
	OnError string   `json:"on_error"` // reject or skip
}

// ExplainedRequest is what the decision was made from.
type ExplainedRequest struct {
	Method  string `json:"method"`
	Scheme  string `json:"scheme"`
	Host    string `json:"host"`
	Port    int    `json:"port,omitempty"` // 0: the scheme's
	Path    string `json:"path"`           // canonical
	Query   string `json:"query,omitempty"`
	Client  string `json:"client"`
	Peer    string `json:"peer"`
	Proxied bool   `json:"proxied"` // the peer is a trusted proxy
}

// ExplainedMapping is the mapping that takes the request.
type ExplainedMapping struct {
	Index      int             `json:"index"` // -1: none
	Total      int             `json:"total"`
	Site       string          `json:"site,omitempty"`
	Host       string          `json:"host,omitempty"`       // of the site, as configured, that fits
	From       string          `json:"from,omitempty"`       // where the site was taken from: host, target, src or default
	Considered []ExplainedStep `json:"considered,omitempty"` // those before it
}

// ExplainedStep is a mapping that does not take the request.
type ExplainedStep struct {
	Mapping int    `json:"mapping"`
	Site    string `json:"site"`
	Why     string `json:"why"`
}

// ExplainedBestSet is who may serve the request at all.
type ExplainedBestSet struct {
	Application string                 `json:"application,omitempty"`
	Pattern     string                 `json:"pattern,omitempty"` // of the application, that fits
	Group       ExplainedGroup         `json:"group"`
	Considered  []ExplainedApplication `json:"considered,omitempty"` // the other applications of the mapping
}

// ExplainedApplication is an application that does not serve the request.
type ExplainedApplication struct {
	Application string `json:"application"`
	Why         string `json:"why"`
}

// ExplainedBinding is what the request's session is bound to.
type ExplainedBinding struct {
	Session        string `json:"session"`
	Kind           string `json:"kind"`              // learned, passive or gateway-cookie
	Carrier        string `json:"carrier,omitempty"` // of the id; or gateway-cookie and its name
	Primary        string `json:"primary,omitempty"`
	PrimaryState   string `json:"primary_state,omitempty"`
	Secondary      string `json:"secondary,omitempty"`
	SecondaryState string `json:"secondary_state,omitempty"`
	Origin         string `json:"origin,omitempty"` // where the request goes by its binding; empty: it is balanced
	Shields        bool   `json:"shields"`          // from permits, or from all rules
	Why            string `json:"why"`
}

// ExplainedRule is one rule of the request's site.
type ExplainedRule struct {
	Index       int    `json:"index"`
	Name        string `json:"name"`
	Place       string `json:"place"`
	Site        string `json:"site,omitempty"`
	When        string `json:"when,omitempty"`
	Value       string `json:"value"` // true, false, error, skipped, shielded or unreached
	Why         string `json:"why,omitempty"`
	Nanoseconds int64  `json:"nanoseconds"`
	Effect      string `json:"effect,omitempty"` // of the one that decided
}

// ExplainedGroup is a set of origins that is balanced over.
type ExplainedGroup struct {
	Clusters []string `json:"clusters"`
	Origins  []string `json:"origins"` // cell/cluster/origin
	Failover bool     `json:"failover,omitempty"`
}

// ExplainedRouter is the plugin that chooses among the origins of a group.
type ExplainedRouter struct {
	Plugin  string   `json:"plugin"`
	Cluster string   `json:"cluster"` // whose router it is
	Called  bool     `json:"called"`
	Listed  []string `json:"listed,omitempty"`  // cell/cluster/origin, best first
	Skipped []string `json:"skipped,omitempty"` // what it listed and does not count, with the reason
	Why     string   `json:"why,omitempty"`     // its list does not decide; empty: it does
}

// ExplainedPick is the origin that would be picked.
type ExplainedPick struct {
	Origin     string               `json:"origin,omitempty"` // empty: none
	Address    string               `json:"address,omitempty"`
	Why        string               `json:"why,omitempty"`
	Sure       bool                 `json:"sure"` // unless chance decides
	Group      int                  `json:"group"`
	Failover   bool                 `json:"failover"`
	Candidates []ExplainedCandidate `json:"candidates"` // of the groups up to this one, in their order
}

// ExplainedCandidate is one origin of a group.
type ExplainedCandidate struct {
	Origin   string  `json:"origin"`
	Address  string  `json:"address"`
	State    string  `json:"state"`
	Why      string  `json:"why"`
	Metric   *int    `json:"metric,omitempty"` // that its cluster's collector gives it: 0 is busy, 100 is idle
	Load     int64   `json:"load"`
	Capacity int64   `json:"capacity"`
	Learned  bool    `json:"learned,omitempty"` // the capacity is what was found that it can take
	Free     float64 `json:"free"`              // part of the capacity, from 0 to 1
	Weight   *int    `json:"weight,omitempty"`  // by which the group's balancer goes: the host's, the origin's, or the metric; nil: by none
	Group    int     `json:"group"`             // in the order in which groups are tried
}

// ExplainedOutcome is what the client would get.
type ExplainedOutcome struct {
	Status   int    `json:"status,omitempty"` // 0: the origin's
	Reason   string `json:"reason"`           // code
	Text     string `json:"text"`
	Location string `json:"location,omitempty"`
	Address  string `json:"address,omitempty"` // of the origin; of a fragment that is at no site, its host
	Target   string `json:"target,omitempty"`  // that it is asked for
	Stored   bool   `json:"stored,omitempty"`  // the cache answers; no origin is asked before the client has all that is stored
}
