package websphere

import (
	"math"
	"strconv"
	"strings"
)

// maxWhole bounds the whole numbers that are calculated with, so that no sum or
// product of two of them overflows.
const maxWhole = 1 << 31

// A number is an exact or a floating one, as in the original.
type number struct {
	exact bool
	whole int64
	float float64 // also of an exact one
}

func wholeNumber(n int64) number { return number{true, n, float64(n)} }

// parseNumber reads a literal as Java writes it: 80, 0x50, 0120, 80L, 8.0, 8e1.
func parseNumber(s string) (number, bool) {
	low := strings.ToLower(s)
	if strings.ContainsAny(low, "_p") {
		return number{}, false
	}
	if n, err := strconv.ParseInt(strings.TrimSuffix(low, "l"), 0, 64); err == nil && !strings.HasPrefix(low, "0o") && !strings.HasPrefix(low, "0b") {
		return wholeNumber(n), n <= maxWhole
	}
	if isHex(low) || strings.ContainsAny(low, "inx") {
		return number{}, false // inf and nan are no literals
	}
	f, err := strconv.ParseFloat(strings.TrimRight(low, "fd"), 64)
	return number{float: f}, err == nil && len(low)-len(strings.TrimRight(low, "fd")) <= 1
}

// calculate is a op b, as Java calculates: whole numbers divide to whole ones.
// It fails where the original would, and where whole numbers get large.
func calculate(op string, a, b number) (number, bool) {
	if a.exact && b.exact {
		return calculateWhole(op, a.whole, b.whole)
	}
	f := map[string]float64{"+": a.float + b.float, "-": a.float - b.float, "*": a.float * b.float, "/": a.float / b.float}[op]
	return number{float: f}, !math.IsInf(f, 0) && !math.IsNaN(f)
}

func calculateWhole(op string, a, b int64) (number, bool) {
	var n int64
	switch op {
	case "+":
		n = a + b
	case "-":
		n = a - b
	case "*":
		n = a * b
	case "/":
		if b == 0 {
			return number{}, false
		}
		n = a / b
	}
	return wholeNumber(n), -maxWhole <= n && n <= maxWhole
}

// String is the number in our language.
func (n number) String() string {
	if n.exact {
		return strconv.FormatInt(n.whole, 10)
	}
	s := strconv.FormatFloat(n.float, 'f', -1, 64)
	if !strings.Contains(s, ".") {
		s += ".0"
	}
	return s
}
