// Package unit has the quantities of the configuration in their text forms:
// durations (10s), sizes (64MiB), rates (240B/s) and percentages (20%).
//
// Every type reads its own text with UnmarshalText and writes it with
// MarshalText, so that what is printed can be read again. A bare number is no
// quantity: it is refused with an error that says which units there are; only
// zero is the same in every unit and may stand alone. Nothing is negative.
package unit

import (
	"strconv"
	"strings"
)

// Error is a text that is no quantity.
type Error struct {
	Text   string // as it was written
	Reason string // begins with "must"
}

func (e *Error) Error() string { return strconv.Quote(e.Text) + " " + e.Reason }

// refuse is the error for text.
func refuse(text, reason string) error { return &Error{Text: text, Reason: reason} }

// number reads the digits that text begins with and returns what follows them.
// It is not ok without a digit, or when the number is over 63 bits.
func number(text string) (n int64, rest string, ok bool) {
	digits := len(text) - len(strings.TrimLeft(text, "0123456789"))
	n, err := strconv.ParseInt(text[:digits], 10, 64)
	return n, text[digits:], err == nil
}

// bare reports whether text is a number without a unit.
func bare(text string) bool {
	return text != "" && strings.Trim(text, "0123456789") == ""
}
