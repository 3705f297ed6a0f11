package admission

import (
	"fmt"
	"testing"
	"time"
)

func TestShutDismissesThoseWithoutHope(t *testing.T) {
	bubble(t, func(t *testing.T) {
		g := newGroup(t, roomy, 1, 1)
		alone := newGroupOf(t, g.queue.lobby, roomy, g.slots[0])
		g.fill()
		visits := []*visit{g.come(anywhere), g.come(0), g.come(1), alone.come(anywhere)}
		g.set(0, Shut)
		expect(t, "the first is shut", "waits, no origin is open, waits, no origin is open", visits...)
		g.slots[0].Leave()
		expect(t, "it has room", "waits, no origin is open, waits, no origin is open", visits...)
		g.set(1, BoundOnly)
		expect(t, "the other drains", "no origin is open, no origin is open, waits, no origin is open", visits...)
		g.slots[1].Leave()
		expect(t, "that has room", "origin 1", visits[2])
		visits[2].leave()
		if g.loads() != "[0 0]" || g.queue.Waiting() != 0 || alone.queue.Waiting() != 0 {
			t.Errorf("loads %s, %d and %d wait", g.loads(), g.queue.Waiting(), alone.queue.Waiting())
		}
	})
}

func TestOpenServesUpToTheCapacity(t *testing.T) {
	bubble(t, func(t *testing.T) {
		g := newGroup(t, roomy, 2, 1)
		g.set(0, Shut)
		g.slots[1].Take()
		a, b, c := g.come(anywhere), g.come(anywhere), g.come(anywhere)
		expect(t, "one is shut, one is full", "waits, waits, waits", a, b, c)
		g.set(0, Open)
		expect(t, "it is open", "origin 0, origin 0, waits", a, b, c)
		b.leave()
		expect(t, "one has left", "origin 0", c)
	})
}

// The truth is asked when nobody else sets it, so an old one never stays.
func TestSetAsksForTheTruthUnderTheLock(t *testing.T) {
	g := newGroup(t, roomy, 1)
	g.slots[0].Set(func() Access {
		if g.queue.lobby.mu.TryLock() {
			t.Error("the lobby is not locked")
		}
		return BoundOnly
	})
	if a := g.slots[0].Access(); a != BoundOnly {
		t.Errorf("the origin is %v", a)
	}
}

func TestCapacityChangesInPlace(t *testing.T) {
	bubble(t, func(t *testing.T) {
		g := newGroup(t, roomy, 3)
		g.fill()
		a, b, c := g.come(anywhere), g.come(anywhere), g.come(anywhere)
		g.slots[0].SetCapacity(5)
		expect(t, "two more", "origin 0, origin 0, waits", a, b, c)
		g.slots[0].SetCapacity(1)
		if g.slots[0].Capacity() != 1 || g.loads() != "[5]" {
			t.Errorf("capacity %d, loads %s, want 1 and 5", g.slots[0].Capacity(), g.loads())
		}
		for range 4 {
			g.slots[0].Leave()
			expect(t, "above the capacity or at it", "waits", c)
		}
		g.slots[0].Leave()
		expect(t, "below it", "origin 0", c)
		c.leave()
		if g.loads() != "[0]" {
			t.Errorf("loads %s in the end, want 0", g.loads())
		}
	})
}

// Who waits goes on, as long as was said when it came; the bounds are for those
// who come.
func TestOptionsChangeInPlace(t *testing.T) {
	bubble(t, func(t *testing.T) {
		g := newGroup(t, Options{Size: 2, Timeout: 2 * time.Second}, 1)
		g.fill()
		a, b := g.come(anywhere), g.come(anywhere)
		g.queue.SetOptions(Options{Size: 1, Timeout: time.Second})
		if g.queue.Size() != 1 || g.queue.Timeout() != time.Second {
			t.Errorf("size %d and time-out %v, want 1 and 1s", g.queue.Size(), g.queue.Timeout())
		}
		expect(t, "the line is longer than it may be", "waits, waits, admission queue full", a, b, g.come(anywhere))
		a.client.gone.Store(true)
		after(lookEvery)
		expect(t, "it is as long as it may be", "client gone, waits, admission queue full", a, b, g.come(anywhere))
		g.queue.SetOptions(Options{Size: 2, Timeout: time.Second})
		c := g.come(anywhere)
		after(time.Second)
		expect(t, "each has its own time", "waits, waited too long for a free slot", b, c)
		after(time.Second)
		expect(t, "the first one's is over", "waited too long for a free slot", b)
	})
}

// Two members of a group may share an address, and so its slots: whoever waits
// for both waits in the same line twice.
func TestMembersMayShareSlots(t *testing.T) {
	bubble(t, func(t *testing.T) {
		l := new(Lobby)
		s := l.NewSlots(1)
		g := newGroupOf(t, l, roomy, s, s)
		g.fill()
		a, b, c := g.come(anywhere), g.come(1), g.come(anywhere)
		s.Leave()
		expect(t, "a slot is free", "origin 0, waits, waits", a, b, c)
		a.leave()
		expect(t, "it is again", "origin 1, waits", b, c)
		s.Set(func() Access { return Shut })
		expect(t, "it is shut", "no origin is open", c)
		b.leave()
		if s.Load() != 0 || s.Waiting() != 0 {
			t.Errorf("load %d and %d wait in the end, want none", s.Load(), s.Waiting())
		}
	})
}

func TestAccessHasWords(t *testing.T) {
	if got := fmt.Sprint(Open, BoundOnly, Shut); got != "open bound only shut" {
		t.Errorf("the words are %s", got)
	}
}
