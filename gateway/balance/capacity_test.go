package balance

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
)

// ties are the words of the option: what is published holds under both.
var ties = []string{"equal-load", "weighted"}

func newTie(t testing.TB, tie string) Balancer {
	t.Helper()
	b, err := New("capacity", nil, func(into any) error {
		into.(*capacityOptions).Tie = tie
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// A simulation is a group whose requests are begun and ended by the test.
type simulation struct {
	balancer Balancer
	origins  []Candidate
	out      map[int]bool // origins that have failed
}

func simulate(b Balancer, capacities ...int64) *simulation {
	s := &simulation{balancer: b, out: map[int]bool{}}
	for _, c := range capacities {
		s.origins = append(s.origins, Candidate{Capacity: c})
	}
	return s
}

// begin begins a request and returns its origin, -1 when it has to queue.
func (s *simulation) begin() int {
	for i := range s.origins {
		o := &s.origins[i]
		o.Usable = !s.out[i] && o.Load < o.Capacity
	}
	i := s.balancer.Pick(s.origins, 0)
	if i >= 0 {
		s.origins[i].Load++
	}
	return i
}

// hold begins n requests that do not end and returns their origins: "s1 s2".
func (s *simulation) hold(n int) string {
	var picks []string
	for range n {
		picks = append(picks, fmt.Sprint("s", s.begin()+1))
	}
	return strings.Join(picks, " ")
}

func (s *simulation) end(i int) { s.origins[i].Load-- }

// fail takes origin i out, with all requests it has.
func (s *simulation) fail(i int) {
	s.out[i] = true
	s.origins[i].Load = 0
}

func (s *simulation) loads() string {
	var loads []string
	for _, o := range s.origins {
		loads = append(loads, fmt.Sprint(o.Load))
	}
	return strings.Join(loads, "-")
}

// forEachTie runs a test under both words of the option.
func forEachTie(t *testing.T, test func(t *testing.T, b Balancer)) {
	for _, tie := range ties {
		t.Run(tie, func(t *testing.T) { test(t, newTie(t, tie)) })
	}
}

// M-CAP-03 to M-CAP-06.
func TestHeldRequestsGoWhereTheLargestPartIsFree(t *testing.T) {
	for _, tt := range []struct {
		capacities []int64
		want       string
	}{
		{[]int64{50, 50}, "s1 s2 s1 s2 s1 s2"},
		{[]int64{150, 50, 50}, "s1 s2 s3 s1 s1"},
		{[]int64{150, 50, 50}, "s1 s2 s3 s1 s1 s2 s3 s1 s1 s1 s2 s3"},
		{[]int64{7}, "s1 s1 s1"},
	} {
		t.Run(fmt.Sprint(tt.capacities), func(t *testing.T) {
			forEachTie(t, func(t *testing.T, b Balancer) {
				n := len(strings.Fields(tt.want))
				if got := simulate(b, tt.capacities...).hold(n); got != tt.want {
					t.Errorf("origins %s, want %s", got, tt.want)
				}
			})
		})
	}
}

// M-CAP-06 and M-FO-06.
func TestHeldRequestsShareByCapacity(t *testing.T) {
	three, two := []int64{150, 50, 50}, []int64{150, 50}
	for _, tt := range []struct {
		capacities []int64
		held       int
		want       string
	}{
		{three, 10, "6-2-2"},
		{three, 25, "15-5-5"},
		{three, 50, "30-10-10"},
		{three, 100, "60-20-20"},
		{three, 125, "75-25-25"},
		{three, 200, "120-40-40"},
		{three, 250, "150-50-50"},
		{two, 4, "3-1"},
		{two, 8, "6-2"},
		{two, 40, "30-10"},
		{two, 100, "75-25"},
		{two, 200, "150-50"},
		{[]int64{1, 1_000_000}, 3, "1-2"},
	} {
		t.Run(fmt.Sprint(tt.capacities, tt.held), func(t *testing.T) {
			forEachTie(t, func(t *testing.T, b Balancer) {
				s := simulate(b, tt.capacities...)
				if s.hold(tt.held); s.loads() != tt.want {
					t.Errorf("loads %s, want %s", s.loads(), tt.want)
				}
			})
		})
	}
}

// M-FO-06: the third of 150/50/50 is out.
func TestHeldRequestsShareWithoutTheFailedOrigin(t *testing.T) {
	for held, want := range map[int]string{4: "3-1-0", 8: "6-2-0", 40: "30-10-0", 100: "75-25-0", 200: "150-50-0"} {
		t.Run(want, func(t *testing.T) {
			forEachTie(t, func(t *testing.T, b Balancer) {
				s := simulate(b, 150, 50, 50)
				s.fail(2)
				if s.hold(held); s.loads() != want {
					t.Errorf("loads %s, want %s", s.loads(), want)
				}
			})
		})
	}
}

// Where the rules part under held requests: 50/150 is level after every second
// one, and an equal load is then a tie again. See RATIONALE.md.
func TestSmallerOriginListedFirst(t *testing.T) {
	for _, tt := range []struct {
		held      int
		equalLoad string
		weighted  string
	}{
		{held: 2, equalLoad: "1-1", weighted: "1-1"},
		{held: 4, equalLoad: "2-2", weighted: "1-3"},
		{held: 100, equalLoad: "50-50", weighted: "25-75"},
		{held: 200, equalLoad: "50-150", weighted: "50-150"},
	} {
		for tie, want := range map[string]string{"equal-load": tt.equalLoad, "weighted": tt.weighted} {
			s := simulate(newTie(t, tie), 50, 150)
			if s.hold(tt.held); s.loads() != want {
				t.Errorf("%s, %d held: loads %s, want %s", tie, tt.held, s.loads(), want)
			}
		}
	}
}

func TestOriginThatIsBackIsFilledFirst(t *testing.T) {
	forEachTie(t, func(t *testing.T, b Balancer) {
		s := simulate(b, 150, 50, 50)
		s.fail(2)
		s.hold(100)
		s.out[2] = false
		if s.hold(25); s.loads() != "75-25-25" {
			t.Errorf("loads %s, want 75-25-25", s.loads())
		}
	})
}

func TestNoPickWhenAllAreFull(t *testing.T) {
	forEachTie(t, func(t *testing.T, b Balancer) {
		s := simulate(b, 150, 50, 50)
		s.hold(250)
		if i := s.begin(); i != -1 {
			t.Errorf("request 251 goes to origin %d, want none", i)
		}
		s.end(1)
		if i := s.begin(); i != 1 {
			t.Errorf("origin %d, want 1, which has a free slot", i)
		}
	})
}

// M-CAP-10.
func TestTheOnlyFreeOriginIsTaken(t *testing.T) {
	forEachTie(t, func(t *testing.T, b Balancer) {
		s := simulate(b, 50, 50, 1)
		s.origins[0].Load, s.origins[1].Load = 50, 50
		for range 20 {
			i := s.begin()
			if i != 2 {
				t.Fatalf("origin %d, want 2", i)
			}
			s.end(i)
		}
	})
}

// M-CAP-08.
func TestSequentialRequestsAreSpreadEvenly(t *testing.T) {
	forEachTie(t, func(t *testing.T, b Balancer) {
		s, counts := simulate(b, 150, 50, 50), make([]int, 3)
		for range 300 {
			i := s.begin()
			counts[i]++
			s.end(i)
		}
		if want := []int{100, 100, 100}; !slices.Equal(counts, want) {
			t.Errorf("requests %v, want %v", counts, want)
		}
	})
}

// standing makes candidates of 150/50/50 with these loads, all usable.
func standing(loads ...int64) []Candidate {
	cs := []Candidate{{Capacity: 150}, {Capacity: 50}, {Capacity: 50}}
	for i, load := range loads {
		cs[i].Usable, cs[i].Load = true, load
	}
	return cs
}

// chooseLast makes origin i the one chosen last: no other is usable.
func chooseLast(t *testing.T, b Balancer, i int) {
	t.Helper()
	cs := standing()
	cs[i].Usable = true
	if got := b.Pick(cs, 0); got != i {
		t.Fatalf("Pick() = %d, want %d, the only usable one", got, i)
	}
}

// M-CAP-07 and X-01: the tie rules differ where loads are equal and not 0.
// M-CAP-09: before the sixth request 147/150 and 49/50 are free.
func TestTies(t *testing.T) {
	for _, tt := range []struct {
		name      string
		cs        []Candidate
		last      int
		equalLoad int
		weighted  int
	}{
		{name: "one each, last s1", cs: standing(1, 1, 1), last: 0, equalLoad: 1, weighted: 0},
		{name: "one each, last s2", cs: standing(1, 1, 1), last: 1, equalLoad: 2, weighted: 0},
		{name: "one each, last s3", cs: standing(1, 1, 1), last: 2, equalLoad: 0, weighted: 0},
		{name: "equal among the two that are usable", cs: standing(2, 2), last: 0, equalLoad: 1, weighted: 0},
		{name: "two of three equal is no tie", cs: standing(2, 2, 1), last: 0, equalLoad: 0, weighted: 0},
		{name: "idle, last s1", cs: standing(0, 0, 0), last: 0, equalLoad: 1, weighted: 1},
		{name: "sixth request, last s1", cs: standing(3, 1, 1), last: 0, equalLoad: 1, weighted: 1},
		{name: "sixth request, last s2", cs: standing(3, 1, 1), last: 1, equalLoad: 2, weighted: 2},
		{name: "sixth request, last s3", cs: standing(3, 1, 1), last: 2, equalLoad: 0, weighted: 0},
		{name: "tie behind the turn", cs: standing(6, 1, 1), last: 2, equalLoad: 1, weighted: 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			for tie, want := range map[string]int{"": tt.equalLoad, "equal-load": tt.equalLoad, "weighted": tt.weighted} {
				b := newTie(t, tie)
				chooseLast(t, b, tt.last)
				if got := b.Pick(tt.cs, 0); got != want {
					t.Errorf("tie %q: origin %d, want %d", tie, got, want)
				}
			}
		})
	}
}

// a pick that was no tie moves the turn too.
func TestTurnStandsAfterTheOriginChosenLast(t *testing.T) {
	forEachTie(t, func(t *testing.T, b Balancer) {
		var got []int
		for _, loads := range [][]int64{{0, 0, 0}, {9, 0, 9}, {0, 0, 0}, {0, 0, 0}, {9, 9, 0}, {0, 0, 0}} {
			got = append(got, b.Pick(standing(loads...), 0))
		}
		if want := []int{0, 1, 2, 0, 2, 0}; !slices.Equal(got, want) {
			t.Errorf("origins %v, want %v", got, want)
		}
	})
}

func TestNoneUsableLeavesTheTurnWhereItIs(t *testing.T) {
	forEachTie(t, func(t *testing.T, b Balancer) {
		chooseLast(t, b, 1)
		if got := b.Pick(standing(), 0); got != -1 {
			t.Errorf("Pick() = %d, want -1", got)
		}
		if got := b.Pick(standing(0, 0, 0), 0); got != 2 {
			t.Errorf("Pick() = %d, want 2", got)
		}
	})
}

// A load is above the capacity after a reload that lowered it. Such an origin is
// full; should a caller call it usable all the same, the least overfull is best.
func TestAnyLoadAndCapacityAreComparedExactly(t *testing.T) {
	const most = 1_000_000 // the largest capacity
	usable := func(load, capacity int64) Candidate {
		return Candidate{Usable: true, Load: load, Capacity: capacity}
	}
	for _, tt := range []struct {
		name string
		cs   []Candidate
		want int
	}{
		{"one slot of a million", []Candidate{usable(most-1, most), usable(most-2, most)}, 1},
		{"10^-12 apart", []Candidate{usable(499_999, most-1), usable(499_998, most-3)}, 1},
		{"above the capacity", []Candidate{usable(100, 50), usable(199, 100)}, 1},
		{"above and below", []Candidate{usable(2, 1), usable(most-1, most)}, 1},
		{"the largest loads", []Candidate{usable(math.MaxInt64, most), usable(math.MaxInt64-1, most)}, 1},
		{"a product of 2^64", []Candidate{usable(1<<62, 4), usable(1, 4)}, 1},
		{"products above 2^64", []Candidate{usable(1<<62, most), usable(3, 4)}, 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			forEachTie(t, func(t *testing.T, b Balancer) {
				if got := b.Pick(tt.cs, 0); got != tt.want {
					t.Errorf("origin %d, want %d", got, tt.want)
				}
			})
		})
	}
}

// M-CAP-01 under both ties, with a reload that exchanges two capacities while
// 100 requests are held: what was picked before counts, what it went by does not.
func TestPicksFollowChangedCapacities(t *testing.T) {
	forEachTie(t, func(t *testing.T, b Balancer) {
		s := simulate(b, 150, 50, 50)
		s.hold(100) // 60-20-20
		s.origins[0].Capacity, s.origins[1].Capacity = 50, 150
		if s.hold(80); s.loads() != "60-90-30" {
			t.Errorf("loads %s, want 60-90-30", s.loads())
		}
	})
}

// LB-01 and LB-02: an origin that has nothing to give gets nothing, in groups
// that grow and shrink, and the largest capacity beside it does not wrap round.
func TestOriginWithoutRoomGetsNothingAcrossReloads(t *testing.T) {
	forEachTie(t, func(t *testing.T, b Balancer) {
		for reload := range 50 {
			s := simulate(b, []int64{1, 1_000_000, 1}[:2+reload%2]...)
			for i := range s.origins {
				s.origins[i].Load = 1
			}
			s.origins[1].Load = 0
			if s.hold(100); s.origins[1].Load != 100 {
				t.Fatalf("reload %d: loads %s, want all 100 at the second", reload, s.loads())
			}
		}
	})
}

// BenchmarkCapacity has a budget of 60 ns/op and 0 allocs/op for 3 origins, uncontended.
func BenchmarkCapacity(b *testing.B) {
	for _, tie := range ties {
		b.Run(tie, func(b *testing.B) {
			balancer, cs := newTie(b, tie), standing(3, 1, 1)
			b.ReportAllocs()
			for b.Loop() {
				balancer.Pick(cs, 0)
			}
		})
	}
}
