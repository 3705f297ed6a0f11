package collect

import (
	"errors"
	"math"
	"strconv"
)

// Number reads -?digits[.digits][e±digits], as header fields have it; false: it is
// something else, or too large. It does not allocate.
func Number(b []byte) (n float64, ok bool) {
	rest := digits(trimSign(b, "-"))
	if rest == nil {
		return 0, false
	}
	if len(rest) > 0 && rest[0] == '.' {
		rest = digits(rest[1:])
	}
	if len(rest) > 0 && rest[0] == 'e' {
		rest = digits(trimSign(rest[1:], "+-"))
	}
	if rest == nil || len(rest) > 0 {
		return 0, false
	}
	n, err := strconv.ParseFloat(string(b), 64)
	return n, err == nil
}

// digits is what follows the digits that b begins with; nil: it begins with none.
func digits(b []byte) []byte {
	i := 0
	for i < len(b) && '0' <= b[i] && b[i] <= '9' {
		i++
	}
	if i == 0 {
		return nil
	}
	return b[i:]
}

func trimSign(b []byte, signs string) []byte {
	for i := range len(signs) {
		if len(b) > 0 && b[0] == signs[i] {
			return b[1:]
		}
	}
	return b
}

// errNoNumber is of a text where a number has to be.
var errNoNumber = errors.New("is no number")

// errInfinite is of numbers that nothing can be made of.
var errInfinite = errors.New("is not finite")

// finite reads a number in any form that programs write, and refuses NaN and the
// infinite.
func finite(text string) (float64, error) {
	n, err := strconv.ParseFloat(text, 64)
	switch {
	case math.IsNaN(n), math.IsInf(n, 0):
		return 0, errInfinite
	case err != nil:
		return 0, errNoNumber
	}
	return n, nil
}
