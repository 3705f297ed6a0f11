package cache

// Refusal says why an answer is not stored. Zero: it is.
type Refusal uint8

// The refusals. The comments are the sentences of [Refusal.Sentence].
const (
	RefusedByRule Refusal = iota + 1
	RefusedMethod
	RefusedStatus
	RefusedNoStore
	RefusedRequest
	RefusedPrivate
	RefusedAuthorization
	RefusedCookie
	RefusedVary
	RefusedVaryLong
	RefusedPart
	RefusedTags
	RefusedNoCache
	RefusedExpired
	RefusedUnknown
	RefusedOther
	RefusedSlices
	RefusedFilter
	RefusedFraming
)

// refusals says everything of each refusal.
var refusals = [...]struct {
	name, sentence string
	keeps          bool // an older answer stays: this one is for somebody, or for nobody
	personal       bool // the next client's answer may well be stored
}{
	0:                    {"stored", "the answer is stored", true, true},
	RefusedByRule:        {"rule", "a caching rule says pass", false, false},
	RefusedMethod:        {"method", "only answers to GET are stored", true, true},
	RefusedStatus:        {"status", "an answer with this status is only for the request that it answers", true, true},
	RefusedNoStore:       {"no-store", "the answer says no-store", true, false},
	RefusedRequest:       {"request no-store", "the request says no-store, and the site honours that", true, true},
	RefusedPrivate:       {"private", "the answer says private", true, false},
	RefusedAuthorization: {"authorization", "the request has Authorization, and the answer does not say public, must-revalidate or s-maxage", true, true},
	RefusedCookie:        {"set-cookie", "the answer has Set-Cookie, and the site does not store such answers", true, false},
	RefusedVary:          {"vary *", "the answer says Vary: *, so it fits no other request", false, false},
	RefusedVaryLong:      {"vary too long", "the answer varies by more, or by longer fields, than are kept", false, false},
	RefusedPart:          {"part", "the answer is a part of a representation that is not one range, of the length that it says, of what was asked for", true, true},
	RefusedTags:          {"too many tags", "the answer has more tags or groups, or longer ones, than are kept, so it could not be purged by them", false, false},
	RefusedNoCache:       {"no-cache", "the answer says no-cache and has neither ETag nor Last-Modified to ask the origin with", false, false},
	RefusedExpired:       {"expired", "the answer is stale when it comes and has neither ETag nor Last-Modified to ask the origin with", false, false},
	RefusedUnknown:       {"no freshness", "neither the answer nor the configuration says how long it is fresh, and it cannot be validated", false, false},
	RefusedSlices:        {"no slices", "the answer is so long that it is only stored in slices, and the origin has sent none, or none of one version, not long ago", false, false},
	RefusedOther:         {"other validator", "the answer is about another version than the one that is stored", true, true},
	RefusedFilter:        {"filter failed", "a filter of stage: store has failed, and nothing is stored past it", true, true},
	RefusedFraming:       {"framing", "the answer has Content-Length and Transfer-Encoding, so where it ends is said twice", true, false},
}

// String returns the word for it in Cache-Status.
func (w Refusal) String() string { return refusals[w].name }

// Sentence says it to people.
func (w Refusal) Sentence() string { return refusals[w].sentence }

// Supersedes reports whether an answer that was refused so, with that status, still
// shows that an older stored one of its variant is out of date and has to go: it is for
// everybody and no error. What is for one client only, and no-store, lets it stay (R1).
func (w Refusal) Supersedes(status int) bool {
	return w != 0 && !refusals[w].keeps && status < 500
}

// Lasting reports whether the next client's answer is likely to be refused too: then
// nobody should wait for the answers of others for a while. It is not where the reason
// is the request's own.
func (w Refusal) Lasting() bool { return w != 0 && !refusals[w].personal }
