package gateway

import (
	"strconv"
	"time"

	"weirkeep/gateway/metrics"
)

// cacheDetail is what the log has of stored answers, as Oracle's Web Cache writes it
// (D-WC-30): a letter, and how long the answer is fresh, may be used after that, and how old
// it is. The zero value: nothing.
type cacheDetail struct {
	letter                   byte
	timed                    bool // the rest is known
	lifetime, remaining, age time.Duration
}

// detail is what the cache did in a letter: H a fresh answer was stored, S one that has
// expired was used, U it was updated, or G after a purge had marked it; M the answer was
// stored, N it was not.
func (x *Exchange) detail() (d cacheDetail) {
	c := &x.cached
	d.letter = c.letter()
	if c.entry == nil {
		return d
	}
	s := c.entry.Stored()
	d.timed, d.lifetime, d.age = true, s.Fresh.Lifetime, s.AgeAt(x.Now)
	d.remaining = max(s.Fresh.WhileRevalidate, s.Fresh.IfError)
	return d
}

func (c *cached) letter() byte {
	switch {
	case c.outcome == metrics.CacheHit, c.outcome == metrics.CacheCollapsed:
		return 'H'
	case c.outcome == metrics.CacheStale:
		return 'S'
	case c.entry == nil:
		return 'N'
	case c.stale == nil, c.asking == askRest:
		return 'M'
	case c.stale.Stored().Fresh.Expired:
		return 'G'
	}
	return 'U'
}

// append appends the detail as in "S max-age=60+30;age=75", in whole seconds.
func (d *cacheDetail) append(dst []byte) []byte {
	dst = append(dst, d.letter)
	if !d.timed {
		return dst
	}
	dst = appendSeconds(append(dst, " max-age="...), d.lifetime)
	dst = appendSeconds(append(dst, '+'), d.remaining)
	return appendSeconds(append(dst, ";age="...), d.age)
}

func appendSeconds(dst []byte, d time.Duration) []byte {
	return strconv.AppendInt(dst, int64(max(d, 0)/time.Second), 10)
}
