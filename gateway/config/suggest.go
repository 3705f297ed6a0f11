package config

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/agnivade/levenshtein"
)

// didYouMean begins every hint that names a single word.
const didYouMean = "did you mean "

// Suggest is the hint that names the one of the known words that is nearest to
// word; empty when none is near.
func Suggest(word string, known []string) string {
	_, hint := nearest(word, known)
	return hint
}

// nearest is the known word that is nearest to word, with the hint that names
// it; empty when none is near.
func nearest(word string, known []string) (best, hint string) {
	if len(word) > 64 {
		return "", ""
	}
	least := max(1, len(word)/3) + 1
	for _, k := range slices.Sorted(slices.Values(known)) {
		if d := distance(word, k); d < least {
			best, least = k, d
		}
	}
	if best == "" {
		return "", ""
	}
	return best, didYouMean + strconv.Quote(best) + "?"
}

// distance is how many characters differ, case, dashes and underscores apart.
// Two neighbours that changed places are one slip of the fingers.
func distance(a, b string) int {
	a, b = fold(a), fold(b)
	if swapped(a, b) {
		return 1
	}
	return levenshtein.ComputeDistance(a, b)
}

// swapped reports whether a is b with two neighbours in each other's place.
func swapped(a, b string) bool {
	if len(a) != len(b) {
		return false
	}
	i := 0
	for i < len(a) && a[i] == b[i] {
		i++
	}
	return i+1 < len(a) && a[i] == b[i+1] && a[i+1] == b[i] && a[i+2:] == b[i+2:]
}

func fold(s string) string { return strings.ReplaceAll(strings.ToLower(s), "-", "_") }

// choice lists words for a message: a, b or c.
func choice(words []string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	last := len(words) - 1
	return strings.Join(words[:last], ", ") + " or " + words[last]
}

// Listing lists names that exist, at most eight of them.
func Listing(names []string) string {
	const most = 8
	names = slices.Sorted(slices.Values(names))
	switch {
	case len(names) == 0:
		return "none"
	case len(names) > most:
		return strings.Join(names[:most], ", ") + fmt.Sprintf(" and %d more", len(names)-most)
	}
	return strings.Join(names, ", ")
}

// quote shows a value in a message, cut when it is long.
func quote(s string) string {
	const most = 60
	if r := []rune(s); len(r) > most {
		s = string(r[:most]) + "…"
	}
	return strconv.Quote(s)
}

// printInt writes a number.
func printInt(n int64) string { return strconv.FormatInt(n, 10) }

// wholeNumber reads a decimal number that fits an int.
func wholeNumber(s string) (int, bool) {
	n, err := strconv.Atoi(s)
	return n, err == nil && s == strconv.Itoa(n)
}
