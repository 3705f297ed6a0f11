package unit

import (
	"math"
	"strings"
	"time"
)

// Duration is a length of time, written as in Go: 150ms, 10s, 5m, 1h30m, and
// also in days: 7d.
type Duration time.Duration

// DurationPattern is a regular expression that every text of a Duration matches.
const DurationPattern = `^(0|\d+d(\d+(\.\d*)?(h|m|s|ms|us|µs|μs|ns))*|(\d+(\.\d*)?(h|m|s|ms|us|µs|μs|ns))+)$`

const day = 24 * time.Hour

// UnmarshalText reads a duration; the error is an [*Error].
func (d *Duration) UnmarshalText(text []byte) error {
	s := string(text)
	if s == "0" {
		*d = 0
		return nil
	}
	if bare(s) {
		return refuse(s, "must have a unit, for example "+s+"s")
	}
	v, ok := parseDuration(s)
	if !ok {
		return refuse(s, "must be a duration, for example 150ms, 10s, 1h30m or 7d")
	}
	*d = Duration(v)
	return nil
}

// parseDuration reads days, hours, minutes and what is smaller, in this order.
func parseDuration(s string) (time.Duration, bool) {
	if s == "" || s[0] < '0' || s[0] > '9' {
		return 0, false
	}
	var days int64
	if n, rest, ok := number(s); ok && strings.HasPrefix(rest, "d") {
		days, s = n, rest[1:]
	}
	if days > int64(math.MaxInt64/day) {
		return 0, false
	}
	rest, ok := parseClock(s)
	sum := time.Duration(days)*day + rest
	return sum, ok && sum >= rest
}

// parseClock reads what follows the days, which may be nothing.
func parseClock(s string) (time.Duration, bool) {
	if s == "" {
		return 0, true
	}
	if s[0] < '0' || s[0] > '9' {
		return 0, false
	}
	v, err := time.ParseDuration(s)
	return v, err == nil
}

// String writes whole days and then as Go does, without parts that are zero.
func (d Duration) String() string {
	v := time.Duration(d)
	if v == 0 {
		return "0s"
	}
	var b strings.Builder
	if days := v / day; days > 0 {
		b.WriteString(Size(days).digits() + "d")
		v %= day
	}
	if v != 0 {
		b.WriteString(trimZeros(v.String()))
	}
	return b.String()
}

// trimZeros takes the parts that are zero off the end of a Go duration.
func trimZeros(s string) string {
	if strings.HasSuffix(s, "m0s") {
		s = strings.TrimSuffix(s, "0s")
	}
	if strings.HasSuffix(s, "h0m") {
		s = strings.TrimSuffix(s, "0m")
	}
	return s
}

// MarshalText writes what UnmarshalText reads.
func (d Duration) MarshalText() ([]byte, error) { return []byte(d.String()), nil }
