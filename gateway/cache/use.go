package cache

import "time"

// Use is what may be done with a stored answer that fits a request.
type Use uint8

// The uses.
const (
	UseFetch      Use = iota // ask the origin as if nothing was stored
	UseFresh                 // send it
	UseStaleWhile            // send it, and ask the origin with AppendConditions behind the client's back
	UseValidate              // ask the origin with AppendConditions, then Renewed
	UseRest                  // it is the first part of what is asked for: ask for the rest, with AppendRest
)

// Use says what may be done with s, which fits r.
func (p *Policy) Use(s *Stored, r *Request, now time.Time) Use {
	ttl := s.TTLAt(now)
	switch {
	case !s.serves(r):
		return UseFetch
	case s.Fresh.Validate || p.Honour && r.refuses(s, ttl, now):
		return s.validate(r)
	case ttl > 0 || p.Honour && s.acceptedBy(r, -ttl):
		return s.send(r, p.Lenient)
	case -ttl < s.Fresh.WhileRevalidate && !s.isPart():
		return UseStaleWhile
	}
	return s.validate(r)
}

// UseWithin is Use for who wants nothing that was received longer ago than fresh; or, while it
// is asked for anew, than stale after that.
func (p *Policy) UseWithin(s *Stored, r *Request, now time.Time, fresh, stale time.Duration) Use {
	use, resident := p.Use(s, r, now), now.Sub(s.Fresh.Received)
	switch {
	case use != UseFresh && use != UseStaleWhile, resident < fresh:
		return use
	case resident-fresh < stale && !s.Fresh.Strict:
		return UseStaleWhile
	}
	return s.validate(r)
}

// Shares reports whether s, which fits r and was fetched a moment ago for another client,
// is the answer to r too, which has waited for it. It need not be fresh any more, if it
// says for how long it is and does not ask for more care. One that says nothing may be
// for the one client only, and is asked for anew like one that is stored.
func (p *Policy) Shares(s *Stored, r *Request, now time.Time) bool {
	switch p.Use(s, r, now) {
	case UseFresh, UseStaleWhile:
		return true
	case UseValidate:
		return s.Fresh.Stated && !s.Fresh.Strict
	}
	return false
}

// serves reports whether s may be the answer to r without the origin being asked. A
// request with Authorization only has answers that say they are for such (R4).
func (s *Stored) serves(r *Request) bool {
	return r.Method <= Head && !r.ForOrigin() && (s.Authorized || !r.Authorization)
}

// validate returns how the origin is asked. HEAD goes to it as it came (C10), and so does
// a request for a range of which a part is stored.
func (s *Stored) validate(r *Request) Use {
	if s.validator() && r.Method == Get && !s.isPart() {
		return UseValidate
	}
	return UseFetch
}

// send returns what is done with what may be sent. The rest of a part is asked for if
// the origin can tell whether it belongs to it; a lenient site asks anyhow (G4).
func (s *Stored) send(r *Request, lenient bool) Use {
	switch {
	case !s.isPart() || s.answers(r) || s.unchanged(r):
		return UseFresh
	case lenient || isStrong(s.ETag):
		return UseRest
	}
	return UseFetch
}

// refuses reports whether the client asks for a newer answer than s is (RFC 9111, 5.2.1).
func (r *Request) refuses(s *Stored, ttl time.Duration, now time.Time) bool {
	t := &r.control.times
	return r.wantsNew() ||
		t[maxAge].valid && s.AgeAt(now) > t[maxAge].d ||
		t[minFresh].valid && ttl < t[minFresh].d
}

// acceptedBy reports whether the client takes an answer that has been stale for so long.
func (s *Stored) acceptedBy(r *Request, stale time.Duration) bool {
	m := r.control.times[maxStale]
	return !s.Fresh.Strict && (m.bare || m.valid && stale <= m.d)
}

// Failure is what happened instead of an answer: the status of an error, or
// Disconnected.
type Failure int

// Disconnected means that no origin could be reached, or none answered.
const Disconnected Failure = 0

// error reports whether it is an error that stale-if-error is about (Z4; RFC 5861, 4).
func (f Failure) error() bool {
	switch f {
	case Disconnected, 500, 502, 503, 504:
		return true
	}
	return false
}

// MayUseStale reports whether s, which fits r, may be sent although it is stale, because
// asking the origin came to f (Z1, Z3, Z4). An answer that was never meant to be fresh
// is only used so if it says itself for how long.
func (p *Policy) MayUseStale(s *Stored, r *Request, now time.Time, f Failure) bool {
	switch {
	case !s.serves(r) || s.Fresh.Strict || s.Fresh.Validate || s.isPart() && !s.answers(r):
		return false
	case p.Honour && r.wantsNew():
		return false
	case f == Disconnected && p.Disconnected && s.Fresh.Lifetime > 0:
		return true
	}
	return f.error() && -s.TTLAt(now) <= p.window(s, r)
}

// window returns for how long an error lets s be used after it has expired: less than 0
// if not at all.
func (p *Policy) window(s *Stored, r *Request) time.Duration {
	window := s.Fresh.IfError
	if asked := r.control.times[ifError]; p.Honour && asked.valid {
		window = max(window, asked.d)
	}
	if window == 0 {
		return -longest
	}
	return window
}
