package gateway

import (
	"slices"
	"testing"

	"weirkeep/gateway/esi"
)

// Every mistake and every failure there is can be counted, under a name of its own.
func TestMetricsKnowMistakesAndFailures(t *testing.T) {
	n := esiNames()
	if len(n.Problems) != len(esi.Kinds()) || len(n.Failures) != esi.FailureCount {
		t.Fatalf("there is room for %d and %d, and there are %d and %d", len(n.Problems), len(n.Failures), len(esi.Kinds()), esi.FailureCount)
	}
	for _, names := range [][]string{n.Problems[:], n.Failures[1:]} {
		slices.Sort(names)
		if names[0] == "" || len(slices.Compact(names)) != len(names) {
			t.Errorf("names are missing or the same: %q", names)
		}
	}
	if n.Failures[esi.None] != "" {
		t.Error("None is counted as a failure")
	}
}
