package config

import (
	"errors"
	"strconv"
	"strings"
)

// String hides the secret.
func (Secret) String() string { return "***" }

// GoString hides the secret.
func (Secret) GoString() string { return "***" }

// MarshalText hides the secret, in JSON and YAML too.
func (Secret) MarshalText() ([]byte, error) { return []byte("***"), nil }

// UnmarshalText reads a count of at least 1 or the word auto.
func (a *Auto) UnmarshalText(text []byte) error {
	if string(text) == "auto" {
		*a = 0
		return nil
	}
	n, ok := wholeNumber(string(text))
	if !ok || n < 1 {
		return errors.New("must be auto or a number from 1")
	}
	*a = Auto(n)
	return nil
}

// MarshalText writes what UnmarshalText reads.
func (a Auto) MarshalText() ([]byte, error) { return []byte(a.String()), nil }

// String is the number or the word auto.
func (a Auto) String() string {
	if a == 0 {
		return "auto"
	}
	return printInt(int64(a))
}

// Learned reports whether the capacity is learned.
func (c Capacity) Learned() bool { return c.Least < c.Most }

// mostCapacity is the largest capacity.
const mostCapacity = 1_000_000

// UnmarshalText reads a count, two of them with a dash between, or the word auto.
func (c *Capacity) UnmarshalText(text []byte) error {
	if string(text) == "auto" {
		*c = AutoCapacity
		return nil
	}
	first, last, isRange := strings.Cut(string(text), "-")
	if !isRange {
		last = first
	}
	least, okLeast := wholeNumber(first)
	most, okMost := wholeNumber(last)
	switch {
	case !okLeast || !okMost || min(least, most) < 1 || max(least, most) > mostCapacity:
		return errors.New("must be 1..1000000, auto, or bounds for auto such as 10-500")
	case least > most:
		return errors.New("must have the lower bound first")
	}
	*c = Capacity{Least: least, Most: most}
	return nil
}

// MarshalText writes what UnmarshalText reads.
func (c Capacity) MarshalText() ([]byte, error) { return []byte(c.String()), nil }

// String is the number, the bounds with a dash between, or the word auto.
func (c Capacity) String() string {
	switch {
	case c == AutoCapacity:
		return "auto"
	case c.Learned():
		return printInt(int64(c.Least)) + "-" + printInt(int64(c.Most))
	}
	return printInt(int64(c.Most))
}

// UnmarshalText reads a count from 1 to 1000 or the word same.
func (s *Same) UnmarshalText(text []byte) error {
	if string(text) == "same" {
		*s = 0
		return nil
	}
	n, ok := wholeNumber(string(text))
	if !ok || n < 1 || n > 1000 {
		return errors.New("must be same or a number from 1 to 1000")
	}
	*s = Same(n)
	return nil
}

// MarshalText writes what UnmarshalText reads.
func (s Same) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// String is the number or the word same.
func (s Same) String() string {
	if s == 0 {
		return "same"
	}
	return printInt(int64(s))
}

// UnmarshalText reads statuses and ranges of them, with commas between.
func (r *StatusRanges) UnmarshalText(text []byte) error {
	var ranges [][2]int
	for part := range strings.SplitSeq(string(text), ",") {
		first, last, isRange := strings.Cut(strings.TrimSpace(part), "-")
		if !isRange {
			last = first
		}
		low, okLow := wholeNumber(first)
		high, okHigh := wholeNumber(last)
		switch {
		case !okLow || !okHigh:
			return errors.New("must be statuses and ranges of them, for example 200-299,301")
		case low < lowestStatus || high > highestStatus:
			return errors.New("must be of statuses from 200 to 599")
		case low > high:
			return errors.New("must have the lower status of a range first")
		}
		ranges = append(ranges, [2]int{low, high})
	}
	r.Ranges = ranges
	return nil
}

// The statuses that an answer to a check may have in the end.
const (
	lowestStatus  = 200
	highestStatus = 599
)

// MarshalText writes what UnmarshalText reads.
func (r StatusRanges) MarshalText() ([]byte, error) { return []byte(r.String()), nil }

// String is the statuses and ranges, with commas between.
func (r StatusRanges) String() string {
	var parts []string
	for _, s := range r.Ranges {
		part := strconv.Itoa(s[0])
		if s[1] != s[0] {
			part += "-" + strconv.Itoa(s[1])
		}
		parts = append(parts, part)
	}
	return strings.Join(parts, ",")
}
