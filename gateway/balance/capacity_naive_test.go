package balance

import (
	"math"
	"math/big"
	"testing"

	"pgregory.net/rapid"
)

// naive is the capacity balancer as it is told: fractions, a list of the best,
// and then the next of them after the one chosen last.
type naive struct {
	equalLoad bool
	last      int // -1: none yet
}

func (n *naive) pick(cs []Candidate) int {
	tied := largestFree(cs)
	if n.equalLoad && loadsAreEqual(cs) {
		tied = usableOnes(cs)
	}
	if len(tied) == 0 {
		return -1
	}
	n.last = nextAfter(n.last, tied)
	return n.last
}

func usableOnes(cs []Candidate) []int {
	var usable []int
	for i, c := range cs {
		if c.Usable {
			usable = append(usable, i)
		}
	}
	return usable
}

func loadsAreEqual(cs []Candidate) bool {
	loads := make(map[int64]bool)
	for _, i := range usableOnes(cs) {
		loads[cs[i].Load] = true
	}
	return len(loads) <= 1
}

func largestFree(cs []Candidate) []int {
	var best []int
	for _, i := range usableOnes(cs) {
		switch {
		case len(best) == 0 || free(cs[i]).Cmp(free(cs[best[0]])) > 0:
			best = []int{i}
		case free(cs[i]).Cmp(free(cs[best[0]])) == 0:
			best = append(best, i)
		}
	}
	return best
}

// free is (capacity - load) / capacity.
func free(c Candidate) *big.Rat {
	left := new(big.Int).Sub(big.NewInt(c.Capacity), big.NewInt(c.Load))
	return new(big.Rat).SetFrac(left, big.NewInt(c.Capacity))
}

// nextAfter returns the first of tied, which ascends, that is larger than last,
// or else the first of all.
func nextAfter(last int, tied []int) int {
	for _, i := range tied {
		if i > last {
			return i
		}
	}
	return tied[0]
}

// Few different capacities and loads make ties; the large ones make overflows.
var (
	someCapacity = rapid.SampledFrom([]int64{1, 2, 3, 50, 100, 150, 999_999, 1_000_000})
	someLoad     = rapid.OneOf(
		rapid.Int64Range(0, 4),
		rapid.Int64Range(0, 2_000_000),
		rapid.SampledFrom([]int64{math.MaxInt64, math.MaxInt64 - 1, 1 << 62}),
	)
	someCandidate = rapid.Custom(func(t *rapid.T) Candidate {
		return Candidate{
			Usable:   rapid.Float64Range(0, 1).Draw(t, "usable") < 0.8,
			Load:     someLoad.Draw(t, "load"),
			Capacity: someCapacity.Draw(t, "capacity"),
		}
	})
)

// Groups of any sizes follow one another, as they do across reloads.
func TestCapacityPicksAsItIsTold(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		tie := rapid.SampledFrom(ties).Draw(rt, "tie")
		b, reference := newTie(t, tie), naive{equalLoad: tie == "equal-load", last: -1}
		for _, cs := range rapid.SliceOfN(rapid.SliceOfN(someCandidate, 0, 6), 1, 8).Draw(rt, "groups") {
			if got, want := b.Pick(cs, 0), reference.pick(cs); got != want {
				rt.Fatalf("picked %d of %+v, want %d", got, cs, want)
			}
		}
	})
}

// Requests come and go, capacities change: no origin is ever overfilled, all
// slots are filled before anyone queues, and each pick is the reference's.
func TestCapacityPicksAsItIsToldUnderTraffic(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		tie := rapid.SampledFrom(ties).Draw(rt, "tie")
		reference := naive{equalLoad: tie == "equal-load", last: -1}
		s := simulate(newTie(t, tie), rapid.SliceOfN(rapid.Int64Range(1, 6), 1, 4).Draw(rt, "capacities")...)
		for range rapid.IntRange(1, 60).Draw(rt, "events") {
			i := rapid.IntRange(0, len(s.origins)-1).Draw(rt, "origin")
			switch rapid.SampledFrom([]string{"begin", "begin", "begin", "end", "reload"}).Draw(rt, "event") {
			case "begin":
				compareBegin(rt, s, &reference)
			case "end":
				if s.origins[i].Load > 0 {
					s.end(i)
				}
			case "reload":
				s.origins[i].Capacity = rapid.Int64Range(1, 6).Draw(rt, "capacity")
			}
		}
	})
}

func compareBegin(rt *rapid.T, s *simulation, reference *naive) {
	var before []Candidate
	full := true
	for _, o := range s.origins {
		o.Usable = o.Load < o.Capacity
		full = full && !o.Usable
		before = append(before, o)
	}
	got, want := s.begin(), reference.pick(before)
	if got != want || full != (got == -1) {
		rt.Fatalf("picked %d of %+v, want %d", got, before, want)
	}
}
