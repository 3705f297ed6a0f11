package gateway

import (
	"log/slog"
	"testing"

	"weirkeep/gateway/admission"
)

// An origin that a configuration names for the first time is from the beginning as
// open as it says there: nobody finds it open before the rest is settled.
func TestNewOriginIsAsOpenAsItsState(t *testing.T) {
	for state, want := range map[adminState]admission.Access{
		serving: admission.Open, draining: admission.BoundOnly, maintenance: admission.Shut, disabled: admission.Shut,
	} {
		u := newUses(newRegistry(dialTCP, slog.New(slog.DiscardHandler)))
		if got := u.state("http", "192.0.2.1:80", "o", 1, state).slots.Access(); got != want {
			t.Errorf("%v: open to %v, want %v", state, got, want)
		}
	}
}

// Whenever a snapshot is retired, one that is made at that moment gets pools that
// speak to the origins it has.
func TestPoolsOutliveNoOrigin(t *testing.T) {
	r := newRegistry(dialTCP, slog.New(slog.DiscardHandler))
	take := func(between func()) *uses {
		u := newUses(r)
		s := u.state("http", "192.0.2.1:80", "o", 1, serving)
		u.letGo = append(u.letGo, between)
		if p := u.pool(poolKey{address: "192.0.2.1:80", scheme: "http"}, s.origin, nil); p.Origin() != s.origin {
			t.Error("the pool is another origin's")
		}
		return u
	}
	nothing := func() {}
	retired := take(func() { defer take(nothing).release() })
	retired.release()
	if len(r.states) != 0 || len(r.pools) != 0 {
		t.Errorf("%d states and %d pools are left", len(r.states), len(r.pools))
	}
}
