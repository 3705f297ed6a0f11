package admission

import (
	"errors"
	"strings"
	"testing"
	"time"
)

// split takes a list of states apart: "origin 0, waits".
func split(states string) []string { return strings.Split(states, ", ") }

func TestEnter(t *testing.T) {
	for _, tt := range []struct {
		name   string
		opts   Options
		held   int // slots already taken, of two
		access Access
		bound  bool
		want   error
		waited time.Duration // fake time spent in line
	}{
		{name: "free slot", held: 1},
		{name: "free slot, bound", held: 1, bound: true},
		{name: "free slot, bound, at an origin that drains", held: 1, access: BoundOnly, bound: true},
		{name: "no line", held: 2, want: ErrFull},
		{name: "no line, bound", held: 2, bound: true, want: ErrFull},
		{name: "wait runs out", opts: Options{Size: 1, Timeout: time.Second}, held: 2, want: ErrTimeout, waited: time.Second},
		{name: "wait runs out at a look", opts: Options{Size: 1, Timeout: lookEvery}, held: 2, want: ErrTimeout, waited: lookEvery},
		{name: "wait runs out before any look", opts: Options{Size: 1, Timeout: time.Millisecond}, held: 2, want: ErrTimeout, waited: time.Millisecond},
		{name: "drains", opts: Options{Size: 1, Timeout: time.Second}, access: BoundOnly, want: ErrNone},
		{name: "drains, full", opts: Options{Size: 1, Timeout: time.Second}, held: 2, access: BoundOnly, want: ErrNone},
		{name: "drains, full, bound", opts: Options{Size: 1, Timeout: time.Second}, held: 2, access: BoundOnly, bound: true, want: ErrTimeout, waited: time.Second},
		{name: "shut", opts: Options{Size: 1, Timeout: time.Second}, access: Shut, want: ErrNone},
		{name: "shut, bound", opts: Options{Size: 1, Timeout: time.Second}, access: Shut, bound: true, want: ErrNone},
		{name: "shut and no line", held: 2, access: Shut, want: ErrNone},
	} {
		t.Run(tt.name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				g := newGroup(t, tt.opts, 2)
				for range tt.held {
					g.slots[0].Take()
				}
				g.set(0, tt.access)
				s := g.seeker(anywhere)
				if tt.bound {
					s.Only = 0
				}
				began := time.Now()
				i, err := g.queue.Enter(s, g.balancer)
				if !errors.Is(err, tt.want) || (i >= 0) != (err == nil) {
					t.Errorf("Enter() = %d, %v, want %v", i, err, tt.want)
				}
				if took := time.Since(began); took != tt.waited || s.Waited != tt.waited {
					t.Errorf("it took %v and says %v, want %v", took, s.Waited, tt.waited)
				}
			})
		})
	}
}

// M-SURGE-02, M-SURGE-03 and M-SURGE-04: capacity 2, queue 2, five at once.
func TestTwoAreServedTwoWaitTheFifthIsRefused(t *testing.T) {
	bubble(t, func(t *testing.T) {
		g := newGroup(t, Options{Size: 2, Timeout: defaultTimeout}, 2)
		a, b, c, d, e := g.come(anywhere), g.come(anywhere), g.come(anywhere), g.come(anywhere), g.come(anywhere)
		expect(t, "all have come", "origin 0, origin 0, waits, waits, admission queue full", a, b, c, d, e)
		if g.queue.Waiting() != 2 || g.slots[0].Waiting() != 2 {
			t.Errorf("%d wait in the queue and %d at the origin, want 2 and 2", g.queue.Waiting(), g.slots[0].Waiting())
		}
		b.leave()
		expect(t, "one has left", "origin 0, waits", c, d)
		f := g.come(anywhere)
		expect(t, "a place in line is free", "waits, waits", d, f)
		a.leave()
		c.leave()
		expect(t, "all others have left", "origin 0, origin 0", d, f)
		d.leave()
		f.leave()
		if g.loads() != "[0]" {
			t.Errorf("loads %s in the end, want 0", g.loads())
		}
	})
}

// M-SURGE-06: two origins of capacity 1; the third waits only when both are
// full, and takes the one that is free first, whichever that is.
func TestQueueIsForAllOriginsOfTheGroup(t *testing.T) {
	for _, first := range []int{0, 1} {
		bubble(t, func(t *testing.T) {
			g := newGroup(t, Options{Size: 2, Timeout: defaultTimeout}, 1, 1)
			visits := []*visit{g.come(anywhere), g.come(anywhere)}
			c := g.come(anywhere)
			expect(t, "both are full", "origin 0, origin 1, waits", append(visits, c)...)
			visits[first].leave()
			expect(t, "one has left", visits[first].state(), c)
			visits[1-first].leave()
			c.leave()
		})
	}
}

// M-CAP-10: 50 of 50 taken at two, one free elsewhere.
func TestFullOriginIsNeverPicked(t *testing.T) {
	g := newGroup(t, Options{}, 50, 50, 1)
	g.fill()
	g.slots[2].Leave()
	s := g.seeker(anywhere)
	for range 100 {
		if i, err := g.queue.Enter(s, g.balancer); i != 2 {
			t.Fatalf("Enter() = %d, %v, want the free one", i, err)
		}
		g.slots[2].Leave()
	}
}

// M-CAP-06: 250 held are 150-50-50; the 251st queues.
func TestHeldRequestsFillByCapacity(t *testing.T) {
	bubble(t, func(t *testing.T) {
		g := newGroup(t, Options{Size: 1, Timeout: defaultTimeout}, 150, 50, 50)
		s := g.seeker(anywhere)
		for range 100 {
			g.queue.Enter(s, g.balancer)
		}
		if g.loads() != "[60 20 20]" {
			t.Errorf("loads %s of 100 held, want 60, 20, 20", g.loads())
		}
		for range 150 {
			g.queue.Enter(s, g.balancer)
		}
		expect(t, "250 are held", "waits", g.come(anywhere))
		if g.loads() != "[150 50 50]" {
			t.Errorf("loads %s of 250 held, want 150, 50, 50", g.loads())
		}
		after(defaultTimeout)
	})
}

func TestBarredOriginsAreNotTaken(t *testing.T) {
	bubble(t, func(t *testing.T) {
		g := newGroup(t, Options{Size: 4, Timeout: defaultTimeout}, 1, 1)
		s := g.seeker(anywhere)
		s.Bar(0)
		s.Bar(64) // past those that can be barred
		a := g.comeAs(s)
		expect(t, "the first is barred", "origin 1", a)
		s = g.seeker(anywhere)
		s.Bar(0)
		b := g.comeAs(s)
		expect(t, "the other one is full", "waits", b)
		expect(t, "nothing is barred", "origin 0", g.come(anywhere))
		g.slots[0].Leave()
		expect(t, "the barred one has room", "waits", b)
		a.leave()
		expect(t, "the other one has", "origin 1", b)
		s = g.seeker(anywhere)
		s.Bar(0)
		s.Bar(1)
		expect(t, "all are barred", "no origin is open", g.comeAs(s))
	})
}

// Take is for trials of an origin that is out, and for sessions that are rather
// balanced anew than kept waiting: the first goes past all, the second past nobody.
func TestTakeNeverWaits(t *testing.T) {
	bubble(t, func(t *testing.T) {
		g := newGroup(t, Options{Size: 1, Timeout: defaultTimeout}, 1)
		g.set(0, Shut)
		if i := g.seeker(0).Take(g.balancer); i != -1 {
			t.Errorf("a seeker took %d, which is shut", i)
		}
		if !g.slots[0].Take() {
			t.Error("no trial of an origin that is shut and free")
		}
		if g.slots[0].Take() {
			t.Error("a second slot at an origin of capacity 1")
		}
		g.set(0, Open)
		for _, only := range []int{0, anywhere} {
			if i := g.seeker(only).Take(g.balancer); i != -1 {
				t.Errorf("a seeker took %d, which is full", i)
			}
		}
		a := g.come(anywhere)
		g.slots[0].Leave()
		expect(t, "the trial has left", "origin 0", a)
		a.leave()
	})
}
