package disk

import (
	"slices"
	"testing"
	"time"
)

// Opening a folder takes time in proportion to the objects in it, and much less than
// reading them; BenchmarkOpen has the figures of a million. Processor time is compared, the
// least of several runs: others use this machine, too.
func TestOpeningScales(t *testing.T) {
	small, large := costOf(t, 10_000), costOf(t, 80_000)
	if large > 24*small+50*time.Millisecond {
		t.Errorf("10,000 objects take %v, 80,000 take %v", small, large)
	}
}

func costOf(t *testing.T, n int) time.Duration {
	dir := folder(t)
	fill(t, dir, n)
	var all []time.Duration
	for range 3 {
		before := processor()
		load(t, dir, n)
		all = append(all, processor()-before)
	}
	return slices.Min(all)
}
