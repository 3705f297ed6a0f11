package plugins

import (
	"testing"

	"weirkeep/abi"
	"weirkeep/gateway/metrics"
)

// What metrics call errors, faults and reasons are the words of the contract.
func TestLabelsAreTheContracts(t *testing.T) {
	var words, labels []string
	for _, e := range abi.ErrorCodes {
		words = append(words, e.Name)
	}
	for _, k := range FaultKinds {
		words = append(words, string(k))
	}
	for _, w := range NotCalledReasons {
		words = append(words, string(w))
	}
	for _, s := range []BreakerState{BreakerClosed, BreakerOpened, BreakerHalfOpen} {
		words = append(words, string(s))
	}
	labels = append(labels, metrics.PluginErrors[:]...)
	labels = append(labels, metrics.PluginFaults[:]...)
	labels = append(labels, metrics.PluginUncalled[:]...)
	labels = append(labels, metrics.BreakerStates[:]...)
	if len(words) != len(labels) {
		t.Fatalf("%d labels for %d words", len(labels), len(words))
	}
	for i := range words {
		if words[i] != labels[i] {
			t.Errorf("label %q, want %q", labels[i], words[i])
		}
	}
}
