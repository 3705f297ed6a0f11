package main

import (
	"testing"

	"weirkeep/gateway/admin"
	gatewayorigin "weirkeep/gateway/origin"
)

func TestEvidenceOfAChange(t *testing.T) {
	for _, tt := range []struct {
		change admin.Transition
		want   string
	}{
		{admin.Transition{By: "requests", Cluster: "shop", Failures: 5, Why: "answered 503"}, "answered 503 (5 in a row, by requests of cluster shop)"},
		{admin.Transition{By: "requests", Cluster: "shop", Failures: 1, Why: "connect: timed out"}, "connect: timed out (by requests of cluster shop)"},
		{admin.Transition{By: "trial", Why: "answered"}, "answered (by a trial)"},
		{admin.Transition{By: "check", Failures: 3, Why: "GET /: 500"}, "GET /: 500 (3 in a row, by a health check)"},
		{admin.Transition{By: "ping", Why: "GET /: 204"}, "GET /: 204 (by a ping)"},
		{admin.Transition{By: "ping", Why: "\x1b[2J"}, "?[2J (by a ping)"},
	} {
		if got := evidence(tt.change); got != tt.want {
			t.Errorf("evidence(%+v) = %q, want %q", tt.change, got, tt.want)
		}
	}
}

func TestEveryWitnessHasWords(t *testing.T) {
	seen := namesFrom(gatewayorigin.Requests)
	for _, by := range seen {
		if witnesses[by] == "" {
			t.Errorf("%s has no words", by)
		}
	}
	if len(seen) != len(witnesses) {
		t.Errorf("those who see changes are %q, there are words for %v", seen, witnesses)
	}
}

// namesFrom are the names of an enumeration, from a value up to the one that has
// none.
func namesFrom[E interface {
	~uint8
	String() string
}](first E) (names []string) {
	defer func() { recover() }()
	for e := first; ; e++ {
		names = append(names, e.String())
	}
}
