package balance

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// Whatever was picked before and however the group stands: a peek that is sure
// says what the next pick is, and moves nothing.
func TestPeekSaysWhatPickWillDo(t *testing.T) {
	for _, name := range Names() {
		t.Run(name, func(t *testing.T) {
			rapid.Check(t, func(r *rapid.T) {
				b := mustNew(t, name)
				for range rapid.IntRange(1, 30).Draw(r, "picks") {
					peekThenPick(r, b, drawGroup(r))
				}
			})
		})
	}
}

func drawGroup(r *rapid.T) (cs []Candidate) {
	for range rapid.IntRange(0, 5).Draw(r, "size") {
		c := Candidate{Usable: rapid.Bool().Draw(r, "usable"), Capacity: int64(rapid.IntRange(1, 4).Draw(r, "capacity"))}
		c.Load = int64(rapid.IntRange(0, int(c.Capacity)).Draw(r, "load"))
		cs = append(cs, c)
	}
	return cs
}

func peekThenPick(r *rapid.T, b Balancer, cs []Candidate) {
	before := slices.Clone(cs)
	peeked, sure := b.Peek(cs, 0)
	again, sureAgain := b.Peek(cs, 0)
	picked := b.Pick(cs, 0)
	switch {
	case peeked != again || sure != sureAgain || !slices.Equal(before, cs):
		r.Fatalf("a peek at %v moved something: %d and %v, then %d and %v", before, peeked, sure, again, sureAgain)
	case sure && peeked != picked:
		r.Fatalf("peeked %d of %v and was sure, picked %d", peeked, cs, picked)
	case (peeked < 0) != (picked < 0) || peeked >= 0 && !cs[peeked].Usable:
		r.Fatalf("peeked %d of %v, picked %d", peeked, cs, picked)
	}
}

// Only chance makes a peek unsure, and only where there is a choice.
func TestPeekIsUnsureWhereChanceDecides(t *testing.T) {
	for _, tt := range []struct {
		group   string
		chances bool
	}{{"", false}, {"---", false}, {"-u-", false}, {"uu", true}, {"u-u-u", true}} {
		for _, name := range Names() {
			want := name != "random" || !tt.chances
			if i, sure := mustNew(t, name).Peek(group(tt.group), 0); sure != want {
				t.Errorf("%s of %q: %d, sure %v, want %v", name, tt.group, i, sure, want)
			}
		}
	}
}

func TestPeekAllocatesNothing(t *testing.T) {
	cs := group("uu-uu-uu")
	for _, name := range Names() {
		b := mustNew(t, name)
		if n := testing.AllocsPerRun(1000, func() { b.Peek(cs, 0) }); n != 0 {
			t.Errorf("%s: Peek allocates %v times, want 0", name, n)
		}
	}
}
