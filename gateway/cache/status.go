package cache

import (
	"strconv"
	"time"
)

// Fwd is why a request went to the origin (RFC 9211, 2.2).
type Fwd uint8

// The reasons. Zero: it did not.
const (
	NotForwarded Fwd = iota
	FwdURIMiss
	FwdVaryMiss
	FwdMiss
	FwdStale
	FwdBypass
	FwdMethod
	FwdRequest
	FwdPartial
)

var fwdNames = [...]string{
	FwdURIMiss:  "uri-miss",
	FwdVaryMiss: "vary-miss",
	FwdMiss:     "miss",
	FwdStale:    "stale",
	FwdBypass:   "bypass",
	FwdMethod:   "method",
	FwdRequest:  "request",
	FwdPartial:  "partial",
}

// String returns the word for it in Cache-Status.
func (f Fwd) String() string { return fwdNames[f] }

// Status is what one cache says of an answer in Cache-Status (RFC 9211).
type Status struct {
	Cache     string // who says it: a name of the node
	Hit       bool   // the answer came from the store, and nobody was asked
	Fwd       Fwd
	FwdStatus int           // that the origin answered with; 0: not said
	TTL       time.Duration // for which the answer is still fresh; less than 0: for which it has been stale
	HasTTL    bool
	Stored    bool   // the answer has been stored
	Collapsed bool   // another client's request was waited for
	Key       []byte // under which the answer is stored; nil: not said
	Detail    string // in words of ours; empty: nothing

	Fragments int // that the answer, a page, had asked for when its head was sent; 0: not said
	Ready     int // of these, that were in memory
}

// Append appends the member for a Cache-Status line. It stands after those of the caches
// nearer to the origin: in a line of its own after theirs.
func (s *Status) Append(dst []byte) []byte {
	dst = appendName(dst, s.Cache)
	if s.Hit {
		dst = append(dst, "; hit"...)
	}
	dst = s.appendForward(dst)
	if s.HasTTL {
		dst = append(dst, "; ttl="...)
		dst = strconv.AppendInt(dst, wholeTTL(s.TTL), 10)
	}
	dst = s.appendFlags(dst)
	dst = s.appendFragments(dst)
	if s.Key != nil {
		dst = append(dst, "; key="...)
		dst = appendString(dst, s.Key)
	}
	if s.Detail != "" {
		dst = append(dst, "; detail="...)
		dst = appendName(dst, s.Detail)
	}
	return dst
}

func (s *Status) appendForward(dst []byte) []byte {
	if s.Fwd == NotForwarded {
		return dst
	}
	dst = append(dst, "; fwd="...)
	dst = append(dst, s.Fwd.String()...)
	if s.FwdStatus != 0 {
		dst = append(dst, "; fwd-status="...)
		dst = strconv.AppendInt(dst, int64(s.FwdStatus), 10)
	}
	return dst
}

func (s *Status) appendFlags(dst []byte) []byte {
	if s.Stored {
		dst = append(dst, "; stored"...)
	}
	if s.Collapsed {
		dst = append(dst, "; collapsed"...)
	}
	return dst
}

// appendFragments appends parameters that are ours, as RFC 9211 leaves room for.
func (s *Status) appendFragments(dst []byte) []byte {
	if s.Fragments == 0 {
		return dst
	}
	dst = strconv.AppendInt(append(dst, "; fragments="...), int64(s.Fragments), 10)
	return strconv.AppendInt(append(dst, "; fragments-hit="...), int64(s.Ready), 10)
}

// wholeTTL rounds up, as the age rounds down: the two add up to the lifetime, and an
// answer is fresh while it is more than 0.
func wholeTTL(ttl time.Duration) int64 {
	whole := ttl / time.Second
	if ttl%time.Second > 0 {
		whole++
	}
	return int64(whole)
}

// appendName appends a word as a token, and as a string if it is none.
func appendName(dst []byte, word string) []byte {
	if isTokenItem(word) {
		return append(dst, word...)
	}
	return appendString(dst, word)
}

// isTokenItem reports whether a word may stand as a token of RFC 8941, 3.3.4.
func isTokenItem(word string) bool {
	if word == "" || word[0] != '*' && !isAlpha(word[0]) {
		return false
	}
	for i := range len(word) {
		if !isSFToken(word[i]) {
			return false
		}
	}
	return true
}

// appendString appends a string of RFC 8941, 3.3.3. What it may not hold is escaped as
// in a URI.
func appendString[T string | []byte](dst []byte, s T) []byte {
	const digits = "0123456789ABCDEF"
	dst = append(dst, '"')
	for i := range len(s) {
		switch c := s[i]; {
		case c == '"' || c == '\\':
			dst = append(dst, '\\', c)
		case c < ' ' || c > '~':
			dst = append(dst, '%', digits[c>>4], digits[c&15])
		default:
			dst = append(dst, c)
		}
	}
	return append(dst, '"')
}
