package admission

import (
	"strings"
	"testing"
	"time"

	"weirkeep/gateway/balance"
)

// M-POL-04, M-COLO-01: the nearest of those that could be picked; who is loyal waits.
func TestNearestArePicked(t *testing.T) {
	for _, tt := range []struct {
		name   string
		states string
		far    []uint8
		loyal  bool
		pick   int
		queues bool
		want   string
	}{
		{"all free", "0/4 0/4 0/4", []uint8{2, 0, 1}, false, 1, false, "farther, picked, farther"},
		{"two near", "0/4 3/4 1/4", []uint8{2, 0, 0}, false, 2, false, "farther, free, picked"},
		{"the near one is full", "0/4 4/4 0/4", []uint8{2, 0, 1}, false, 2, false, "farther, full, picked"},
		{"the near one is out", "0/4 0/4,unwell 0/4", []uint8{2, 0, 1}, false, 2, false, "farther, out, picked"},
		{"the near one drains", "0/4 0/4,bound 0/4", []uint8{2, 0, 1}, false, 2, false, "farther, draining, picked"},
		{"loyal to one that is full", "0/4 4/4 0/4", []uint8{2, 0, 1}, true, -1, true, "farther, full, farther"},
		{"loyal to one that is out", "0/4 0/4,unwell 0/4", []uint8{2, 0, 1}, true, 2, false, "farther, out, picked"},
		{"loyal to two", "0/4 4/4 1/4", []uint8{2, 0, 0}, true, 2, false, "farther, full, picked"},
		{"none is near", "0/4 1/4", []uint8{2, 2}, true, 0, false, "picked, free"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := &Preference{Far: tt.far, Loyal: tt.loyal}
			b, err := balance.New("capacity", nil, nil)
			if err != nil {
				t.Fatal(err)
			}
			got := Plan(states(tt.states), Asker{Only: -1, Preference: p}, b)
			if text := whys(got); got.Pick != tt.pick || got.Queues != tt.queues || text != tt.want {
				t.Errorf("pick %d, queues %v, %s; want %d, %v, %s", got.Pick, got.Queues, text, tt.pick, tt.queues, tt.want)
			}
			enterAs(t, states(tt.states), p, b, got)
		})
	}
}

func whys(p Planned) string {
	var all []string
	for _, v := range p.Verdicts {
		all = append(all, v.Why.String())
	}
	return strings.Join(all, ", ")
}

// enterAs wants a seeker to get what a plan says.
func enterAs(t *testing.T, members []State, p *Preference, b balance.Balancer, want Planned) {
	t.Helper()
	var l Lobby
	q := l.NewQueue(Options{Size: 1, Timeout: time.Nanosecond})
	s := &Seeker{Only: -1, Preference: p, Client: patient{}}
	for _, m := range members {
		slots := l.NewSlots(int(m.Capacity))
		for range m.Load {
			slots.Take()
		}
		slots.Set(func() Access { return m.Access })
		s.Slots = append(s.Slots, slots)
	}
	switch i, err := q.Enter(s, b); {
	case want.Queues && err != ErrTimeout:
		t.Errorf("Enter: %d, %v, want a wait", i, err)
	case !want.Queues && (i != want.Pick || err != nil):
		t.Errorf("Enter: %d, %v, want %d", i, err, want.Pick)
	}
}

type patient struct{}

func (patient) Gone() bool { return false }

// An origin that comes back gets a tenth of its part at first, then more and more,
// whatever the balancer. The bound is five standard deviations.
func TestSlowStart(t *testing.T) {
	began := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	for _, method := range []string{"round-robin", "random", "capacity"} {
		for _, tt := range []struct {
			name  string
			after [2]time.Duration // when each has come back; before that much
			part  float64          // that the second gets
		}{
			{"at once", [2]time.Duration{time.Hour, 0}, 0.1},
			{"half way", [2]time.Duration{time.Hour, 5 * time.Second}, 0.55},
			{"warm", [2]time.Duration{time.Hour, 10 * time.Second}, 1},
			{"a moment after the request came", [2]time.Duration{time.Hour, -time.Second}, 0.1},
			{"the clock was set back", [2]time.Duration{time.Hour, -time.Minute}, 1},
			{"both are new", [2]time.Duration{0, 0}, 1},
			{"the other is not warm either", [2]time.Duration{5 * time.Second, 0}, 0.1 / 0.55},
		} {
			t.Run(method+" "+tt.name, func(t *testing.T) {
				p := &Preference{WarmUp: 10 * time.Second}
				for _, after := range tt.after {
					w := new(Warmth)
					w.Begin(began.Add(-after))
					p.Warmth = append(p.Warmth, w)
				}
				first, second := picks(t, method, p, began)
				// Of n picks the second may be picked in part·n. By chance it then gets half of
				// them; in turn it gets all that follow one of the first.
				const n = 20_000
				want := tt.part * n / 2
				if method != "random" {
					want = n * tt.part / (1 + tt.part)
				}
				if got := float64(second); got < want-350 || got > want+350 || first+second != n {
					t.Errorf("%d of %d picks, want %.0f", second, n, want)
				}
			})
		}
	}
}

func picks(t *testing.T, method string, p *Preference, now time.Time) (first, second int) {
	b, err := balance.New(method, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	var l Lobby
	s := &Seeker{Only: -1, Preference: p, Now: now, Slots: []*Slots{l.NewSlots(10), l.NewSlots(10)}}
	for range 20_000 {
		switch s.Take(b) {
		case 0:
			first++
			s.Slots[0].Leave()
		case 1:
			second++
			s.Slots[1].Leave()
		}
	}
	return first, second
}

// The only one that could be picked is, however cold.
func TestColdOriginBeatsNone(t *testing.T) {
	p := &Preference{WarmUp: time.Hour, Warmth: []*Warmth{{}, {}}}
	p.Warmth[1].Begin(time.Now())
	b, err := balance.New("random", nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	var l Lobby
	s := &Seeker{Only: -1, Preference: p, Now: time.Now(), Slots: []*Slots{l.NewSlots(1), l.NewSlots(2000)}}
	s.Slots[0].Take()
	for range 1000 {
		if i := s.Take(b); i != 1 {
			t.Fatalf("picked %d", i)
		}
	}
}

func TestPreferenceAllocs(t *testing.T) {
	p := &Preference{WarmUp: time.Hour, Far: []uint8{0, 0, 1}, Warmth: []*Warmth{{}, {}, {}}}
	p.Warmth[1].Begin(time.Now())
	b, err := balance.New("capacity", nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	var l Lobby
	s := &Seeker{Only: -1, Preference: p, Now: time.Now(), Slots: []*Slots{l.NewSlots(9), l.NewSlots(9), l.NewSlots(9)}}
	if n := testing.AllocsPerRun(1000, func() { s.Slots[s.Take(b)].Leave() }); n != 0 {
		t.Errorf("%v allocations, want 0", n)
	}
}

// What one cluster finds of an origin's warmth is of its own time, not of another's.
func TestWarmthIsOfEachCluster(t *testing.T) {
	began := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	w := new(Warmth)
	w.Begin(began)
	now := began.Add(time.Minute)
	if got := w.share(now, 10*time.Second); got != warm {
		t.Errorf("the share where it takes 10 s is %d after a minute, want %d", got, warm)
	}
	if got, want := w.share(now, 2*time.Minute), (coldest+warm)/2; got != want {
		t.Errorf("the share where it takes 2 min is %d after a minute, want %d", got, want)
	}
}

// thief is a balancer whose first pick somebody else takes.
type thief struct {
	balance.Balancer
	slots []*Slots
	stole bool
}

func (b *thief) Pick(cs []balance.Candidate, key uint64) int {
	i := b.Balancer.Pick(cs, key)
	if !b.stole {
		b.stole = b.slots[i].Take()
	}
	return i
}

// Whoever is preferred may be taken between look and pick. Then the others are free,
// and who does not wait gets one of them.
func TestTakeGoesOnWhereThePreferredIsTaken(t *testing.T) {
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	cold, hot := new(Warmth), new(Warmth)
	cold.Begin(now)
	for _, tt := range []struct {
		name string
		p    *Preference
	}{
		{"nobody", nil},
		{"the nearest", &Preference{Far: []uint8{0, 1}}},
		{"the warmest", &Preference{Warmth: []*Warmth{hot, cold}, WarmUp: time.Hour}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			for range 100 { // by chance the cold one is preferred, too
				var l Lobby
				slots := []*Slots{l.NewSlots(1), l.NewSlots(1)}
				b, err := balance.New("round-robin", nil, nil)
				if err != nil {
					t.Fatal(err)
				}
				s := &Seeker{Slots: slots, Only: -1, Preference: tt.p, Now: now}
				if i := s.Take(&thief{Balancer: b, slots: slots}); i < 0 {
					t.Fatal("no slot was taken, want the one that is free")
				}
			}
		})
	}
}
