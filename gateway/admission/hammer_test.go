package admission

import (
	"math/rand/v2"
	"runtime"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

const hammers = 8

// crowded runs the test on half as many processors as there are hammers.
func crowded(t *testing.T) {
	before := runtime.GOMAXPROCS(hammers / 2)
	t.Cleanup(func() { runtime.GOMAXPROCS(before) })
}

// A count is who holds slots of one origin, as those who hold them count it.
type count struct{ held atomic.Int64 }

// visits comes and goes n times, and keeps some of the slots.
func (g *group) visits(t *testing.T, counts []count, n int) {
	s := g.seeker(anywhere)
	c := s.Client.(*client)
	for range n {
		s.Only = max(rand.IntN(len(g.slots)+4)-4, anywhere)
		s.Tester = rand.IntN(2) == 0
		c.gone.Store(rand.IntN(8) == 0)
		i, err := g.queue.Enter(s, g.balancer)
		if err != nil {
			continue
		}
		if held := counts[i].held.Add(1); held > g.slots[i].Capacity() {
			t.Errorf("%d are at origin %d, which has %d", held, i, g.slots[i].Capacity())
		}
		if rand.IntN(10) == 0 {
			return // with the slot: it is given back when all is quiet
		}
		runtime.Gosched()
		counts[i].held.Add(-1)
		g.slots[i].Leave()
	}
}

// quiet fails if somebody waits who need not, or a slot is nobody's. Nothing moves.
func (g *group) quiet(t *testing.T, counts []count) {
	for i, s := range g.slots {
		if s.Load() != counts[i].held.Load() {
			t.Errorf("origin %d: load %d, and %d are there", i, s.Load(), counts[i].held.Load())
		}
		for who := range standings {
			if p := s.lines[who].oldest(); p != nil && s.Access().admits(who) && s.Load() < s.Capacity() {
				t.Errorf("origin %d is %v and has %d of %d, but somebody waits (standing %d)", i, s.Access(), s.Load(), s.Capacity(), who)
			}
		}
	}
}

// disturb changes what can be changed, but for the time-out.
func (g *group) disturb(n int) {
	for range n {
		s := g.slots[rand.IntN(len(g.slots))]
		switch rand.IntN(4) {
		case 0:
			a := Access(rand.IntN(4))
			s.Set(func() Access { return a })
		case 1:
			s.Set(func() Access { return Open })
		case 2:
			g.queue.SetOptions(Options{Size: rand.IntN(6), Timeout: defaultTimeout})
		case 3:
			if s.Take() {
				s.Leave() // a trial that another one claims
			}
		}
		runtime.Gosched()
	}
}

// M-CAP-02: the load is who is there, and is 0 in the end.
//
// The bubble tells when nothing moves, which a test in real time could only
// guess; its goroutines run at the same time like any others.
func TestHammerEnter(t *testing.T) {
	crowded(t)
	for range 60 {
		bubble(t, func(t *testing.T) {
			g := newGroup(t, Options{Size: 4, Timeout: defaultTimeout}, 1, 2, 1)
			counts := make([]count, len(g.slots))
			for range hammers {
				go g.visits(t, counts, 100)
			}
			go g.disturb(100)
			synctest.Wait()
			g.quiet(t, counts)
			for _, s := range g.slots {
				s.SetCapacity(hammers) // room for all: only the shut are waited for
			}
			after(time.Minute)
			g.quiet(t, counts)
			g.giveBack(t, counts)
		})
	}
}

// giveBack ends what is still held.
func (g *group) giveBack(t *testing.T, counts []count) {
	for i, s := range g.slots {
		for counts[i].held.Add(-1) >= 0 {
			s.Leave()
		}
		if s.Load() != 0 || s.Waiting() != 0 {
			t.Errorf("origin %d: load %d and %d wait in the end, want none", i, s.Load(), s.Waiting())
		}
	}
	if g.queue.Waiting() != 0 {
		t.Errorf("%d wait in the queue in the end", g.queue.Waiting())
	}
}

// KA-03: one leaves while another one comes, and nobody comes after it who would
// put right what they miss. A waiter that found no room and that the leaver did
// not see would be left standing.
func TestHammerLostWakeUp(t *testing.T) {
	crowded(t)
	bubble(t, func(t *testing.T) {
		g := newGroup(t, roomy, 1)
		for range 15_000 {
			g.fill()
			var came atomic.Bool
			go func() {
				if i, err := g.queue.Enter(g.seeker(anywhere), g.balancer); err != nil {
					t.Errorf("Enter() = %d, %v", i, err)
				}
				came.Store(true)
			}()
			for range rand.IntN(300) { // the two meet anywhere on their ways
				g.slots[0].Load()
			}
			g.slots[0].Leave()
			synctest.Wait()
			if !came.Load() {
				t.Fatal("there is room, and one waits for it")
			}
			g.slots[0].Leave()
		}
	})
}
