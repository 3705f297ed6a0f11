package gateway

import (
	"weirkeep/gateway/esi"
	"weirkeep/gateway/metrics"
)

// esiNames are the names of kinds and failures, as metrics count them.
func esiNames() (n metrics.ESINames) {
	for i, kind := range esi.Kinds() {
		n.Problems[i] = kind.String()
	}
	for f := esi.None + 1; int(f) < esi.FailureCount; f++ {
		n.Failures[f] = f.String()
	}
	return n
}
