package admission

import (
	"fmt"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"weirkeep/gateway/balance"
)

const (
	defaultTimeout = 10 * time.Second
	anywhere       = -1 // bound to no origin
)

// A group is a queue with the origins that it is for.
type group struct {
	queue    *Queue
	slots    []*Slots
	balancer balance.Balancer
}

func newGroup(t testing.TB, o Options, capacities ...int) *group {
	t.Helper()
	l := new(Lobby)
	var slots []*Slots
	for _, c := range capacities {
		slots = append(slots, l.NewSlots(c))
	}
	return newGroupOf(t, l, o, slots...)
}

// newGroupOf is a further queue for origins that others may share.
func newGroupOf(t testing.TB, l *Lobby, o Options, slots ...*Slots) *group {
	t.Helper()
	b, err := balance.New(balance.Default, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	return &group{queue: l.NewQueue(o), slots: slots, balancer: b}
}

// fill takes every slot there is.
func (g *group) fill() {
	for _, s := range g.slots {
		for s.Take() {
		}
	}
}

func (g *group) loads() string {
	var loads []int64
	for _, s := range g.slots {
		loads = append(loads, s.Load())
	}
	return fmt.Sprint(loads)
}

// set sets the access of one origin.
func (g *group) set(i int, a Access) { g.slots[i].Set(func() Access { return a }) }

func (g *group) seeker(only int) *Seeker {
	return &Seeker{Slots: g.slots, Only: only, Client: new(client)}
}

// A client goes when it is told to.
type client struct {
	gone atomic.Bool
	look func() // called when it is looked at; may be nil
}

func (c *client) Gone() bool {
	if c.look != nil {
		c.look()
	}
	return c.gone.Load()
}

// A visit is one exchange that has come for a slot.
type visit struct {
	group  *group
	seeker *Seeker
	client *client
	origin int
	err    error
	over   atomic.Bool // Enter has returned
}

// come lets one exchange come, which may be bound to one origin, and lets things
// take their course until nothing moves.
func (g *group) come(only int) *visit { return g.comeAs(g.seeker(only)) }

func (g *group) comeAs(s *Seeker) *visit {
	v := &visit{group: g, seeker: s, client: s.Client.(*client)}
	go func() {
		v.origin, v.err = g.queue.Enter(s, g.balancer)
		v.over.Store(true)
	}()
	synctest.Wait()
	return v
}

// leave ends a visit, which must have come in.
func (v *visit) leave() {
	if !v.over.Load() || v.err != nil {
		return // the test has failed
	}
	v.group.slots[v.origin].Leave()
	synctest.Wait()
}

// state is how the visit stands: "waits", "origin 1" or the error.
func (v *visit) state() string {
	switch {
	case !v.over.Load():
		return "waits"
	case v.err != nil:
		return v.err.Error()
	}
	return fmt.Sprint("origin ", v.origin)
}

// expect compares how visits stand with what is wanted of each.
func expect(t *testing.T, when string, want string, visits ...*visit) {
	t.Helper()
	synctest.Wait()
	var states []string
	for _, v := range visits {
		states = append(states, v.state())
	}
	if got := fmt.Sprintf("%q", states); got != fmt.Sprintf("%q", split(want)) {
		t.Errorf("%s: %s, want %q", when, got, split(want))
	}
}

// bubble runs a test in time of its own, and lets the time of all who still wait
// at its end be over.
func bubble(t *testing.T, test func(t *testing.T)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		defer time.Sleep(time.Hour)
		test(t)
	})
}

// after lets fake time pass.
func after(d time.Duration) {
	time.Sleep(d)
	synctest.Wait()
}

// drawn are numbers that decide what a trial does.
type drawn []uint16

// number is what has been drawn next, within the bounds.
func (d *drawn) number(from, to int) int {
	if len(*d) == 0 {
		return from
	}
	n := int((*d)[0])
	*d = (*d)[1:]
	return from + n%(to-from+1)
}
