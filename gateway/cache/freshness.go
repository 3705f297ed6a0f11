package cache

import "time"

// freshness says how long an answer may be used, from what it says of that itself, and
// what configuration does.
func (p *Policy) freshness(a *Answer, v *said, o *Override) Freshness {
	date := dateOf(a, v)
	f := Freshness{
		Received: a.Received,
		Age:      ageOnArrival(a, v.age, date),
		Validate: v.control.has(noCache),
		Strict:   v.control.has(noCache|mustRevalidate|proxyRevalidate) || v.control.times[sMaxAge].given,
	}
	f.Stated = v.ruledBy(o)
	if !f.Stated || o.Least {
		f.Stated = p.lifetime(&f, a, v, date) || f.Stated
	}
	if v.ruledBy(o) {
		f.Validate = f.Validate && o.Minds
		f.fixed(o.TTL)
	}
	p.windows(&f, &v.control)
	if v.ruledBy(o) && !f.Strict {
		f.WhileRevalidate = max(f.WhileRevalidate, saturated(o.Stale))
	}
	return f
}

// fixed makes the lifetime one that configuration says: it counts from here and now,
// whatever age the answer came with, unless it is longer already.
func (f *Freshness) fixed(ttl time.Duration) {
	if ttl > 0 {
		f.Lifetime = max(f.Lifetime, saturated(f.Age+saturated(ttl)))
	}
}

// lifetime sets the lifetime and reports whether anything is said of it (F1).
func (p *Policy) lifetime(f *Freshness, a *Answer, v *said, date time.Time) bool {
	if explicit, ok := v.lifetime(a, date); ok {
		f.Lifetime = explicit
		return true
	}
	if ttl, ok := p.TTL[a.Status]; ok {
		f.fixed(ttl)
		return true
	}
	if !v.guessable(a.Status) {
		return false
	}
	if f.Lifetime = p.heuristic(a, v, date); f.Lifetime > 0 {
		return true
	}
	ttl, ok := p.TTL[0]
	f.fixed(ttl)
	return ok
}

// lifetime returns the lifetime that the answer itself states. The first source that is
// there decides, and if it is malformed the answer is stale (F1, F2, F7, P4).
func (v *said) lifetime(a *Answer, date time.Time) (d time.Duration, explicit bool) {
	c := &v.control
	switch {
	case c.broken:
		return 0, true
	case c.times[sMaxAge].given:
		return c.times[sMaxAge].within(), true
	case c.times[maxAge].given:
		return c.times[maxAge].within(), true
	case v.expires.lines > 0 && !v.targeted:
		expires, ok := parseDate(v.expires.only(), a.Received)
		if !ok {
			return 0, true // D5
		}
		return saturated(max(expires.Sub(date), 0)), true // F4
	}
	return 0, false
}

// dateOf returns when an answer was made: its Date, else when it was received.
func dateOf(a *Answer, v *said) time.Time {
	if date, ok := parseDate(v.date.only(), a.Received); ok {
		return date
	}
	return a.Received
}

// modifiedOf returns Last-Modified, zero if there is none.
func modifiedOf(a *Answer, v *said) time.Time {
	t, _ := parseDate(v.modified.only(), a.Received)
	return t
}

// heuristic returns the lifetime that is guessed from Last-Modified (H1).
func (p *Policy) heuristic(a *Answer, v *said, date time.Time) time.Duration {
	modified := modifiedOf(a, v)
	if p.Heuristic <= 0 || modified.IsZero() || modified.After(date) {
		return 0
	}
	guess := p.Heuristic * float64(saturated(date.Sub(modified)))
	return time.Duration(min(guess, float64(saturated(p.HeuristicMax))))
}

// guessable reports whether an answer that does not say how long it is fresh may be
// stored all the same (H1 to H3; RFC 9111, 3).
func (v *said) guessable(status int) bool {
	return heuristicallyCacheable(status) || v.control.has(public)
}

// heuristicallyCacheable reports whether RFC 9110, 15.1 lets a lifetime be guessed for
// a status.
func heuristicallyCacheable(status int) bool {
	switch status {
	case 200, 203, 204, 206, 300, 301, 308, 404, 405, 410, 414, 501:
		return true
	}
	return false
}

// windows sets for how long the answer may be used when it is stale. What the answer
// says outranks the configuration, which is not asked about an answer that was never
// meant to be fresh; Strict outranks both (Z3).
func (p *Policy) windows(f *Freshness, c *control) {
	if f.Strict {
		return
	}
	if f.Lifetime > 0 {
		f.WhileRevalidate, f.IfError = saturated(p.WhileRevalidate), saturated(p.IfError)
	}
	if s := c.times[whileRevalidate]; s.given {
		f.WhileRevalidate = s.within()
	}
	if s := c.times[ifError]; s.given {
		f.IfError = s.within()
	}
}
