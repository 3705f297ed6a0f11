package cache

import (
	"time"

	"weirkeep/gateway/wire"
)

// directives are those that are there or not.
type directives uint16

const (
	noStore directives = 1 << iota
	private
	noCache
	mustRevalidate
	proxyRevalidate
	public
	mustUnderstand
	onlyIfCached
	noTransform
)

// restrictive are the directives that count even if what follows them is malformed, or
// an argument that is not looked at (R3).
const restrictive = noStore | private | noCache | mustRevalidate | proxyRevalidate | noTransform

// The directives that are a time, as index into control.times.
const (
	maxAge = iota
	sMaxAge
	whileRevalidate
	ifError
	minFresh
	maxStale
	timeCount
)

// directive is one that is known. If flag is 0 it is a time.
type directive struct {
	name string // in lower case
	flag directives
	time int
}

// known is every directive that means something to a shared cache.
var known = [...]directive{
	{name: "max-age", time: maxAge},
	{name: "s-maxage", time: sMaxAge},
	{name: "no-store", flag: noStore},
	{name: "no-cache", flag: noCache},
	{name: "private", flag: private},
	{name: "public", flag: public},
	{name: "must-revalidate", flag: mustRevalidate},
	{name: "proxy-revalidate", flag: proxyRevalidate},
	{name: "must-understand", flag: mustUnderstand},
	{name: "stale-while-revalidate", time: whileRevalidate},
	{name: "stale-if-error", time: ifError},
	{name: "only-if-cached", flag: onlyIfCached},
	{name: "no-transform", flag: noTransform},
	{name: "min-fresh", time: minFresh},
	{name: "max-stale", time: maxStale},
}

// lookup returns what is known of a directive, nil if nothing is.
func lookup(name []byte) *directive {
	for i := range known {
		if wire.EqualFold(name, known[i].name) {
			return &known[i]
		}
	}
	return nil
}

// seconds is the argument of a directive.
type seconds struct {
	given bool // there is such a directive
	valid bool // with a number
	bare  bool // without anything
	d     time.Duration
}

// within returns the time, none if it is not valid.
func (s seconds) within() time.Duration {
	if !s.valid {
		return 0
	}
	return s.d
}

// control is what Cache-Control says, or a targeted field in its place. The zero value
// says nothing.
type control struct {
	there  bool // there is such a field
	broken bool // a quoted string in it is not closed
	flags  directives
	times  [timeCount]seconds
}

// has reports whether one of the directives is there.
func (c *control) has(d directives) bool { return c.flags&d != 0 }

// read reads one line of Cache-Control (P1).
func (c *control) read(value []byte) {
	c.there = true
	for len(value) > 0 {
		var member []byte
		var closed bool
		member, value, closed = cutMember(value)
		c.broken = c.broken || !closed
		c.member(member)
	}
}

// member reads one directive.
func (c *control) member(m []byte) {
	n := tokenLength(m)
	k := lookup(m[:n])
	if k == nil {
		return
	}
	arg, ok := argument(m[n:])
	switch {
	case k.flag&restrictive != 0, k.flag != 0 && ok && arg == nil:
		c.flags |= k.flag
	case k.flag == 0 && !c.times[k.time].given: // the first counts (P4)
		c.times[k.time] = secondsOf(arg, ok)
	}
}

// secondsOf returns the time that an argument is.
func secondsOf(arg []byte, ok bool) seconds {
	s := seconds{given: true, bare: ok && arg == nil}
	if ok {
		s.d, s.valid = parseSeconds(arg)
	}
	return s
}

// argument returns what follows the "=" after a directive's name, without quotes; nil
// if there is nothing. It is not ok if that is no argument.
func argument(b []byte) (arg []byte, ok bool) {
	switch {
	case len(b) == 0:
		return nil, true
	case b[0] != '=' || len(b) == 1:
		return nil, false
	}
	b = b[1:]
	if b[0] == '"' {
		n := quotedLength(b)
		return b[1:max(n-1, 1)], n == len(b)
	}
	return b, wire.IsToken(b)
}
