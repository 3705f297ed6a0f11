package admission

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"weirkeep/gateway/balance"
)

// plan is what Plan says of a seeker, as the group's origins are now.
func (g *group) plan(s *Seeker) Planned {
	var states []State
	for _, slots := range g.slots {
		states = append(states, slots.State())
	}
	return Plan(states, Asker{Only: s.Only, Barred: s.Barred, Tester: s.Tester, Key: s.Key}, g.balancer)
}

// disagrees says where a visit did something else than was planned.
func disagrees(p Planned, v *visit) string {
	planned := "waits"
	switch {
	case p.Pick >= 0:
		planned = fmt.Sprint("origin ", p.Pick)
	case !p.Queues:
		planned = ErrNone.Error()
	}
	did := v.state()
	switch {
	case did == planned, did == ErrFull.Error() && planned == "waits":
		return ""
	case !p.Sure && p.Pick >= 0 && v.over.Load() && v.err == nil && p.Verdicts[v.origin].Why == Free:
		return ""
	}
	return fmt.Sprintf("planned %q with %v, and Enter said %q", planned, p.Verdicts, did)
}

// A planTrial has one group, whose state it changes between the plans.
type planTrial struct {
	drawn
	group  *group
	visits []*visit
}

func newPlanTrial(d drawn, balancer string) *planTrial {
	tr, l := &planTrial{drawn: d}, new(Lobby)
	tr.group = &group{queue: l.NewQueue(Options{Size: tr.number(0, 6), Timeout: defaultTimeout})}
	var members []balance.Member
	for i := range tr.number(1, 4) {
		tr.group.slots = append(tr.group.slots, l.NewSlots(tr.number(1, 3)))
		members = append(members, balance.Member{
			Name: fmt.Sprint(i), Key: fmt.Sprint("http://h:", i), Host: fmt.Sprint(i % 2), HostWeight: 1 + i%2, Weight: 1 + i,
		})
	}
	tr.group.balancer, _ = balance.New(balancer, members, nil)
	return tr
}

// step changes something, then lets somebody come, and says where plan and deed
// differ.
func (tr *planTrial) step() string {
	last := len(tr.group.slots) - 1
	switch s := tr.group.slots[tr.number(0, last)]; tr.number(0, 5) {
	case 0:
		a := Access(tr.number(0, 3))
		s.Set(func() Access { return a })
	case 1:
		s.SetCapacity(tr.number(1, 3))
	case 2, 3:
		tr.leave()
	}
	s := tr.group.seeker(max(tr.number(-3, last), anywhere))
	s.Barred, s.Tester, s.Key = uint64(tr.number(0, 15)&tr.number(0, 15)), tr.number(0, 1) == 0, uint64(tr.number(0, 9))
	plan := tr.group.plan(s)
	if again := tr.group.plan(s); !reflect.DeepEqual(again, plan) {
		return fmt.Sprintf("planned %v, and %v when asked again", plan, again)
	}
	v := tr.group.comeAs(s)
	tr.visits = append(tr.visits, v)
	return disagrees(plan, v)
}

func (tr *planTrial) leave() {
	if i := slices.IndexFunc(tr.visits, func(v *visit) bool { return v.over.Load() && v.err == nil }); i >= 0 {
		tr.visits[i].leave()
		tr.visits = slices.Delete(tr.visits, i, i+1)
	}
}

// In whatever state the origins are, and whoever waits: what is planned happens.
// The model's trials ask it over several queues, too.
func TestPlanSaysWhatEnterDoes(t *testing.T) {
	for _, name := range balance.Names() {
		t.Run(name, func(t *testing.T) {
			rapid.Check(t, func(r *rapid.T) {
				d := drawn(rapid.SliceOfN(rapid.Uint16(), 100, 200).Draw(r, "drawn"))
				wrong := ""
				bubble(t, func(*testing.T) {
					tr := newPlanTrial(d, name)
					for len(tr.drawn) > 0 && wrong == "" {
						wrong = tr.step()
					}
				})
				if wrong != "" {
					r.Fatal(wrong)
				}
			})
		})
	}
}

// An origin is written as load/capacity, with "+" where somebody waits for it and
// with its access if that is not open.
func TestPlanSaysWhyOrWhyNot(t *testing.T) {
	for _, tt := range []struct {
		name    string
		origins string
		asker   Asker
		pick    int
		queues  bool
		why     string
	}{
		{"the freest", "1/4 0/4 2/4", Asker{Only: -1}, 1, false, "free, picked, free"},
		{"one is full", "4/4 3/4", Asker{Only: -1}, 1, false, "full, picked"},
		{"all are full", "4/4 9/4", Asker{Only: -1}, -1, true, "full, full"},
		{"a slot is on its way to who waits", "3/4+", Asker{Only: -1}, -1, true, "waited for"},
		{"bound", "1/4 3/4", Asker{Only: 1}, 1, false, "the request is bound elsewhere, picked"},
		{"bound, and tried before", "1/4 3/4", Asker{Only: 1, Barred: 2}, 1, false, "the request is bound elsewhere, picked"},
		{"bound to one that drains", "1/4,bound 3/4", Asker{Only: 0}, 0, false, "picked, the request is bound elsewhere"},
		{"bound to one that is shut", "1/4,shut 3/4", Asker{Only: 0}, -1, false, "out, the request is bound elsewhere"},
		{"bound to one that is full", "4/4 3/4", Asker{Only: 0}, -1, true, "full, the request is bound elsewhere"},
		{"one drains", "0/4,bound 3/4", Asker{Only: -1}, 1, false, "draining, picked"},
		{"maintenance is for testers", "0/4,testers 3/4", Asker{Only: -1}, 1, false, "in maintenance, picked"},
		{"a tester", "0/4,testers 3/4", Asker{Only: -1, Tester: true}, 0, false, "picked, free"},
		{"a tester, and one full", "4/4,testers 0/4,bound", Asker{Only: -1, Tester: true}, -1, true, "full, draining"},
		{"one has been tried", "0/4 3/4", Asker{Only: -1, Barred: 1}, 1, false, "tried, picked"},
		{"none is open", "0/4,shut 0/4,bound 0/4,testers", Asker{Only: -1}, -1, false, "out, draining, in maintenance"},
		{"one is out", "0/4,unwell 3/4", Asker{Only: -1}, 1, false, "out, picked"},
		{"one is out, and too few are not", "0/4,unwell 3/4", Asker{Only: -1, Panic: true}, 0, false, "picked, free"},
		{"no origin", "", Asker{Only: -1}, -1, false, ""},
	} {
		b, _ := balance.New(balance.Default, nil, nil)
		p := Plan(states(tt.origins), tt.asker, b)
		if got := whys(p); p.Pick != tt.pick || p.Queues != tt.queues || !p.Sure || got != tt.why {
			t.Errorf("%s: origin %d, queues %v, sure %v, %s; want %d, %v, %s", tt.name, p.Pick, p.Queues, p.Sure, got, tt.pick, tt.queues, tt.why)
		}
	}
}

// states reads origins as the table above writes them.
func states(origins string) (all []State) {
	for word := range strings.FieldsSeq(origins) {
		word, access, _ := strings.Cut(word, ",")
		s := State{Access: map[string]Access{"": Open, "bound": BoundOnly, "testers": Testers, "unwell": Unwell, "shut": Shut}[access]}
		if numbers, waited := strings.CutSuffix(word, "+"); waited {
			word, s.Waiting = numbers, 1
		}
		fmt.Sscanf(word, "%d/%d", &s.Load, &s.Capacity)
		all = append(all, s)
	}
	return all
}

func TestPlanGivesThePartThatIsFree(t *testing.T) {
	b, _ := balance.New(balance.Default, nil, nil)
	p := Plan(states("0/4 1/4 4/4 9/4 1/4,shut"), Asker{Only: -1}, b)
	for i, want := range []float64{1, 0.75, 0, 0, 0.75} {
		if got := p.Verdicts[i].Share; got != want {
			t.Errorf("origin %d: a part of %v is free, want %v", i, got, want)
		}
	}
}

// Who waits and may not come in holds up nobody, in the state as in fact.
func TestStateCountsThoseWhoMayComeIn(t *testing.T) {
	bubble(t, func(t *testing.T) {
		g := newGroup(t, roomy, 1, 1)
		g.fill()
		tester := g.seeker(anywhere)
		tester.Tester = true
		g.come(anywhere)
		g.come(0)
		g.comeAs(tester)
		for _, tt := range []struct {
			access Access
			want   int64
		}{{Open, 3}, {BoundOnly, 1}, {Testers, 1}, {Shut, 0}} {
			g.slots[0].access.Store(uint32(tt.access))
			want := State{Load: 1, Capacity: 1, Waiting: tt.want, Access: tt.access}
			if s := g.slots[0].State(); s != want || g.slots[0].Waiting() != 3 {
				t.Errorf("%v: %+v with %d in line, want %+v with 3", tt.access, s, g.slots[0].Waiting(), want)
			}
		}
	})
}
