package admission

import (
	"testing"
	"testing/synctest"
	"time"

	"weirkeep/gateway/balance"
)

var roomy = Options{Size: 10, Timeout: defaultTimeout}

func TestOldestIsServedFirst(t *testing.T) {
	bubble(t, func(t *testing.T) {
		g := newGroup(t, roomy, 1)
		g.fill()
		a, b, c := g.come(anywhere), g.come(0), g.come(anywhere)
		g.slots[0].Leave()
		expect(t, "the holder has left", "origin 0, waits, waits", a, b, c)
		a.leave()
		expect(t, "the first has left", "origin 0, waits", b, c)
		b.leave()
		expect(t, "the second has left", "origin 0", c)
		c.leave()
	})
}

// The order is that of arrival over both queues, whichever an exchange is in.
func TestOldestIsServedFirstOverTwoQueues(t *testing.T) {
	bubble(t, func(t *testing.T) {
		one := newGroup(t, roomy, 1)
		two := newGroupOf(t, one.queue.lobby, roomy, one.slots[0], one.queue.lobby.NewSlots(1))
		two.fill()
		visits := []*visit{one.come(anywhere), two.come(anywhere), two.come(0), one.come(anywhere)}
		if n := one.slots[0].Waiting(); n != 4 {
			t.Errorf("%d wait at the origin that both have, want 4", n)
		}
		one.slots[0].Leave()
		for n, v := range visits {
			expect(t, "its turn", "origin 0", v)
			if rest := visits[n+1:]; len(rest) > 0 && rest[0].state() != "waits" {
				t.Errorf("visit %d was served with visit %d", n+1, n)
			}
			v.leave()
		}
		two.slots[1].Leave()
	})
}

// Who waits for one origin alone holds nobody up who would take another.
func TestWaiterForOneOriginBlocksNobody(t *testing.T) {
	bubble(t, func(t *testing.T) {
		g := newGroup(t, roomy, 1, 1)
		g.fill()
		bound, a, b := g.come(0), g.come(anywhere), g.come(anywhere)
		g.slots[1].Leave()
		expect(t, "the other origin has room", "waits, origin 1, waits", bound, a, b)
		a.leave()
		expect(t, "it has again", "waits, origin 1", bound, b)
		b.leave()
		expect(t, "one who is new takes it at once", "origin 1", g.come(anywhere))
		g.slots[0].Leave()
		expect(t, "its own origin has room", "origin 0", bound)
		bound.leave()
	})
}

// A place in line that a full queue of another cluster has not got is no matter.
func TestQueuesAreBoundedEachByItself(t *testing.T) {
	bubble(t, func(t *testing.T) {
		one := newGroup(t, Options{Size: 1, Timeout: defaultTimeout}, 1)
		two := newGroupOf(t, one.queue.lobby, Options{Size: 1, Timeout: defaultTimeout}, one.slots...)
		one.fill()
		expect(t, "two queues of one", "waits, admission queue full, waits, admission queue full",
			one.come(anywhere), one.come(anywhere), two.come(anywhere), two.come(anywhere))
		after(defaultTimeout)
	})
}

// There is room and somebody waits only for a moment: between the leaver's first
// step and its second. Who comes in between stands behind.
func TestNewcomersDoNotOvertake(t *testing.T) {
	for _, tt := range []struct {
		name           string
		access         Access
		waiter, coming int
	}{
		{"balanced past balanced", Open, anywhere, anywhere},
		{"balanced past bound", Open, 0, anywhere},
		{"bound past balanced", Open, anywhere, 0},
		{"bound past bound", Open, 0, 0},
		{"bound past bound, where it drains", BoundOnly, 0, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				g := newGroup(t, roomy, 1)
				g.fill()
				g.set(0, tt.access)
				a := g.come(tt.waiter)
				firstStepOfLeaving(g.slots[0])
				if i := g.seeker(tt.coming).Take(g.balancer); i != -1 {
					t.Errorf("a newcomer took %d past a waiter", i)
				}
				b := g.come(tt.coming)
				expect(t, "the newcomer has looked after the line", "origin 0, waits", a, b)
				a.leave()
				expect(t, "the waiter has left", "origin 0", b)
				b.leave()
			})
		})
	}
}

func firstStepOfLeaving(s *Slots) { s.load.Add(-1) }

// Who comes between a leaver's two steps finds a full line in front of an origin
// that has room: it gets what is left, or the place in line that has become free.
func TestNobodyIsRefusedWhereThereIsRoom(t *testing.T) {
	for _, tt := range []struct {
		name       string
		leaving    int
		size       int // of the newcomer's queue, which is another one
		then, want string
	}{
		{"a slot for each", 2, 0, "origin 0", "origin 0"},
		{"a slot for the waiter, and a place in line", 1, 1, "origin 0", "waits"},
		{"a slot for the waiter alone", 1, 0, "origin 0", "admission queue full"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				g := newGroup(t, Options{Size: 1, Timeout: defaultTimeout}, 2)
				other := newGroupOf(t, g.queue.lobby, Options{Size: tt.size, Timeout: time.Second}, g.slots...)
				g.fill()
				a := g.come(anywhere)
				for range tt.leaving {
					firstStepOfLeaving(g.slots[0])
				}
				b := other.come(anywhere)
				expect(t, "the waiter", tt.then, a)
				expect(t, "the newcomer", tt.want, b)
			})
		})
	}
}

// An origin may be shut after an exchange has seen it open and before it stands
// in line, where nobody would tell it any more.
func TestNobodyWaitsForWhatHasJustBeenShut(t *testing.T) {
	bubble(t, func(t *testing.T) {
		g := newGroup(t, roomy, 1)
		g.set(0, Shut)
		s := g.seeker(anywhere)
		if i, err := g.queue.wait(s); err != ErrNone || s.Waited != 0 {
			t.Errorf("wait() = %d, %v after %v, want %v at once", i, err, s.Waited, ErrNone)
		}
		if g.queue.Waiting() != 0 || g.slots[0].Waiting() != 0 {
			t.Errorf("%d and %d wait, want none", g.queue.Waiting(), g.slots[0].Waiting())
		}
	})
}

// A slow one is overtaken between its pick and its taking.
type slow struct {
	*group
	overtaken bool
}

func (s *slow) Peek([]balance.Candidate, uint64) (int, bool) { return -1, false }

func (s *slow) Pick(cs []balance.Candidate, key uint64) int {
	i := s.balancer.Pick(cs, key)
	if !s.overtaken && i >= 0 {
		s.overtaken = s.slots[i].Take()
	}
	return i
}

func TestWhoIsOvertakenAtAnOriginPicksAgain(t *testing.T) {
	g := newGroup(t, Options{}, 1, 1)
	if i := g.seeker(anywhere).Take(&slow{group: g}); i != 1 {
		t.Errorf("Take() = %d, want the other origin", i)
	}
	if g.loads() != "[1 1]" {
		t.Errorf("loads %s, want 1 and 1", g.loads())
	}
}

// At an origin that drains, those who are bound to it are served, past others
// that wait there for the case that it is opened again.
func TestDrainingOriginServesItsOwn(t *testing.T) {
	bubble(t, func(t *testing.T) {
		g := newGroup(t, Options{Size: 3, Timeout: defaultTimeout}, 1, 1)
		g.fill()
		a := g.come(anywhere)
		b, c := g.come(0), g.come(anywhere)
		g.set(0, BoundOnly)
		g.slots[0].Leave()
		expect(t, "a slot at the one that drains", "waits, origin 0, waits", a, b, c)
		b.leave()
		if i := g.seeker(0).Take(g.balancer); i != 0 {
			t.Errorf("a session that is at home there got %d: those who wait may not come in", i)
		}
		g.slots[0].Leave()
		expect(t, "the next session is not kept waiting", "origin 0", g.come(0))
		g.set(0, Open)
		g.slots[0].Leave()
		expect(t, "it serves again", "origin 0, waits", a, c)
		g.slots[1].Leave()
		expect(t, "so does the other one", "origin 1", c)
	})
}

// An origin that comes and goes every 100 ms, while another is full: those who
// wait are served in the order in which they came, those who come later behind
// them, and never more at once than it has slots.
func TestWaitersOutliveAnOriginThatComesAndGoes(t *testing.T) {
	const (
		waiters  = 100
		capacity = 4
		work     = 30 * time.Millisecond
	)
	bubble(t, func(t *testing.T) {
		g := newGroup(t, Options{Size: waiters, Timeout: time.Minute}, capacity, 1)
		g.set(0, Shut)
		g.slots[1].Take()
		served := make(chan int, waiters)
		for n := range waiters {
			go func() {
				if n >= waiters/2 {
					time.Sleep(time.Duration(n) * 7 * time.Millisecond) // while it goes on
				}
				i, err := g.queue.Enter(g.seeker(anywhere), g.balancer)
				if i != 0 || g.slots[0].Access() == Shut || g.slots[0].Load() > capacity {
					t.Errorf("visit %d: origin %d, %v; the origin is %v and has %d", n, i, err, g.slots[0].Access(), g.slots[0].Load())
				}
				served <- n
				time.Sleep(work)
				g.slots[0].Leave()
			}()
			synctest.Wait()
		}
		var order []int
		for turn := 0; len(order) < waiters && turn < 40; turn++ {
			after(99 * time.Millisecond)
			g.set(0, []Access{Open, Shut}[turn%2])
			after(time.Millisecond)
			for len(served) > 0 {
				order = append(order, <-served)
			}
		}
		inTurn(t, order, waiters, capacity)
		after(work)
		if g.loads() != "[0 1]" || g.queue.Waiting() != 0 {
			t.Errorf("loads %s in the end and %d wait, want [0 1] and 0", g.loads(), g.queue.Waiting())
		}
	})
}

// inTurn fails unless all have been served, each at most so many places from its
// turn: those who come in at the same moment may say so in any order.
func inTurn(t *testing.T, order []int, all, atOnce int) {
	t.Helper()
	if len(order) != all {
		t.Fatalf("%d of %d were served in time", len(order), all)
	}
	for turn, n := range order {
		if n-turn >= atOnce || turn-n >= atOnce {
			t.Errorf("visit %d was served as number %d", n, turn)
		}
	}
}
