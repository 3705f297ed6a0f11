package admission

import (
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"weirkeep/gateway/balance"
)

// A model is the package without atomics, without lines per origin, and without
// anything that runs at the same time: one list of all who wait, gone through
// from its beginning after whatever happens.
type model struct {
	origins []modelOrigin
	queues  []modelQueue
	line    []*modelVisit
	now     time.Duration // since the beginning
}

type modelOrigin struct {
	capacity, load int64
	access         Access
}

type modelQueue struct {
	options  Options
	origins  []int // of the group's members
	balancer balance.Balancer
}

// modelVisit is an exchange; state is what [visit.state] says of it.
type modelVisit struct {
	queue, only   int
	barred        uint64
	tester        bool
	state         string
	origin        int // of the model; where it has a slot
	came, timeout time.Duration
	gone          time.Duration // since when; negative: it stays
}

// members are the indexes in its group of the origins that the visit may use.
func (m *model) members(v *modelVisit) (is []int) {
	for i, o := range m.queues[v.queue].origins {
		allowed := v.only == i || v.only < 0 && v.barred&(1<<i) == 0
		a := m.origins[o].access
		if allowed && (a == Open || a == BoundOnly && v.only >= 0 || a == Testers && v.tester) {
			is = append(is, i)
		}
	}
	return is
}

// free reports whether the origin has a slot that nobody waits for.
func (m *model) free(o int) bool {
	for _, w := range m.line {
		for _, i := range m.members(w) {
			if m.queues[w.queue].origins[i] == o {
				return false
			}
		}
	}
	return m.origins[o].load < m.origins[o].capacity
}

func (m *model) enter(v *modelVisit) {
	q := &m.queues[v.queue]
	v.came, v.timeout, v.gone, v.state = m.now, q.options.Timeout, -1, "waits"
	members := m.members(v)
	if i := m.pick(v, members); i >= 0 {
		m.take(v, i)
		return
	}
	switch {
	case len(members) == 0:
		v.state = ErrNone.Error()
	case m.waiting(v.queue) >= q.options.Size:
		v.state = ErrFull.Error()
	default:
		m.line = append(m.line, v)
	}
}

// pick asks a balancer of the model's own, unless the visit has no choice.
func (m *model) pick(v *modelVisit, members []int) int {
	q := &m.queues[v.queue]
	if v.only >= 0 {
		if len(members) == 1 && m.free(q.origins[v.only]) {
			return v.only
		}
		return -1
	}
	cs := make([]balance.Candidate, len(q.origins))
	for i, o := range q.origins {
		cs[i] = balance.Candidate{
			Usable: slices.Contains(members, i) && m.free(o),
			Load:   m.origins[o].load, Capacity: m.origins[o].capacity,
		}
	}
	return q.balancer.Pick(cs, 0)
}

func (m *model) take(v *modelVisit, i int) {
	v.origin = m.queues[v.queue].origins[i]
	m.origins[v.origin].load++
	v.state = fmt.Sprint("origin ", i)
}

// waiting is how many wait in one queue.
func (m *model) waiting(queue int) (n int) {
	for _, w := range m.line {
		if w.queue == queue {
			n++
		}
	}
	return n
}

// settle gives what is free to those who wait, and sends away who has no hope.
func (m *model) settle() {
	for _, w := range slices.Clone(m.line) {
		members := m.members(w)
		for _, i := range members {
			if o := m.origins[m.queues[w.queue].origins[i]]; o.load < o.capacity {
				m.take(w, i)
				break
			}
		}
		if len(members) == 0 {
			w.state = ErrNone.Error()
		}
		m.tidy()
	}
}

// tidy takes those out of the line who do not wait any more.
func (m *model) tidy() {
	m.line = slices.DeleteFunc(m.line, func(w *modelVisit) bool { return w.state != "waits" })
}

// pass lets time pass. Looks and time-outs do not fall together: no time-out is a
// multiple of the time between looks.
func (m *model) pass(d time.Duration) {
	m.now += d
	for _, w := range m.line {
		over, looked := w.came+w.timeout, m.now+1
		if w.gone >= 0 {
			looked = w.came + (w.gone-w.came)/lookEvery*lookEvery + lookEvery
		}
		switch {
		case looked <= m.now && looked < over:
			w.state = ErrGone.Error()
		case over <= m.now:
			w.state = ErrTimeout.Error()
		}
	}
	m.tidy()
}

// A trial runs the package and the model side by side. What it does is drawn
// before: a generator cannot be asked in a bubble.
type modelTrial struct {
	drawn
	wrong  string // the first difference
	model  model
	groups []*group
	slots  []*Slots
	visits []*visit
	twins  []*modelVisit
}

// newModelTrial has three queues over four origins; the last group has one
// address twice.
func newModelTrial(t *testing.T, d drawn) *modelTrial {
	tr := &modelTrial{drawn: d}
	l := new(Lobby)
	for range 4 {
		c := tr.number(1, 3)
		tr.slots = append(tr.slots, l.NewSlots(c))
		tr.model.origins = append(tr.model.origins, modelOrigin{capacity: int64(c)})
	}
	for _, origins := range [][]int{{0, 1}, {1, 2, 3}, {2, 0, 2}} {
		o := tr.options()
		var slots []*Slots
		for _, i := range origins {
			slots = append(slots, tr.slots[i])
		}
		tr.groups = append(tr.groups, newGroupOf(t, l, o, slots...))
		b, _ := balance.New(balance.Default, nil, nil)
		tr.model.queues = append(tr.model.queues, modelQueue{o, origins, b})
	}
	return tr
}

func (tr *modelTrial) fail(format string, args ...any) {
	if tr.wrong == "" {
		tr.wrong = fmt.Sprintf(format, args...)
	}
}

func (tr *modelTrial) options() Options {
	timeout := time.Duration(tr.number(0, 4))*lookEvery + lookEvery/2
	return Options{Size: tr.number(0, 5), Timeout: timeout}
}

// step does one thing to both.
func (tr *modelTrial) step() {
	switch what := tr.number(0, 11); what {
	case 0, 1, 2, 3:
		tr.enter()
	case 4, 5, 6:
		tr.leave()
	case 7:
		o, c := tr.number(0, 3), tr.number(1, 4)
		tr.slots[o].SetCapacity(c)
		tr.model.origins[o].capacity = int64(c)
	case 8:
		o, a := tr.number(0, 3), Access(tr.number(0, 3))
		tr.slots[o].Set(func() Access { return a })
		tr.model.origins[o].access = a
	case 9:
		q, o := tr.number(0, 2), tr.options()
		tr.groups[q].queue.SetOptions(o)
		tr.model.queues[q].options = o
	case 10:
		d := time.Duration(tr.number(1, 150)) * time.Millisecond
		after(d)
		tr.model.pass(d)
	case 11:
		tr.depart()
	}
	synctest.Wait()
	tr.model.settle()
}

func (tr *modelTrial) enter() {
	q := tr.number(0, 2)
	g := tr.groups[q]
	s := g.seeker(tr.number(-2, len(g.slots)-1))
	s.Only = max(s.Only, anywhere)
	s.Barred, s.Tester = uint64(tr.number(0, 7)&tr.number(0, 7)), tr.number(0, 2) == 0
	twin := &modelVisit{queue: q, only: s.Only, barred: s.Barred, tester: s.Tester}
	plan := g.plan(s)
	v := g.comeAs(s)
	if wrong := disagrees(plan, v); wrong != "" {
		tr.fail("%s", wrong)
	}
	tr.visits, tr.twins = append(tr.visits, v), append(tr.twins, twin)
	tr.model.enter(twin)
}

// some is the index of some visit that the model has in such a state, -1: none.
func (tr *modelTrial) some(is func(*modelVisit) bool) int {
	var found []int
	for i, v := range tr.twins {
		if is(v) {
			found = append(found, i)
		}
	}
	if found == nil {
		return -1
	}
	return found[tr.number(0, len(found)-1)]
}

func inside(v *modelVisit) bool { return len(v.state) > 6 && v.state[:6] == "origin" }

func (tr *modelTrial) leave() {
	i := tr.some(inside)
	if i < 0 {
		return
	}
	tr.visits[i].leave()
	tr.model.origins[tr.twins[i].origin].load--
	tr.forget(i)
}

func (tr *modelTrial) forget(i int) {
	tr.visits, tr.twins = slices.Delete(tr.visits, i, i+1), slices.Delete(tr.twins, i, i+1)
}

// depart lets the client of one who waits go.
func (tr *modelTrial) depart() {
	if i := tr.some(func(v *modelVisit) bool { return v.state == "waits" && v.gone < 0 }); i >= 0 {
		tr.visits[i].client.gone.Store(true)
		tr.twins[i].gone = tr.model.now
	}
}

// compare fails unless both say the same, of everything that can be seen.
func (tr *modelTrial) compare() {
	for i, v := range tr.visits {
		if got, want := v.state(), tr.twins[i].state; got != want {
			tr.fail("visit %d: %s, want %s", i, got, want)
		}
	}
	for i, s := range tr.slots {
		o := tr.model.origins[i]
		if s.Load() != o.load || s.Capacity() != o.capacity || s.Access() != o.access {
			tr.fail("origin %d: %d of %d, %v; want %d of %d, %v", i, s.Load(), s.Capacity(), s.Access(), o.load, o.capacity, o.access)
		}
	}
	for i, g := range tr.groups {
		if got, want := g.queue.Waiting(), tr.model.waiting(i); got != want {
			tr.fail("queue %d: %d wait, want %d", i, got, want)
		}
	}
}

// end ends all visits, M-CAP-02: the load is never negative and returns to 0.
func (tr *modelTrial) end() {
	for _, s := range tr.slots {
		s.Set(func() Access { return Shut })
	}
	synctest.Wait()
	for _, v := range tr.visits {
		if v.err == nil {
			v.leave()
		}
	}
	for i, s := range tr.slots {
		if s.Load() != 0 || s.Waiting() != 0 {
			tr.fail("origin %d: load %d and %d wait in the end, want none", i, s.Load(), s.Waiting())
		}
	}
}

// Whatever comes, goes and changes, in whatever order: the package does what the
// model does.
func TestSlotsAndQueuesBehaveAsTheModel(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		d := drawn(rapid.SliceOfN(rapid.Uint16(), 250, 400).Draw(r, "drawn"))
		var wrong string
		bubble(t, func(t *testing.T) {
			tr := newModelTrial(t, d)
			for len(tr.drawn) > 0 && tr.wrong == "" {
				tr.step()
				tr.compare()
			}
			tr.end()
			wrong = tr.wrong
		})
		if wrong != "" {
			r.Fatal(wrong)
		}
	})
}
