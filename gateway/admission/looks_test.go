package admission

import (
	"testing"
	"time"
)

// Looking at who waits costs a bounded part of a processor, however long lines are.
func TestLooksAreBounded(t *testing.T) {
	for _, tt := range []struct {
		waiting int
		want    time.Duration
	}{
		{1, 100 * time.Millisecond},
		{200, 100 * time.Millisecond},
		{1000, 100 * time.Millisecond},
		{5000, 500 * time.Millisecond},
		{100_000, time.Second},
	} {
		if got := lookIn(tt.waiting); got != tt.want {
			t.Errorf("of %d waiting clients each is looked at every %v, want %v", tt.waiting, got, tt.want)
		}
	}
}

// An exchange that tries again does not wait anew: the time-out bounds all its
// waits together.
func TestWaitsOfOneExchangeAddUp(t *testing.T) {
	bubble(t, func(t *testing.T) {
		g := newGroup(t, Options{Size: 1, Timeout: time.Second}, 1)
		g.fill()
		s := g.seeker(anywhere)
		time.AfterFunc(700*time.Millisecond, g.slots[0].Leave)
		if _, err := g.queue.Enter(s, g.balancer); err != nil || s.Waited != 700*time.Millisecond {
			t.Fatalf("the first wait: %v after %v", err, s.Waited)
		}
		if _, err := g.queue.Enter(s, g.balancer); err != ErrTimeout || s.Waited != time.Second {
			t.Errorf("the second: %v, %v in all; want the time-out after 1s in all", err, s.Waited)
		}
		g.slots[0].Leave()
	})
}
