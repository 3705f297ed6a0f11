package unit

import (
	"strconv"
	"strings"
)

// Percent is a share in hundredths of a percent (20% is 2000), written 20% or
// 0.5%; at most 100%.
type Percent int32

// PercentPattern is a regular expression that every text of a Percent matches.
const PercentPattern = `^(0|\d+(\.\d{1,2})?%)$`

// Whole is 100%, as a [Percent].
const Whole = 100_00

// UnmarshalText reads a percentage; the error is an [*Error].
func (p *Percent) UnmarshalText(text []byte) error {
	s := string(text)
	if s == "0" {
		*p = 0
		return nil
	}
	if bare(s) {
		return refuse(s, "must have a unit, for example "+s+"%")
	}
	n, ok := parsePercent(s)
	if !ok {
		return refuse(s, "must be a percentage of at most 100%, for example 20% or 0.5%")
	}
	*p = Percent(n)
	return nil
}

// parsePercent reads a number with at most two decimals and a percent sign.
func parsePercent(s string) (int64, bool) {
	s, signed := strings.CutSuffix(s, "%")
	units, fraction, dotted := strings.Cut(s, ".")
	if !signed || !bare(units) || dotted && (!bare(fraction) || len(fraction) > 2) {
		return 0, false
	}
	n, _, ok := number(units + (fraction + "00")[:2])
	return n, ok && n <= Whole
}

// String writes the percentage without zeros after the point.
func (p Percent) String() string {
	s := strconv.Itoa(int(p) / 100)
	if rest := int(p) % 100; rest != 0 {
		s += "." + strings.TrimRight(strconv.Itoa(100 + rest)[1:], "0")
	}
	return s + "%"
}

// MarshalText writes what UnmarshalText reads.
func (p Percent) MarshalText() ([]byte, error) { return []byte(p.String()), nil }
