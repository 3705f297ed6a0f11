package admission

import "testing"

// tester is a seeker whom a rule lets into maintenance.
func (g *group) tester(only int) *Seeker {
	s := g.seeker(only)
	s.Tester = true
	return s
}

func TestMaintenanceIsOpenToTestersOnly(t *testing.T) {
	bubble(t, func(t *testing.T) {
		g := newGroup(t, roomy, 4)
		g.set(0, Testers)
		expect(t, "in maintenance", "no origin is open, no origin is open, origin 0, origin 0",
			g.come(anywhere), g.come(0), g.comeAs(g.tester(anywhere)), g.comeAs(g.tester(0)))
		g.set(0, BoundOnly)
		expect(t, "it drains", "no origin is open, origin 0, no origin is open, origin 0",
			g.come(anywhere), g.come(0), g.comeAs(g.tester(anywhere)), g.comeAs(g.tester(0)))
	})
}

// Others who wait do not hold a tester up, and are dismissed only when they have
// no hope elsewhere.
func TestTestersAreServedPastThoseWhoMayNotComeIn(t *testing.T) {
	bubble(t, func(t *testing.T) {
		g := newGroup(t, roomy, 1, 1)
		g.fill()
		anyone, bound, tester := g.come(anywhere), g.come(0), g.comeAs(g.tester(anywhere))
		g.set(0, Testers)
		expect(t, "the first is in maintenance", "waits, no origin is open, waits", anyone, bound, tester)
		g.slots[0].Leave()
		expect(t, "it has room", "waits, origin 0", anyone, tester)
		tester.leave()
		expect(t, "one more comes, past who waits for the other", "origin 0", g.comeAs(g.tester(anywhere)))
		g.set(1, Testers)
		expect(t, "the other one is, too", "no origin is open", anyone)
		g.slots[1].Leave()
	})
}

// When it is over, the oldest of all goes in.
func TestMaintenanceEnds(t *testing.T) {
	bubble(t, func(t *testing.T) {
		g := newGroup(t, roomy, 1, 1)
		g.fill()
		anyone, tester := g.come(anywhere), g.comeAs(g.tester(0))
		g.set(0, Testers)
		g.set(0, Open)
		g.slots[0].Leave()
		expect(t, "it is open again", "origin 0, waits", anyone, tester)
		anyone.leave()
		expect(t, "the next", "origin 0", tester)
	})
}
