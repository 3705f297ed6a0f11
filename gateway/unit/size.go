package unit

import (
	"math"
	"strconv"
	"strings"
)

// Size is a number of bytes, written with a unit: 512B, 32KiB, 64MiB, 10GiB,
// or with decimal units: 1kB, 5MB, 2GB.
type Size int64

// SizePattern is a regular expression that every text of a Size matches.
const SizePattern = `^(0|\d+(B|kB|KiB|MB|MiB|GB|GiB|TB|TiB))$`

// sizeUnits are the units of sizes, the largest first.
var sizeUnits = []struct {
	name  string
	bytes int64
}{
	{"TiB", 1 << 40},
	{"TB", 1e12},
	{"GiB", 1 << 30},
	{"GB", 1e9},
	{"MiB", 1 << 20},
	{"MB", 1e6},
	{"KiB", 1 << 10},
	{"kB", 1e3},
	{"B", 1},
}

// UnmarshalText reads a size; the error is an [*Error].
func (z *Size) UnmarshalText(text []byte) error {
	s := string(text)
	n, reason := parseSize(s)
	if reason != "" {
		return refuse(s, reason)
	}
	*z = Size(n)
	return nil
}

// parseSize reads a size, or says what must be.
func parseSize(s string) (n int64, reason string) {
	if s == "0" {
		return 0, ""
	}
	if bare(s) {
		return 0, "must have a unit, for example " + s + "KiB"
	}
	n, name, ok := number(s)
	if !ok {
		return 0, "must be a size, for example 512B, 32KiB or 64MiB"
	}
	for _, u := range sizeUnits {
		if u.name == name {
			return scale(n, u.bytes)
		}
	}
	return 0, "must be a whole number and one of the units B, kB, KiB, MB, MiB, GB, GiB, TB, TiB"
}

// scale multiplies unless the product is over 63 bits.
func scale(n, by int64) (int64, string) {
	if n > math.MaxInt64/by {
		return 0, "must be under 8 EiB"
	}
	return n * by, ""
}

// String writes the size in the largest unit that needs no fraction.
func (z Size) String() string {
	for _, u := range sizeUnits {
		if z != 0 && int64(z)%u.bytes == 0 {
			return Size(int64(z)/u.bytes).digits() + u.name
		}
	}
	return "0B"
}

// digits writes the number alone.
func (z Size) digits() string { return strconv.FormatInt(int64(z), 10) }

// MarshalText writes what UnmarshalText reads.
func (z Size) MarshalText() ([]byte, error) { return []byte(z.String()), nil }

// Rate is a number of bytes per second, written as a [Size] and "/s": 240B/s.
type Rate int64

// RatePattern is a regular expression that every text of a Rate matches.
const RatePattern = `^(0|\d+(B|kB|KiB|MB|MiB|GB|GiB|TB|TiB)/s)$`

// UnmarshalText reads a rate; the error is an [*Error].
func (r *Rate) UnmarshalText(text []byte) error {
	s := string(text)
	if s == "0" {
		*r = 0
		return nil
	}
	if bare(s) {
		return refuse(s, "must have a unit, for example "+s+"B/s")
	}
	size, ok := strings.CutSuffix(s, "/s")
	n, reason := parseSize(size)
	if !ok || reason != "" || size == "0" {
		return refuse(s, "must be a size per second, for example 240B/s or 64KiB/s")
	}
	*r = Rate(n)
	return nil
}

// String writes the rate in the largest unit that needs no fraction.
func (r Rate) String() string { return Size(r).String() + "/s" }

// MarshalText writes what UnmarshalText reads.
func (r Rate) MarshalText() ([]byte, error) { return []byte(r.String()), nil }
