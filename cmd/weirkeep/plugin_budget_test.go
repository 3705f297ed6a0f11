package main

import (
	"testing"

	"weirkeep/plugins"
)

func TestCallsAreHeldAgainstABudget(t *testing.T) {
	for _, tt := range []struct {
		name string
		info plugins.Info
		ns   float64
		want string
	}{
		{"a router that keeps it", plugins.Info{Kind: plugins.Router}, 350, "350 ok"},
		{"a router that does not", plugins.Info{Kind: plugins.Router}, 351, "350 over"},
		{"in Go it may take longer", plugins.Info{Kind: plugins.Router, GoGuest: true}, 351, "750 ok"},
		{"a matcher", plugins.Info{Kind: plugins.Matcher}, 900, "350 over"},
		{"a filter", plugins.Info{Kind: plugins.Filter}, 900, "5000 ok"},
		{"nobody waits for a collector", plugins.Info{Kind: plugins.Collector}, 1e9, "-"},
	} {
		b := benchResult{NS: tt.ns}
		b.judge(tt.info)
		if got := b.budget(); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}
