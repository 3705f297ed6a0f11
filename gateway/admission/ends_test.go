package admission

import (
	"testing"
	"time"
)

// The time is each one's own, from its arrival.
func TestWaitEndsAtTheTimeout(t *testing.T) {
	bubble(t, func(t *testing.T) {
		g := newGroup(t, roomy, 1)
		g.fill()
		a := g.come(anywhere)
		after(time.Second)
		b := g.come(0)
		after(defaultTimeout - time.Second - 1)
		expect(t, "a nanosecond before", "waits, waits", a, b)
		after(1)
		expect(t, "the time is over", "waited too long for a free slot, waits", a, b)
		if a.seeker.Waited != defaultTimeout || g.queue.Waiting() != 1 {
			t.Errorf("it waited %v and %d wait, want %v and 1", a.seeker.Waited, g.queue.Waiting(), defaultTimeout)
		}
		g.slots[0].Leave()
		expect(t, "the slot is free", "origin 0", b)
		b.leave()
		if g.loads() != "[0]" {
			t.Errorf("loads %s in the end, want 0", g.loads())
		}
	})
}

// A client that goes is noticed at the next look, and its place is free.
func TestGoneClientLeavesTheLine(t *testing.T) {
	bubble(t, func(t *testing.T) {
		g := newGroup(t, Options{Size: 2, Timeout: defaultTimeout}, 1)
		g.fill()
		a, b := g.come(anywhere), g.come(anywhere)
		after(lookEvery + lookEvery/2)
		a.client.gone.Store(true)
		after(lookEvery/2 - 1)
		expect(t, "nobody has looked", "waits, waits, admission queue full", a, b, g.come(anywhere))
		after(1)
		expect(t, "somebody has", "client gone, waits, waits", a, b, g.come(anywhere))
		if a.seeker.Waited != 2*lookEvery {
			t.Errorf("it waited %v, want %v", a.seeker.Waited, 2*lookEvery)
		}
		g.slots[0].Leave()
		expect(t, "a slot is free", "origin 0", b)
		after(defaultTimeout)
	})
}

// The slot has come when the waiter, whose time is over, would leave the line: it
// still waits, so it takes it.
func TestSlotThatComesWithTheTimeoutIsUsed(t *testing.T) {
	g := newGroup(t, roomy, 1)
	g.fill()
	w, err := g.queue.join(g.seeker(anywhere))
	if err != nil {
		t.Fatal(err)
	}
	g.slots[0].Leave()
	if err := w.giveUp(ErrTimeout); err != nil || w.got != 0 || g.loads() != "[1]" {
		t.Errorf("giveUp() = %v, it was given %d, loads %s; want the slot", err, w.got, g.loads())
	}
}

// Whether the slot is free or the time is over first is chance; that the slot is
// the waiter's or nobody's is not.
func TestNoSlotIsLostAtTheTimeout(t *testing.T) {
	for range 200 {
		bubble(t, func(t *testing.T) {
			g := newGroup(t, roomy, 1)
			g.fill()
			go func() {
				time.Sleep(defaultTimeout)
				g.slots[0].Leave()
			}()
			a := g.come(anywhere)
			after(defaultTimeout)
			switch state := a.state(); {
			case state == "origin 0" && g.loads() == "[1]":
			case state == ErrTimeout.Error() && g.loads() == "[0]":
			default:
				t.Errorf("the waiter: %s, loads %s", state, g.loads())
			}
		})
	}
}

// The slot comes while the client is looked at, and found gone.
func TestSlotThatComesToAGoneClientIsHandedOn(t *testing.T) {
	bubble(t, func(t *testing.T) {
		g := newGroup(t, roomy, 1)
		g.fill()
		s := g.seeker(anywhere)
		c := s.Client.(*client)
		c.gone.Store(true)
		c.look = g.slots[0].Leave
		a, b := g.comeAs(s), g.come(anywhere)
		after(lookEvery)
		expect(t, "after the look", "client gone, origin 0", a, b)
		b.leave()
		if g.loads() != "[0]" {
			t.Errorf("loads %s in the end, want 0", g.loads())
		}
	})
}

// A client that is found gone when its last origin has just been shut is gone.
func TestGoneClientIsGoneWhateverElse(t *testing.T) {
	bubble(t, func(t *testing.T) {
		g := newGroup(t, roomy, 1)
		g.fill()
		s := g.seeker(anywhere)
		c := s.Client.(*client)
		c.gone.Store(true)
		c.look = func() { g.set(0, Shut) }
		a := g.comeAs(s)
		after(lookEvery)
		expect(t, "after the look", "client gone", a)
		if g.loads() != "[1]" || g.queue.Waiting() != 0 {
			t.Errorf("loads %s and %d wait, want 1 and 0", g.loads(), g.queue.Waiting())
		}
	})
}
