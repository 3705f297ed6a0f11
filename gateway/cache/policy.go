package cache

import "time"

// Policy is what a site's configuration says of its cache.
type Policy struct {
	// Heuristic is the part of the time since Last-Modified for which an answer is
	// fresh that says nothing of it; 0: none. HeuristicMax bounds the result.
	Heuristic    float64
	HeuristicMax time.Duration

	// TTL is how long answers are fresh that say nothing of it, by status; 0 is the
	// entry for every status that is heuristically cacheable and has no entry.
	TTL map[int]time.Duration

	// WhileRevalidate and IfError are how long after it has expired an answer may be
	// used that says nothing of it itself: while it is asked for anew, and instead of
	// an error.
	WhileRevalidate, IfError time.Duration

	// Disconnected lets stale answers be used when no origin can be reached (4.2.4).
	Disconnected bool

	SetCookie SetCookie

	// Honour lets clients ask for fresh answers, or for stale ones, or that none is stored
	// (5.2.1). That they want only what is stored holds in any case.
	Honour bool

	// Device is the name by which Surrogate-Control speaks to this cache alone; empty:
	// none.
	Device string

	// Remote means that the cache is far from the origins: no-store-remote of
	// Surrogate-Control is said to it.
	Remote bool

	// Targeted are the fields that are asked before Cache-Control (RFC 9213), in
	// lower case, the first that is there and valid decides.
	Targeted []string

	// Encodings and Languages say whether values of Accept-Encoding and
	// Accept-Language that mean the same are one variant.
	Encodings, Languages bool

	// Lenient keeps parts whose length is not the one that Content-Range says.
	Lenient bool

	// PostLocation stores answers to POST for the URL that their Content-Location
	// names, if it is the target's (RFC 9110 9.3.3).
	PostLocation bool

	// Tags are the fields that name an answer's tags, in lower case.
	Tags []string

	// Codings are those that answers may be sent in which came in none, the one that is
	// rather used first.
	Codings []Coding
}

// SetCookie is what becomes of answers with Set-Cookie.
type SetCookie uint8

// The answers to Set-Cookie.
const (
	BypassCookies SetCookie = iota // they are not stored
	StripCookies                   // they are stored without it
	StoreCookies                   // they are stored with it
)

// Default returns the policy of a site that says nothing of its cache. Heuristics are off
// (H5), answers with Set-Cookie are not stored, clients cannot ask for fresh answers, and
// only Accept-Encoding is folded: each of the others can surprise whoever did not ask for
// it. Stale answers are used when no origin can be reached.
func Default() Policy {
	return Policy{
		HeuristicMax: 24 * time.Hour,
		Disconnected: true,
		Targeted:     []string{"weirkeep-cache-control", "cdn-cache-control"},
		Encodings:    true,
		Tags:         []string{"surrogate-key", "cache-tag"},
	}
}

// Conformance returns the policy that does all that RFC 9111 and 9110 allow a shared
// cache to do: what the public test suite of HTTP caches calls optimal. It differs from
// Default in Heuristic 0.1, SetCookie store, Honour, Languages, Lenient and PostLocation.
func Conformance() Policy {
	p := Default()
	p.Heuristic = 0.1
	p.SetCookie = StoreCookies
	p.Honour = true
	p.Languages = true
	p.Lenient = true
	p.PostLocation = true
	return p
}
