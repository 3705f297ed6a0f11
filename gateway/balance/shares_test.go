package balance

import (
	"fmt"
	"math"
	"strings"
	"sync"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// Whatever the weights, the metrics and who is usable: over whole rounds everybody
// gets exactly the share that is due, and between them none is further off than by
// a turn for each other part.
func TestSharesAreExactOverRounds(t *testing.T) {
	for _, name := range []string{"weighted-round-robin", "weight-based", "metric"} {
		t.Run(name, func(t *testing.T) {
			rapid.Check(t, func(r *rapid.T) {
				members := drawMembers(r)
				b, cs := newOf(t, name, members), drawGroup(r, members)
				due, round := dueOf(name, members, cs)
				counts, parts := make([]int, len(cs)), float64(len(cs))
				for n := 1; n <= 2*round; n++ {
					counts[b.Pick(cs, 0)]++
					for i, got := range counts {
						if off := math.Abs(float64(got) - due[i]*float64(n)); off > parts || n == 2*round && off > 1e-6*float64(n) {
							r.Fatalf("after %d of %d picks %d has %d, due are %.2f", n, 2*round, i, got, due[i]*float64(n))
						}
					}
				}
			})
		})
	}
}

// dueOf is the part of the picks that is due to each member, and after how many picks
// that comes out whole.
func dueOf(name string, members []Member, cs []Candidate) (due []float64, round int) {
	weights, sharers := make([]int, len(members)), make([]int, len(members))
	hosts := make(map[string]int)
	for i, m := range members {
		if cs[i].Usable {
			hosts[m.Host]++
		}
	}
	total, each := 0, make(map[string]bool)
	for i, m := range members {
		if sharers[i] = 1; !cs[i].Usable {
			continue
		}
		switch name {
		case "weighted-round-robin":
			weights[i], sharers[i] = m.HostWeight, hosts[m.Host]
			if each[m.Host] {
				total -= m.HostWeight
			}
			each[m.Host] = true
		case "weight-based":
			weights[i] = m.Weight
		case "metric":
			weights[i] = m.Live.Metric()
		}
		total += weights[i]
	}
	if total == 0 { // all are busy, or none is usable
		for i := range cs {
			if cs[i].Usable {
				weights[i] = 1
				total++
			}
		}
	}
	due = make([]float64, len(members))
	for i := range members {
		due[i] = float64(weights[i]) / float64(sharers[i]) / float64(max(total, 1))
	}
	return due, total * 60 // hosts have up to five members
}

// What no table is made for has the same shares, nearly: within 2 % of all picks for
// 10,000 of them.
func TestSharesWithoutTable(t *testing.T) {
	for _, name := range []string{"weighted-round-robin", "weight-based", "metric"} {
		rapid.Check(t, func(r *rapid.T) {
			members := drawMembers(r)
			b, cs := newOf(t, name, members), drawGroup(r, members)
			due, round := dueOf(name, members, cs)
			if round == 0 {
				return
			}
			s, counts := sharesOf(b), make([]int, len(cs))
			_, _, usable := s.look(cs)
			for n := range uint64(10_000) {
				counts[s.scatter(cs, n, usable)]++
			}
			for i, got := range counts {
				if math.Abs(float64(got)-due[i]*10_000) > 200 || !cs[i].Usable && got > 0 {
					r.Fatalf("%s: %d has %d of 10,000, due are %.0f", name, i, got, due[i]*10_000)
				}
			}
		})
	}
}

// However many origins there are and however the set changes: it is always a usable
// one, and what is spent on tables is bounded by what was earned.
func TestTablesArePaidFor(t *testing.T) {
	members := equals(90)
	for i := range members {
		members[i].Weight = 1 + i*7%100
	}
	s := newOf(t, "weight-based", members).(*shares)
	cs := idle(90)
	for n := range 3000 {
		cs[n*31%90].Usable = n%3 != 0
		if i := s.Pick(cs, 0); !cs[i].Usable {
			t.Fatalf("pick %d: %d is not usable", n, i)
		}
		if got := s.credit.Load(); got < 0 || got > mostCredit {
			t.Fatalf("pick %d: a credit of %d", n, got)
		}
	}
	for i := range cs {
		cs[i].Usable = i > 0 // a set that was never there
	}
	set, _, _ := s.look(cs)
	for n := 0; s.tableOf(set) == nil; n++ {
		if n == 10_000 {
			t.Fatal("a set that stays has no table after 10,000 picks")
		}
		s.Pick(cs, 0)
	}
}

// Sets beyond those that are kept take the place of others, and those come back.
func TestManySetsHaveTheirShares(t *testing.T) {
	members := []Member{}
	for i := range 8 {
		members = append(members, weighing(fmt.Sprint(i), 1+i))
	}
	b := newOf(t, "weight-based", members)
	for set := range 1 << 8 {
		cs, sum := idle(8), 0
		for i := range cs {
			if cs[i].Usable = set>>i&1 == 1; cs[i].Usable {
				sum += members[i].Weight
			}
		}
		counts := make([]int, 8)
		for range sum {
			if i := b.Pick(cs, 0); i >= 0 {
				counts[i]++
			}
		}
		for i := range cs {
			if off := counts[i] - members[i].Weight; cs[i].Usable && (off < -2 || off > 2) {
				t.Errorf("set %08b: %d has %d turns of %d", set, i, counts[i], sum)
			}
		}
	}
}

// TestHammerLive: while metrics and times change and everybody picks, whoever is
// picked is usable, and nobody waits for another.
func TestHammerLive(t *testing.T) {
	for _, name := range Names() {
		members := completed(equals(5))
		b := newOf(t, name, members)
		if z, ok := b.(Zeroed); ok {
			z.OnZero(func() {})
		}
		var wg sync.WaitGroup
		for g := range 4 {
			wg.Go(func() {
				cs := group([]string{"uuuuu", "u-uuu", "--uu-", "uu--u"}[g])
				for n := range 5000 {
					members[n%5].Live.SetMetric(n % 3 * 50)
					members[n%5].Live.Observe(time.Duration(n), time.Unix(0, int64(n)*1e6))
					if i := b.Pick(cs, uint64(n%7)); !cs[i].Usable {
						t.Errorf("%s: picked %d of %v", name, i, cs)
						return
					}
					b.Peek(cs, uint64(n%7))
				}
			})
		}
		wg.Wait()
	}
}

// A round of turns is spread as evenly as can be: parts of equal weight come in
// order, and no two turns of a part with less than half of all stand side by side.
func TestTurnsAreSpread(t *testing.T) {
	for _, tt := range []struct {
		weights string
		want    string
	}{
		{"1", "a"},
		{"1 1 1", "a b c"},
		{"3 2 1 1", "a b c a d b a"},
		{"5 1 1", "a a b a c a a"},
		{"2 4 9", "c b c a c b c c b c c a c b c"},
	} {
		var weights []int
		for w := range strings.FieldsSeq(tt.weights) {
			n := 0
			fmt.Sscan(w, &n)
			weights = append(weights, n)
		}
		var names []string
		for _, s := range smooth(weights) {
			names = append(names, string(rune('a'+s.part)))
		}
		if got := strings.Join(names, " "); got != tt.want {
			t.Errorf("%s: %s, want %s", tt.weights, got, tt.want)
		}
	}
}

// Whatever the balancer and however origins stand: where one is usable, a usable one is
// picked; where none is, none.
func TestEveryBalancerConservesWork(t *testing.T) {
	for _, name := range append(Names(), "hash-bounded") {
		t.Run(name, func(t *testing.T) {
			rapid.Check(t, func(r *rapid.T) {
				members := drawMembers(r)
				b := newNamed(t, name, members)
				for range rapid.IntRange(1, 20).Draw(r, "picks") {
					cs := drawGroup(r, members)
					i := b.Pick(cs, rapid.Uint64Range(0, 3).Draw(r, "key"))
					if usable := countUsable(cs); usable == 0 && i != -1 || usable > 0 && (i < 0 || !cs[i].Usable) {
						r.Fatalf("picked %d of %v", i, cs)
					}
				}
			})
		})
	}
}
