package gateway

import (
	"log/slog"
	"strings"
	"testing"
	"time"

	"weirkeep/gateway/admission"
	"weirkeep/gateway/capacity"
	"weirkeep/gateway/origin"
)

// An origin that a configuration names for the first time is from the beginning as
// open as it says there: nobody finds it open before the rest is settled.
func TestNewOriginIsAsOpenAsItsState(t *testing.T) {
	for state, want := range map[adminState]admission.Access{
		serving: admission.Open, draining: admission.BoundOnly, maintenance: admission.Testers, disabled: admission.Shut,
	} {
		u := newUses(newRegistry(dialTCP, slog.New(slog.DiscardHandler)))
		if got := u.state("http", "192.0.2.1:80", "o", capacity.Bounds{Least: 1, Most: 1}, state).slots.Access(); got != want {
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
		s := u.state("http", "192.0.2.1:80", "o", capacity.Bounds{Least: 1, Most: 1}, serving)
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

// Changes of an origin that flaps are logged by its name, six a minute; the next
// line says how many were left out.
func TestFlappingIsSummedUp(t *testing.T) {
	log := new(lockedBuffer)
	r := newRegistry(dialTCP, slog.New(slog.NewTextHandler(log, nil)))
	s := newUses(r).state("http", "192.0.2.1:80", "web1", capacity.Bounds{Least: 1, Most: 1}, serving)
	noon := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	for i := range 10 {
		r.changed(s, origin.Transition{At: noon.Add(time.Duration(i) * time.Second), To: origin.Ejected, Why: "refused", Failures: 1, Cluster: "shop"})
	}
	r.changed(s, origin.Transition{At: noon.Add(2 * time.Minute), From: origin.Ejected, By: origin.Ping, Why: "GET /: 200"})
	lines := strings.Split(strings.TrimSpace(log.String()), "\n")
	for i, want := range []string{
		`level=WARN msg="origin ejected" origin=web1 address=192.0.2.1:80 was=up by=requests because=refused cluster=shop failures=1`, "", "", "", "", "",
		`level=INFO msg="origin up" origin=web1 address=192.0.2.1:80 was=ejected by=ping because="GET /: 200" changes_not_logged=4`,
	} {
		if i >= len(lines) || !strings.HasSuffix(lines[i], want) {
			t.Fatalf("line %d is not %q:\n%s", i, want, log)
		}
	}
	if n := s.changes.Load(); len(lines) != 7 || n != 11 {
		t.Errorf("%d lines and %d changes, want 7 and 11", len(lines), n)
	}
}
