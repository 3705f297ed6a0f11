package origin

import (
	"context"
	"net"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/synctest"
	"time"
)

// One request in 500 ms tries an origin that refused a connection; a connect
// that works brings it back at once.
func TestUsable(t *testing.T) {
	start := time.Date(2026, 11, 29, 12, 0, 0, 0, time.UTC)
	o := &Origin{Address: "a.example:80"}
	if !o.Up() || !o.Usable(start) || !o.Claim(start) || !o.Claim(start) {
		t.Error("an origin nothing is known of is not up for everybody")
	}
	o.refused(start)
	for _, tt := range []struct {
		after           time.Duration
		usable, claimed bool
	}{
		{0, false, false},
		{499 * time.Millisecond, false, false},
		{500 * time.Millisecond, true, true},
		{500 * time.Millisecond, false, false}, // somebody is trying it
		{999 * time.Millisecond, false, false},
		{1000 * time.Millisecond, true, true}, // who has not said how it went
	} {
		now := start.Add(tt.after)
		if got := o.Usable(now); got != tt.usable {
			t.Errorf("after %v: Usable = %v, want %v", tt.after, got, tt.usable)
		}
		if got := o.Claim(now); got != tt.claimed {
			t.Errorf("after %v: Claim = %v, want %v", tt.after, got, tt.claimed)
		}
	}
	o.connected(start)
	if !o.Up() || !o.Claim(start) {
		t.Error("a connect that worked did not bring it back")
	}
}

// However many ask at once, one is let through to an origin that is down.
func TestHammerClaim(t *testing.T) {
	t.Parallel()
	start := time.Now()
	o := new(Origin)
	o.refused(start)
	for round := 1; round <= 200; round++ {
		now := start.Add(time.Duration(round) * retryAfter)
		var won atomic.Int32
		var all sync.WaitGroup
		for range 8 {
			all.Go(func() {
				if o.Usable(now) && o.Claim(now) {
					won.Add(1)
				}
			})
		}
		all.Wait()
		if n := won.Load(); n != 1 {
			t.Fatalf("round %d: %d were let through, want 1", round, n)
		}
	}
}

// How a connect ends decides whether the origin is passed over, from then on.
func TestConnectsTellOfTheOrigin(t *testing.T) {
	for _, tt := range []struct {
		name string
		took time.Duration
		err  error
		up   bool
	}{
		{"refused", 0, refusedErr, false},
		{"refused late", 3 * time.Second, refusedErr, false},
		{"timed out", time.Hour, nil, false},
		{"out of descriptors", 0, syscall.EMFILE, true},
		{"out of ports", 0, syscall.EADDRNOTAVAIL, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := poolOf(t, "a.example:80", func(o *PoolOptions) {
					o.Dial = func(ctx context.Context, _, _ string) (net.Conn, error) {
						select {
						case <-ctx.Done():
							return nil, ctx.Err()
						case <-time.After(tt.took):
							return nil, tt.err
						}
					}
				})
				if _, _, err := get(p, newTrip(newClient())); err == nil {
					t.Fatal("there is no origin, but there was an answer")
				}
				o := p.Origin()
				if o.Up() != tt.up || o.Usable(time.Now()) != tt.up {
					t.Errorf("up: %v, usable: %v, want %v", o.Up(), o.Usable(time.Now()), tt.up)
				}
				time.Sleep(retryAfter)
				if !o.Usable(time.Now()) {
					t.Error("it may not be tried again")
				}
			})
		})
	}
}
